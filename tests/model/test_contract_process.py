"""An engine in a process of its own keeps the contract of the seam."""

from inference import EngineProcess
from inference.echo import EchoScript
from tests.contract import EngineContract


class TestEchoInAProcess(EngineContract):
    @classmethod
    def make(cls):
        script = EchoScript(token_characters=0, seconds_per_token=0.0005)
        return EngineProcess("inference.echo:EchoEngine", script)
