"""The echo keeps the contract of the seam."""

from inference import EchoEngine
from inference.echo import EchoScript
from tests.contract import EngineContract


class TestEchoEngine(EngineContract):
    @classmethod
    def make(cls):
        return EchoEngine(EchoScript(token_characters=0))


class TestEchoEngineThatThinks(EngineContract):
    @classmethod
    def make(cls):
        return EchoEngine(EchoScript(reply="The sea is wide. " * 20, thought="Waves, salt, sky."))
