"""Gemma 4: text checkpoints, and the text part of multimodal ones.

Source: mlx-lm 0.32.2 models/gemma4_text.py and gemma4.py. Its forward is told again here, so that
masks can carry a bias and the tokens' ids always go with their embeddings.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import mlx.core as mx

from inference.families.network import Caches, attention_mask, scaled, soft_cap
from inference.families.text_part import TextPart
from inference.layout import CacheLayout, LayerLayout
from inference.mlx_lm_door import gemma4, gemma4_text

_MTP = ("mtp.", "model.mtp.", "language_model.mtp.", "model.language_model.mtp.")


class Gemma4Text(gemma4_text.Model):
    """Gemma 4's text network."""

    def __init__(self, args: Any) -> None:  # noqa: ANN401  (mlx-lm's own class)
        super().__init__(args)
        self.layout = CacheLayout(
            tuple(_layer(layer.self_attn, args) for layer in self.layers if layer.self_attn.has_kv)
        )
        self.vocabulary_size: int = args.vocab_size
        far = args.rope_parameters.get("full_attention", {})
        if far.get("factors"):
            self._stretch(far["factors"], far["rope_theta"])

    def _stretch(self, factors: list[float], theta: float) -> None:
        """Multiply the wavelengths of full layers, one factor for each pair of dimensions."""
        for layer in self.layers:
            attention = layer.self_attn
            if attention.is_sliding:
                continue
            if len(factors) != attention.head_dim // 2:
                raise ValueError("rope_freqs do not fit the head's width")
            pairs = mx.arange(0, attention.head_dim, 2, dtype=mx.float32) / attention.head_dim
            attention.rope._freqs = mx.array(factors) * theta**pairs  # noqa: SLF001

    @property
    def final_norm(self) -> Any:  # noqa: ANN401
        """The norm before the head."""
        return self.model.norm

    def sanitize(self, weights: dict[str, mx.array]) -> dict[str, mx.array]:
        """Drop what shares another's keys and values, and heads that predict several tokens."""
        kept = {k: v for k, v in weights.items() if not k.startswith(_MTP)}
        if self.tie_word_embeddings:
            kept.pop("lm_head.weight", None)
        sanitized: dict[str, mx.array] = super().sanitize(kept)
        return sanitized

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
        model = self.model
        h = self.embed(ids) if input_embeddings is None else input_embeddings
        h = scaled(h, self.args.hidden_size, model.norm)
        each = self._per_layer(ids, h)
        caches = [*cache] if cache is not None else []
        caches += [None] * (len(model.layers) - len(caches))
        masks = self._masks(h, caches, attention_bias)
        seen: list[tuple[Any, Any]] = []
        for i, layer in enumerate(model.layers):
            source = model.previous_kvs[i]
            shared, offset = seen[source] if source < i else (None, None)
            h, shared, offset = layer(
                h,
                masks[layer.layer_type],
                caches[i],
                per_layer_input=each[i],
                shared_kv=shared,
                offset=offset,
            )
            seen.append((shared, offset))
        normed: mx.array = model.norm(h)
        return normed

    def _per_layer(self, ids: mx.array, h: mx.array) -> list[mx.array | None]:
        model = self.model
        if not model.hidden_size_per_layer_input:
            return [None] * len(model.layers)
        own = model._get_per_layer_inputs(ids).astype(h.dtype)  # noqa: SLF001
        both = model._project_per_layer_inputs(h, own)  # noqa: SLF001
        return [both[:, :, i, :] for i in range(len(model.layers))]

    def _masks(self, h: mx.array, caches: Caches, bias: mx.array | None) -> dict[str, Any]:
        masks: dict[str, Any] = {}
        for layer, kept in zip(self.layers, caches, strict=True):
            kind = layer.layer_type
            if kind not in masks:
                window = self.args.sliding_window if kind == "sliding_attention" else None
                masks[kind] = attention_mask(h, kept, window, bias)
        return masks

    def head(self, hidden: mx.array) -> mx.array:
        """Give the logits in float32, soft-capped."""
        tied = self.tie_word_embeddings
        logits = self.model.embed_tokens.as_linear(hidden) if tied else self.lm_head(hidden)
        return soft_cap(logits, self.final_logit_softcapping)

    def __call__(
        self,
        ids: mx.array,
        cache: Caches | None = None,
        input_embeddings: mx.array | None = None,
        attention_bias: mx.array | None = None,
    ) -> mx.array:
        """Give the logits in float32."""
        return self.head(self.hidden(ids, cache, input_embeddings, attention_bias))


class Gemma4(TextPart, gemma4.Model):
    """The text part of a multimodal Gemma 4; pictures and sound are not read."""

    def __init__(self, args: Any) -> None:  # noqa: ANN401  (mlx-lm's own class)
        super().__init__(args)
        self.language_model: Gemma4Text = Gemma4Text(
            gemma4_text.ModelArgs.from_dict(args.text_config)
        )
        self.layout = self.language_model.layout
        self.vocabulary_size: int = self.language_model.vocabulary_size

    def sanitize(self, weights: dict[str, mx.array]) -> dict[str, mx.array]:
        """Drop towers and heads that predict several tokens; put names into one layout."""
        kept = {k: v for k, v in weights.items() if not k.startswith(_MTP)}
        if self.language_model.tie_word_embeddings:
            kept = {k: v for k, v in kept.items() if not k.endswith("lm_head.weight")}
        sanitized: dict[str, mx.array] = super().sanitize(kept)
        return sanitized


def _layer(attention: Any, args: Any) -> LayerLayout:  # noqa: ANN401
    window = args.sliding_window if attention.is_sliding else 0
    width = attention.head_dim
    return LayerLayout("window" if window else "full", window, attention.n_kv_heads, width, width)


def build_text(config: dict[str, Any]) -> Gemma4Text:
    """Make the network that a config.json describes; its weights are still random."""
    return Gemma4Text(gemma4_text.ModelArgs.from_dict(deepcopy(config)))


def build(config: dict[str, Any]) -> Gemma4:
    """Make the text network of a multimodal config.json; its weights are still random."""
    told = deepcopy(config)
    size = (told.get("text_config") or {}).get("vocab_size")
    if size and "vocab_size" not in told:
        told["vocab_size"] = size
    return Gemma4(gemma4.ModelArgs.from_dict(told))
