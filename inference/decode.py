"""The loop that speaks: one step is in flight while the last one's token is read.

The device is never idle: step t + 1 is enqueued with the lazy token of step t before that token is
read back. Every feature rides in the same evaluation: faults, log-probabilities, alternatives.

Legend: B rows, V vocabulary.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx

from inference.arrays import bools, ints
from inference.constraint import Masks
from inference.context import Context
from inference.errors import NumericError
from inference.guard import NOT_FINITE, Guard, faults, first_faulty_layer
from inference.inspect import Details, details
from inference.sampling import History, Sampler, has_penalties, history_of
from inference.types import Sampling
from inference.watch import Watch


@dataclass(frozen=True, slots=True)
class Step:
    """One token of one row; details where they were asked for."""

    token_id: int
    logprob: float = 0.0
    entropy: float = 0.0
    alternatives: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What may be drawn: ids below `size`, without the forbidden ones."""

    size: int
    forbidden: frozenset[int] = frozenset()

    def has(self, token_id: int) -> bool:
        """Whether a token can be."""
        return 0 <= token_id < self.size and token_id not in self.forbidden


class Drawing:
    """How the rows of a batch draw: each by its own sampling and seed, with its own history."""

    def __init__(
        self, samplings: Sequence[Sampling], seeds: Sequence[int], vocabulary: Vocabulary
    ) -> None:
        self.samplings = list(samplings)
        self.seeds = list(seeds)
        self.vocabulary = vocabulary
        self._samplers = {
            sampling: Sampler(sampling, vocabulary.size, vocabulary.forbidden)
            for sampling in self.samplings
        }
        self._history: dict[Sampling, History | None] = {}

    def _rows(self) -> dict[Sampling, list[int]]:
        groups: dict[Sampling, list[int]] = {}
        for row, sampling in enumerate(self.samplings):
            groups.setdefault(sampling, []).append(row)
        return groups

    def remember(self, rows: Sequence[Sequence[int]], prompt_lengths: Sequence[int]) -> None:
        """Begin the history anew from each row's ids, of which the first are the prompt's."""
        self._history = {
            sampling: history_of(sampling, [rows[i] for i in at], [prompt_lengths[i] for i in at])
            for sampling, at in self._rows().items()
        }

    def draw(
        self, logits: mx.array, positions: Sequence[int], mask: mx.array | None = None
    ) -> mx.array:
        """Draw one token a row, lazily. Shapes: (B, V), mask (B, V) or (1, V) -> (B,)."""
        groups = self._rows()
        if len(groups) == 1:
            (sampling,) = groups
            sampler, history = self._samplers[sampling], self._history[sampling]
            return sampler.draw(logits, self.seeds, positions, history, mask)
        drawn: list[mx.array] = [mx.array(0)] * len(self.samplings)
        for sampling, rows in groups.items():
            at = mx.array(rows)
            tokens = self._samplers[sampling].draw(
                logits[at],
                [self.seeds[i] for i in rows],
                [positions[i] for i in rows],
                self._history[sampling],
                mask if mask is None or mask.shape[0] == 1 else mask[at],
            )
            for place, row in enumerate(rows):
                drawn[row] = tokens[place]
        return mx.stack(drawn)

    def adjusted(self, logits: mx.array, mask: mx.array | None = None) -> mx.array:
        """A single row's logits after bias, penalties and mask. Shapes: (1, V)."""
        (sampling,) = self.samplings
        return self._samplers[sampling].adjusted(logits, self._history[sampling], mask)

    def draw_along(
        self,
        logits: mx.array,
        ids: Sequence[int],
        guesses: Sequence[int],
        prompt_length: int,
    ) -> mx.array:
        """Draw what a single row would say after its ids, and after each guess.

        Shapes: (L, V) -> (L,), with L one more than there are guesses.
        """
        (sampling,) = self.samplings
        n = len(guesses) + 1
        history = None
        if has_penalties(sampling):
            rows = [[*ids, *guesses[:i]] for i in range(n)]
            history = history_of(sampling, rows, [prompt_length] * n)
        positions = range(len(ids), len(ids) + n)
        return self._samplers[sampling].draw(logits, self.seeds * n, positions, history)

    def grow(self, tokens: mx.array) -> None:
        """Add one token a row to the history."""
        for sampling, rows in self._rows().items():
            history = self._history[sampling]
            if history is not None:
                own = tokens if len(rows) == len(self.samplings) else tokens[mx.array(rows)]
                self._history[sampling] = history.grown(own)

    def keep(self, kept: Sequence[int]) -> None:
        """Go on with some rows alone."""
        for sampling, rows in self._rows().items():
            history = self._history[sampling]
            own = [rows.index(i) for i in kept if i in rows]
            if history is not None and own:
                self._history[sampling] = history.rows(own)
        self.samplings = [self.samplings[i] for i in kept]
        self.seeds = [self.seeds[i] for i in kept]


