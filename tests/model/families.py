"""A tiny model of each family with random weights, saved as the hub's MLX conversions are.

The layer patterns are the real ones, made short: windows of 8, a vocabulary of at most 300 tokens
with the family's control tokens. `build` writes a folder, `tiny` opens one on the product's path.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.nn.layers.quantized import quantize
from mlx.utils import tree_flatten, tree_unflatten

from inference.families import FAMILIES, embedding
from inference.loading import OpenedModel, open_model
from inference.types import EngineOptions
from tests.gguf_files import PIECES

WINDOW = 8
SHARDS = 2
SCALE = 3.0  # weights as wide as this make replies that differ between prompts

# -------------------------------------------------------------------------------- vocabulary

MERGES = [("t", "h"), ("▁", "th"), ("▁th", "e")]
CONTROLS = {
    "turns": ["<start_of_turn>", "<end_of_turn>", "<start_of_image>", "<image_soft_token>"],
    "channels": [
        *("<|turn>", "<turn|>", "<|channel>", "<channel|>", "<|think|>", "<|tool>", "<tool|>"),
        *("<|tool_call>", "<tool_call|>", "<|tool_response>", "<tool_response|>", '<|"|>'),
        "<|image|>",
    ],
}

TEMPLATE_STRICT = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for message in messages %}"
    "{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}"
    "{% endif %}"
    "{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}"
    "{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"
)
TEMPLATE_FOLDING = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}"
    "{% set first = messages[0]['content'] + '\n\n' %}{% set rest = messages[1:] %}"
    "{% else %}{% set first = '' %}{% set rest = messages %}{% endif %}"
    "{% for message in rest %}"
    "{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}"
    "{% endif %}"
    "{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}"
    "{{ '<start_of_turn>' + role + '\n' + (first if loop.first else '') }}"
    "{{ message['content'] | trim + '<end_of_turn>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"
)
TEMPLATE_CHANNELS = (
    "{{ bos_token }}{% set thinks = enable_thinking is defined and enable_thinking %}"
    "{% if messages[0]['role'] == 'system' or thinks %}{{ '<|turn>system\n' }}"
    "{% if thinks %}{{ '<|think|>\n' }}{% endif %}"
    "{% if messages[0]['role'] == 'system' %}{{ messages[0]['content'] | trim }}{% endif %}"
    "{{ '<turn|>\n' }}{% endif %}"
    "{% for message in messages %}{% if message['role'] != 'system' %}"
    "{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}"
    "{{ '<|turn>' + role + '\n' + message['content'] | trim + '<turn|>\n' }}"
    "{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|turn>model\n' }}"
    "{% if not thinks %}{{ '<|channel>thought\n<channel|>' }}{% endif %}{% endif %}"
)


def tokens(controls: str) -> list[str]:
    """Every token in the order of its id."""
    names = ["<pad>", "<eos>", "<bos>", "<unk>", *CONTROLS[controls]]
    return [*names, *(f"<0x{byte:02X}>" for byte in range(256)), *PIECES]


def tokenizer_json(controls: str) -> dict[str, Any]:
    vocabulary = {token: i for i, token in enumerate(tokens(controls))}
    named = ["<pad>", "<eos>", "<bos>", "<unk>", *CONTROLS[controls]]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": vocabulary[name], "content": name, "special": True, **flags} for name in named
        ],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
            ],
        },
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": "<unk>",
            "fuse_unk": True,
            "byte_fallback": True,
            "ignore_merges": False,
            "vocab": vocabulary,
            "merges": [list(merge) for merge in MERGES],
        },
    }


# ------------------------------------------------------------------------------------ configs

PLAIN = {
    "hidden_size": 64,
    "num_hidden_layers": 6,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "rms_norm_eps": 1e-6,
    "max_position_embeddings": 2048,
    "eos_token_id": 1,
}
GEMMA3 = PLAIN | {
    "model_type": "gemma3_text",
    "num_hidden_layers": 7,  # five windows, a full layer, and a window again
    "num_key_value_heads": 1,
    "query_pre_attn_scalar": 16,
    "sliding_window": WINDOW,
    "sliding_window_pattern": 6,
}
S, F = "sliding_attention", "full_attention"
GEMMA4 = PLAIN | {
    "model_type": "gemma4_text",
    "global_head_dim": 32,
    "num_key_value_heads": 1,
    "num_kv_shared_layers": 0,
    "hidden_size_per_layer_input": 0,
    "sliding_window": WINDOW,
    "layer_types": [S, S, F, S, S, F],
    "final_logit_softcapping": 30.0,
    "use_double_wide_mlp": False,
}


def config_of(family: str, size: int) -> dict[str, Any]:
    """The config.json of a family's tiny model with so many tokens."""
    configs: dict[str, dict[str, Any]] = {
        "gemma1": PLAIN | {"model_type": "gemma", "num_hidden_layers": 3},
        "gemma2": PLAIN
        | {
            "model_type": "gemma2",
            "num_hidden_layers": 4,
            "sliding_window": WINDOW,
            "query_pre_attn_scalar": 16,
            "attn_logit_softcapping": 50.0,
            "final_logit_softcapping": 30.0,
        },
        "gemma3": GEMMA3,
        "gemma3_multimodal": {
            "model_type": "gemma3",
            "text_config": GEMMA3,
            "vision_config": {"hidden_size": 32},
            "image_token_index": 7,
        },
        "gemma3n": {
            "model_type": "gemma3n",
            "text_config": PLAIN
            | {
                "model_type": "gemma3n_text",
                "num_hidden_layers": 7,
                "num_kv_shared_layers": 2,
                "vocab_size_per_layer_input": size,
                "sliding_window": WINDOW,
                "rope_local_base_freq": 10_000.0,
                "rope_theta": 1_000_000.0,
                "final_logit_softcapping": 30.0,
                "layer_types": [S, S, S, S, F, S, F],
                "activation_sparsity_pattern": [0.95, 0.95, 0.0, 0.0, 0.0, 0.0, 0.0],
                "hidden_size_per_layer_input": 32,
                "altup_num_inputs": 4,
                "altup_coef_clip": 120.0,
                "altup_correct_scale": True,
                "altup_active_idx": 0,
                "laurel_rank": 32,
            },
        },
        "gemma4": GEMMA4,
        "gemma4_shared": {
            "model_type": "gemma4",
            "text_config": GEMMA4
            | {
                "num_hidden_layers": 8,
                "num_kv_shared_layers": 3,
                "hidden_size_per_layer_input": 32,
                "vocab_size_per_layer_input": size,
                "layer_types": [S, S, F, S, F, S, S, F],
                "use_double_wide_mlp": True,
            },
        },
        "gemma4_moe": GEMMA4
        | {
            "enable_moe_block": True,
            "num_experts": 4,
            "top_k_experts": 2,
            "moe_intermediate_size": 64,
            "attention_k_eq_v": True,
            "num_global_key_value_heads": 2,
        },
        "recurrent": {
            "model_type": "recurrent_gemma",
            "attention_bias": False,
            "conv1d_width": 4,
            "hidden_size": 64,
            "intermediate_size": 256,
            "logits_soft_cap": 30.0,
            "num_attention_heads": 4,
            "num_hidden_layers": 5,
            "num_key_value_heads": 1,
            "rms_norm_eps": 1e-6,
            "rope_theta": 10_000.0,
            "attention_window_size": WINDOW,
            "block_types": ["recurrent", "recurrent", "attention"],
            "max_position_embeddings": 2048,
        },
    }
    config = json.loads(json.dumps(configs[family]))
    config["vocab_size"] = size
    if "text_config" in config:
        config["text_config"]["vocab_size"] = size
    return config


