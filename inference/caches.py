"""One layer's keys and values: what mlx-lm's Gemma classes call `cache`, with exact rollback.

A full layer keeps every row. A window layer keeps the rows that the window can still reach, in
temporal order and with slack, so that steps can be taken back after the window has moved on. A
recurrent layer keeps its latest states.
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx

from inference.full_cache import FullCache
from inference.layout import CacheLayout, LayerLayout
from inference.recurrent import RecurrentCache
from inference.window_cache import DEFAULT_SLACK, WindowCache

__all__ = [
    "DEFAULT_SLACK",
    "CacheLayout",
    "FullCache",
    "LayerCache",
    "LayerLayout",
    "RecurrentCache",
    "WindowCache",
    "layout_of",
    "make_caches",
]

LayerCache = FullCache | WindowCache | RecurrentCache


def make_caches(
    layout: CacheLayout,
    dtype: mx.Dtype | None = None,
    slack: int = DEFAULT_SLACK,
    kv_bits: int | None = None,
) -> list[LayerCache]:
    """One empty cache for each layer that has its own.

    Args:
        layout: What each of them keeps.
        dtype: The dtype that rows are kept in; None takes that of the first call.
        slack: Steps that can always be taken back.
        kv_bits: Quantise the rows of full layers; window layers always stay exact.
    """
    made: list[LayerCache] = []
    for layer in layout.layers:
        match layer.kind:
            case "full":
                made.append(FullCache(dtype, kv_bits))
            case "window":
                made.append(WindowCache(layer.window, slack, dtype))
            case "recurrent":
                made.append(RecurrentCache())
    return made


def layout_of(network: Any) -> CacheLayout:  # noqa: ANN401  (any of mlx-lm's model classes)
    """Find a network's layout by reading one token, which also warms it up."""
    bare = [_kind_of(theirs) for theirs in _their_caches(network)]
    caches = make_caches(CacheLayout(tuple(bare)))
    mx.eval(network(mx.array([[0]]), cache=caches))
    measured = [_measured(layer, cache) for layer, cache in zip(bare, caches, strict=True)]
    return CacheLayout(tuple(measured))


def _their_caches(network: Any) -> list[Any]:  # noqa: ANN401  (any of mlx-lm's model classes)
    return network.make_cache() if hasattr(network, "make_cache") else [None] * len(network.layers)


def _kind_of(theirs: Any) -> LayerLayout:  # noqa: ANN401  (any of mlx-lm's cache classes)
    if hasattr(theirs, "max_size"):
        return LayerLayout("window", theirs.max_size)
    return LayerLayout("recurrent" if hasattr(theirs, "cache") else "full")


def _measured(layer: LayerLayout, cache: LayerCache) -> LayerLayout:
    if isinstance(cache, RecurrentCache):
        return LayerLayout("recurrent", key_width=cache.state[-1].shape[-1])
    keys, values = cache.keys_and_values()
    _, heads, _, width = keys.shape
    return LayerLayout(layer.kind, layer.window, heads, width, values.shape[3])
