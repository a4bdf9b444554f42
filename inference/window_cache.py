"""Keys and values of a layer that attends to a window, with exact rollback.

Legend: B batch, L length of a call, K key/value heads, D head width, C columns (rows held).
A column is a place in time that all batch rows share; a position is a row's own count of tokens.
They differ only where rows of unequal length were merged: then a row has padding columns in front.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inference.buffers import Arrays, Buffers, Mask, Padding, owned
from inference.mlx_lm_door import base

if TYPE_CHECKING:
    import mlx.core as mx

DEFAULT_SLACK = 64  # steps that can always be taken back: drafts, read-ahead, a numeric retry


class WindowCache:
    """Keys and values that a window can still reach, in temporal order, with slack.

    Held are the columns [`first`, `columns`): the last window - 1, and before them `slack` more
    where there have been so many, so that `slack` steps can always be taken back.
    """

    def __init__(
        self, window: int, slack: int = DEFAULT_SLACK, dtype: mx.Dtype | None = None
    ) -> None:
        assert window >= 1
        self.window = window
        self.slack = slack
        self.columns = 0
        self.dtype = dtype
        self._buffers = Buffers()
        self._padding = Padding()
        self._start = self._end = 0  # what is held, within the buffers
        self._fetched = 0

    @property
    def offset(self) -> int | mx.array:
        """The position of the next token, of each row where they differ."""
        return self._padding.offset(self.columns)

    @property
    def first(self) -> int:
        """The first column held."""
        return self.columns - self.held

    @property
    def held(self) -> int:
        """How many columns are held."""
        return self._end - self._start

    @property
    def spare(self) -> int:
        """Columns between two compactions: a quarter of the window costs four copies a token."""
        return max(self.slack, self.window // 4, 8)

    @property
    def nbytes(self) -> int:
        """Bytes of the buffers."""
        return self._buffers.nbytes

    @property
    def state(self) -> list[mx.array]:
        """The arrays to evaluate."""
        return list(self._buffers.arrays)

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> Arrays:
        """Append a call's rows; give those that its tokens can see.

        Shapes: (B, K, L, D) -> (B, K, min(C, window - 1 + L), D).
        """
        n = keys.shape[2]
        self.dtype = self.dtype or keys.dtype
        keys, values = keys.astype(self.dtype), values.astype(self.dtype)
        if self._end + n > self._buffers.capacity:
            self._compact(keys, values)
        else:
            self._buffers.write(self._end, (keys, values))
            self._end += n
        self.columns += n
        self._fetched = self.window - 1 + n
        return self.keys_and_values()

    def keys_and_values(self) -> Arrays:
        """What the latest call fetched, for the layers that share it."""
        return self._buffers.view(max(self._start, self._end - self._fetched), self._end)

    def latest(self, n: int) -> Arrays:
        """Keys and values of the last n columns."""
        return self._buffers.view(self._end - n, self._end)

    def make_mask(
        self,
        N: int,  # noqa: N803  (mlx-lm's name)
        window_size: int | None = None,
        return_array: bool = False,
    ) -> Mask:
        """The mask of a call of N tokens, made before it."""
        before = min(self.window - 1, self.held)
        if self._padding.most > self.columns - before:
            return self._padding.mask(N, before, self.columns - before, self.window)
        if N == 1:
            return None  # what is fetched is the window
        if return_array or before + N > self.window:
            mask: mx.array = base.create_causal_mask(N, before, window_size=self.window)
            return mask
        return "causal"

    def room(self) -> int:
        """How many steps can be taken back, the window before what is left still being whole."""
        most = self.columns - self._padding.most
        if self.held == self.columns:
            return most
        return max(0, min(most, self.held - (self.window - 1)))

    def rollback(self, n: int) -> None:
        """Take back the last n columns."""
        assert 0 <= n <= self.room()
        self._end -= n
        self.columns -= n

    def view(self, start: int, stop: int) -> Arrays:
        """Rows of the columns [start, stop), as views of the live buffers: copy, never keep."""
        assert self.first <= start <= stop <= self.columns
        shift = self._end - self.columns
        return self._buffers.view(start + shift, stop + shift)

    def rows(self, start: int, stop: int) -> Arrays:
        """Rows of the columns [start, stop), as copies of their own."""
        return tuple(owned(array) for array in self.view(start, stop))

    def row_view(self, row: int, start: int, stop: int) -> Arrays:
        """One batch row at the positions [start, stop), as views: copy, never keep.

        Shapes: -> (1, K, stop - start, D) each.
        """
        shift = self._padding.of(row)
        return tuple(array[row : row + 1] for array in self.view(start + shift, stop + shift))

    def restore(self, parts: Sequence[Arrays], columns: int, spare: int = 0) -> None:
        """Begin with copies of rows that end at `columns`: the last window - 1 at least."""
        held = sum(part[0].shape[2] for part in parts)
        assert held >= min(columns, self.window - 1)
        self._buffers.rebuild(parts, self.spare)
        self.dtype = self._buffers.arrays[0].dtype
        self.columns = columns
        self._start, self._end = 0, held

    def repeat(self, rows: int) -> WindowCache:
        """The same rows, `rows` times."""
        twin = WindowCache(self.window, self.slack, self.dtype)
        twin.columns, twin._padding = self.columns, self._padding
        twin._start, twin._end = self._start, self._end
        twin._buffers = self._buffers.repeat(rows)
        return twin

    def select(self, rows: Sequence[int]) -> None:
        """Keep these batch rows alone, in this order."""
        self._buffers.select(rows)
        self._padding = self._padding.select(rows)

    @classmethod
    def merge(cls, caches: Sequence[WindowCache]) -> WindowCache:
        """One cache with the rows of several, right aligned."""
        merged = cls(caches[0].window, caches[0].slack, caches[0].dtype)
        merged.columns = max(cache.columns for cache in caches)
        merged._padding = Padding.between([cache.columns for cache in caches])
        held = max(cache.held for cache in caches)
        views = [cache.view(cache.first, cache.columns) for cache in caches]
        merged._buffers = Buffers.stacked(views, held)
        # Columns that a row has lost are no row's to use; those it never had are padding.
        merged._start = held - min((c.held for c in caches if c.first), default=held)
        merged._end = held
        return merged

    def pin(self, dtype: mx.Dtype) -> None:
        """Keep rows in this dtype from now on."""
        self.dtype = dtype
        self._buffers.cast(dtype)

    def _compact(self, keys: mx.array, values: mx.array) -> None:
        """Move what is still needed to the front of new buffers and append a call's rows."""
        keep = min(self.held, self.window - 1 + self.slack)
        kept = [self._buffers.view(self._end - keep, self._end)] if keep else []
        self._buffers.rebuild([*kept, (keys, values)], self.spare)
        self._start, self._end = 0, keep + keys.shape[2]
