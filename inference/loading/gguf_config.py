"""The config.json of a model in a GGUF file.

Source: llama.cpp conversion/gemma.py (what is written) and src/models/gemma*.cpp (defaults of what
the file lacks).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from inference.errors import ModelFolderError
from inference.loading.gguf_names import NAMES
from inference.loading.sizes import MAX_LAYERS

if TYPE_CHECKING:
    from inference.loading.gguf_file import GgufFile

MAX_WIDTH = 1 << 20
SLIDING, FULL = "sliding_attention", "full_attention"


def architecture(gguf: GgufFile) -> str:
    """Give the file's architecture.

    Raises:
        ModelFolderError: It is no Gemma, or one that cannot be read from GGUF.
    """
    name = gguf.text("general.architecture")
    if name not in NAMES:
        raise ModelFolderError(
            f"This GGUF file holds a {name[:60] or 'nameless'!r} model, and these can be read: "
            f"{', '.join(sorted(NAMES))}; choose a Gemma model."
        )
    return name


def config(gguf: GgufFile) -> dict[str, Any]:
    """Give the model's config.json.

    Raises:
        ModelFolderError: A number is missing or absurd.
    """
    arch = architecture(gguf)
    common = _common(gguf, arch)
    match arch:
        case "gemma":
            return common | {"model_type": "gemma"}
        case "gemma2":
            return common | _gemma2(gguf, common)
        case "gemma3":
            return common | _gemma3(gguf, common)
        case "gemma3n":
            text = common | _gemma3n(gguf, common)
            return {"model_type": "gemma3n", "text_config": text} | _outer(common)
        case _:
            return common | _gemma4(gguf, common)


def _outer(common: dict[str, Any]) -> dict[str, Any]:
    keys = ("vocab_size", "hidden_size", "max_position_embeddings", "tie_word_embeddings")
    return {key: common[key] for key in keys}


def _common(gguf: GgufFile, arch: str) -> dict[str, Any]:
    width = _count(gguf, f"{arch}.embedding_length", MAX_WIDTH)
    heads = _count(gguf, f"{arch}.attention.head_count", 4096)
    return {
        "hidden_size": width,
        "num_hidden_layers": _count(gguf, f"{arch}.block_count", MAX_LAYERS),
        "intermediate_size": min(_each(gguf, f"{arch}.feed_forward_length", None)),
        "num_attention_heads": heads,
        "num_key_value_heads": _each(gguf, f"{arch}.attention.head_count_kv", heads)[0],
        "head_dim": int(gguf.number(f"{arch}.attention.key_length", width // heads)),
        "rms_norm_eps": gguf.number(f"{arch}.attention.layer_norm_rms_epsilon", 1e-6),
        "vocab_size": len(gguf.texts("tokenizer.ggml.tokens")),
        "max_position_embeddings": _count(gguf, f"{arch}.context_length", 1 << 24),
        "rope_theta": gguf.number(f"{arch}.rope.freq_base", 10_000.0),
        "tie_word_embeddings": "output.weight" not in gguf.tensors,
    }


def _gemma2(gguf: GgufFile, common: dict[str, Any]) -> dict[str, Any]:
    per_head = common["hidden_size"] // common["num_attention_heads"]
    return {
        "model_type": "gemma2",
        "attn_logit_softcapping": gguf.number("gemma2.attn_logit_softcapping", 50.0),
        "final_logit_softcapping": gguf.number("gemma2.final_logit_softcapping", 30.0),
        "sliding_window": int(gguf.number("gemma2.attention.sliding_window", 4096)),
        # 27B divides by its own width per head, the others by the head's: models/gemma2.cpp
        "query_pre_attn_scalar": per_head if common["num_hidden_layers"] == 46 else _head(common),
    }


def _gemma3(gguf: GgufFile, common: dict[str, Any]) -> dict[str, Any]:
    per_head = common["hidden_size"] // common["num_attention_heads"]
    found: dict[str, Any] = {
        "model_type": "gemma3_text",
        "sliding_window": int(gguf.number("gemma3.attention.sliding_window", 512)),
        "sliding_window_pattern": 6,
        "rope_theta": gguf.number("gemma3.rope.freq_base", 1_000_000.0),
        "rope_local_base_freq": gguf.number("gemma3.rope.freq_base_swa", 10_000.0),
        "query_pre_attn_scalar": per_head if common["num_hidden_layers"] == 62 else _head(common),
    }
    if gguf.text("gemma3.rope.scaling.type") == "linear":
        factor = gguf.number("gemma3.rope.scaling.factor")
        found["rope_scaling"] = {"rope_type": "linear", "factor": factor}
    return found


def _gemma3n(gguf: GgufFile, common: dict[str, Any]) -> dict[str, Any]:
    layers = common["num_hidden_layers"]
    deviations = gguf.numbers("gemma3n.activation_sparsity_scale")
    sparsity = [(1 + math.erf(float(z) / math.sqrt(2))) / 2 for z in deviations]
    return {
        "model_type": "gemma3n_text",
        "layer_types": _layer_types(gguf, "gemma3n", layers),
        "num_kv_shared_layers": int(gguf.number("gemma3n.attention.shared_kv_layers", 0)),
        "sliding_window": int(gguf.number("gemma3n.attention.sliding_window", 512)),
        "rope_theta": gguf.number("gemma3n.rope.freq_base", 1_000_000.0),
        "rope_local_base_freq": gguf.number("gemma3n.rope.freq_base_swa", 10_000.0),
        "final_logit_softcapping": gguf.number("gemma3n.final_logit_softcapping", 30.0),
        "activation_sparsity_pattern": sparsity or [0.0] * layers,
        "hidden_size_per_layer_input": _count(
            gguf, "gemma3n.embedding_length_per_layer_input", MAX_WIDTH
        ),
        "vocab_size_per_layer_input": _rows(gguf, "per_layer_token_embd.weight"),
        "altup_num_inputs": _count(gguf, "gemma3n.altup.num_inputs", 4),
        "altup_active_idx": int(gguf.number("gemma3n.altup.active_idx", 0)),
        "altup_coef_clip": None,
        "altup_correct_scale": True,
        "laurel_rank": _rows(gguf, "blk.0.laurel_l.weight"),
    }


def _gemma4(gguf: GgufFile, common: dict[str, Any]) -> dict[str, Any]:
    layers = common["num_hidden_layers"]
    kinds = _layer_types(gguf, "gemma4", layers)
    inner = _each(gguf, "gemma4.feed_forward_length", None)
    kv_heads = _each(gguf, "gemma4.attention.head_count_kv", common["num_attention_heads"])
    kv_heads = kv_heads * layers if len(kv_heads) == 1 else kv_heads
    of = dict(zip(kinds, kv_heads, strict=False))
    experts = int(gguf.number("gemma4.expert_count", 0))
    far = {"rope_theta": common["rope_theta"], "rope_type": "proportional"}
    factors = _rope_factors(gguf)
    if factors:
        far["factors"] = factors
    near = {"rope_theta": gguf.number("gemma4.rope.freq_base_swa", 10_000.0)}
    per_layer = int(gguf.number("gemma4.embedding_length_per_layer_input", 0))
    own_values = [
        f"blk.{i}.attn_v.weight" in gguf.tensors for i, k in enumerate(kinds) if k == FULL
    ]
    return {
        "model_type": "gemma4_text",
        "layer_types": kinds,
        "use_double_wide_mlp": max(inner) > min(inner),
        "num_key_value_heads": of.get(SLIDING, kv_heads[0]),
        "num_global_key_value_heads": of.get(FULL, kv_heads[0]),
        "attention_k_eq_v": bool(own_values) and not own_values[0],
        "head_dim": int(gguf.number("gemma4.attention.key_length_swa", common["head_dim"])),
        "global_head_dim": common["head_dim"],
        "sliding_window": int(gguf.number("gemma4.attention.sliding_window", 512)),
        "num_kv_shared_layers": int(gguf.number("gemma4.attention.shared_kv_layers", 0)),
        "hidden_size_per_layer_input": per_layer,
        "vocab_size_per_layer_input": _rows(gguf, "per_layer_token_embd.weight")
        if per_layer
        else 1,
        "final_logit_softcapping": gguf.number("gemma4.final_logit_softcapping", 30.0),
        "rope_parameters": {FULL: far, SLIDING: near | {"rope_type": "default"}},
        "enable_moe_block": experts > 0,
        "num_experts": experts or None,
        "top_k_experts": int(gguf.number("gemma4.expert_used_count", 0)) or None,
        "moe_intermediate_size": int(gguf.number("gemma4.expert_feed_forward_length", 0)) or None,
    }


def _rope_factors(gguf: GgufFile) -> list[float]:
    """What each pair's wavelength is multiplied with in full layers."""
    entry = gguf.tensors.get("rope_freqs.weight")
    if entry is None or entry.kind.name != "F32" or len(entry.shape) != 1:
        return []
    return [float(x) for x in gguf.raw(entry.name).view("<f4").reshape(-1)]


