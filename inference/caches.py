"""One layer's keys and values, with exact rollback: what mlx-lm's Gemma classes call `cache`.

A full layer keeps every row. A window layer keeps the rows that the window can still reach, in
temporal order and with slack, so that steps can be taken back after the window has moved on. A
recurrent layer is in `recurrent`.

Legend: B batch, L length of a call, K key/value heads, D head width, C columns (rows held).
A column is a place in time that all batch rows share; a position is a row's own count of tokens.
They differ only where rows of unequal length were merged: then a row has padding columns in front.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx

from inference.buffers import Arrays, Buffers, Padding, owned
from inference.layout import CacheLayout, LayerLayout
from inference.mlx_lm_door import base
from inference.recurrent import RecurrentCache

__all__ = [
    "CacheLayout",
    "FullCache",
    "LayerCache",
    "LayerLayout",
    "RecurrentCache",
    "WindowCache",
    "layout_of",
    "make_caches",
]

GROW_COLUMNS = 256  # a full layer's buffers grow by at least so many columns
DEFAULT_SLACK = 64  # steps that can always be taken back: drafts, read-ahead, a numeric retry

Mask = mx.array | str | None


class FullCache:
    """Keys and values of every token so far: the columns [0, `columns`).

    `drop` may take columns out of the middle; later rows keep their positions.
    """

    def __init__(self, dtype: mx.Dtype | None = None) -> None:
        self.columns = 0
        self.dropped = 0
        self._buffers = Buffers(dtype)
        self._padding = Padding()

    @property
    def offset(self) -> int | mx.array:
        """The position of the next token, of each row where they differ."""
        return self._padding.offset(self.columns)

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
    def dtype(self) -> mx.Dtype | None:
        """The dtype that rows are kept in."""
        return self._buffers.dtype

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
        return self._buffers.view(0, self.held)

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
        self._buffers.dtype = self._buffers.arrays[0].dtype
        self.columns = columns

    def repeat(self, rows: int) -> FullCache:
        """The same rows, `rows` times."""
        twin = FullCache()
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
        merged = cls()
        merged.columns = max(cache.columns for cache in caches)
        views = [cache.view(0, cache.columns) for cache in caches]
        merged._buffers = Buffers.stacked(views, merged.columns, caches[0].dtype)
        merged._padding = Padding.between([cache.columns for cache in caches])
        return merged

    def pin(self, dtype: mx.Dtype) -> None:
        """Keep rows in this dtype from now on."""
        self._buffers.pin(dtype)

    def _make_room(self, keys: mx.array, values: mx.array) -> None:
        """Write a call's rows; grow by an eighth at least, so that copying stays linear."""
        needed = self.held + keys.shape[2]
        if needed > self._buffers.capacity:
            step = max(GROW_COLUMNS, needed // 8)
            old = [self._buffers.view(0, self.held)] if self.held else []
            self._buffers.dtype = self._buffers.dtype or keys.dtype
            self._buffers.rebuild([*old, (keys, values)], step - needed % step)
        else:
            self._buffers.write(self.held, (keys, values))


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
        self._buffers = Buffers(dtype)
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
    def nbytes(self) -> int:
        """Bytes of the buffers."""
        return self._buffers.nbytes

    @property
    def dtype(self) -> mx.Dtype | None:
        """The dtype that rows are kept in."""
        return self._buffers.dtype

    @property
    def state(self) -> list[mx.array]:
        """The arrays to evaluate."""
        return list(self._buffers.arrays)

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> Arrays:
        """Append a call's rows; give those that its tokens can see.

        Shapes: (B, K, L, D) -> (B, K, min(C, window - 1 + L), D).
        """
        n = keys.shape[2]
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
        self._buffers.rebuild(parts, self._spare())
        self._buffers.dtype = self._buffers.arrays[0].dtype
        self.columns = columns
        self._start, self._end = 0, held

    def repeat(self, rows: int) -> WindowCache:
        """The same rows, `rows` times."""
        twin = WindowCache(self.window, self.slack)
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
        merged = cls(caches[0].window, caches[0].slack)
        merged.columns = max(cache.columns for cache in caches)
        merged._padding = Padding.between([cache.columns for cache in caches])
        held = max(cache.held for cache in caches)
        views = [cache.view(cache.first, cache.columns) for cache in caches]
        merged._buffers = Buffers.stacked(views, held, caches[0].dtype)
        # Columns that a row has lost are no row's to use; those it never had are padding.
        merged._start = held - min((c.held for c in caches if c.first), default=held)
        merged._end = held
        return merged

    def pin(self, dtype: mx.Dtype) -> None:
        """Keep rows in this dtype from now on."""
        self._buffers.pin(dtype)

    def _spare(self) -> int:
        """Columns between two compactions: a quarter of the window costs four copies a token."""
        return max(self.slack, self.window // 4, 8)

    def _compact(self, keys: mx.array, values: mx.array) -> None:
        """Move what is still needed to the front of new buffers and append a call's rows."""
        keep = min(self.held, self.window - 1 + self.slack)
        kept = [self._buffers.view(self._end - keep, self._end)] if keep else []
        self._buffers.dtype = self._buffers.dtype or keys.dtype
        self._buffers.rebuild([*kept, (keys, values)], self._spare())
        self._start, self._end = 0, keep + keys.shape[2]


LayerCache = FullCache | WindowCache | RecurrentCache


def make_caches(
    layout: CacheLayout, dtype: mx.Dtype | None = None, slack: int = DEFAULT_SLACK
) -> list[LayerCache]:
    """One empty cache for each layer that has its own.

    Args:
        layout: What each of them keeps.
        dtype: The dtype that rows are kept in; None takes that of the first call.
        slack: Steps that can always be taken back.
    """
    made: list[LayerCache] = []
    for layer in layout.layers:
        match layer.kind:
            case "full":
                made.append(FullCache(dtype))
            case "window":
                made.append(WindowCache(layer.window, slack, dtype))
            case "recurrent":
                made.append(RecurrentCache())
    return made


def layout_of(network: Any) -> CacheLayout:  # noqa: ANN401  (any of mlx-lm's model classes)
    """Find a network's layout by reading one token, which also warms it up."""
    bare = [_kind_of(theirs) for theirs in _their_caches(network)]
    caches = make_caches(CacheLayout(tuple(bare)))
    mx.eval(network(mx.array([[0]]), cache=caches))
    measured = [_measured(layer, cache) for layer, cache in zip(bare, caches, strict=True)]
    return CacheLayout(tuple(measured))


def _their_caches(network: Any) -> list[Any]:  # noqa: ANN401  (any of mlx-lm's model classes)
    return network.make_cache() if hasattr(network, "make_cache") else [None] * len(network.layers)


def _kind_of(theirs: Any) -> LayerLayout:  # noqa: ANN401  (any of mlx-lm's cache classes)
    if hasattr(theirs, "max_size"):
        return LayerLayout("window", theirs.max_size)
    return LayerLayout("recurrent" if hasattr(theirs, "cache") else "full")


def _measured(layer: LayerLayout, cache: LayerCache) -> LayerLayout:
    if isinstance(cache, RecurrentCache):
        return LayerLayout("recurrent", key_width=cache.state[-1].shape[-1])
    keys, values = cache.keys_and_values()
    _, heads, _, width = keys.shape
    return LayerLayout(layer.kind, layer.window, heads, width, values.shape[3])
