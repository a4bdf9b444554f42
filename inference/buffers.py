"""A pair of buffers for keys and values, and the padding of batch rows of unequal length.

Legend: B batch, K key/value heads, C columns (places in time), D head width, L length of a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx
from mlx_lm.models.base import create_causal_mask

Pair = tuple[mx.array, mx.array]


class Buffers:
    """Keys and values of some columns, and room for more. What lies in the room is undefined.

    Shapes:
        keys, values: (B, K, capacity, D) in `dtype`.
    """

    def __init__(self, dtype: mx.Dtype | None = None) -> None:
        self.dtype = dtype
        self._pair: Pair | None = None

    @property
    def pair(self) -> Pair:
        """The two arrays; there must be some."""
        assert self._pair is not None
        return self._pair

    @property
    def arrays(self) -> list[mx.array]:
        """The arrays there are."""
        return [] if self._pair is None else list(self._pair)

    @property
    def capacity(self) -> int:
        """Columns that there is room for."""
        return 0 if self._pair is None else self._pair[0].shape[2]

    @property
    def nbytes(self) -> int:
        """Bytes of both."""
        return sum(array.nbytes for array in self.arrays)

    def write(self, at: int, keys: mx.array, values: mx.array) -> None:
        """Put rows into the room, in place. Shapes: (B, K, L, D)."""
        own_keys, own_values = self.pair
        end = at + keys.shape[2]
        own_keys[..., at:end, :] = keys.astype(own_keys.dtype)
        own_values[..., at:end, :] = values.astype(own_values.dtype)
        self._pair = own_keys, own_values

    def view(self, start: int, stop: int) -> Pair:
        """Rows as views. Shapes: (B, K, stop - start, D)."""
        keys, values = self.pair
        return keys[..., start:stop, :], values[..., start:stop, :]

    def rebuild(self, parts: Sequence[Pair], spare: int) -> None:
        """Replace both by copies of the parts, one after the other, with spare columns behind."""
        dtype = self.dtype = self.dtype or parts[0][0].dtype
        keys, values = zip(*parts, strict=True)
        self._pair = _joined(keys, spare, dtype), _joined(values, spare, dtype)

    def repeat(self, rows: int) -> Buffers:
        """The same columns for `rows` times as many batch rows."""
        twin = Buffers(self.dtype)
        if self._pair is not None:
            twin._pair = mx.repeat(self._pair[0], rows, 0), mx.repeat(self._pair[1], rows, 0)
        return twin

    def select(self, rows: Sequence[int]) -> None:
        """Keep these batch rows alone, in this order."""
        if self._pair is not None:
            index = mx.array(list(rows))
            self._pair = self._pair[0][index], self._pair[1][index]

    def pin(self, dtype: mx.Dtype) -> None:
        """Keep rows in this dtype from now on."""
        self.dtype = dtype
        if self._pair is not None:
            self._pair = self._pair[0].astype(dtype), self._pair[1].astype(dtype)

    @classmethod
    def stacked(cls, rows: Sequence[Pair], columns: int) -> Buffers:
        """One pair with the batch rows of several, right aligned on `columns`."""
        made = cls(rows[0][0].dtype)
        made._pair = (
            mx.concatenate([_in_front(keys, columns) for keys, _ in rows]),
            mx.concatenate([_in_front(values, columns) for _, values in rows]),
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
        causal: mx.array = create_causal_mask(n, before, window_size=window)
        columns = mx.arange(first, first + before + n)
        real = columns[None] >= mx.array(self.counts)[:, None]  # (B, C)
        return causal & real[:, None, None, :]


def owned(rows: mx.array) -> mx.array:
    """A copy with a buffer of its own, where `mx.contiguous` and `mx.stack` of one may alias.

    Shapes: (..., C, D) -> the same.
    """
    n = rows.shape[-2]
    if n < 2:
        return mx.concatenate([rows, rows], axis=-2)[..., :n, :]
    return mx.concatenate([rows[..., :1, :], rows[..., 1:, :]], axis=-2)


def _joined(parts: Sequence[mx.array], spare: int, dtype: mx.Dtype) -> mx.array:
    """Parts one after the other, then spare columns. Shapes: (B, K, C_i, D) -> (B, K, C, D)."""
    room = mx.zeros((*parts[0].shape[:2], spare, parts[0].shape[3]), dtype)
    return mx.concatenate([*(part.astype(dtype) for part in parts), room], axis=2)


def _in_front(rows: mx.array, columns: int) -> mx.array:
    """Rows with empty columns in front. Shapes: (B, K, C, D) -> (B, K, columns, D)."""
    empty = mx.zeros((*rows.shape[:2], columns - rows.shape[2], rows.shape[3]), rows.dtype)
    return mx.concatenate([empty, rows], axis=2)
