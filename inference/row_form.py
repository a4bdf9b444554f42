"""In which form a full layer's rows are kept: as they are, or quantised to fewer bits.

Quantised rows are dequantised when they are fetched. That costs a pass over them, and spares every
network class a second attention; the tree and the disk keep them quantised.

Legend: B batch, K key/value heads, L length, D head width.
"""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx

GROUP_WIDTHS = (64, 32)  # values that share a scale; MLX has no smaller group


class RowForm:
    """How keys and values become the arrays that are kept, and come back.

    A head whose width no group divides stays as it is.
    """

    def __init__(self, bits: int | None = None) -> None:
        self.bits = bits

    def encoded(self, keys: mx.array, values: mx.array) -> tuple[mx.array, ...]:
        """Give the arrays to keep. Shapes: (B, K, L, D) -> two, or six of (B, K, L, ...)."""
        group = self._group(keys.shape[-1], values.shape[-1])
        if self.bits is None or group is None:
            return keys, values
        return (
            *mx.quantize(keys, group_size=group, bits=self.bits),
            *mx.quantize(values, group_size=group, bits=self.bits),
        )

    def decoded(self, arrays: Sequence[mx.array]) -> tuple[mx.array, mx.array]:
        """Give keys and values. Shapes: two, or six of (B, K, L, ...) -> (B, K, L, D)."""
        if len(arrays) == 2:
            return arrays[0], arrays[1]
        assert self.bits is not None
        keys, values = arrays[:3], arrays[3:]
        return self._dequantised(keys, self.bits), self._dequantised(values, self.bits)

    def dtype_of(self, arrays: Sequence[mx.array]) -> mx.Dtype:
        """The dtype that rows come back in."""
        return arrays[0].dtype if len(arrays) == 2 else arrays[1].dtype

    @staticmethod
    def _dequantised(parts: Sequence[mx.array], bits: int) -> mx.array:
        packed, scales, biases = parts
        group = packed.shape[-1] * 32 // bits // scales.shape[-1]
        return mx.dequantize(packed, scales, biases, group_size=group, bits=bits)

    @staticmethod
    def _group(*widths: int) -> int | None:
        return next((g for g in GROUP_WIDTHS if not any(w % g for w in widths)), None)
