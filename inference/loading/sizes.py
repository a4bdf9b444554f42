"""Judge the numbers of a config.json before a network is made from them."""

from __future__ import annotations

from typing import Any

from inference.errors import ModelFolderError

MAX_LAYERS = 512
_LIMITS = {
    "num_hidden_layers": MAX_LAYERS,
    "num_kv_shared_layers": MAX_LAYERS,
    "hidden_size": 1 << 16,
    "hidden_size_per_layer_input": 1 << 14,
    "intermediate_size": 1 << 20,
    "moe_intermediate_size": 1 << 20,
    "vocab_size": 1 << 21,
    "vocab_size_per_layer_input": 1 << 21,
    "num_attention_heads": 1024,
    "num_key_value_heads": 1024,
    "num_global_key_value_heads": 1024,
    "head_dim": 4096,
    "global_head_dim": 4096,
    "sliding_window": 1 << 24,
    "sliding_window_pattern": 1 << 16,
    "attention_window_size": 1 << 24,
    "max_position_embeddings": 1 << 28,
    "num_experts": 4096,
    "top_k_experts": 4096,
    "altup_num_inputs": 64,
    "laurel_rank": 1 << 14,
    "conv1d_width": 64,
    "lru_width": 1 << 16,
}
_MAY_BE_ZERO = {"num_kv_shared_layers", "hidden_size_per_layer_input"}


def judge_sizes(config: dict[str, Any]) -> None:
    """See that every size in a config can be true.

    Raises:
        ModelFolderError: Names the one that cannot.
    """
    text = config.get("text_config")
    if text is not None and not isinstance(text, dict):
        raise ModelFolderError(
            "config.json is damaged: its text_config is no table; fetch the model again."
        )
    for table in (config, text or {}):
        for key, limit in _LIMITS.items():
            value = table.get(key)
            for item in value if isinstance(value, list) else [value]:
                if item is not None and not _can_be(item, key, limit):
                    raise ModelFolderError(
                        f"config.json is damaged: {key!r} is {str(item)[:40]}; "
                        "fetch the model again."
                    )
        kinds = table.get("layer_types")
        if kinds is not None and not (isinstance(kinds, list) and len(kinds) <= MAX_LAYERS):
            raise ModelFolderError(
                "config.json is damaged: its layer_types are no list; fetch the model again."
            )


def _can_be(value: object, key: str, limit: int) -> bool:
    least = 0 if key in _MAY_BE_ZERO else 1
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= limit
