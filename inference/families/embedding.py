"""EmbeddingGemma: a Gemma 3 stack that sees both ways, its states averaged, then two dense layers.

Its network is in no library that runs on MLX. A text's vector is read from `vectors`.

Source: transformers 5.24 modeling_gemma3.py (`use_bidirectional_attention`);
sentence-transformers' modules of google/embeddinggemma-300m (mean pooling, Dense, Dense,
Normalize).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx.nn.layers.linear import Linear

from inference.families.gemma3 import text_args
from inference.families.network import scaled
from inference.layout import CacheLayout
from inference.mlx_lm_door import gemma3_text

DENSE_WIDTH = 3072  # 2_Dense/config.json of google/embeddinggemma-300m


class EmbeddingGemma(Module):
    """The network. It keeps nothing between calls and predicts no tokens.

    Args:
        dense: Widths of the dense layers: the stream's, a wider one, and the vector's.
    """

    def __init__(self, args: Any, dense: tuple[int, int, int]) -> None:  # noqa: ANN401
        super().__init__()
        self.args = args
        self.model = gemma3_text.Gemma3Model(args)
        self.dense = [Linear(a, b, bias=False) for a, b in pairwise(dense)]
        self.layout = CacheLayout(())
        self.vocabulary_size: int = args.vocab_size
        self.vector_width = dense[-1]

    def sanitize(self, weights: dict[str, mx.array]) -> dict[str, mx.array]:
        """Put every layout's names into one: with or without `model.`, dense layers by number."""
        named = {}
        for key, value in weights.items():
            name = key
            if key.startswith(("layers.", "embed_tokens.", "norm.")):
                name = f"model.{key}"
            named[name] = value
        return named

    def hidden(self, ids: mx.array, lengths: mx.array) -> mx.array:
        """Give the states after the final norm. Shapes: ids (B, L), lengths (B,) -> (B, L, D).

        Args:
            ids: Texts, filled up on the right.
            lengths: How many of each row are text.
        """
        h = scaled(self.model.embed_tokens(ids), self.args.hidden_size, self.model.norm)
        place = mx.arange(ids.shape[1])
        is_text = (place[None] < lengths[:, None])[:, None, None]  # (B, 1, 1, L)
        near = mx.abs(place[:, None] - place[None]) <= self.args.sliding_window // 2
        masks = {
            True: is_text & near,
            False: mx.broadcast_to(is_text, (*is_text.shape[:2], *near.shape)),
        }
        for layer in self.model.layers:
            h = layer(h, masks[layer.self_attn.is_sliding], None)
        return self.model.norm(h)

    def vectors(self, ids: mx.array, lengths: mx.array) -> mx.array:
        """Give each text's vector of unit length. Shapes: (B, L), (B,) -> (B, vector), float32."""
        states = self.hidden(ids, lengths).astype(mx.float32)
        is_text = (mx.arange(ids.shape[1])[None] < lengths[:, None])[..., None]
        v = (states * is_text).sum(axis=1) / lengths[:, None]
        for dense in self.dense:
            v = dense(v)
        v = v.astype(mx.float32)
        return v / mx.maximum(mx.linalg.norm(v, axis=-1, keepdims=True), 1e-12)


def is_embedder(config: dict[str, Any]) -> bool:
    """Tell whether a config.json describes a model for vectors, not for text."""
    kinds = config.get("architectures")
    named = isinstance(kinds, list) and "Gemma3TextModel" in kinds
    return config.get("use_bidirectional_attention") is True or named


def build(config: dict[str, Any]) -> EmbeddingGemma:
    """Make the network that a config.json describes; its weights are still random."""
    args = text_args(config)
    width = args.hidden_size
    return EmbeddingGemma(args, (width, int(config.get("dense_width", DENSE_WIDTH)), width))
