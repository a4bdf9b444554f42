# ruff: noqa: T201  (a table to be read)
"""What the whole window costs: a key to its glyph, the event loop's gaps, tokens/s shown or hidden.

Offscreen. Run alone with `python tests/benchmarks/bench_window.py [--real]`, or by `make bench`.
With `--real` the real starter model loads and answers in its thread; else the echo speaks.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2]))

from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.__main__ import Program, Wish
from app.chat.states import ChatState
from app.instance import Instance
from app.paths import find_paths

PROMPT = "Tell me a long story about a fox and a lighthouse. "


class Gaps:
    """How late a timer of four milliseconds comes: what the person's hand would feel."""

    def __init__(self) -> None:
        self.late_ms: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer(interval=4)
        self._timer.timeout.connect(self._on_tick)

    def start(self) -> None:
        self.late_ms.clear()
        self._last = time.perf_counter()
        self._timer.start()

    def stop(self) -> tuple[float, float, float]:
        """Median, 99th percentile and largest gap, in milliseconds."""
        self._timer.stop()
        found = sorted(self.late_ms) or [0.0]
        return statistics.median(found), found[int(len(found) * 0.99)], found[-1]

    def _on_tick(self) -> None:
        now = time.perf_counter()
        self.late_ms.append(max((now - self._last) * 1_000 - 4, 0))
        self._last = now


def until(found: Callable[[], object], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not found():
        QApplication.processEvents()
        time.sleep(0.0005)
        if time.monotonic() > end:
            raise TimeoutError


def answer(program: Program, gaps: Gaps, text: str) -> tuple[float, tuple[float, float, float]]:
    """Send a message and wait for its reply; give tokens/s and the gaps meanwhile."""
    count = len(program.chat.conversation)
    gaps.start()
    program.chat.send(text)
    until(lambda: len(program.chat.conversation) >= count + 2)
    until(lambda: program.chat.state is ChatState.READY)
    late = gaps.stop()
    return program.chat.conversation.path()[-1].note.tokens_per_second, late


def key_to_glyph(program: Program) -> list[float]:
    """Milliseconds from a key to the composer's repaint."""
    editor = program.page.composer.editor
    took = []
    for _ in range(60):
        start = time.perf_counter()
        QTest.keyClick(editor, "x")
        editor.viewport().repaint()
        took.append((time.perf_counter() - start) * 1_000)
        QApplication.processEvents()
    program.page.composer.clear()
    return sorted(took)


def main() -> None:
    real = "--real" in sys.argv
    app = QApplication(sys.argv[:1])
    app.setStyle("Fusion")
    sys.setswitchinterval(0.001)
    with tempfile.TemporaryDirectory() as home:
        paths = find_paths({"CABOCHON_HOME": home}).make()
        engine = "thread" if real else "echo"
        wish = Wish(engine=engine, questions=False, echo_seconds=0.0025)
        program = Program(app, paths, wish, Instance(paths.data))
        gaps = Gaps()
        start = time.perf_counter()
        program.window.show()
        until(lambda: program.counter is not None and program.chat.status.state)
        shown = (time.perf_counter() - start) * 1_000
        gaps.start()
        until(lambda: program.chat.model is not None)
        loading = gaps.stop()
        text = PROMPT if real else PROMPT * 30
        still = key_to_glyph(program)
        rates: dict[bool, list[float]] = {True: [], False: []}
        late: tuple[float, float, float] = (0, 0, 0)
        answer(program, gaps, text)
        for _ in range(3):
            for visible in (True, False):
                program.window.setVisible(visible)
                rate, gap = answer(program, gaps, text)
                rates[visible].append(rate)
                late = gap if visible else late
        print(f"{'engine':40}{program.chat.model.name if program.chat.model else ''}")
        print(f"{'shown and first events, ms':40}{shown:8.1f}")
        for name, (p50, p99, largest) in (("gap while loading, ms", loading), ("writing", late)):
            print(f"{name:40}p50 {p50:6.1f}  p99 {p99:6.1f}  max {largest:7.1f}")
        p99 = still[int(len(still) * 0.99)]
        print(f"{'key to glyph, ms':40}p50 {statistics.median(still):6.1f}  p99 {p99:6.1f}")
        visible, hidden = statistics.median(rates[True]), statistics.median(rates[False])
        print(f"{'tokens/s shown, hidden':40}{visible:8.1f} {hidden:8.1f}")
        print(f"{'shown against hidden':40}{visible / hidden:8.3f}")
        program.close()


if __name__ == "__main__":
    main()