@dataclass(slots=True)
class _Flight:
    """A drawn token that is not read yet."""

    tokens: mx.array
    faulty: mx.array
    details: Details | None

    @property
    def arrays(self) -> list[mx.array]:
        more = self.details.arrays if self.details is not None else []
        return [self.tokens, self.faulty, *more]


class Decoder:
    """Speaks one token a row at each `next`.

    After `settle` the context holds all tokens that were given out but the last one, or more: the
    caller rolls it back to what it keeps.

    Attributes:
        ahead: How many steps are enqueued before their tokens are read together.
        seconds: What the latest call spent enqueuing, and waiting for the device.
    """

    def __init__(  # noqa: PLR0913  (each is a feature that rides along)
        self,
        context: Context,
        logits: mx.array,
        drawing: Drawing,
        guard: Guard,
        *,
        prompt_lengths: Sequence[int],
        alternatives: int | None = None,
        ahead: int = 1,
        masks: Masks | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.ahead = ahead
        self._watch = watch or Watch()
        self._launched = 0
        self.seconds = (0.0, 0.0)
        self._masks = masks
        self._last: list[int] = []
        self._context = context
        self._drawing = drawing
        self._guard = guard
        self._prompt_lengths = list(prompt_lengths)
        self._alternatives = alternatives
        self._read: deque[list[Step]] = deque()
        self._flying: deque[_Flight] = deque()
        self._spoken = 0
        self._remember()
        self._launch(logits)

    def next(self, wanted: int | None = None) -> list[Step]:
        """Speak one token in each row.

        Args:
            wanted: How many more tokens can be of use, this one included: no step is enqueued for
                what nobody would hear. None is many.

        Raises:
            NumericError: The numbers are not finite, even in float32.
        """
        if self._masks is not None:
            return self._next_masked(self._masks)
        if not self._read:
            start = time.perf_counter()
            self._enqueue(self.ahead if wanted is None else min(self.ahead, wanted - 1))
            enqueued = time.perf_counter()
            self._read_back()
            self.seconds = (enqueued - start, time.perf_counter() - enqueued)
        return self._read.popleft()

    def _next_masked(self, masks: Masks) -> list[Step]:
        """What may be said depends on what was said: nothing is enqueued ahead of a token."""
        if not self._flying:
            with self._watch.looking(self._context.network.layers, self._launched):
                logits = self._context.feed(_rows(self._last))
            assert logits is not None
            mx.async_eval(logits)  # type: ignore[no-untyped-call]  # MLX's stub
            self._launch(logits)
        self._read_back()
        steps = self._read.popleft()
        self._last = [step.token_id for step in steps]
        masks.consume(self._last)
        return steps

    def keep(self, rows: Sequence[int]) -> None:
        """Go on with some rows alone, in this order."""
        at = mx.array(list(rows))
        self._context.select(rows)
        self._drawing.keep(rows)
        self._prompt_lengths = [self._prompt_lengths[i] for i in rows]
        if self._masks is not None:
            self._masks.keep(rows)
            self._last = [self._last[i] for i in rows]
        self._read = deque([steps[i] for i in rows] for steps in self._read)
        for flight in self._flying:
            flight.tokens, flight.faulty = flight.tokens[at], flight.faulty[at]
            if flight.details is not None:
                d = flight.details
                flight.details = Details(d.logprob[at], d.entropy[at], d.values[at], d.ids[at])

    def force(self, row: int, token: int) -> None:
        """Let a row say this token next, whatever was drawn."""
        assert not self._read
        if self._masks is not None and not self._flying:
            self._masks.force(row, token)  # it is drawn at the next call
            return
        (flight,) = self._flying
        at = mx.arange(flight.tokens.shape[0]) == row
        flight.tokens = mx.where(at, mx.array(token, flight.tokens.dtype), flight.tokens)
        self._remember()
        self._drawing.grow(flight.tokens)

    def settle(self) -> None:
        """Name every step in flight, so that the context can be rolled back and kept."""
        while self._context.in_flight:
            self._context.commit(ints(self._flying.popleft().tokens))
        self._flying.clear()
        self._guard.end_window()

    # ------------------------------------------------------------------ inside

    def _launch(self, logits: mx.array) -> None:
        """Draw the next token of each row and let the device begin."""
        at = [len(self._context.row_tokens(i)) + self._context.in_flight for i in self._row_range()]
        mask = self._masks.next() if self._masks is not None else None
        if self._launched in self._watch.steps:
            self._watch.top(self._launched, self._drawing.adjusted(logits, mask))
        self._launched += 1
        tokens = self._drawing.draw(logits, at, mask)
        self._drawing.grow(tokens)
        seen = None
        if self._alternatives is not None:
            seen = details(logits, tokens, self._alternatives, self._drawing.vocabulary.size)
        flight = _Flight(tokens, faults(logits), seen)
        mx.async_eval(flight.arrays)  # type: ignore[no-untyped-call]  # MLX's stub
        self._flying.append(flight)

    def _remember(self) -> None:
        rows = [self._context.row_tokens(i) for i in self._row_range()]
        self._drawing.remember(rows, self._prompt_lengths)

    def _row_range(self) -> range:
        return range(self._context.n_rows)

    def _enqueue(self, steps: int) -> None:
        layers = self._context.network.layers
        for _ in range(steps):
            with self._watch.looking(layers, self._launched):
                logits = self._context.step(self._flying[-1].tokens)
            self._launch(logits)

    def _read_back(self) -> None:
        """Read the tokens that are ready: all but the newest, or the only one."""
        ready = max(len(self._flying) - 1, 1)
        assert self._flying, "no step is in flight: the caller wanted no more tokens"
        mx.eval([flight.arrays for flight in list(self._flying)[:ready]])
        for _ in range(ready):
            flight = self._flying[0]
            tokens = ints(flight.tokens)
            if any(bools(flight.faulty)) or not all(map(self._drawing.vocabulary.has, tokens)):
                self._repair()
                return
            self._flying.popleft()
            if self._context.in_flight:
                self._context.commit(tokens)
            self._guard.count()
            self._spoken += 1
            self._read.append([self._step(flight, row, t) for row, t in enumerate(tokens)])

    def _step(self, flight: _Flight, row: int, token: int) -> Step:
        if flight.details is None:
            return Step(token)
        return Step(token, *flight.details.row(row))

    def _repair(self) -> None:
        """Take the faulty step back and run it again in float32; what follows goes step by step."""
        context = self._context
        last = [context.row_tokens(i)[-1] for i in self._row_range()]
        self._flying.clear()
        if context.in_flight + 1 > context.room():
            context.rollback(context.in_flight)
            raise NumericError(NOT_FINITE)  # the prompt's end is not held, and cannot be read again
        context.rollback(context.in_flight + 1)
        layer = -1
        if not self._guard.is_precise:
            layer = first_faulty_layer(context.network.layers, lambda: context.feed(_rows(last)))
            context.rollback(1)
        self._guard.begin_window(self._spoken, layer)
        logits = context.feed(_rows(last))
        assert logits is not None
        self._remember()
        self._launch(logits)
        if self._masks is None:
            self._enqueue(1)
        self._read_back()


def _rows(tokens: Sequence[int]) -> list[list[int]]:
    return [[token] for token in tokens]
