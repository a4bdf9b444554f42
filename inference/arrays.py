"""Reading small arrays back: plain Python numbers with plain types."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import mlx.core as mx


def ints(array: mx.array) -> list[int]:
    """Read a vector of whole numbers. Shapes: (N,)."""
    return cast("list[int]", array.tolist())


def floats(array: mx.array) -> list[float]:
    """Read a vector of numbers. Shapes: (N,)."""
    return cast("list[float]", array.tolist())


def bools(array: mx.array) -> list[bool]:
    """Read a vector of truths. Shapes: (N,)."""
    return cast("list[bool]", array.tolist())
