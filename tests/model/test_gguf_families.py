"""Gemma 3n and 4 from GGUF: names by the `gguf` package's own table, and the folder's logits.

Source: llama.cpp conversion/gemma.py tells the keys and the shapes that are written.
"""

from __future__ import annotations

import gguf
import mlx.core as mx
import numpy as np
import pytest
from gguf.constants import MODEL_ARCH
from mlx.utils import tree_flatten

from inference.types import ModelInfo
from tests.gguf_files import PIECES
from tests.model.families import CONTROLS, WINDOW, open_path, tiny, tokens

IDS = mx.array([[2, *range(20, 50)]])
ARCHS = {
    "gemma3n": MODEL_ARCH.GEMMA3N,
    "gemma4": MODEL_ARCH.GEMMA4,
    "gemma4_shared": MODEL_ARCH.GEMMA4,
    "gemma4_moe": MODEL_ARCH.GEMMA4,
}


def hub_names(opened):
    """The network's weights as the hub's checkpoints call and shape them."""
    weights = {k: np.array(v) for k, v in tree_flatten(opened.network.parameters())}
    named = {}
    for key, value in weights.items():
        name = key.replace("language_model.model.", "model.").replace(
            "model.language_model.", "model."
        )
        if ".switch_glu.gate_proj" in name:
            up = weights[key.replace("gate_proj", "up_proj")]
            named[name.replace("switch_glu.gate_proj", "gate_up_proj")] = np.concatenate(
                [value, up], 1
            )
        elif ".switch_glu.down_proj" in name:
            named[name.replace("switch_glu.", "")] = value
        elif ".switch_glu." not in name:
            named[name] = value
    for stack in ("altup_projections", "altup_unembed_projections"):
        parts = [named.pop(f"model.{stack}.{i}.weight", None) for i in range(3)]
        if parts[0] is not None:
            named[f"model.{stack}.weight"] = np.stack(parts)
    return named


def write(path, family, opened):
    arch = ARCHS[family]
    told = opened.config.get("text_config", opened.config)
    writer = gguf.GGUFWriter(path, gguf.MODEL_ARCH_NAMES[arch])
    writer.add_name("Tiny IT")
    layers = told["num_hidden_layers"]
    writer.add_block_count(layers)
    writer.add_context_length(512)
    writer.add_embedding_length(told["hidden_size"])
    writer.add_head_count(told["num_attention_heads"])
    writer.add_layer_norm_rms_eps(told["rms_norm_eps"])
    writer.add_sliding_window(WINDOW)
    writer.add_shared_kv_layers(told.get("num_kv_shared_layers", 0))
    near = [kind == "sliding_attention" for kind in told["layer_types"]]
    writer.add_sliding_window_pattern(near)
    writer.add_final_logit_softcapping(told["final_logit_softcapping"])
    writer.add_embedding_length_per_layer_input(told["hidden_size_per_layer_input"])
    if family == "gemma3n":
        add_3n(writer, told)
    else:
        add_4(writer, told, near)
    add_vocabulary(writer, family)
    table = gguf.get_tensor_name_map(arch, layers)
    for name, value in hub_names(opened).items():
        writer.add_tensor(gguf_name(table, name), value.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def gguf_name(table, name):
    if name.endswith("router.scale"):
        return f"blk.{name.split('.')[2]}.ffn_gate_inp.scale"
    if name.endswith("per_expert_scale"):
        return f"blk.{name.split('.')[2]}.ffn_down_exps.scale"
    stem = name.removesuffix(".weight")
    found = table.get_name(stem)
    assert found, name
    return f"{found}.weight"


def add_3n(writer, told):
    writer.add_feed_forward_length(told["intermediate_size"])
    writer.add_head_count_kv(told["num_key_value_heads"])
    writer.add_key_length(told["head_dim"])
    writer.add_value_length(told["head_dim"])
    writer.add_rope_freq_base(told["rope_theta"])
    writer.add_altup_active_idx(0)
    writer.add_altup_num_inputs(4)
    deviations = [1.6448536 if s else float("-inf") for s in told["activation_sparsity_pattern"]]
    writer.add_activation_sparsity_scale(deviations)


def add_4(writer, told, near):
    inner, layers = told["intermediate_size"], told["num_hidden_layers"]
    own = layers - told["num_kv_shared_layers"]
    wide = told["use_double_wide_mlp"]
    widths = [inner * (2 if wide and i >= own else 1) for i in range(layers)]
    writer.add_feed_forward_length(widths if wide else inner)
    few = told["num_key_value_heads"]
    many = told.get("num_global_key_value_heads")
    writer.add_head_count_kv([few if n else many for n in near] if many else few)
    writer.add_key_length(told["global_head_dim"])
    writer.add_value_length(told["global_head_dim"])
    writer.add_key_length_swa(told["head_dim"])
    writer.add_value_length_swa(told["head_dim"])
    writer.add_rope_freq_base(1_000_000.0)
    writer.add_rope_freq_base_swa(10_000.0)
    turned = told["global_head_dim"] // 8  # a quarter of the pairs
    factors = [1.0] * turned + [1e30] * (told["global_head_dim"] // 2 - turned)
    writer.add_tensor("rope_freqs.weight", np.array(factors, np.float32))
    if told.get("enable_moe_block"):
        writer.add_expert_count(told["num_experts"])
        writer.add_expert_used_count(told["top_k_experts"])
        writer.add_expert_feed_forward_length(told["moe_intermediate_size"])


def add_vocabulary(writer, family):
    kind = "channels" if family.startswith("gemma4") else "turns"
    names = tokens(kind)
    n_controls = 4 + len(CONTROLS[kind])
    types = [3] * n_controls + [6] * 256 + [1] * len(PIECES)
    writer.add_token_list(names)
    writer.add_token_scores([0.0 if i < n_controls + 256 else -float(i) for i in range(len(names))])
    writer.add_token_types(types)
    writer.add_unk_token_id(3)
    if kind == "channels":
        writer.add_tokenizer_model("gemma4")
        writer.add_token_merges(["t h", "▁ th", "▁th e"])
    else:
        writer.add_tokenizer_model("llama")


@pytest.mark.parametrize("family", ARCHS)
def test_a_gguf_file_says_what_the_folder_says(tmp_path, family):
    folder = tiny(family)
    path = write(tmp_path / "tiny.gguf", family, folder)
    opened = open_path(path, tmp_path / "cache")
    drift = mx.abs(opened.network(IDS) - folder.network(IDS)).max().item()
    assert drift < 1e-3
    assert opened.layout == folder.layout
    assert isinstance(opened.info, ModelInfo)
    assert opened.info.family == folder.info.family
    for text in ("the heat of the night", "<|turn>x<turn|>", "naïve\n\tcafé", ""):
        assert opened.tokenizer.encode(text) == folder.tokenizer.encode(text)
