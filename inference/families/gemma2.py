"""Gemma 2: every second layer sees a window, scores and logits are soft-capped.

mlx-lm's class has no window, takes no embeddings, and broadcasts masks of several rows wrongly.

Source: mlx-lm 0.32.2 models/gemma2.py; transformers 5.24 modeling_gemma2.py (`layer_types`).
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx

from inference.families.network import Caches, Mask, masks_of, scaled, soft_cap
from inference.layout import CacheLayout, LayerLayout
from inference.mlx_lm_door import gemma2

WINDOW = 4096  # configuration_gemma2.py


class Gemma2(gemma2.Model):
    """Gemma 2's network.

    Args:
        window: Tokens that layers 0, 2, 4, ... see.
    """

    def __init__(self, args: Any, window: int) -> None:  # noqa: ANN401  (mlx-lm's own class)
        super().__init__(args)
        heads, width = args.num_key_value_heads, args.head_dim
        near = LayerLayout("window", window, heads, width, width)
        far = LayerLayout("full", 0, heads, width, width)
        self.layout = CacheLayout(
            tuple(far if i % 2 else near for i in range(args.num_hidden_layers))
        )
        self.vocabulary_size: int = args.vocab_size

    @property
    def final_norm(self) -> Any:  # noqa: ANN401
        """The norm before the head."""
        return self.model.norm

    def sanitize(self, weights: dict[str, mx.array]) -> dict[str, mx.array]:
        """Drop the copy of the tied embedding that some checkpoints carry."""
        return {k: v for k, v in weights.items() if not k.startswith("lm_head.")}

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
        h = scaled(h, self.args.hidden_size, self.model.norm)
        caches = [None] * len(self.layers) if cache is None else cache
        masks = masks_of(h, self.layout.layers, caches, attention_bias, as_array=True)
        for layer, mask, kept in zip(self.layers, masks, caches, strict=True):
            h = layer(h, self._fitting(mask), kept)
        normed: mx.array = self.model.norm(h)
        return normed

    def _fitting(self, mask: Mask) -> Mask:
        """Scores of grouped heads have one axis more than a mask of several rows."""
        grouped = self.args.num_attention_heads > self.args.num_key_value_heads
        if grouped and isinstance(mask, mx.array) and mask.ndim == 4:
            return mask[:, :, None]  # (B, 1, 1, L, C)
        return mask

    def head(self, hidden: mx.array) -> mx.array:
        """Give the logits in float32, soft-capped."""
        return soft_cap(self.model.embed_tokens.as_linear(hidden), self.final_logit_softcapping)

    def __call__(
        self,
        ids: mx.array,
        cache: Caches | None = None,
        input_embeddings: mx.array | None = None,
        attention_bias: mx.array | None = None,
    ) -> mx.array:
        """Give the logits in float32."""
        return self.head(self.hidden(ids, cache, input_embeddings, attention_bias))


def build(config: dict[str, Any]) -> Gemma2:
    """Make the network that a config.json describes; its weights are still random."""
    return Gemma2(gemma2.ModelArgs.from_dict(config), int(config.get("sliding_window") or WINDOW))