FAMILY_NAMES = (
    *("gemma1", "gemma2", "gemma3", "gemma3_multimodal", "gemma3n"),
    *("gemma4", "gemma4_shared", "gemma4_moe", "recurrent"),
)


def _speaks(family: str) -> tuple[str, str]:
    """The kind of control tokens, and the template."""
    if family.startswith("gemma4"):
        return "channels", TEMPLATE_CHANNELS
    return "turns", TEMPLATE_FOLDING if family.startswith("gemma3") else TEMPLATE_STRICT


# ------------------------------------------------------------------------------------ folders


def build(family: str, folder: Path, seed: int = 0, bits: int | None = None) -> Path:
    """Write a family's tiny model into a new folder.

    Args:
        bits: Quantise it, in groups of 32, as MLX conversions do.
    """
    controls, template = _speaks(family)
    names = tokens(controls)
    config = config_of(family, len(names))
    network = FAMILIES[config["model_type"]].build(config)
    network.update(_random(network, seed))
    network.sanitize({})  # ties the head to the embedding where no head is stored
    if bits is not None:
        quantize(network, group_size=32, bits=bits, class_predicate=_whole_groups)
        config["quantization"] = {"group_size": 32, "bits": bits}
    weights = dict(tree_flatten(network.parameters()))
    mx.eval(weights)
    folder.mkdir(parents=True)
    _save(weights, folder)
    closer = "<turn|>" if controls == "channels" else "<end_of_turn>"
    texts = {
        "config.json": config,
        "tokenizer.json": tokenizer_json(controls),
        "tokenizer_config.json": {"bos_token": "<bos>", "eos_token": "<eos>", "pad_token": "<pad>"},
        "generation_config.json": {
            "eos_token_id": [1, names.index(closer)],
            "temperature": 1.0,
            "top_k": 64,
            "top_p": 0.95,
        },
    }
    for name, value in texts.items():
        (folder / name).write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    (folder / "chat_template.jinja").write_text(template, "utf-8")
    return folder


