"""Keys and values of a layer that attends to everything.

Legend: B batch, L length of a call, K key/value heads, D head width, C columns (rows held).
A column is a place in time that all batch rows share; a position is a row's own count of tokens.
They differ only where rows of unequal length were merged: then a row has padding columns in front.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inference.buffers import Arrays, Buffers, Mask, Padding, owned
from inference.mlx_lm_door import base
from inference.row_form import RowForm

if TYPE_CHECKING:
    import mlx.core as mx

GROW_COLUMNS = 256  # buffers grow by at least so many columns


class FullCache:
    """Keys and values of every token so far: the columns [0, `columns`).

    `drop` may take columns out of the middle; later rows keep their positions.

    Args:
        dtype: The dtype that rows are kept in; None takes that of the first call.
        kv_bits: Keep rows quantised; what is fetched is dequantised, so every network can use it.
    """

    def __init__(self, dtype: mx.Dtype | None = None, kv_bits: int | None = None) -> None:
        self.columns = 0
        self.dropped = 0
        self.dtype = dtype
        self._form = RowForm(kv_bits)
        self._buffers = Buffers()
        self._padding = Padding()

    @property
    def offset(self) -> int | mx.array:
        """The position of the next token, of each row where they differ."""
        return self._padding.offset(self.columns)

    @property
    def kv_bits(self) -> int | None:
        """How many bits a kept number has; None for rows that are not quantised."""
        return self._form.bits

    @property
    def first(self) -> int:
        """The first column held."""
        return 0

    @property
    def held(self) -> int:
        """How many columns are held."""
        return self.columns - self.dropped

    @property
    def nbytes(self) -> int:
        """Bytes of the buffers."""
        return self._buffers.nbytes

    @property
    def state(self) -> list[mx.array]:
        """The arrays to evaluate."""
        return list(self._buffers.arrays)

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> Arrays:
        """Append a call's rows; give all rows. Shapes: (B, K, L, D) -> (B, K, C, D)."""
        self._make_room(keys, values)
        self.columns += keys.shape[2]
        return self.keys_and_values()

    def keys_and_values(self) -> Arrays:
        """What the latest call fetched, for the layers that share it."""
        return self._form.decoded(self._buffers.view(0, self.held))

    def latest(self, n: int) -> Arrays:
        """Keys and values of the last n columns."""
        return self._form.decoded(self._buffers.view(self.held - n, self.held))

    def make_mask(
        self,
        N: int,  # noqa: N803  (mlx-lm's name)
        window_size: int | None = None,
        return_array: bool = False,
    ) -> Mask:
        """The mask of a call of N tokens, made before it."""
        if self._padding.counts:
            return self._padding.mask(N, self.held, self.dropped, window_size)
        if window_size is not None and self.held + N > window_size:
            mask: mx.array = base.create_causal_mask(N, self.held, window_size=window_size)
            return mask
        if N == 1:
            return None
        return base.create_causal_mask(N, self.held) if return_array else "causal"

    def room(self) -> int:
        """How many steps can be taken back."""
        return self.held - self._padding.most

    def rollback(self, n: int) -> None:
        """Take back the last n columns."""
        assert 0 <= n <= self.room()
        self.columns -= n

    def drop(self, start: int, stop: int) -> None:
        """Take the held columns [start, stop) out; later rows keep their positions."""
        assert 0 <= start <= stop <= self.held
        assert not self._padding.counts
        kept = [self._buffers.view(0, start), self._buffers.view(stop, self.held)]
        self._buffers.rebuild(kept, GROW_COLUMNS)
        self.dropped += stop - start

    def view(self, start: int, stop: int) -> Arrays:
        """Rows of the columns [start, stop), as views of the live buffers: copy, never keep."""
        assert 0 <= start <= stop <= self.columns
        assert self.dropped == 0
        return self._buffers.view(start, stop)

    def rows(self, start: int, stop: int) -> Arrays:
        """Rows of the columns [start, stop), as copies of their own."""
        return tuple(owned(array) for array in self.view(start, stop))

    def row_view(self, row: int, start: int, stop: int) -> Arrays:
        """One batch row at the positions [start, stop), as views: copy, never keep.

        Shapes: -> (1, K, stop - start, D) each.
        """
        shift = self._padding.of(row)
        return tuple(array[row : row + 1] for array in self.view(start + shift, stop + shift))

    def restore(self, parts: Sequence[Arrays], columns: int, spare: int = GROW_COLUMNS) -> None:
        """Begin with copies of rows that end at `columns`, and with room for `spare` more."""
        self._buffers.rebuild(parts, spare)
        self.dtype = self._form.dtype_of(self._buffers.arrays)
        self.columns = columns

    def repeat(self, rows: int) -> FullCache:
        """The same rows, `rows` times."""
        twin = FullCache(self.dtype, self._form.bits)
        twin.columns, twin.dropped, twin._padding = self.columns, self.dropped, self._padding
        twin._buffers = self._buffers.repeat(rows)
        return twin

    def select(self, rows: Sequence[int]) -> None:
        """Keep these batch rows alone, in this order."""
        self._buffers.select(rows)
        self._padding = self._padding.select(rows)

    @classmethod
    def merge(cls, caches: Sequence[FullCache]) -> FullCache:
        """One cache with the rows of several, right aligned."""
        merged = cls(caches[0].dtype, caches[0].kv_bits)
        merged.columns = max(cache.columns for cache in caches)
        views = [cache.view(0, cache.columns) for cache in caches]
        merged._buffers = Buffers.stacked(views, merged.columns)
        merged._padding = Padding.between([cache.columns for cache in caches])
        return merged

    def pin(self, dtype: mx.Dtype) -> None:
        """Keep rows in this dtype from now on."""
        self.dtype = dtype
        if self._form.bits is None:
            self._buffers.cast(dtype)

    def _make_room(self, keys: mx.array, values: mx.array) -> None:
        """Write a call's rows; grow by an eighth at least, so that copying stays linear."""
        self.dtype = self.dtype or keys.dtype
        rows = self._form.encoded(keys.astype(self.dtype), values.astype(self.dtype))
        needed = self.held + keys.shape[2]
        if needed > self._buffers.capacity:
            step = max(GROW_COLUMNS, needed // 8)
            old = [self._buffers.view(0, self.held)] if self.held else []
            self._buffers.rebuild([*old, rows], step - needed % step)
        else:
            self._buffers.write(self.held, rows)
