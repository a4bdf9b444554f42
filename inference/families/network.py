"""What the engine asks of every Gemma network, and the steps that they share.

Legend: B batch, L length of the call, C columns (keys held), D width of the stream, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import mlx.core as mx

from inference.mlx_lm_door import base

if TYPE_CHECKING:
    from inference.layout import CacheLayout

Mask = mx.array | str | None
Caches = Sequence[Any]  # mlx-lm's duck-typed caches: offset, update_and_fetch, make_mask


class Network(Protocol):
    """A Gemma network. No call changes an array of the caller's."""

    layout: CacheLayout
    vocabulary_size: int

    @property
    def layers(self) -> list[Any]:
        """The blocks in order, those that share another's keys and values included."""

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
        bias: As in `Network.hidden`.
        window: None in a layer that sees everything.
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


def soft_cap(logits: mx.array, cap: float | None) -> mx.array:
    """Bend logits into (-cap, cap), in float32."""
    logits = logits.astype(mx.float32)
    return mx.tanh(logits / cap) * cap if cap else logits
