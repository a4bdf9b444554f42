"""Buffers of keys and values, and the padding of batch rows of unequal length.

Legend: B batch, K key/value heads, C columns (places in time), D head width, L length of a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx

from inference.mlx_lm_door import base

Mask = mx.array | str | None
Arrays = tuple[mx.array, ...]  # keys and values; six arrays where they are quantised


class Buffers:
    """Keys and values of some columns, and room for more. What lies in the room is undefined.

    Shapes:
        arrays: (B, K, capacity, D) each.
    """

    def __init__(self) -> None:
        self.arrays: Arrays = ()

    @property
    def capacity(self) -> int:
        """Columns that there is room for."""
        return self.arrays[0].shape[2] if self.arrays else 0

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays)

    def write(self, at: int, rows: Arrays) -> None:
        """Put rows into the room, in place. Shapes: (B, K, L, D)."""
        end = at + rows[0].shape[2]
        for own, new in zip(self.arrays, rows, strict=True):
            own[..., at:end, :] = new

    def view(self, start: int, stop: int) -> Arrays:
        """Rows as views. Shapes: (B, K, stop - start, D)."""
        return tuple(array[..., start:stop, :] for array in self.arrays)

    def rebuild(self, parts: Sequence[Arrays], spare: int) -> None:
        """Become copies of the parts, one after the other, with spare columns behind."""
        self.arrays = tuple(_joined(pieces, spare) for pieces in zip(*parts, strict=True))

    def repeat(self, rows: int) -> Buffers:
        """The same columns for `rows` times as many batch rows."""
        twin = Buffers()
        twin.arrays = tuple(mx.repeat(array, rows, 0) for array in self.arrays)
        return twin

    def select(self, rows: Sequence[int]) -> None:
        """Keep these batch rows alone, in this order."""
        index = mx.array(list(rows))
        self.arrays = tuple(array[index] for array in self.arrays)

    def cast(self, dtype: mx.Dtype) -> None:
        """Become another dtype."""
        self.arrays = tuple(array.astype(dtype) for array in self.arrays)

    @classmethod
    def stacked(cls, rows: Sequence[Arrays], columns: int) -> Buffers:
        """The batch rows of several, right aligned on `columns`."""
        made = cls()
        made.arrays = tuple(
            mx.concatenate([_in_front(array, columns) for array in arrays])
            for arrays in zip(*rows, strict=True)
        )
        return made


@dataclass(frozen=True, slots=True)
class Padding:
    """How many columns in front of each batch row are padding; empty where none has any."""

    counts: tuple[int, ...] = ()

    @classmethod
    def between(cls, lengths: Sequence[int]) -> Padding:
        """What aligns rows of these lengths on the right."""
        longest = max(lengths)
        return cls(tuple(longest - n for n in lengths) if min(lengths) < longest else ())

    @property
    def most(self) -> int:
        """The largest of them."""
        return max(self.counts, default=0)

    def select(self, rows: Sequence[int]) -> Padding:
        """That of some rows."""
        return Padding(tuple(self.counts[row] for row in rows) if self.counts else ())

    def of(self, row: int) -> int:
        """That of one row."""
        return self.counts[row] if self.counts else 0

    def offset(self, columns: int) -> int | mx.array:
        """The position of the token in the column `columns`, of each row where they differ."""
        return columns - mx.array(self.counts) if self.counts else columns

    def mask(self, n: int, before: int, first: int, window: int | None) -> mx.array:
        """The attention mask of rows that have padding.

        Args:
            n: Tokens of the call.
            before: Columns held before it.
            first: The column of the first of those.
            window: None for a full layer.

        Shapes: (B, 1, n, before + n), bool
        """
        causal: mx.array = base.create_causal_mask(n, before, window_size=window)
        columns = mx.arange(first, first + before + n)
        real = columns[None] >= mx.array(self.counts)[:, None]  # (B, C)
        return causal & real[:, None, None, :]


def owned(rows: mx.array) -> mx.array:
    """A copy with a buffer of its own, where `mx.contiguous` and `mx.stack` of one may alias.

    Shapes: (..., C, D) -> the same.
    """
    n, width = rows.shape[-2:]
    if n > 1:
        return mx.concatenate([rows[..., :1, :], rows[..., 1:, :]], axis=-2)
    if width > 1:
        return mx.concatenate([rows[..., :1], rows[..., 1:]], axis=-1)
    return mx.concatenate([rows, rows], axis=-2)[..., :n, :]


def _joined(parts: Sequence[mx.array], spare: int) -> mx.array:
    """Parts one after the other, then spare columns. Shapes: (B, K, C_i, D) -> (B, K, C, D)."""
    room = mx.zeros((*parts[0].shape[:2], spare, parts[0].shape[3]), parts[0].dtype)
    return mx.concatenate([*parts, room], axis=2)


def _in_front(rows: mx.array, columns: int) -> mx.array:
    """Rows with empty columns in front. Shapes: (B, K, C, D) -> (B, K, columns, D)."""
    empty = mx.zeros((*rows.shape[:2], columns - rows.shape[2], rows.shape[3]), rows.dtype)
    return mx.concatenate([empty, rows], axis=2)
