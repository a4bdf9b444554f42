<<<<<<< HEAD
"""The engine on MLX keeps the contract of the seam, for every family of networks."""
=======
"""The engine on MLX keeps the contract of the seam, in this process and in one of its own."""

from __future__ import annotations
>>>>>>> 9e316aa (Test an engine's process with injected faults, and Gemma against the contract)

import tempfile
from pathlib import Path

<<<<<<< HEAD
import pytest

from inference import EngineOptions, GemmaEngine
=======
from inference import EngineOptions, EngineProcess
from inference.engine import GemmaEngine
>>>>>>> 9e316aa (Test an engine's process with injected faults, and Gemma against the contract)
from tests.contract import EngineContract
from tests.model.families import build


<<<<<<< HEAD
def made(family: str) -> tuple[GemmaEngine, str]:
    home = Path(tempfile.mkdtemp())
    return GemmaEngine(EngineOptions(home / "cache")), str(build(family, home / family))


class TestGemma3(EngineContract):
    @classmethod
    def make(cls):
        engine, cls.SOURCE = made("gemma3")
        return engine


@pytest.mark.full
class TestGemma4(EngineContract):
    @classmethod
    def make(cls):
        engine, cls.SOURCE = made("gemma4_shared")
        return engine
=======
class TinyGemma(EngineContract):
    """On a tiny random model, opened from its folder as a user's would be."""

    FAMILY = "gemma3"

    def __init_subclass__(cls):
        cls.FOLDER = tempfile.TemporaryDirectory(prefix="cabochon-")
        top = Path(cls.FOLDER.name)
        cls.SOURCE = str(top / "model")
        cls.OPTIONS = EngineOptions(top / "cache")

    @classmethod
    def make(cls):
        build(cls.FAMILY, Path(cls.SOURCE))
        return cls.engine_on(cls.OPTIONS)


class TestGemma3InThisProcess(TinyGemma):
    @classmethod
    def engine_on(cls, options):
        return GemmaEngine(options)


class TestGemma3InAProcessOfItsOwn(TinyGemma):
    @classmethod
    def engine_on(cls, options):
        return EngineProcess("inference.engine:GemmaEngine", options)
>>>>>>> 9e316aa (Test an engine's process with injected faults, and Gemma against the contract)
