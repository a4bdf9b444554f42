"""What a Gemma GGUF file says, in the words of the hub: config.json and the names of the weights.

Source: llama.cpp convert_hf_to_gguf.py (names, and norms stored as 1 + w for Gemma 1 to 3);
llama.cpp src/llama-model.cpp (defaults for keys that the file lacks).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inference.errors import ModelFolderError

if TYPE_CHECKING:
    from inference.loading.gguf_file import GgufFile

MAX_LAYERS = 512
MAX_WIDTH = 1 << 20

_OUTER = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
}
_INNER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_ONE_NORM_AFTER_ATTENTION = {"ffn_norm": "post_attention_layernorm"}  # Gemma 1
_FOUR_NORMS = {
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}
_QK_NORMS = {"attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm"}


@dataclass(frozen=True, slots=True)
class _Architecture:
    """How one architecture of GGUF reads in the hub's words."""

    model_type: str
    inner: dict[str, str]
    norms_have_one: bool


_ARCHITECTURES = {
    "gemma": _Architecture("gemma", _INNER | _ONE_NORM_AFTER_ATTENTION, True),
    "gemma2": _Architecture("gemma2", _INNER | _FOUR_NORMS, True),
    "gemma3": _Architecture("gemma3_text", _INNER | _FOUR_NORMS | _QK_NORMS, True),
}
_LAYER = re.compile(r"blk\.(\d+)\.(\w+)\.weight")


def architecture(gguf: GgufFile) -> str:
    """Give the file's architecture.

    Raises:
        ModelFolderError: It is no Gemma, or one that cannot be read from GGUF.
    """
    name = gguf.text("general.architecture")
    if name not in _ARCHITECTURES:
        known = ", ".join(sorted(_ARCHITECTURES))
        raise ModelFolderError(
            f"This GGUF file holds a {name or 'nameless'!r} model, and these can be read: {known}; "
            "choose a Gemma model."
        )
    return name


def weight_name(arch: str, name: str) -> str | None:
    """Give the hub's name of a tensor, without `.weight`; None for one that is not needed.

    Raises:
        ModelFolderError: The network has no such weight.
    """
    outer = name.removesuffix(".weight")
    if outer in _OUTER:
        return _OUTER[outer]
    layer = _LAYER.fullmatch(name)
    inner = _ARCHITECTURES[arch].inner
    if layer is None or layer[2] not in inner:
        raise ModelFolderError(
            f"The GGUF file has a weight that this network does not know, {name[:80]!r}; "
            "choose another conversion of the model."
        )
    return f"model.layers.{layer[1]}.{inner[layer[2]]}"


def norm_offset(arch: str, weight: str) -> float:
    """Give what the file added to a weight: 1 for norms of Gemma 1 to 3, else 0."""
    return 1.0 if _ARCHITECTURES[arch].norms_have_one and weight.endswith("norm") else 0.0


def config(gguf: GgufFile) -> dict[str, Any]:
    """Give the model's config.json.

    Raises:
        ModelFolderError: A number is missing or absurd.
    """
    arch = architecture(gguf)
    width = _count(gguf, f"{arch}.embedding_length", MAX_WIDTH)
    heads = _count(gguf, f"{arch}.attention.head_count", 4096)
    layers = _count(gguf, f"{arch}.block_count", MAX_LAYERS)
    head_dim = int(gguf.number(f"{arch}.attention.key_length", width // heads))
    found: dict[str, Any] = {
        "model_type": _ARCHITECTURES[arch].model_type,
        "hidden_size": width,
        "num_hidden_layers": layers,
        "intermediate_size": _count(gguf, f"{arch}.feed_forward_length", MAX_WIDTH),
        "num_attention_heads": heads,
        "num_key_value_heads": int(gguf.number(f"{arch}.attention.head_count_kv", heads)),
        "head_dim": head_dim,
        "rms_norm_eps": gguf.number(f"{arch}.attention.layer_norm_rms_epsilon", 1e-6),
        "vocab_size": len(gguf.texts("tokenizer.ggml.tokens")),
        "max_position_embeddings": _count(gguf, f"{arch}.context_length", 1 << 24),
        "rope_theta": gguf.number(f"{arch}.rope.freq_base", 10_000.0),
        "tie_word_embeddings": "output.weight" not in gguf.tensors,
    }
    if arch == "gemma2":
        found |= {
            "attn_logit_softcapping": gguf.number(f"{arch}.attn_logit_softcapping", 50.0),
            "final_logit_softcapping": gguf.number(f"{arch}.final_logit_softcapping", 30.0),
            "sliding_window": int(gguf.number(f"{arch}.attention.sliding_window", 4096)),
            # 27B divides by its own width per head, the others by the head's: llama-model.cpp
            "query_pre_attn_scalar": width // heads if layers == 46 else head_dim,
        }
    if arch == "gemma3":
        found |= {
            "sliding_window": int(gguf.number(f"{arch}.attention.sliding_window", 512)),
            "sliding_window_pattern": 6,
            "rope_theta": gguf.number(f"{arch}.rope.freq_base", 1_000_000.0),
            "rope_local_base_freq": gguf.number(f"{arch}.rope.freq_base_swa", 10_000.0),
            "query_pre_attn_scalar": width // heads if layers == 62 else head_dim,
        }
        if gguf.text(f"{arch}.rope.scaling.type") == "linear":
            factor = gguf.number(f"{arch}.rope.scaling.factor")
            found["rope_scaling"] = {"rope_type": "linear", "factor": factor}
    return found


def _count(gguf: GgufFile, key: str, limit: int) -> int:
    value = gguf.number(key)
    if value != int(value) or not 0 < value <= limit:
        raise ModelFolderError(
            f"The GGUF file is damaged: {key!r} is {value:,}; fetch the model again."
        )
    return int(value)
