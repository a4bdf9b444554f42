"""How many tokens one call reads: what this device does in a quarter of a second.

Stop is answered between calls, so a call must be short; longer ones read faster. The step is
measured once for each model and device and remembered, since it is part of what snapshots are.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import mlx.core as mx

if TYPE_CHECKING:
    from inference.context import Context

log = logging.getLogger(__name__)

LONGEST_CALL_SECONDS = 0.25
SHORTEST_STEP = 16
PLAIN_STEP = 512  # beyond it a step must pay
LONGEST_STEP = 2048
WORTH_IT = 1.1  # times as fast a token


def grid_step(make_context: Callable[[], Context], folder: Path, model: str) -> int:
    """Give the step for a model on this device; measure it the first time.

    Args:
        make_context: Makes an empty context of the loaded model.
        folder: Where steps are remembered.
        model: The model's fingerprint.
    """
    path = folder / f"{_device_and(model)}.json"
    try:
        step = json.loads(path.read_text())["step"]
        if isinstance(step, int) and SHORTEST_STEP <= step <= LONGEST_STEP:
            return step
    except (OSError, ValueError, KeyError, TypeError):
        pass
    step = measure(make_context)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        written = path.with_suffix(f".{os.getpid()}.tmp")
        written.write_text(json.dumps({"step": step}))
        written.replace(path)
    except OSError as error:
        log.warning("The reading step could not be remembered: %s", error.strerror)
    return step


def measure(
    make_context: Callable[[], Context], clock: Callable[[], float] = time.perf_counter
) -> int:
    """Find the largest power of two that is read in time."""
    step, best = SHORTEST_STEP, SHORTEST_STEP
    _seconds(make_context, step, clock)  # the first call also compiles
    pace = _seconds(make_context, step, clock) / step
    while step < (PLAIN_STEP if mx.default_device() == mx.cpu else LONGEST_STEP):
        step *= 2
        seconds = min(_seconds(make_context, step, clock) for _ in range(2))
        too_slow = seconds > LONGEST_CALL_SECONDS
        if too_slow or (step > PLAIN_STEP and pace < WORTH_IT * seconds / step):
            break
        best, pace = step, seconds / step
    return best


def _seconds(make_context: Callable[[], Context], step: int, clock: Callable[[], float]) -> float:
    context = make_context()
    start = clock()
    context.feed([token % 97 + 3 for token in range(step)], logits=False)
    context.settle()
    return clock() - start


def _device_and(model: str) -> str:
    info = mx.device_info() if hasattr(mx, "device_info") else {}
    device = f"{mx.default_device()} {info.get('device_name', '')} {os.cpu_count()}"
    return hashlib.blake2b(f"{device}\n{model}".encode(), digest_size=12).hexdigest()
