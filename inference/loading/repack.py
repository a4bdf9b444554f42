"""Turn GGUF's blocks into MLX's affine groups of 32, exactly where the format allows it.

An MLX group is w = scale * q + bias with q of `bits` bits in a little-endian stream of bits. Q4_0,
Q4_1, Q4_K (4 bit), Q5_0, Q5_1, Q5_K (5 bit) and Q8_0 (8 bit) have the same form, so with float32
scales every weight stays what it was, bit for bit. MXFP4 is a form of MLX's own. All other types
become 8 bit, which costs a little; how much is measured and told.

Source: ggml-org/ggml src/ggml-quants.c (blocks); mlx/ops.cpp `quantize` (bit order).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

from inference.errors import ModelFolderError

if TYPE_CHECKING:
    from collections.abc import Callable

GROUP = 32

Kind = GGMLQuantizationType
PLAIN = frozenset({Kind.F32, Kind.F16, Kind.BF16, Kind.F64})


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """Rows of groups as MLX keeps them.

    Attributes:
        biases: None in MXFP4.

    Shapes: weight (rows, columns * bits / 32) uint32; scales, biases (rows, columns / 32) float32,
    in MXFP4 uint8.
    """

    weight: np.ndarray
    scales: np.ndarray
    biases: np.ndarray | None


@dataclass(slots=True)
class Loss:
    """How far 8 bit is from what the file held, summed over the pieces seen."""

    squared_error: float = 0.0
    squared: float = 0.0

    @property
    def relative(self) -> float:
        """The root mean square error relative to that of the weights; 0 is exact."""
        return (self.squared_error / self.squared) ** 0.5 if self.squared else 0.0


# q (n, 32) uint8, scales (n,), biases (n,)
_Groups = tuple[np.ndarray, np.ndarray, np.ndarray | None]


def bits_of(kind: GGMLQuantizationType) -> int:
    """Tell how many bits a type has once it is repacked."""
    return _EXACT[kind][0] if kind in _EXACT else 8


def is_exact(kind: GGMLQuantizationType) -> bool:
    """Tell whether a type keeps every weight as it was."""
    return kind in _EXACT or kind in PLAIN


def repack(raw: np.ndarray, kind: GGMLQuantizationType, loss: Loss) -> Packed:
    """Repack some rows of a tensor.

    Args:
        raw: The rows' blocks, (rows, bytes of a row), uint8.
        kind: What they are.
        loss: Collects the error of a type that is not exact.

    Raises:
        ModelFolderError: Nothing here can read the type, or a row is no whole number of groups.
    """
    block, block_bytes = GGML_QUANT_SIZES[kind]
    rows, row_bytes = raw.shape
    columns = row_bytes // block_bytes * block
    if columns % GROUP:
        raise ModelFolderError(
            f"A tensor has rows of {columns:,} values, which are no whole groups of {GROUP}; "
            "fetch another quantisation of the model."
        )
    with np.errstate(invalid="ignore", over="ignore"):  # a damaged scale may be no number
        if kind in _EXACT:
            bits, unpack = _EXACT[kind]
            q, scales, biases = unpack(raw.reshape(-1, block_bytes))
        else:
            bits = 8
            q, scales, biases = _to_8_bit(widen(raw, kind), loss)
    return Packed(
        pack(q, bits).reshape(rows, -1),
        scales.reshape(rows, -1),
        None if biases is None else biases.reshape(rows, -1),
    )


def widen(raw: np.ndarray, kind: GGMLQuantizationType) -> np.ndarray:
    """Give a tensor's values in float32, by the `gguf` package.

    Raises:
        ModelFolderError: The package does not read this type.
    """
    if kind is Kind.F64:
        return raw.view("<f8").astype(np.float32)
    try:
        return np.asarray(dequantize(np.ascontiguousarray(raw), kind), np.float32)
    except NotImplementedError as error:
        raise ModelFolderError(
            f"Weights of the type {kind.name} cannot be read; "
            "fetch another quantisation of the model."
        ) from error


def pack(q: np.ndarray, bits: int) -> np.ndarray:
    """Pack values into a little-endian stream of bits.

    Shapes: q (n, 32) uint8 -> (n, bits) uint32.
    """
    if bits == 8:
        return q.view("<u4")
    if bits == 4:
        pairs: np.ndarray = q[:, 0::2] | q[:, 1::2] << 4
        return pairs.view("<u4")
    eights = q.reshape(-1, 8).astype("<u8")
    eights <<= np.arange(0, 8 * bits, bits, dtype=np.uint64)
    words = np.bitwise_or.reduce(eights, axis=1)
    stream = words.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :bits]
    return np.ascontiguousarray(stream).reshape(len(q), -1).view("<u4")


def _half(blocks: np.ndarray, at: int) -> np.ndarray:
    """Read a float16 of each block. Shapes: (n, bytes) -> (n,), float32."""
    return np.ascontiguousarray(blocks[:, at : at + 2]).view("<f2")[:, 0].astype(np.float32)


def _nibbles(qs: np.ndarray) -> np.ndarray:
    """Low nibbles come first, then the high ones. Shapes: (n, 16) -> (n, 32)."""
    return np.concatenate([qs & 15, qs >> 4], axis=1)


def _fifth_bits(qh: np.ndarray) -> np.ndarray:
    """Bit j of the word belongs to value j. Shapes: (n, 4) -> (n, 32)."""
    return np.unpackbits(np.ascontiguousarray(qh), axis=1, bitorder="little") << 4


def _q4_0(blocks: np.ndarray) -> _Groups:
    d = _half(blocks, 0)
    return _nibbles(blocks[:, 2:]), d, -8 * d


def _q4_1(blocks: np.ndarray) -> _Groups:
    return _nibbles(blocks[:, 4:]), _half(blocks, 0), _half(blocks, 2)


def _q5_0(blocks: np.ndarray) -> _Groups:
    d = _half(blocks, 0)
    return _nibbles(blocks[:, 6:]) | _fifth_bits(blocks[:, 2:6]), d, -16 * d


def _q5_1(blocks: np.ndarray) -> _Groups:
    q = _nibbles(blocks[:, 8:]) | _fifth_bits(blocks[:, 4:8])
    return q, _half(blocks, 0), _half(blocks, 2)


def _mxfp4(blocks: np.ndarray) -> _Groups:
    return _nibbles(blocks[:, 1:]), blocks[:, 0], None


def _q8_0(blocks: np.ndarray) -> _Groups:
    d = _half(blocks, 0)
    return blocks[:, 2:] ^ np.uint8(0x80), d, -128 * d


def _k_scales(blocks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unpack the 6-bit scales and minima of Q4_K and Q5_K. Shapes: (n, bytes) -> (n * 8,) each."""
    packed = blocks[:, 4:16]
    low, mid, high = packed[:, 0:4], packed[:, 4:8], packed[:, 8:12]
    scale = np.concatenate([low & 63, (high & 15) | (low >> 2 & 48)], axis=1)
    minimum = np.concatenate([mid & 63, (high >> 4) | (mid >> 2 & 48)], axis=1)
    scales = _half(blocks, 0)[:, None] * scale.astype(np.float32)
    biases = -_half(blocks, 2)[:, None] * minimum.astype(np.float32)
    return scales.reshape(-1), biases.reshape(-1)


