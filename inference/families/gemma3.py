"""Gemma 3: text checkpoints, and the text part of multimodal ones.

Source: mlx-lm 0.32.2 models/gemma3_text.py and gemma3.py, which scale the caller's embeddings in
place, know the layers by a repeating pattern, and read the rope from the older config keys.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from inference.families.network import Caches, masks_of, scaled, soft_cap
from inference.families.text_part import TextPart
from inference.layout import CacheLayout, LayerLayout
from inference.mlx_lm_door import gemma3, gemma3_text

if TYPE_CHECKING:
    import mlx.core as mx

_TOWERS = ("vision_tower.", "multi_modal_projector.")


class Gemma3Text(gemma3_text.Model):
    """Gemma 3's text network."""

    def __init__(self, args: Any) -> None:  # noqa: ANN401  (mlx-lm's own class)
        super().__init__(args)
        heads, width = args.num_key_value_heads, args.head_dim
        full = LayerLayout("full", 0, heads, width, width)
        window = LayerLayout("window", args.sliding_window, heads, width, width)
        pattern = args.sliding_window_pattern
        self.layout = CacheLayout(
            tuple(window if (i + 1) % pattern else full for i in range(args.num_hidden_layers))
        )
        self.vocabulary_size: int = args.vocab_size

    @property
    def final_norm(self) -> Any:  # noqa: ANN401
        """The norm before the head."""
        return self.model.norm

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


class Gemma3(TextPart, gemma3.Model):
    """The text part of a multimodal Gemma 3; pictures are not read."""

    def __init__(self, args: Any) -> None:  # noqa: ANN401  (mlx-lm's own class)
        super().__init__(args)
        self.language_model: Gemma3Text = Gemma3Text(text_args(args.text_config))
        self.layout = self.language_model.layout
        self.vocabulary_size: int = self.language_model.vocabulary_size

    def sanitize(self, weights: dict[str, mx.array]) -> dict[str, mx.array]:
        """Drop the vision tower; put every layout's names into one."""
        named = {}
        for key, value in weights.items():
            name = key.removeprefix("model.")
            if name.startswith(_TOWERS):
                continue
            if key.startswith("model.language_model."):
                name = name.replace("language_model.", "language_model.model.", 1)
            elif name.startswith("lm_head."):
                name = f"language_model.{name}"
            named[name] = value
        if "language_model.lm_head.weight" not in named:
            self.language_model.sanitize({})  # ties the head to the embedding
        return named


def text_args(config: dict[str, Any]) -> Any:  # noqa: ANN401  (mlx-lm's own class)
    """Read the text network's arguments from either generation of config keys."""
    told = dict(config)
    ropes = told.get("rope_parameters") or {}
    far, near = ropes.get("full_attention") or {}, ropes.get("sliding_attention") or {}
    if far:
        told["rope_theta"] = far.get("rope_theta", 1_000_000.0)
        told["rope_scaling"] = far if far.get("rope_type", "default") != "default" else None
    if near:
        told["rope_local_base_freq"] = near.get("rope_theta", 10_000.0)
    if told.get("layer_types"):
        told["sliding_window_pattern"] = _pattern(told["layer_types"])
    elif told.get("_sliding_window_pattern"):
        told["sliding_window_pattern"] = told["_sliding_window_pattern"]
    told.setdefault("model_type", "gemma3_text")
    return gemma3_text.ModelArgs.from_dict(told)


def _pattern(layer_types: list[str]) -> int:
    """Which n makes every n-th layer the full one.

    Raises:
        ValueError: None does.
    """
    n = layer_types.index("full_attention") + 1 if "full_attention" in layer_types else 10_000
    expected = [
        "sliding_attention" if (i + 1) % n else "full_attention" for i in range(len(layer_types))
    ]
    if layer_types != expected:
        raise ValueError("layer_types has no repeating pattern")
    return n


def build_text(config: dict[str, Any]) -> Gemma3Text:
    """Make the network that a config.json describes; its weights are still random."""
    return Gemma3Text(text_args(config))


def build(config: dict[str, Any]) -> Gemma3:
    """Make the text network of a multimodal config.json; its weights are still random."""
    told = deepcopy(config)
    size = told["text_config"].get("vocab_size")
    if size and "vocab_size" not in told:
        told["vocab_size"] = size
    return Gemma3(gemma3.ModelArgs.from_dict(told))
