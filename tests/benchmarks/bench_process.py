# ruff: noqa: T201  (a table is what this prints)
"""The engine on a thread and in a process of its own, side by side on the starter model.

Each run is a program of its own: the main thread ticks as a window's event loop would, the engine
is driven on a second thread. A gap is how much later than asked a tick comes.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

KINDS = ("thread", "process")
REPEATS = int(os.environ.get("BENCH_REPEATS", "3"))
TICK_SECONDS = 0.004
REPLY_TOKENS = 32
WORDS = "The lighthouse keeper wrote down the weather, the ships and the birds of each day. " * 10


def resident_mb(pid: int | None) -> float:
    """Memory that a process holds, in MB; 0 for none."""
    if pid is None:
        return 0.0
    found = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(pid)], check=False, capture_output=True, text=True
    )
    return int(found.stdout.strip() or 0) / 1000


class Ticker:
    """The main thread's ticks, and the gaps between them by phase."""

    def __init__(self) -> None:
        self.phase = "start"
        self.gaps: dict[str, list[float]] = {}

    def run_while(self, thread: threading.Thread) -> None:
        before = time.perf_counter()
        while thread.is_alive():
            time.sleep(TICK_SECONDS)
            now = time.perf_counter()
            self.gaps.setdefault(self.phase, []).append((now - before - TICK_SECONDS) * 1000)
            before = now


def drive(kind: str, cache: Path, ticker: Ticker, found: dict[str, float]) -> None:
    from inference import ChatPrompt, Delta, EngineOptions, GenerationRequest, Message, Sampling

    start = time.perf_counter()
    ticker.phase = "loading"
    if kind == "thread":
        from inference import GemmaEngine, preload_blas

        preload_blas()
        engine = GemmaEngine(EngineOptions(cache))
    else:
        from inference import EngineProcess

        engine = EngineProcess("inference.engine:GemmaEngine", EngineOptions(cache))
    list(engine.load("starter", lambda: False))
    found["start_s"] = time.perf_counter() - start
    child = getattr(engine, "process_id", None)
    for n in range(2):  # the first warms up
        engine.forget("")
        prompt = ChatPrompt((Message("user", f"{n} {WORDS}"),))
        request = GenerationRequest(prompt, Sampling(temperature=0.0), REPLY_TOKENS)
        ticker.phase = "reading" if n else "warm-up"
        start = time.perf_counter()
        times = []
        for event in engine.generate(request, lambda: False):
            if isinstance(event, Delta):
                times.append(time.perf_counter())
                ticker.phase = "speaking" if n else "warm-up"
        found["first_token_s"] = times[0] - start
        found["tokens_per_s"] = (len(times) - 1) / (times[-1] - times[0])
    ticker.phase = "rest"
    found["loaded_mb"] = resident_mb(os.getpid()) + resident_mb(child)
    found["window_mb"] = resident_mb(os.getpid())
    engine.unload()
    found["unloaded_mb"] = resident_mb(os.getpid()) + resident_mb(
        getattr(engine, "process_id", None)
    )
    engine.close()


def child(kind: str, cache: str) -> None:
    sys.setswitchinterval(0.001)  # as the window does
    ticker, found = Ticker(), {}
    driver = threading.Thread(target=drive, args=(kind, Path(cache), ticker, found))
    driver.start()
    ticker.run_while(driver)
    for phase in ("loading", "reading", "speaking"):
        gaps = sorted(ticker.gaps[phase])
        found[f"{phase}_p99_ms"] = gaps[int(len(gaps) * 0.99)]
        found[f"{phase}_max_ms"] = gaps[-1]
    print(json.dumps(found))


def main() -> None:
    runs: dict[str, list[dict[str, float]]] = {kind: [] for kind in KINDS}
    with tempfile.TemporaryDirectory(prefix="cabochon-bench-") as cache:
        for n in range(REPEATS + 1):  # the first run converts the model and is not counted
            for kind in KINDS:
                command = [sys.executable, __file__, kind, cache]
                answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
                if n:
                    runs[kind].append(json.loads(answer.stdout))
    print(f"Starter model, median of {REPEATS} runs each, in turns; gaps are those of the window.")
    print(f"{'':<18}{'thread':>12}{'process':>12}{'process/thread':>16}")
    for name in runs["thread"][0]:
        one, other = (statistics.median(run[name] for run in runs[kind]) for kind in KINDS)
        ratio = f"{other / one:>16.3f}" if one > 0.01 else ""
        print(f"{name:<18}{one:>12.2f}{other:>12.2f}{ratio}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        child(*sys.argv[1:])
    else:
        main()
