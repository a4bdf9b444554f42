"""A Gemma in miniature with random weights: it speaks nonsense, and proves that the engine runs.

For the self-test of an installed program that came without a model.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

WIDTH, HIDDEN, LAYERS, HEADS, HEAD_WIDTH = 32, 64, 2, 2, 16
CONTROLS = ("<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", "<end_of_turn>")
TOKENS = (*CONTROLS, *(f"<0x{byte:02X}>" for byte in range(256)), "▁", "\n", "e", "t", "a")
CONFIG = {
    "model_type": "gemma3_text",
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "intermediate_size": HIDDEN,
    "num_attention_heads": HEADS,
    "num_key_value_heads": 1,
    "head_dim": HEAD_WIDTH,
    "rms_norm_eps": 1e-6,
    "query_pre_attn_scalar": HEAD_WIDTH,
    "sliding_window": 8,
    "sliding_window_pattern": 2,
    "max_position_embeddings": 2048,
    "vocab_size": len(TOKENS),
    "eos_token_id": [1, 5],
    "bos_token_id": 2,
}


def write_tiny_gemma(folder: Path) -> Path:
    """Write the model's folder as the hub lays one out; the same each time."""
    folder.mkdir(parents=True)
    for name, content in (
        ("config.json", CONFIG),
        ("tokenizer.json", _tokenizer()),
        ("tokenizer_config.json", {"bos_token": "<bos>", "eos_token": "<eos>"}),
    ):
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    save_file(_weights(), folder / "model.safetensors", metadata={"format": "mlx"})
    return folder


def _tokenizer() -> dict[str, object]:
    vocabulary = {token: i for i, token in enumerate(TOKENS)}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {
        "version": "1.0",
        "added_tokens": [
            {"id": vocabulary[name], "content": name, "special": True, **flags} for name in CONTROLS
        ],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
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
            "unk_token": "<unk>",
            "fuse_unk": True,
            "byte_fallback": True,
            "vocab": vocabulary,
            "merges": [],
        },
    }


def _weights() -> dict[str, np.ndarray]:
    """Weights under the names of Google's own files.

    Shapes: matrices (out, in), float32; norms hold Gemma's offset from 1.
    """
    noise = np.random.default_rng(1)

    def matrix(rows: int, columns: int) -> np.ndarray:
        wide: np.ndarray = noise.standard_normal((rows, columns)) / np.sqrt(columns)
        return wide.astype(np.float32)

    weights = {
        "model.embed_tokens.weight": matrix(len(TOKENS), WIDTH),
        "model.norm.weight": np.zeros(WIDTH, np.float32),
    }
    for layer in range(LAYERS):
        at = f"model.layers.{layer}"
        weights |= {
            f"{at}.self_attn.q_proj.weight": matrix(HEADS * HEAD_WIDTH, WIDTH),
            f"{at}.self_attn.k_proj.weight": matrix(HEAD_WIDTH, WIDTH),
            f"{at}.self_attn.v_proj.weight": matrix(HEAD_WIDTH, WIDTH),
            f"{at}.self_attn.o_proj.weight": matrix(WIDTH, HEADS * HEAD_WIDTH),
            f"{at}.self_attn.q_norm.weight": np.zeros(HEAD_WIDTH, np.float32),
            f"{at}.self_attn.k_norm.weight": np.zeros(HEAD_WIDTH, np.float32),
            f"{at}.mlp.gate_proj.weight": matrix(HIDDEN, WIDTH),
            f"{at}.mlp.up_proj.weight": matrix(HIDDEN, WIDTH),
            f"{at}.mlp.down_proj.weight": matrix(WIDTH, HIDDEN),
        }
        for norm in ("input", "post_attention", "pre_feedforward", "post_feedforward"):
            weights[f"{at}.{norm}_layernorm.weight"] = np.zeros(WIDTH, np.float32)
    return weights
