"""An engine in a process of its own keeps the contract of the seam."""

from __future__ import annotations

import tempfile
from pathlib import Path

from inference import EngineOptions, EngineProcess
from inference.echo import EchoScript
from tests.contract import EngineContract
from tests.model.families import build


class TestEchoInAProcess(EngineContract):
    @classmethod
    def make(cls):
        script = EchoScript(token_characters=0, seconds_per_token=0.0005)
        return EngineProcess("inference.echo:EchoEngine", script)


class TestGemmaInAProcess(EngineContract):
    @classmethod
    def make(cls):
        home = Path(tempfile.mkdtemp())
        cls.SOURCE = str(build("gemma3", home / "model"))
        return EngineProcess("inference.engine:GemmaEngine", EngineOptions(home / "cache"))
