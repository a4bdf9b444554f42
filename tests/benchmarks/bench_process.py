# ruff: noqa: T201  (a table is what this prints)
"""The engine on a thread and in a process of its own, side by side on the starter model.

One program holds both. The main thread ticks as a window's event loop would; a second thread drives
the engines, which take turns with short replies, so that a noisy machine is noisy for both alike. A
gap is how much later than asked a tick comes.
"""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from inference import ChatPrompt, Delta, Engine, EngineOptions, GenerationRequest, Message, Sampling

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "4"))
SOURCE = os.environ.get("BENCH_SOURCE", "starter")
TICK_SECONDS = 0.004
REPLY_TOKENS = 8
WORDS = "The lighthouse keeper wrote down the weather, the ships and the birds of each day. " * 3


def resident_mb(pid: int | None) -> float:
    """Memory that a process holds, in MB; 0 for none."""
    command = ["ps", "-o", "rss=", "-p", str(pid)]
    found = subprocess.run(command, check=False, capture_output=True, text=True)
    return int(found.stdout.strip() or 0) / 1000


class Bench:
    """Both engines, what they measured, and the gaps of the main thread by kind and phase."""

    def __init__(self, cache: Path) -> None:
        self.options = EngineOptions(cache, snapshot_disk_bytes=0)
        self.kind, self.phase = "", ""
        self.gaps: dict[tuple[str, str], list[float]] = {}
        self.figures: dict[tuple[str, str], list[float]] = {}

    def note(self, name: str, value: float) -> None:
        self.figures.setdefault((self.kind, name), []).append(value)

    def tick_while(self, thread: threading.Thread) -> None:
        before = time.perf_counter()
        while thread.is_alive():
            time.sleep(TICK_SECONDS)
            now = time.perf_counter()
            gap = (now - before - TICK_SECONDS) * 1000
            self.gaps.setdefault((self.kind, self.phase), []).append(gap)
            before = now

    # ------------------------------------------------------------------------ the second thread

    def drive(self) -> None:
        print("converting", file=sys.stderr)
        self.kind, self.phase = "process", "converting"
        engines = {"process": self.in_a_process()}
        list(engines["process"].load(SOURCE, lambda: False))
        engines["process"].close()
        own = resident_mb(os.getpid())
        engines["process"] = self.open(self.in_a_process)
        self.note("loaded_mb", resident_mb(engines["process"].process_id))
        self.kind = "thread"
        engines["thread"] = self.open(self.on_this_thread)
        self.note("loaded_mb", resident_mb(os.getpid()) - own)
        for n in range(ROUNDS + 1):
            for kind, engine in engines.items():
                self.kind = kind
                self.speak(engine, n)
            if n == 0:  # the first round warms up
                for key in [key for key in self.figures if key[1] not in ("start_s", "loaded_mb")]:
                    del self.figures[key]
                for key in [key for key in self.gaps if key[1] in ("reading", "speaking")]:
                    del self.gaps[key]
        self.phase = "rest"
        child = engines["process"].process_id
        for kind, engine in engines.items():
            self.kind = kind
            engine.unload()
        gc.collect()
        self.kind = "process"
        self.note("unloaded_mb", resident_mb(child))
        self.kind = "thread"
        self.note("unloaded_mb", resident_mb(os.getpid()) - own)
        for engine in engines.values():
            engine.close()

    def in_a_process(self) -> Engine:
        from inference import EngineProcess

        return EngineProcess("inference.engine:GemmaEngine", self.options)

    def on_this_thread(self) -> Engine:
        from inference import GemmaEngine, preload_blas

        preload_blas()
        return GemmaEngine(self.options)

    def open(self, make) -> Engine:
        print("loading", self.kind, file=sys.stderr)
        start, self.phase = time.perf_counter(), "loading"
        engine = make()
        list(engine.load(SOURCE, lambda: False))
        self.note("start_s", time.perf_counter() - start)
        self.phase = "rest"
        return engine

    def speak(self, engine: Engine, n: int) -> None:
        prompt = ChatPrompt((Message("user", f"{n} {WORDS}"),))
        request = GenerationRequest(prompt, Sampling(temperature=0.0), REPLY_TOKENS)
        engine.forget("")
        time.sleep(0.5)  # the other engine's threads come to rest
        print("round", n, self.kind, file=sys.stderr)
        start, self.phase = time.perf_counter(), "reading"
        times = []
        for event in engine.generate(request, lambda: False):
            if isinstance(event, Delta):
                times.append(time.perf_counter())
                self.phase = "speaking"
        self.phase = "rest"
        self.note("first_token_s", times[0] - start)
        self.note("tokens_per_s", (len(times) - 1) / (times[-1] - times[0]))


def relay_cost_us() -> tuple[float, float]:
    """Processor time that one token's way through the pipe costs the child and the window."""
    from inference.process.child import Outbox
    from inference.process.pipes import Reader
    from inference.process.wire import Happened

    read, write = os.pipe()
    outbox, reader = Outbox(write), Reader(read)
    report, spent = Happened(1, Delta("word ")), [0.0, 0.0]
    for _ in range(5_000):
        start = time.thread_time()
        outbox.put(report)
        middle = time.thread_time()
        assert reader.receive(0)
        spent[0] += middle - start
        spent[1] += time.thread_time() - middle
    os.close(read)
    os.close(write)
    return spent[0] / 5_000 * 1e6, spent[1] / 5_000 * 1e6


def main() -> None:
    child_us, window_us = relay_cost_us()
    print(f"A token's way costs {child_us:.0f} µs in the child and {window_us:.0f} µs here (CPU).")
    sys.setswitchinterval(0.001)  # as the window does
    with tempfile.TemporaryDirectory(prefix="cabochon-bench-") as cache:
        bench = Bench(Path(cache))
        driver = threading.Thread(target=bench.drive)
        driver.start()
        bench.tick_while(driver)
        driver.join()
    rows = {
        name: [statistics.median(bench.figures[kind, name]) for kind in ("thread", "process")]
        for name in ("start_s", "first_token_s", "tokens_per_s", "loaded_mb", "unloaded_mb")
    }
    for phase in ("loading", "reading", "speaking"):
        for name, at in (("p99", 0.99), ("max", 1.0)):
            rows[f"{phase} gap {name} ms"] = [
                sorted(gaps)[min(int(len(gaps) * at), len(gaps) - 1)]
                for gaps in (bench.gaps[kind, phase] for kind in ("thread", "process"))
            ]
    print(f"The starter model, {ROUNDS} rounds in turns; gaps are those of the window's thread.")
    print(f"{'':<20}{'thread':>12}{'process':>12}{'process/thread':>16}")
    for name, (one, other) in rows.items():
        print(f"{name:<20}{one:>12.2f}{other:>12.2f}{other / max(one, 1e-9):>16.3f}")


if __name__ == "__main__":
    main()