def _layer_types(gguf: GgufFile, arch: str, layers: int) -> list[str]:
    told = gguf.numbers(f"{arch}.attention.sliding_window_pattern")
    if len(told) != layers:
        raise ModelFolderError(
            f"The GGUF file tells the kind of {len(told)} layers and has {layers}; "
            "fetch another conversion of the model."
        )
    return [SLIDING if sees_window else FULL for sees_window in told]


def _head(common: dict[str, Any]) -> int:
    found: int = common["head_dim"]
    return found


def _rows(gguf: GgufFile, name: str) -> int:
    entry = gguf.tensors.get(name)
    if entry is None:
        raise ModelFolderError(
            f"The GGUF file lacks the weight {name!r}; fetch another conversion of the model."
        )
    return entry.shape[0]


def _each(gguf: GgufFile, key: str, default: float | None) -> list[int]:
    """Read a number that a file gives once, or for each layer."""
    several = gguf.numbers(key)
    values = several.tolist() if len(several) else [gguf.number(key, default)]
    if not all(0 < value <= MAX_WIDTH and value == int(value) for value in values):
        raise ModelFolderError(
            f"The GGUF file is damaged: {key!r} is absurd; fetch the model again."
        )
    return [int(value) for value in values]


def _count(gguf: GgufFile, key: str, limit: int) -> int:
    value = gguf.number(key)
    if value != int(value) or not 0 < value <= limit:
        raise ModelFolderError(
            f"The GGUF file is damaged: {key!r} is {value:,}; fetch the model again."
        )
    return int(value)
