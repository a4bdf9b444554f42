"""What the benchmarks of the engine share: the real model, pairs, and a table."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from inference.blas import preload_blas

preload_blas()

from inference import (  # noqa: E402  (MLX comes after its BLAS)
    EngineOptions,
    Finished,
    GemmaEngine,
    GenerationRequest,
    InferenceError,
)

Timed = Callable[[], float]  # runs once; tokens per second, or seconds


def never(*_: int) -> bool:
    """Go on."""
    return False


def starter() -> GemmaEngine:
    """The engine with the starter model, or with the one that `BENCH_MODEL` names."""
    home = Path(
        os.environ.get("CABOCHON_BENCH_CACHE", Path(tempfile.gettempdir()) / "cabochon-bench")
    )
    engine = GemmaEngine(EngineOptions(home))
    try:
        list(engine.load(os.environ.get("BENCH_MODEL", "starter"), never))
    except InferenceError as error:
        sys.exit(f"{error}")
    return engine


def run(engine: GemmaEngine, request: GenerationRequest) -> Finished:
    """Make one reply."""
    *_, last = engine.generate(request, never)
    assert isinstance(last, Finished)
    return last


def pairs(ours: Timed, theirs: Timed, count: int) -> tuple[float, float, float]:
    """Run two things in turn, each first in every other pair.

    Returns:
        The medians of both, and the median of the pairs' ratios.
    """
    found: list[tuple[float, float]] = []
    for i in range(count):
        if i % 2:
            second = theirs()
            found.append((ours(), second))
        else:
            first = ours()
            found.append((first, theirs()))
    a, b = zip(*found, strict=True)
    ratios = [x / y for x, y in found]
    return statistics.median(a), statistics.median(b), statistics.median(ratios)


def seconds(work: Callable[[], object]) -> float:
    """How long something takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def row(name: str, *values: str) -> None:
    """Print one row of a table."""
    sys.stdout.write(f"{name:52}" + "".join(f"{value:>14}" for value in values) + "\n")
    sys.stdout.flush()


def pair_count(default: int = 10) -> int:
    """How many pairs: `BENCH_PAIRS` makes a run shorter."""
    return int(os.environ.get("BENCH_PAIRS", default))
