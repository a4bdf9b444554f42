"""Gemma 3n: four streams side by side, embeddings of each layer, late layers that share K and V.

mlx-lm's class gives no hidden states, rewrites weights while it runs, and cannot run without caches
as it is meant to. Its early layers' caches serve the layers that share them.

Source: mlx-lm 0.32.2 models/gemma3n.py; transformers 5.24 modeling_gemma3n.py.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import mlx.core as mx

from inference.families.network import Caches, attention_mask, soft_cap
from inference.layout import CacheLayout, LayerLayout
from inference.mlx_lm_door import gemma3n, kv_cache

_TOWERS = ("vision_tower.", "audio_tower.", "embed_audio.", "embed_vision.")
_LEAST_POWER = 1e-5  # modeling_gemma3n.py, `clamp(min=1e-5)`


class Gemma3n(gemma3n.Model):
    """Gemma 3n's text network."""

    def __init__(self, args: Any) -> None:  # noqa: ANN401  (mlx-lm's own class)
        super().__init__(args)
        text = self._text
        text.config.altup_coef_clip = None  # in training only: modeling_gemma3n.py
        config = text.config
        heads, width = config.num_key_value_heads, config.head_dim
        kinds = {
            "full_attention": LayerLayout("full", 0, heads, width, width),
            "sliding_attention": LayerLayout("window", config.sliding_window, heads, width, width),
        }
        own = config.layer_types[: text.first_kv_shared_layer_idx]
        self.layout = CacheLayout(tuple(kinds[kind] for kind in own))
        self.vocabulary_size: int = config.vocab_size

    @property
    def _text(self) -> Any:  # noqa: ANN401
        return self.model.language_model

    @property
    def final_norm(self) -> Any:  # noqa: ANN401
        """The norm before the head."""
        return self._text.norm

    def sanitize(self, weights: dict[str, mx.array]) -> dict[str, mx.array]:
        """Drop towers, and keys and values of layers that share them; put names into one layout."""
        named = {}
        for key, value in weights.items():
            name = key.removeprefix("model.")
            if name.startswith((*_TOWERS, "lm_head.", "language_model.lm_head.")):
                continue
            if key.startswith("language_model.model."):
                name = key.replace("language_model.model.", "language_model.", 1)
            named[f"model.{name}"] = value
        return {k: v for k, v in named.items() if not self._is_shared(k)}

    def _is_shared(self, key: str) -> bool:
        _, _, rest = key.partition(".layers.")
        layer, _, leaf = rest.partition(".")
        return (
            leaf.startswith(("self_attn.k_", "self_attn.v_"))
            and layer.isdecimal()
            and int(layer) >= self._text.first_kv_shared_layer_idx
        )

    def embed(self, ids: mx.array) -> mx.array:
        """Give the tokens' embeddings, scaled: this family takes them so."""
        embedded: mx.array = self._text.embed_tokens(ids) * (self._text.hidden_size**0.5)
        return embedded

    def hidden(
        self,
        ids: mx.array,
        cache: Caches | None = None,
        input_embeddings: mx.array | None = None,
        attention_bias: mx.array | None = None,
    ) -> mx.array:
        """Give the final norm's states."""
        text = self._text
        h = self.embed(ids) if input_embeddings is None else input_embeddings
        each = text.project_per_layer_inputs(h, text.get_per_layer_inputs(ids))
        caches = [kv_cache() for _ in self.layout.layers] if cache is None else cache
        offset = caches[0].offset  # one for the whole pass: owners move on before sharers read
        masks = self._masks(h, caches, attention_bias)
        streams = _stack(h, text.altup_projections, h)
        for i, layer in enumerate(text.layers):
            kept = caches[text.layer_idx_to_cache_idx[i]]
            mask = masks[text.config.layer_types[i]]
            streams = layer(streams, mask, kept, each[:, :, i, :], offset=offset)
        mixed = _stack(streams[0], text.altup_unembed_projections, *streams[1:])
        normed: mx.array = text.norm(mx.mean(mixed, axis=0))
        return normed

    def _masks(self, h: mx.array, caches: Caches, bias: mx.array | None) -> dict[str, Any]:
        text = self._text
        window = text.sliding_window
        return {
            "full_attention": attention_mask(h, caches[text.first_full_idx], None, bias),
            "sliding_attention": attention_mask(h, caches[text.first_sliding_idx], window, bias),
        }

    def head(self, hidden: mx.array) -> mx.array:
        """Give the logits in float32, soft-capped."""
        text = self._text
        return soft_cap(text.embed_tokens.as_linear(hidden), text.final_logit_softcapping)

    def __call__(
        self,
        ids: mx.array,
        cache: Caches | None = None,
        input_embeddings: mx.array | None = None,
        attention_bias: mx.array | None = None,
    ) -> mx.array:
        """Give the logits in float32."""
        return self.head(self.hidden(ids, cache, input_embeddings, attention_bias))


def _stack(first: mx.array, projections: list[Any], *inputs: mx.array) -> mx.array:
    """Stack a stream and projections as loud as it. Shapes: (B, L, D) -> (streams, B, L, D)."""
    loudness = mx.mean(first**2, axis=-1, keepdims=True) ** 0.5
    sources = inputs if len(inputs) == len(projections) else inputs * len(projections)
    streams = [first]
    for project, source in zip(projections, sources, strict=True):
        projected = project(source)
        power = mx.mean(projected**2, axis=-1, keepdims=True)
        streams.append(projected * loudness / mx.sqrt(mx.maximum(power, _LEAST_POWER)))
    return mx.stack([stream.astype(first.dtype) for stream in streams])


def build(config: dict[str, Any]) -> Gemma3n:
    """Make the network that a config.json describes; its weights are still random."""
    told = deepcopy(config)
    text = told["text_config"]
    ropes = text.get("rope_parameters") or {}
    for key, kind in (
        ("rope_theta", "full_attention"),
        ("rope_local_base_freq", "sliding_attention"),
    ):
        if kind in ropes:
            text[key] = ropes[kind]["rope_theta"]
    layers = text["num_hidden_layers"]
    sparsity = text.get("activation_sparsity_pattern")
    if not isinstance(sparsity, list):
        text["activation_sparsity_pattern"] = [sparsity or 0.0] * layers
    network = Gemma3n(gemma3n.ModelArgs.from_dict(told))
    for layer in network.layers[network._text.first_kv_shared_layer_idx :]:  # noqa: SLF001
        for name in ("k_proj", "v_proj", "k_norm", "v_norm"):
            layer.self_attn.pop(name)
    return network
