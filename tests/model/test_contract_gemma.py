"""The engine on MLX keeps the contract of the seam, for every family of networks."""

import tempfile
from pathlib import Path

import pytest

from inference import EngineOptions, GemmaEngine
from tests.contract import EngineContract
from tests.model.families import build


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
