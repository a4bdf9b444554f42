"""All layers' caches and the tokens they hold: one object, changed in one place.

Legend: B batch rows, L length of a call, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx

from inference.caches import (
    DEFAULT_SLACK,
    CacheLayout,
    FullCache,
    LayerCache,
    RecurrentCache,
    WindowCache,
    make_caches,
)
from inference.heads import Network, hidden_states, logits_of

ROTATE_FIRST = 4  # tokens that attention leans on wherever it has nothing to look at
GROWTH_STEPS = 32  # a running reply is measured once in so many tokens


class Context:
    """A network's running state. The tokens are exactly those that the layers hold.

    `feed` reads known tokens; `step` reads tokens that are not known yet (lazy arrays, so that the
    next step can be enqueued before the last one is read back) and `commit` names them later.

    Attributes:
        hidden: The last position's state after the final norm, (B, 1, width); None where the last
            call asked for no logits. `logits` runs the head on it.
        grew: Told now and then, when the caches may have grown.
        kv_bits: How the rows of full layers are quantised; None where they are not.
        is_exact: Whether the layers hold all that they should: nothing was taken out of them.
        rotates_at: Full layers forget their middle rather than hold more tokens than this; None
            holds everything.
    """

    def __init__(
        self,
        network: Network,
        layout: CacheLayout,
        *,
        dtype: mx.Dtype | None = None,
        slack: int = DEFAULT_SLACK,
        kv_bits: int | None = None,
    ) -> None:
        self.network = network
        self.layout = layout
        self.caches: list[LayerCache] = make_caches(layout, dtype, slack, kv_bits)
        self.hidden: mx.array | None = None
        self.kv_bits = kv_bits
        self.is_exact = True
        self.rotates_at: int | None = None
        self.grew: Callable[[Context], None] | None = None
        self._ends: list[int] = []
        self._resumed_at = 0
        self._rows: list[list[int]] = [[]]
        self._in_flight = 0

    @property
    def n_rows(self) -> int:
        """How many batch rows there are."""
        return len(self._rows)

    @property
    def tokens(self) -> list[int]:
        """The tokens of the first row, without those in flight. Not to be written to."""
        return self._rows[0]

    def row_tokens(self, row: int) -> list[int]:
        """The tokens of a row, without those in flight. Not to be written to."""
        return self._rows[row]

    @property
    def in_flight(self) -> int:
        """Steps whose tokens are not known yet."""
        return self._in_flight

    def __len__(self) -> int:
        """Tokens held by the longest row, those in flight included."""
        return max(len(row) for row in self._rows) + self._in_flight

    @property
    def resumed_at(self) -> int:
        """How many of the first tokens came from elsewhere."""
        return self._resumed_at

    def call_ends(self, start: int, stop: int) -> list[int]:
        """The lengths in (start, stop] at which a call ended, where calls may begin again."""
        if self.n_rows > 1:
            return list(range(start + 1, stop + 1))  # rows of a batch are spoken token by token
        return [end for end in self._ends if start < end <= stop]

    @property
    def nbytes(self) -> int:
        """Bytes of all caches."""
        return sum(cache.nbytes for cache in self.caches)

    def feed(
        self,
        ids: Sequence[int] | Sequence[Sequence[int]],
        *,
        logits: bool = True,
        positions: int = 1,
        embeddings: mx.array | None = None,
    ) -> mx.array | None:
        """Read known tokens, as one call.

        Args:
            ids: The tokens; for several rows a list of each, all of one length.
            logits: Whether the last position's logits are wanted; otherwise none are computed.
            positions: How many of the last positions' logits are wanted.
            embeddings: What to begin with in place of the ids' own embeddings.

        Shapes: -> (B, V), lazy; (B, positions, V) if more than one is wanted.
        """
        states = self.read(ids, embeddings)
        if not logits:
            return None
        self.hidden = states[:, -1:]
        scores = logits_of(self.network, states[:, -positions:])
        return scores[:, 0] if positions == 1 else scores

    def read(
        self,
        ids: Sequence[int] | Sequence[Sequence[int]],
        embeddings: mx.array | None = None,
    ) -> mx.array:
        """Read known tokens, as one call; give each one's state after the final norm.

        Shapes: -> (B, L, width), lazy.
        """
        rows = _as_rows(ids)
        assert self._in_flight == 0
        assert len(rows) == self.n_rows
        assert rows[0]
        states = self._run(mx.array(rows), embeddings)
        for held, new in zip(self._rows, rows, strict=True):
            held.extend(new)
        self._ended(len(rows[0]))
        return states

    def step(self, token: mx.array) -> mx.array:
        """Read one token a row, lazily. Shapes: (B,) -> (B, V)."""
        self.hidden = self._run(token.reshape(-1, 1), None)
        self._in_flight += 1
        self._ended(1)
        return logits_of(self.network, self.hidden)[:, 0]

    def commit(self, ids: Sequence[int]) -> None:
        """Name the tokens of the oldest step in flight, one for each row."""
        assert self._in_flight > 0
        assert len(ids) == self.n_rows
        for held, token in zip(self._rows, ids, strict=True):
            held.append(token)
        self._in_flight -= 1

    def resume_at(self, tokens: Sequence[int]) -> None:
        """Say which tokens the caches, filled by someone else, hold."""
        assert self.n_rows == 1
        self._rows = [list(tokens)]
        self._ends = [len(tokens)]
        self._resumed_at = len(tokens)

    def logits(self) -> mx.array:
        """The logits after the last token, where `hidden` is held. Shapes: (B, V), lazy."""
        assert self.hidden is not None
        return logits_of(self.network, self.hidden)[:, 0]

    def settle(self) -> None:
        """Evaluate what the caches hold, and nothing more."""
        arrays = [array for cache in self.caches for array in cache.state]
        mx.eval(arrays if self.hidden is None else [*arrays, self.hidden])

    def room(self) -> int:
        """How many tokens can be taken back; each lesser number can be, too."""
        return min((cache.room() for cache in self.caches), default=0)

    def rollback(self, n: int) -> None:
        """Take back the last n tokens of every row, those in flight first."""
        if n == 0:
            return
        assert 0 < n <= self.room()
        for cache in self.caches:
            cache.rollback(n)
        known = max(n - self._in_flight, 0)
        self._in_flight -= n - known
        for held in self._rows:
            del held[len(held) - known :]
        self.hidden = None
        end = len(self)
        while self._ends and self._ends[-1] >= end:
            self._ends.pop()
        self._ends.append(end)

    def fork(self, rows: int) -> Context:
        """The same state in `rows` batch rows; this one stays as it is."""
        assert self.n_rows == 1
        assert self._in_flight == 0
        repeated = [cache.repeat(rows) for cache in self.caches]
        twin = Context.of(self, repeated, [list(self.tokens) for _ in range(rows)])
        twin.hidden = None if self.hidden is None else mx.repeat(self.hidden, rows, 0)
        return twin

    def select(self, rows: Sequence[int]) -> None:
        """Keep these batch rows alone, in this order."""
        for cache in self.caches:
            cache.select(rows)
        self._rows = [self._rows[row] for row in rows]
        if self.hidden is not None:
            self.hidden = self.hidden[mx.array(list(rows))]

    @classmethod
    def merge(cls, contexts: Sequence[Context]) -> Context:
        """One context whose rows are those of several, which may differ in length."""
        assert all(context.n_rows == 1 for context in contexts)
        assert all(context.in_flight == 0 for context in contexts)
        by_layer = zip(*(context.caches for context in contexts), strict=True)
        rows = [list(context.tokens) for context in contexts]
        merged = cls.of(contexts[0], [_merged(caches) for caches in by_layer], rows)
        states = [context.hidden for context in contexts if context.hidden is not None]
        if len(states) == len(contexts):
            merged.hidden = mx.concatenate(states)
        return merged

    @classmethod
    def of(cls, like: Context, caches: list[LayerCache], rows: list[list[int]]) -> Context:
        """A context of the same network that holds these rows in these caches."""
        made = cls(like.network, like.layout)
        made.caches, made._rows = caches, rows
        made.kv_bits, made.is_exact, made.grew = like.kv_bits, like.is_exact, like.grew
        return made

    def _rotate(self, limit: int, coming: int) -> None:
        """Let full layers forget their middle where a call would take them past a limit.

        The first tokens and the latest three quarters stay, at their own positions. What was read
        with the middle in view stays as it is, so the context is exact no more.
        """
        for cache in self.caches:
            if isinstance(cache, FullCache) and cache.held + coming > limit:
                first = min(ROTATE_FIRST, cache.held)
                latest = max(limit * 3 // 4 - first - coming, 0)
                stop = max(cache.held - latest, first)
                cache.drop(first, stop)
                self.is_exact = self.is_exact and stop == first

    def _ended(self, n: int) -> None:
        """Note the end of a call of n tokens."""
        end = len(self)
        self._ends.append(end)
        if self.grew is not None and (n > 1 or end % GROWTH_STEPS == 0):
            self.grew(self)

    def _run(self, ids: mx.array, embeddings: mx.array | None) -> mx.array:
        """Read ids (B, L) into the caches. Shapes: -> (B, L, width), lazy."""
        if self.rotates_at is not None:
            self._rotate(self.rotates_at, ids.shape[1])
        recurrent = [cache for cache in self.caches if isinstance(cache, RecurrentCache)]
        for cache in recurrent:
            cache.begin()
        states = hidden_states(self.network, ids, self.caches, embeddings)
        for cache in recurrent:
            cache.advance(ids.shape[1])
        self.hidden = None
        return states


def _as_rows(ids: Sequence[int] | Sequence[Sequence[int]]) -> list[list[int]]:
    rows: list[Any] = list(ids)
    return [list(row) for row in rows] if isinstance(rows[0], Sequence) else [rows]


def _merged(caches: Sequence[LayerCache]) -> LayerCache:
    match caches[0]:
        case FullCache():
            return FullCache.merge([c for c in caches if isinstance(c, FullCache)])
        case WindowCache():
            return WindowCache.merge([c for c in caches if isinstance(c, WindowCache)])
        case RecurrentCache():
            return RecurrentCache.merge([c for c in caches if isinstance(c, RecurrentCache)])
