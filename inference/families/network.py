"""What the engine asks of every Gemma network, and the steps that they share.

Legend: B batch, L length of the call, C columns (keys held), D width of the stream, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import mlx.core as mx

from inference.mlx_lm_door import base

if TYPE_CHECKING:
    from inference.layout import CacheLayout, LayerLayout

Mask = mx.array | str | None
Caches = Sequence[Any]  # mlx-lm's duck-typed caches: offset, update_and_fetch, make_mask


class Network(Protocol):
    """A Gemma network. No call changes an array of the caller's."""

    layout: CacheLayout
    vocabulary_size: int

    @property
    def layers(self) -> list[Any]:
        """The blocks in order, those that share another's keys and values included."""

    @property
    def final_norm(self) -> Any:  # noqa: ANN401  (an nn.Module; mlx.nn has no types)
        """The norm before the head."""

    def embed(self, ids: mx.array) -> mx.array:
        """Give what `input_embeddings` takes. Shapes: (B, L) -> (B, L, D)."""

    def hidden(
        self,
        ids: mx.array,
        cache: Caches | None = None,
        input_embeddings: mx.array | None = None,
        attention_bias: mx.array | None = None,
    ) -> mx.array:
        """Give the final norm's states. Shapes: (B, L) -> (B, L, D).

        Args:
            ids: The tokens; needed beside embeddings too where layers have their own.
            cache: One for each entry of `layout`; grows by L.
            input_embeddings: Take the place of the tokens' own; their dtype is computed in.
            attention_bias: Added to the scores of every layer, (L, C) or (B, 1, L, C); a layer
                that holds fewer columns takes the last ones.
        """

    def head(self, hidden: mx.array) -> mx.array:
        """Give the logits, soft-capped once. Shapes: (B, L, D) -> (B, L, V), float32."""

    def __call__(
        self,
        ids: mx.array,
        cache: Caches | None = None,
        input_embeddings: mx.array | None = None,
        attention_bias: mx.array | None = None,
    ) -> mx.array:
        """Give `head(hidden(...))`."""


def attention_mask(
    h: mx.array,
    cache: Any,  # noqa: ANN401  (mlx-lm's caches are duck-typed)
    window: int | None,
    bias: mx.array | None,
    as_array: bool = False,
) -> Mask:
    """Give a layer's mask for the tokens in h, with a bias where there is one.

    Args:
        h: The stream; its length and dtype count.
        cache: The layer's cache before the call.
        window: None in a layer that sees everything.
        bias: As in `Network.hidden`.
        as_array: Give an array even where "causal" says the same.
    """
    mask: Mask = base.create_attention_mask(
        h, cache, window_size=window, return_array=as_array or bias is not None
    )
    if bias is None:
        return mask
    if mask is None:
        return bias.astype(h.dtype) if window is None else bias[..., -window:].astype(h.dtype)
    assert isinstance(mask, mx.array)
    fitting = bias[..., -mask.shape[-1] :]
    lowest = mx.array(mx.finfo(h.dtype).min, h.dtype)
    return mx.where(mask, fitting.astype(h.dtype), lowest)


def masks_of(
    h: mx.array,
    layers: Sequence[LayerLayout],
    cache: Caches,
    bias: mx.array | None,
    as_array: bool = False,
) -> list[Mask]:
    """Give each layer's mask; layers of the same window share one."""
    made: dict[int, Mask] = {}
    for its, kept in zip(layers, cache, strict=True):
        if its.window not in made:
            made[its.window] = attention_mask(h, kept, its.window or None, bias, as_array)
    return [made[its.window] for its in layers]


def scaled(embeddings: mx.array, width: int, norm: Any) -> mx.array:  # noqa: ANN401
    """Multiply by the root of the width, rounded as the network's own dtype rounds it.

    A norm that has a `stream_scale` reads a stream that is smaller by so much (see `narrow`).

    Source: transformers models/gemma3/modeling_gemma3.py, Gemma3TextScaledWordEmbedding.
    """
    scale = mx.array(width**0.5, norm.weight.dtype) * getattr(norm, "stream_scale", 1.0)
    return embeddings * scale.astype(embeddings.dtype)


def soft_cap(logits: mx.array, cap: float | None) -> mx.array:
    """Bend logits into (-cap, cap), in float32."""
    logits = logits.astype(mx.float32)
    return mx.tanh(logits / cap) * cap if cap else logits
