# ruff: noqa: T201  (a table is what this prints)
"""The event loop while a grid of 32 cells streams: how late a 4 ms timer is.

Three rows of one run: idle, the echo engine at some thousand tokens a second, and the starter model
with the ten likeliest tokens of each place.
"""

from __future__ import annotations

import gc
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEventLoop, QObject, Qt, QTimer

from app.lab.lab import Lab
from app.lab.plan import Plan, Variant
from app.store.thread import StoreThread
from app.worker import Worker
from inference import EchoEngine, Engine, EngineOptions, GemmaEngine, Sampling, preload_blas
from inference.echo import EchoScript

TICK_MS = 4
PREFIX = "The lighthouse keeper wrote down the weather every evening. " * 20
SEEDS = tuple(range(8))


class Ticks(QObject):
    """Notes how late each tick is."""

    def __init__(self) -> None:
        super().__init__()
        self.late_ms: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer(self, interval=TICK_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.on_tick)
        self._timer.start()

    def on_tick(self) -> None:
        """Note one tick."""
        now = time.perf_counter()
        self.late_ms.append((now - self._last) * 1_000 - TICK_MS)
        self._last = now


def measure(name: str, begin: Callable[[QEventLoop], None]) -> None:
    """Run an event loop until it is left, and print one line."""
    loop, ticks = QEventLoop(), Ticks()
    QTimer.singleShot(0, lambda: begin(loop))
    start = time.perf_counter()
    loop.exec()
    seconds = time.perf_counter() - start
    late = sorted(ticks.late_ms)
    p99 = late[int(len(late) * 0.99)] if late else 0.0
    print(f"{name:<34} {statistics.median(late):8.2f} {p99:8.2f} {late[-1]:8.2f} {seconds:8.1f}")


def grid(name: str, engine: Callable[[], Engine], model: str, max_tokens: int) -> None:
    """Measure one engine."""
    plan = Plan(
        tuple(
            Variant(f"V{n}", f"{PREFIX}{{{{ask}}}} {n}", sampling=Sampling(), max_tokens=max_tokens)
            for n in range(4)
        ),
        ({"ask": "What did the keeper write?"},),
        SEEDS,
    )
    with tempfile.TemporaryDirectory() as folder:
        store = StoreThread(Path(folder) / "chats.sqlite3")
        worker = Worker(engine)
        lab = Lab(store, worker)
        heard = []
        lab.cell_grew.connect(lambda _, text: heard.append(text))
        store.start()
        worker.start()
        experiment = store.wait(lambda s: s.experiments.create("bench", "{}"))

        def begin(loop: QEventLoop) -> None:
            lab.ended.connect(loop.quit)
            lab.noticed.connect(print)
            lab.run(plan, model, experiment_id=experiment)

        measure(name, begin)
        worker.close()
        store.close()


def main() -> None:
    """Print the table."""
    application = QCoreApplication.instance() or QCoreApplication(sys.argv)
    assert application is not None
    gc.disable()
    sys.setswitchinterval(0.001)
    print(
        f"{'lateness of a 4 ms timer, ms':<34} {'median':>8} {'p99':>8} {'max':>8} {'seconds':>8}"
    )
    measure("idle", lambda loop: QTimer.singleShot(2_000, loop.quit))
    script = EchoScript(reply="word " * 80, seconds_per_token=0.0003)
    grid("32 cells of the echo", lambda: EchoEngine(script), "echo", 400)
    preload_blas()
    with tempfile.TemporaryDirectory() as cache:
        cells = "32 cells of the starter model"
        grid(cells, lambda: GemmaEngine(EngineOptions(Path(cache))), "starter", 8)


if __name__ == "__main__":
    main()
