"""Gemma 3: text checkpoints, and the text part of multimodal ones.

Source: mlx-lm 0.32.2 models/gemma3_text.py, which scales the caller's embeddings in place.
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx

from inference.families.network import Caches, attention_mask, soft_cap
from inference.layout import CacheLayout, LayerLayout
from inference.mlx_lm_door import gemma3_text


class Gemma3Text(gemma3_text.Model):
    """Gemma 3's text network."""

    def __init__(self, args: Any) -> None:  # noqa: ANN401  (mlx-lm's own class)
        super().__init__(args)
        self.layout = layout(args)
        self.vocabulary_size: int = args.vocab_size

    def embed(self, ids: mx.array) -> mx.array:
        """Give the tokens' embeddings, unscaled."""
        embedded: mx.array = self.model.embed_tokens(ids)
        return embedded

    def hidden(
        self,
        ids: mx.array,
        cache: Caches | None = None,
        input_embeddings: mx.array | None = None,
        attention_bias: mx.array | None = None,
    ) -> mx.array:
        """Give the final norm's states."""
        h = self.embed(ids) if input_embeddings is None else input_embeddings
        h = h * mx.array(self.args.hidden_size**0.5, mx.bfloat16).astype(h.dtype)
        caches = [None] * len(self.layers) if cache is None else cache
        masks: dict[int, Any] = {}
        for layer, kept, its in zip(self.layers, caches, self.layout.layers, strict=True):
            if its.window not in masks:
                masks[its.window] = attention_mask(h, kept, its.window or None, attention_bias)
            h = layer(h, masks[its.window], kept)
        normed: mx.array = self.model.norm(h)
        return normed

    def head(self, hidden: mx.array) -> mx.array:
        """Give the logits in float32."""
        if self.tie_word_embeddings:
            return soft_cap(self.model.embed_tokens.as_linear(hidden), None)
        return soft_cap(self.lm_head(hidden), None)

    def __call__(
        self,
        ids: mx.array,
        cache: Caches | None = None,
        input_embeddings: mx.array | None = None,
        attention_bias: mx.array | None = None,
    ) -> mx.array:
        """Give the logits in float32."""
        return self.head(self.hidden(ids, cache, input_embeddings, attention_bias))


def layout(args: Any) -> CacheLayout:  # noqa: ANN401  (mlx-lm's own class)
    """Tell what each layer keeps: every n-th sees everything, the others a window."""
    heads, width = args.num_key_value_heads, args.head_dim
    full = LayerLayout("full", 0, heads, width, width)
    window = LayerLayout("window", args.sliding_window, heads, width, width)
    pattern = args.sliding_window_pattern
    return CacheLayout(
        tuple(window if (i + 1) % pattern else full for i in range(args.num_hidden_layers))
    )
