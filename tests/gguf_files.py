"""Small GGUF files of every type, written by the `gguf` package: a second hand than our reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

Kind = GGMLQuantizationType
PIECES = ["▁", "\n", *"etaoinshrdlucmwfgypbvk", "th", "▁th", "▁the"]
WINDOW = 8
WIDTH, LAYERS, HEADS, HEAD_WIDTH = 256, 2, 4, 64
TOKENS = ["<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", "<end_of_turn>"]
TOKENS += [*(f"<0x{byte:02X}>" for byte in range(256)), *PIECES]
TYPES = [3, 3, 3, 2, 3, 3, *[6] * 256, *[1] * len(PIECES)]
SCORES = [*[-1000.0] * 6, *[0.0] * 256, *(-float(i) for i in range(len(PIECES)))]

HALVES = {  # where the blocks' float16 scales lie
    Kind.Q4_0: (0,), Kind.Q4_1: (0, 2), Kind.Q5_0: (0,), Kind.Q5_1: (0, 2), Kind.Q8_0: (0,),
    Kind.Q4_K: (0, 2), Kind.Q5_K: (0, 2), Kind.Q2_K: (80, 82), Kind.Q3_K: (108,),
    Kind.Q6_K: (208,), Kind.IQ4_NL: (0,), Kind.IQ4_XS: (0,), Kind.IQ3_S: (0,),
    Kind.IQ3_XXS: (0,), Kind.IQ2_S: (0,), Kind.IQ2_XS: (0,), Kind.IQ2_XXS: (0,),
    Kind.IQ1_S: (0,), Kind.TQ1_0: (52,), Kind.TQ2_0: (64,),
}  # fmt: skip


def random_blocks(
    kind: Kind, rows: int, columns: int, seed: int = 0, scale: float = 0.02
) -> np.ndarray:
    """Blocks of random bits whose scales are sensible. Shapes: (rows, bytes of a row), uint8."""
    block, size = GGML_QUANT_SIZES[kind]
    rng = np.random.default_rng(seed)
    blocks = rng.integers(0, 256, (rows * columns // block, size), np.uint8)
    for at in HALVES.get(kind, ()):
        d = rng.normal(0, scale, len(blocks)).astype("<f2")
        blocks[:, at : at + 2] = d.view(np.uint8).reshape(-1, 2)
    if kind is Kind.IQ1_M:  # its half is spread over the high nibbles of four words
        blocks[:, [49, 51, 53, 55]] &= 15
        blocks[:, 53] |= 0x80
        blocks[:, 55] |= 0x20
    if kind is Kind.NVFP4:
        blocks[:, :4] = 0x38
    if kind is Kind.MXFP4:
        blocks[:, 0] = rng.integers(118, 124, len(blocks))
    return blocks.reshape(rows, -1)


def write_gguf(path: Path, kind: Kind = Kind.Q8_0, arch: str = "gemma3", **changes: Any) -> Path:
    """Write a tiny model whose matrices are all of one type.

    Args:
        changes: Metadata to set otherwise; None leaves the key out. A dot is written `__`.
    """
    writer = gguf.GGUFWriter(path, arch)
    metadata: dict[str, Any] = {
        "general.name": "Tiny",
        f"{arch}.context_length": 512,
        f"{arch}.embedding_length": WIDTH,
        f"{arch}.block_count": LAYERS,
        f"{arch}.feed_forward_length": WIDTH,
        f"{arch}.attention.head_count": HEADS,
        f"{arch}.attention.head_count_kv": 1,
        f"{arch}.attention.key_length": HEAD_WIDTH,
        f"{arch}.attention.value_length": HEAD_WIDTH,
        f"{arch}.attention.layer_norm_rms_epsilon": 1e-6,
        f"{arch}.attention.sliding_window": WINDOW,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": TOKENS,
        "tokenizer.ggml.scores": SCORES,
        "tokenizer.ggml.token_type": TYPES,
        "tokenizer.ggml.bos_token_id": 2,
        "tokenizer.ggml.eos_token_id": 1,
        "tokenizer.ggml.unknown_token_id": 3,
    } | {key.replace("__", "."): value for key, value in changes.items()}
    for key, value in metadata.items():
        match value:
            case None:
                pass
            case str():
                writer.add_string(key, value)
            case float():
                writer.add_float32(key, value)
            case int():
                writer.add_uint32(key, value)
            case _:
                writer.add_array(key, value)
    for name, shape in shapes(arch).items():
        _add(writer, name, shape, kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def shapes(arch: str) -> dict[str, tuple[int, ...]]:
    heads = HEADS * HEAD_WIDTH
    norms = ["attn_norm", "ffn_norm"]
    if arch != "gemma":
        norms += ["post_attention_norm", "post_ffw_norm"]
    found: dict[str, tuple[int, ...]] = {
        "token_embd": (len(TOKENS), WIDTH),
        "output_norm": (WIDTH,),
    }
    for i in range(LAYERS):
        matrices = {
            "attn_q": (heads, WIDTH),
            "attn_k": (HEAD_WIDTH, WIDTH),
            "attn_v": (HEAD_WIDTH, WIDTH),
            "attn_output": (WIDTH, heads),
            "ffn_gate": (WIDTH, WIDTH),
            "ffn_up": (WIDTH, WIDTH),
            "ffn_down": (WIDTH, WIDTH),
        }
        found |= {f"blk.{i}.{name}": shape for name, shape in matrices.items()}
        found |= {f"blk.{i}.{name}": (WIDTH,) for name in norms}
        if arch == "gemma3":
            found |= {f"blk.{i}.attn_{x}_norm": (HEAD_WIDTH,) for x in "qk"}
    return {f"{name}.weight": shape for name, shape in found.items()}


def _add(writer: gguf.GGUFWriter, name: str, shape: tuple[int, ...], kind: Kind) -> None:
    seed = sum(name.encode())
    rng = np.random.default_rng(seed)
    if len(shape) == 1:
        writer.add_tensor(name, (1 + 0.1 * rng.normal(size=shape)).astype(np.float32))
    elif kind in (Kind.F32, Kind.F16):
        values = rng.normal(0, 0.1, shape).astype(np.float32 if kind is Kind.F32 else np.float16)
        writer.add_tensor(name, values)
    elif kind is Kind.BF16:
        values = rng.normal(0, 0.1, shape).astype(np.float32)
        halves = (values.view(np.uint32) >> 16).astype(np.uint16)
        writer.add_tensor(name, halves.view(np.uint8), raw_dtype=kind)
    else:
        writer.add_tensor(name, random_blocks(kind, *shape, seed=seed), raw_dtype=kind)
