"""A recurrent layer's state, in the place where attention layers have keys and values.

A state cannot be cut to an earlier token: it is taken back only to a call whose state is held.
"""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx

RECURRENT_STEPS = 16  # calls that can be taken back


class RecurrentCache:
    """A recurrent layer's states: that after the latest call, and some before it.

    mlx-lm's layer reads and writes the parts of the state by index; the context says how many
    tokens each call had, since the state alone does not tell.
    """

    def __init__(self, parts: int = 2) -> None:
        self.columns = 0
        self._parts: list[mx.array | None] = [None] * parts
        self._past: list[tuple[int, list[mx.array | None]]] = []

    def __getitem__(self, part: int) -> mx.array | None:
        return self._parts[part]

    def __setitem__(self, part: int, value: mx.array) -> None:
        self._parts[part] = value

    @property
    def nbytes(self) -> int:
        """Bytes of all states held."""
        states = [self._parts, *(state for _, state in self._past)]
        return sum(part.nbytes for state in states for part in state if part is not None)

    @property
    def state(self) -> list[mx.array]:
        """The arrays to evaluate."""
        return [part for part in self._parts if part is not None]

    def begin(self) -> None:
        """Remember the state before a call."""
        self._past.append((self.columns, list(self._parts)))
        del self._past[:-RECURRENT_STEPS]

    def advance(self, n: int) -> None:
        """Count the tokens of the call that was made."""
        self.columns += n

    def room(self) -> int:
        """How many steps can be taken back, every lesser number too."""
        at = self.columns
        for column, _ in reversed(self._past):
            if column != at - 1:
                break
            at = column
        return self.columns - at

    def holds(self, n: int) -> bool:
        """Whether the state n tokens ago is held."""
        return n == 0 or any(column == self.columns - n for column, _ in self._past)

    def rollback(self, n: int) -> None:
        """Go back to the state n tokens ago; it must be one that is held."""
        assert self.holds(n)
        goal = self.columns - n
        while self.columns > goal:
            self.columns, self._parts = self._past.pop()

    def restore(self, parts: Sequence[mx.array], columns: int) -> None:
        """Begin with this state; it is never written to."""
        self._parts, self._past, self.columns = list(parts), [], columns

    def repeat(self, rows: int) -> RecurrentCache:
        """The same state, `rows` times."""
        twin = RecurrentCache(len(self._parts))
        twin.columns = self.columns
        twin._parts = [None if p is None else mx.repeat(p, rows, 0) for p in self._parts]
        return twin

    def select(self, rows: Sequence[int]) -> None:
        """Keep these batch rows alone, in this order."""
        index = mx.array(list(rows))
        self._parts = [None if p is None else p[index] for p in self._parts]
        self._past = [
            (column, [None if p is None else p[index] for p in parts])
            for column, parts in self._past
        ]

    @classmethod
    def merge(cls, caches: Sequence[RecurrentCache]) -> RecurrentCache:
        """One cache with the states of several."""
        merged = cls()
        merged.columns = max(cache.columns for cache in caches)
        states = zip(*(cache.state for cache in caches), strict=True)
        merged._parts = [mx.concatenate(list(parts)) for parts in states]
        return merged

    def pin(self, dtype: mx.Dtype) -> None:
        """Keep the state in this dtype from now on."""
        self._parts = [None if p is None else p.astype(dtype) for p in self._parts]
