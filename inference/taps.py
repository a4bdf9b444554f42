"""Hearing the stream between layers.

A layer's class is replaced by a subclass that tells what passes, for as long as somebody listens;
parameters and results are the layer's own, to the bit.

Legend: B rows, L length of a call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import mlx.core as mx

Hear = Callable[[int, mx.array, mx.array], None]  # layer, entering and leaving: (B, L, width)


@contextmanager
def listening(
    layers: Sequence[Any], hear: Hear, only: Sequence[int] | None = None
) -> Iterator[None]:
    """Tell what enters and leaves each layer, or only some, while the context lasts."""
    chosen = range(len(layers)) if only is None else only
    kinds = {i: type(layers[i]) for i in chosen}
    try:
        for i, kind in kinds.items():
            layers[i].__class__ = _telling(kind, i, hear)
        yield
    finally:
        for i, kind in kinds.items():
            layers[i].__class__ = kind


def _telling(kind: Any, index: int, hear: Hear) -> Any:  # noqa: ANN401  (MLX's are untyped)
    def call(layer: Any, x: mx.array, *args: Any, **more: Any) -> Any:  # noqa: ANN401
        out = kind.__call__(layer, x, *args, **more)
        hear(index, x, out[0] if isinstance(out, tuple) else out)
        return out

    return type(kind.__name__, (kind,), {"__call__": call})
