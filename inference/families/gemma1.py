"""Gemma 1, and Gemma 2 beside it in `gemma2`.

mlx-lm's class takes no embeddings and uses the exact GELU; the released models use its tanh form.

Source: mlx-lm 0.32.2 models/gemma.py; transformers 5.24 configuration_gemma.py (`hidden_act`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlx.nn.layers.activations import gelu_approx

from inference.families.network import Caches, masks_of, scaled, soft_cap
from inference.layout import CacheLayout, LayerLayout
from inference.mlx_lm_door import gemma

if TYPE_CHECKING:
    import mlx.core as mx


class TanhMLP(gemma.MLP):
    """The gated block with the tanh form of GELU."""

    def __call__(self, x: mx.array) -> mx.array:
        """Shapes: (B, L, D) -> (B, L, D)."""
        out: mx.array = self.down_proj(gelu_approx(self.gate_proj(x)) * self.up_proj(x))
        return out


class Gemma1(gemma.Model):
    """Gemma 1's network."""

    def __init__(self, args: Any) -> None:  # noqa: ANN401  (mlx-lm's own class)
        super().__init__(args)
        for layer in self.layers:
            layer.mlp = TanhMLP(args.hidden_size, args.intermediate_size)
        its = LayerLayout("full", 0, args.num_key_value_heads, args.head_dim, args.head_dim)
        self.layout = CacheLayout((its,) * args.num_hidden_layers)
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
        masks = masks_of(h, self.layout.layers, caches, attention_bias)
        for layer, mask, kept in zip(self.layers, masks, caches, strict=True):
            h = layer(h, mask, kept)
        normed: mx.array = self.model.norm(h)
        return normed

    def head(self, hidden: mx.array) -> mx.array:
        """Give the logits in float32."""
        return soft_cap(self.model.embed_tokens.as_linear(hidden), None)

    def __call__(
        self,
        ids: mx.array,
        cache: Caches | None = None,
        input_embeddings: mx.array | None = None,
        attention_bias: mx.array | None = None,
    ) -> mx.array:
        """Give the logits in float32."""
        return self.head(self.hidden(ids, cache, input_embeddings, attention_bias))


def build(config: dict[str, Any]) -> Gemma1:
    """Make the network that a config.json describes; its weights are still random."""
    return Gemma1(gemma.ModelArgs.from_dict(config))
