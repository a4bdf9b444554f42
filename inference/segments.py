"""The keys and values of one run of tokens, owned: what a node of the prefix tree keeps.

Layers of one kind and shape lie in one array, since many small arrays cost more than their bytes.

Legend: G layers of a group, K key/value heads, C columns, D head width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import mlx.core as mx

from inference.buffers import Arrays, owned
from inference.caches import CacheLayout, LayerLayout, RecurrentCache

if TYPE_CHECKING:
    from inference.context import Context


@dataclass(frozen=True, slots=True)
class Group:
    """Layers that keep the same."""

    layout: LayerLayout
    layers: tuple[int, ...]


def groups_of(layout: CacheLayout) -> tuple[Group, ...]:
    """The groups of a network's layers, in order of their first layer."""
    found: dict[LayerLayout, list[int]] = {}
    for i, layer in enumerate(layout.layers):
        found.setdefault(layer, []).append(i)
    return tuple(Group(layer, tuple(layers)) for layer, layers in found.items())


@dataclass(frozen=True, slots=True)
class Part:
    """What one group keeps of a run.

    Attributes:
        first: The position of the first row; window layers may begin later than the run.
        arrays: (G, K, C, D) each, whose rows end at the run's end; of recurrent layers the states
            at its end.
    """

    first: int
    arrays: Arrays

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return sum(array.nbytes for array in self.arrays)


@dataclass(frozen=True, slots=True)
class Segment:
    """What all layers keep of the tokens [start, stop).

    Attributes:
        parts: One for each group; None where a window layer's rows were let go of, or where a
            recurrent layer's state was not taken.
        hidden: The last token's state after the final norm, (1, 1, width).
        is_loaded: Whether the arrays are in memory; otherwise this tells what the disk has.
        has_hidden: Whether there is a hidden state, in memory or on disk.
    """

    start: int
    stop: int
    parts: tuple[Part | None, ...]
    hidden: mx.array | None = None
    is_loaded: bool = True
    has_hidden: bool = False

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        hidden = 0 if self.hidden is None else self.hidden.nbytes
        return hidden + sum(part.nbytes for part in self.parts if part is not None)

    @property
    def arrays(self) -> list[mx.array]:
        """All arrays."""
        made = [array for part in self.parts if part is not None for array in part.arrays]
        return made if self.hidden is None else [*made, self.hidden]

    def unloaded(self) -> Segment:
        """What this holds, without the arrays."""
        parts = tuple(None if part is None else Part(part.first, ()) for part in self.parts)
        return replace(self, parts=parts, hidden=None, is_loaded=False)

    def thinned(self, groups: Sequence[Group]) -> Segment:
        """The same without what only a resume at this place needs: rows of window layers."""
        kept = tuple(
            part if group.layout.kind == "full" else None
            for group, part in zip(groups, self.parts, strict=True)
        )
        return replace(self, parts=kept, hidden=None, has_hidden=False)

    def is_thin(self, groups: Sequence[Group]) -> bool:
        """Whether rows of window layers are missing that a fresh copy would have."""
        return any(
            part is None
            for group, part in zip(groups, self.parts, strict=True)
            if group.layout.kind == "window"
        )


def take(context: Context, groups: Sequence[Group], row: int, start: int, stop: int) -> Segment:
    """Copy what a run's segment needs out of a running context.

    The copies are evaluated: nothing in them refers to the context's own buffers.
    """
    at_end = context.in_flight == 0 and stop == len(context.row_tokens(row))
    parts = tuple(_take_part(context, group, row, (start, stop), at_end) for group in groups)
    hidden = context.hidden[row : row + 1] if at_end and context.hidden is not None else None
    own = None if hidden is None else owned(hidden)
    segment = Segment(start, stop, parts, own, has_hidden=own is not None)
    mx.eval(segment.arrays)
    return segment


def _take_part(
    context: Context, group: Group, row: int, run: tuple[int, int], at_end: bool
) -> Part | None:
    start, stop = run
    views: list[Arrays] = []
    first = start
    for layer in group.layers:
        cache = context.caches[layer]
        if isinstance(cache, RecurrentCache):
            if not at_end:
                return None
            views.append(tuple(array[row : row + 1] for array in cache.state))
            continue
        if group.layout.window:
            first = max(start, stop - (group.layout.window - 1))
        views.append(cache.row_view(row, first, stop))
    return Part(first, tuple(_stacked(list(arrays)) for arrays in zip(*views, strict=True)))


def _stacked(views: list[mx.array]) -> mx.array:
    """One array of several layers' rows. Shapes: (1, K, C, D) each -> (G, K, C, D)."""
    return owned(views[0]) if len(views) == 1 else mx.concatenate(views)


def assemble(
    context: Context, groups: Sequence[Group], path: Sequence[Segment], stop: int, spare: int
) -> None:
    """Fill an empty context with the first `stop` tokens' rows along a path of segments.

    Each segment is used up to where the next one starts. All that is needed must be held.
    """
    ends = [*(segment.start for segment in path[1:]), stop]
    for i, group in enumerate(groups):
        if group.layout.kind == "recurrent":
            _restore_states(context, group, path[-1].parts[i], stop)
            continue
        lowest = max(0, stop - (group.layout.window - 1)) if group.layout.window else 0
        pieces: list[list[Arrays]] = [[] for _ in group.layers]
        for segment, end in zip(path, ends, strict=True):
            start = max(segment.start, lowest)
            if start < end:
                part = segment.parts[i]
                assert part is not None
                assert part.first <= start
                _cut(part, start, end, pieces)
        for layer, parts in zip(group.layers, pieces, strict=True):
            cache = context.caches[layer]
            assert not isinstance(cache, RecurrentCache)
            cache.restore(parts, stop, spare)
    context.settle()


def _cut(part: Part, start: int, end: int, pieces: list[list[Arrays]]) -> None:
    """Append the rows [start, end) of each layer, as views."""
    rows = [array[..., start - part.first : end - part.first, :] for array in part.arrays]
    layers = [mx.split(array, len(pieces)) if len(pieces) > 1 else [array] for array in rows]
    for i, piece in enumerate(pieces):
        piece.append(tuple(views[i] for views in layers))


def _restore_states(context: Context, group: Group, part: Part | None, stop: int) -> None:
    assert part is not None
    for i, layer in enumerate(group.layers):
        cache = context.caches[layer]
        assert isinstance(cache, RecurrentCache)
        cache.restore([owned(array[i : i + 1]) for array in part.arrays], stop)
