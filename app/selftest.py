"""`cabochon --self-test`: prove on this machine that an installed program works, and say so.

It opens the real window in a home of its own, loads the starter model (or one in miniature) on the
engine's thread, sends one message, waits for the reply, and closes. `--cpu` keeps MLX off the GPU;
`--thread` and `--process` choose where the engine runs.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.chat.states import ChatState
from app.screen import why_no_window
from app.store.rows import Node

if TYPE_CHECKING:
    from app.__main__ import Program

LIMIT_MS = 300_000
ENOUGH = 8  # pieces of a reply
HEAVY = ("mlx.core", "mlx_lm", "transformers", "huggingface_hub")
BEGAN = time.monotonic()


class SelfTest(QObject):
    """Follows one start, one message and one end of the window; on the GUI thread."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program
        self.failure = "the time was up before a reply came"
        self._asked = False
        self._grown = 0
        self._modules = len(sys.modules)
        self._heavy = [name for name in HEAVY if name in sys.modules] or "none"
        self._clock = QTimer(interval=LIMIT_MS, singleShot=True)
        self._clock.timeout.connect(program.quit)
        self._clock.start()
        program.window.painted.connect(self.on_painted)
        program.chat.state_changed.connect(self.on_state)
        program.chat.grew.connect(self.on_grew)
        program.chat.reply_ended.connect(self.on_reply)

    def on_painted(self) -> None:
        """The window is on the screen."""
        say(f"window shown; {self._modules} modules before it, of the heavy ones {self._heavy}")

    def on_state(self, state: ChatState) -> None:
        """Ask once, when the model is there."""
        if state is ChatState.READY and not self._asked:
            self._asked = True
            info = self.program.chat.model
            assert info is not None
            say(f"{info.name} loaded on {info.device} as {info.dtype}")
            self.program.chat.send("The capital of France is")
        elif state is ChatState.FAILED:
            self.end(f"the model did not load: {self.program.chat.status.error}")

    def on_grew(self, *_: object) -> None:
        """Some words are enough; Stop is tried with them."""
        self._grown += 1
        if self._grown == ENOUGH:
            self.program.chat.stop()

    def on_reply(self, node: Node) -> None:
        """The reply came: that is all."""
        say(f"a reply of {node.note.generated_tokens} tokens, {node.status}")
        self.end(node.note.error if node.status == "failed" else "")

    def end(self, failure: str) -> None:
        """Close the window like a person would."""
        self.failure = failure
        self.program.quit()


def say(line: str) -> None:
    """Print one line with the time since the start."""
    sys.stdout.write(f"{time.monotonic() - BEGAN:6.2f} s  {line}\n")
    sys.stdout.flush()


def metal() -> str:
    """Run one kernel on the GPU, which loads MLX's Metal library; tell how it went."""
    import mlx.core as mx

    if not mx.metal.is_available():
        return "there is none here"
    try:
        mx.eval(mx.add(mx.ones(4), 1, stream=mx.gpu))
    except RuntimeError as error:
        return f"FAILED: {error}"
    return "works"


def main(argv: Sequence[str]) -> int:
    """Run the self-test.

    Returns:
        The exit code: 0 if everything works.
    """
    for name in ("cabochon", "PySide6_Essentials", "mlx", "mlx-lm", "tokenizers"):
        say(f"{name} {version(name)}")
    say(f"Python {platform.python_version()} on {platform.platform()}")
    with tempfile.TemporaryDirectory() as home:
        os.environ["CABOCHON_HOME"] = home
        if why_no_window(os.environ, sys.platform):
            os.environ["QT_QPA_PLATFORM"] = "offscreen"
        failure = _run(Path(home), argv)
    if "--cpu" not in argv and not failure:
        say(f"Metal: {(found := metal())}")
        failure = found if found.startswith("FAILED") else ""
    say(f"FAILED: {failure}" if failure else "all is well")
    return 1 if failure else 0


def _run(home: Path, argv: Sequence[str]) -> str:
    """Open the window, wait for a reply, close it; tell what failed."""
    if "--cpu" in argv:
        import_module("inference").preload_blas()
        import mlx.core as mx

        mx.set_default_device(mx.cpu)
    window = import_module("app.__main__")
    source = "starter" if import_module("app.desk.choosing").has_starter() else ""
    if not source:
        tiny = import_module("app.tiny_gemma")
        source = str(tiny.write_tiny_gemma(home / "tiny"))
    tests: list[SelfTest] = []
    engine = "process" if "--process" in argv else "thread"
    wish = window.Wish(engine, source, questions=False)
    window.open_window(wish, lambda program: tests.append(SelfTest(program)))
    return tests[0].failure if tests else "the window did not open"