def build_embedder(folder: Path, seed: int = 0) -> Path:
    """Write a tiny EmbeddingGemma as sentence-transformers lays it out."""
    names = tokens("turns")
    config = GEMMA3 | {
        "architectures": ["Gemma3TextModel"],
        "use_bidirectional_attention": True,
        "vocab_size": len(names),
        "dense_width": 128,
    }
    network = embedding.build(config)
    network.update(_random(network, seed))
    weights = dict(tree_flatten(network.parameters()))
    mx.eval(weights)
    folder.mkdir(parents=True)
    _save({k.removeprefix("model."): v for k, v in weights.items() if "dense" not in k}, folder)
    for i, name in enumerate(("2_Dense", "3_Dense")):
        (folder / name).mkdir()
        dense = {"linear.weight": weights[f"dense.{i}.weight"]}
        mx.save_safetensors(str(folder / name / "model.safetensors"), dense)
    del config["dense_width"]
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_json("turns"), ensure_ascii=False))
    return folder


def _whole_groups(_path: str, module: Any) -> bool:
    return hasattr(module, "to_quantized") and module.weight.shape[-1] % 32 == 0


def _random(network: Any, seed: int) -> dict[str, Any]:
    """Weights of a network, drawn in the order of their names."""
    drawn = []
    for i, (name, value) in enumerate(sorted(tree_flatten(network.parameters()))):
        key = mx.random.key(seed * 10_007 + i)
        noise = mx.random.normal(value.shape, key=key)
        if "norm" in name or "scale" in name or "layer_scalar" in name:
            drawn.append((name, value + 0.1 * noise))
        else:
            drawn.append((name, noise * SCALE / value.shape[-1] ** 0.5 / 2))
    return tree_unflatten(drawn)


def _save(weights: dict[str, mx.array], folder: Path) -> None:
    names = sorted(weights)
    places = {}
    for shard in range(SHARDS):
        file = f"model-{shard + 1:05}-of-{SHARDS:05}.safetensors"
        part = {name: weights[name] for name in names[shard::SHARDS]}
        mx.save_safetensors(str(folder / file), part, metadata={"format": "mlx"})
        places |= dict.fromkeys(part, file)
    total = sum(value.nbytes for value in weights.values())
    index = {"metadata": {"total_size": total}, "weight_map": places}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), "utf-8")


def open_path(source: Path | str, cache_dir: Path) -> OpenedModel:
    """Open a model as the engine does, to its end."""
    *_, opened = open_model(str(source), EngineOptions(cache_dir), lambda: False)
    assert isinstance(opened, OpenedModel)
    return opened


def tiny(family: str, seed: int = 0, bits: int | None = None) -> OpenedModel:
    """Build a family's tiny model and open it."""
    with tempfile.TemporaryDirectory() as place:
        folder = build(family, Path(place) / f"tiny-{family}-it", seed, bits)
        return open_path(folder, Path(place) / "cache")