def _k_nibbles(qs: np.ndarray) -> np.ndarray:
    """Each 32 bytes hold one group in the low and the next in the high nibbles. -> (n, 8, 32)."""
    pairs = qs.reshape(len(qs), 4, 32)
    return np.stack([pairs & 15, pairs >> 4], axis=2).reshape(len(qs), 8, 32)


def _q4_k(blocks: np.ndarray) -> _Groups:
    return _k_nibbles(blocks[:, 16:]).reshape(-1, 32), *_k_scales(blocks)


def _q5_k(blocks: np.ndarray) -> _Groups:
    shifts = np.arange(8, dtype=np.uint8)[None, :, None]
    fifth = (blocks[:, 16:48][:, None, :] >> shifts & 1) << 4  # (n, 8, 32): bit j is group j's
    q = _k_nibbles(blocks[:, 48:]) | fifth
    return q.reshape(-1, 32), *_k_scales(blocks)


def _to_8_bit(values: np.ndarray, loss: Loss) -> _Groups:
    groups = values.reshape(-1, GROUP)
    low = groups.min(axis=1)
    scales = (groups.max(axis=1) - low) / np.float32(255)
    safe = np.where(scales > 0, scales, np.float32(1))
    q = np.clip(np.rint((groups - low[:, None]) / safe[:, None]), 0, 255)
    error = q * scales[:, None] + low[:, None] - groups
    loss.squared_error += float(np.square(error, dtype=np.float64).sum())
    loss.squared += float(np.square(groups, dtype=np.float64).sum())
    return q.astype(np.uint8), scales, low


_EXACT: dict[GGMLQuantizationType, tuple[int, Callable[[np.ndarray], _Groups]]] = {
    Kind.Q4_0: (4, _q4_0),
    Kind.Q4_1: (4, _q4_1),
    Kind.Q4_K: (4, _q4_k),
    Kind.Q5_0: (5, _q5_0),
    Kind.Q5_1: (5, _q5_1),
    Kind.Q5_K: (5, _q5_k),
    Kind.Q8_0: (8, _q8_0),
    Kind.MXFP4: (4, _mxfp4),
}
