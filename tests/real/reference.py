"""Gemma 3 270M by another way: the file read field by field, numpy, and no word of ours.

Weights come from the `gguf` package's own dequantisation; the forward pass is written down from the
model's paper and runs over the whole text each time.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

LAYERS, HEADS, WIDTH, STREAM = 18, 4, 256, 640
WINDOW, EPSILON = 512, 1e-6
PLAIN = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 12: "<d"}


class Reference:
    """The whole model in float32."""

    def __init__(self, parts: list[Path]) -> None:
        self.data = b"".join(part.read_bytes() for part in parts)
        self.at = 4 + 4
        n_tensors, n_keys = self._number("<Q"), self._number("<Q")
        self.keys = {self._text().decode(): self._value(self._number("<I")) for _ in range(n_keys)}
        entries = [self._entry() for _ in range(n_tensors)]
        start = -(-self.at // 32) * 32
        self.weights = {name: self._weight(start + at, *rest) for name, at, *rest in entries}

    def _number(self, kind: str):
        (value,) = struct.unpack_from(kind, self.data, self.at)
        self.at += struct.calcsize(kind)
        return value

    def _text(self) -> bytes:
        n = self._number("<Q")
        self.at += n
        return self.data[self.at - n : self.at]

    def _value(self, kind: int):
        if kind == 8:
            return self._text()
        if kind == 9:
            item, n = self._number("<I"), self._number("<Q")
            return [self._value(item) for _ in range(n)]
        return self._number(PLAIN[kind])

    def _entry(self):
        name = self._text().decode()
        axes = [self._number("<Q") for _ in range(self._number("<I"))]
        kind = GGMLQuantizationType(self._number("<I"))
        return name, self._number("<Q"), kind, axes[::-1]

    def _weight(self, at: int, kind: GGMLQuantizationType, shape: list[int]) -> np.ndarray:
        block, size = GGML_QUANT_SIZES[kind]
        n_bytes = int(np.prod(shape)) // block * size
        raw = np.frombuffer(self.data, np.uint8, n_bytes, at)
        return dequantize(raw.reshape(*shape[:-1], -1), kind)

    def norm(self, x: np.ndarray, name: str) -> np.ndarray:
        power = np.mean(np.square(x, dtype=np.float32), axis=-1, keepdims=True)
        return x / np.sqrt(power + EPSILON) * self.weights[f"{name}.weight"]  # 1 + w is stored

    def log_probabilities(self, ids: list[int]) -> np.ndarray:
        """Of the token after the text. Shapes: (vocabulary,)."""
        w = self.weights
        x = w["token_embd.weight"][ids] * np.float32(STREAM**0.5)
        n = len(ids)
        assert n <= WINDOW  # no window needed
        causal = np.triu(np.full((n, n), -np.inf, np.float32), 1)
        for i in range(LAYERS):
            b = f"blk.{i}"
            h = self.norm(x, f"{b}.attn_norm")
            q = (h @ w[f"{b}.attn_q.weight"].T).reshape(n, HEADS, WIDTH).swapaxes(0, 1)
            k = (h @ w[f"{b}.attn_k.weight"].T)[None]
            v = h @ w[f"{b}.attn_v.weight"].T
            base = 1e6 if i % 6 == 5 else 1e4
            q = rotate(self.norm(q, f"{b}.attn_q_norm"), base)
            k = rotate(self.norm(k, f"{b}.attn_k_norm"), base)
            scores = q @ k.swapaxes(1, 2) / np.float32(WIDTH**0.5) + causal
            scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
            scores /= scores.sum(axis=-1, keepdims=True)
            h = (scores @ v).swapaxes(0, 1).reshape(n, -1) @ w[f"{b}.attn_output.weight"].T
            x = x + self.norm(h, f"{b}.post_attention_norm")
            h = self.norm(x, f"{b}.ffn_norm")
            gate = gelu(h @ w[f"{b}.ffn_gate.weight"].T)
            h = (gate * (h @ w[f"{b}.ffn_up.weight"].T)) @ w[f"{b}.ffn_down.weight"].T
            x = x + self.norm(h, f"{b}.post_ffw_norm")
        logits = w["token_embd.weight"] @ self.norm(x[-1], "output_norm")
        return logits - logits.max() - np.log(np.exp(logits - logits.max()).sum())


def gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(np.float32((2 / np.pi) ** 0.5) * (x + 0.044715 * x**3)))


def rotate(x: np.ndarray, base: float) -> np.ndarray:
    """Rotary positions over halves. Shapes: (heads, L, width)."""
    half = x.shape[-1] // 2
    angles = np.arange(x.shape[1])[:, None] / base ** (np.arange(half) / half)
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)
