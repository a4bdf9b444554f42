"""Engines with faults built in, for the process to survive. Imported in the child by name."""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import time
from pathlib import Path

from inference.echo import EchoEngine
from inference.types import ChatPrompt, Loading, Prefilling, RawPrompt

log = logging.getLogger(__name__)


def _wish(request) -> str:
    prompt = request.prompt
    match prompt:
        case ChatPrompt():
            return prompt.messages[-1].text
        case RawPrompt():
            return prompt.text
        case _:
            return ""


class WishfulEngine(EchoEngine):
    """Does the bad thing that the prompt asks for, else it echoes."""

    def __init__(self, script=None, mark=""):
        super().__init__(script)
        self.mark = mark

    def load(self, source, should_stop):
        if source == "crash":
            yield Loading("Opening", 0.1)
            os.kill(os.getpid(), signal.SIGSEGV)
        yield from super().load(source, should_stop)

    def generate(self, request, should_stop):
        match _wish(request):
            case "crash":
                yield Prefilling(1, 2, 0)
                os.kill(os.getpid(), signal.SIGABRT)
            case "sleep deeply":  # a kernel that takes its time
                yield Prefilling(1, 2, 0)
                time.sleep(30)
            case "hold the lock":  # native code that keeps Python's lock
                yield Prefilling(1, 2, 0)
                ctypes.PyDLL(None).usleep(30_000_000)
            case "eat":
                eaten = []
                while len(eaten) < 4096:
                    eaten.append(bytearray(16 << 20))
                    yield Prefilling(len(eaten), 1_000_000, 0)
            case "marzipan":
                raise ValueError(_wish(request))
            case "log":
                log.warning("A line of %d characters", len(_wish(request)))
        yield from super().generate(request, should_stop)

    def close(self):
        if self.mark:
            Path(self.mark).write_text("closed")
        super().close()


def broken_factory():
    raise OSError("no such library")
