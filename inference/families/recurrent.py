"""RecurrentGemma: two recurrent layers, then one that sees a window, and again.

mlx-lm's class takes no embeddings and finds its caches only in the first pattern of layers.

Source: mlx-lm 0.32.2 models/recurrent_gemma.py; transformers 5.24 modeling_recurrent_gemma.py.
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx
from mlx.nn.layers.base import Module

from inference.families.network import Caches, attention_mask, soft_cap
from inference.layout import CacheLayout, LayerLayout
from inference.mlx_lm_door import recurrent_gemma


class RecurrentGemma(recurrent_gemma.Model):
    """RecurrentGemma's network."""

    def __init__(self, args: Any) -> None:  # noqa: ANN401  (mlx-lm's own class)
        Module.__init__(self)  # mlx-lm's class forgets it
        super().__init__(args)
        width = args.hidden_size // args.num_attention_heads
        recurrent = LayerLayout("recurrent", key_width=args.hidden_size)
        window = LayerLayout("window", args.attention_window_size, 1, width, width)
        self.layout = CacheLayout(
            tuple(
                recurrent if layer.temporal_block_type == "recurrent" else window
                for layer in self.layers
            )
        )
        self.vocabulary_size: int = args.vocab_size

    @property
    def final_norm(self) -> Any:  # noqa: ANN401
        """The norm before the head."""
        return self.model.final_norm

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
        if self.model.scale_by_sqrt_dim:  # in bfloat16 whatever the dtype: transformers
            h = h * mx.array(self.args.hidden_size**0.5, mx.bfloat16).astype(h.dtype)
        caches = [None] * len(self.layers) if cache is None else cache
        window = self.args.attention_window_size
        mask = attention_mask(h, caches[self.model.swa_idx], window, attention_bias)
        for layer, kept in zip(self.layers, caches, strict=True):
            h = layer(h, mask=mask, cache=kept)
        normed: mx.array = self.model.final_norm(h)
        return normed

    def head(self, hidden: mx.array) -> mx.array:
        """Give the logits in float32, soft-capped."""
        untied = "lm_head" in self
        logits = self.lm_head(hidden) if untied else self.model.embed_tokens.as_linear(hidden)
        return soft_cap(logits, self.args.logits_soft_cap)

    def __call__(
        self,
        ids: mx.array,
        cache: Caches | None = None,
        input_embeddings: mx.array | None = None,
        attention_bias: mx.array | None = None,
    ) -> mx.array:
        """Give the logits in float32."""
        return self.head(self.hidden(ids, cache, input_embeddings, attention_bias))


def build(config: dict[str, Any]) -> RecurrentGemma:
    """Make the network that a config.json describes; its weights are still random."""
    return RecurrentGemma(recurrent_gemma.ModelArgs.from_dict(config))
