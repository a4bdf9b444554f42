"""Drift: do the likeliest tokens after a prompt still stand where they are expected?"""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx

from inference.arrays import ints
from inference.candidates import largest
from inference.errors import DriftError


def drift(expected: Sequence[int], actual: Sequence[int]) -> float:
    """The share of expected ids that are not at the same rank among the actual ones."""
    moved = sum(1 for a, b in zip(expected, actual, strict=True) if a != b)
    return moved / len(expected)


def check_drift(logits: mx.array, expected: Sequence[int], limit: float) -> None:
    """Compare the first k of the logits with those expected. Shapes: (1, V).

    Raises:
        DriftError: More of them moved than the limit allows.
    """
    _, ids = largest(logits.astype(mx.float32), len(expected))
    actual = ints(ids[0])
    share = drift(expected, actual)
    if share > limit:
        raise DriftError(share, limit, tuple(expected), tuple(actual))
