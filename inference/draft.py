"""Speculation: guess several tokens, check them in one call, keep those that would have been said.

With noise keyed by position and token, checking draws exactly what speaking token by token would
draw, so the reply is the same, greedy or sampled; a wrong guess costs time and nothing else.

Legend: L guesses of a call and one, V vocabulary.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import mlx.core as mx

from inference.arrays import bools, ints
from inference.context import Context
from inference.decode import Decoder, Drawing, Step
from inference.guard import Guard, faults
from inference.inspect import details

LONGEST_NGRAM = 4
SHORTEST_NGRAM = 2
FIRST_REST_TOKENS = 16
LONGEST_REST_TOKENS = 256
WORTH_TOKENS = 1.5  # a checking call must give so many on average, or drafting rests


class Guesser(Protocol):
    """Says what may come next."""

    def guess(self, ids: Sequence[int], most: int) -> list[int]:
        """Guess up to `most` tokens that follow; `most` may be 0."""


class PromptLookup:
    """Guesses what followed the last few tokens the last time they were said; needs no model."""

    def __init__(self) -> None:
        self._places: dict[tuple[int, ...], int] = {}
        self._known = 0

    def guess(self, ids: Sequence[int], most: int) -> list[int]:
        """Find the longest recent run that was seen before; give what followed it."""
        self._learn(ids)
        for size in range(LONGEST_NGRAM, SHORTEST_NGRAM - 1, -1):
            place = self._places.get(tuple(ids[-size:]))
            if place is not None:
                return _go_on(ids, place, most)
        return []

    def _learn(self, ids: Sequence[int]) -> None:
        """Note where each run ended, but not the one at the very end."""
        for end in range(max(self._known, 1), len(ids)):
            for size in range(SHORTEST_NGRAM, min(LONGEST_NGRAM, end) + 1):
                self._places[tuple(ids[end - size : end])] = end
        self._known = len(ids)


def _go_on(ids: Sequence[int], place: int, most: int) -> list[int]:
    """What follows a place; where that reaches the end, it goes round."""
    period = list(ids[place : place + max(most, 1)])
    times = -(-most // len(period))
    return (period * times)[:most]


class DraftModel:
    """Guesses by a smaller model of the same vocabulary, with the same noise at each place."""

    def __init__(self, context: Context, drawing: Drawing) -> None:
        self._context = context
        self._drawing = drawing

    def guess(self, ids: Sequence[int], most: int) -> list[int]:
        """Read what is new, and speak on."""
        if not most:
            return []
        context = self._context
        held = context.tokens
        common = next(
            (i for i, (a, b) in enumerate(zip(held, ids, strict=False)) if a != b),
            min(len(held), len(ids)),
        )
        common = min(common, len(ids) - 1)
        back = len(held) - common
        if back > context.room():
            return []
        context.rollback(back)
        logits = context.feed(list(ids[common:]))
        assert logits is not None
        guesses: list[int] = []
        for _ in range(most):
            self._drawing.remember([[*ids, *guesses]], [len(ids)])
            guesses += ints(self._drawing.draw(logits, [len(ids) + len(guesses)]))
            if len(guesses) == most:
                break
            again = context.feed(guesses[-1:])
            assert again is not None
            logits = again
        return guesses


@dataclass(slots=True)
class Pace:
    """How many guesses are worth checking, and when drafting rests.

    Attributes:
        length: Guesses in the next call.
        rest: Tokens to be spoken plainly before the next try.
    """

    most: int
    length: int
    rest: int = 0
    proposed: int = 0
    accepted: int = 0
    _gain: float = 2.0 * WORTH_TOKENS
    _next_rest: int = FIRST_REST_TOKENS

    def judge(self, proposed: int, accepted: int) -> None:
        """Learn from a call: longer after success, shorter after failure, a rest where it loses."""
        self.proposed += proposed
        self.accepted += accepted
        self._gain = 0.75 * self._gain + 0.25 * (accepted + 1)
        if accepted == proposed:
            self.length = min(self.length * 2, self.most)
        else:
            self.length = max(accepted + 1, 2)
        if self._gain < WORTH_TOKENS:
            self.rest, self._next_rest = (
                self._next_rest,
                min(self._next_rest * 2, LONGEST_REST_TOKENS),
            )
            self._gain = WORTH_TOKENS + 0.5
        elif accepted == proposed:
            self._next_rest = FIRST_REST_TOKENS


class DraftingDecoder:
    """Speaks one row like `Decoder`, several tokens a call where guesses are right.

    It either speaks plainly through a `Decoder`, or holds one token that was drawn and given out
    but not read yet, which the next call reads together with the guesses that follow it.
    """

    def __init__(
        self,
        context: Context,
        logits: mx.array,
        drawing: Drawing,
        guard: Guard,
        guesser: Guesser,
        *,
        prompt_length: int,
        alternatives: int | None,
        most: int,
    ) -> None:
        self.pace = Pace(most, min(most, 4))
        self.seconds = (0.0, 0.0)
        self._context = context
        self._drawing = drawing
        self._guard = guard
        self._guesser = guesser
        self._prompt_length = prompt_length
        self._alternatives = alternatives
        self._given = prompt_length
        self._ready: deque[Step] = deque()
        self._unread = -1
        self._plain: Decoder | None = self._plainly(logits)

    def next(self, wanted: int | None = None) -> list[Step]:
        """Speak one token; at most `wanted` more are of use, this one included."""
        start = time.perf_counter()
        while not self._ready:
            if self._plain is not None:
                self._speak_plainly(self._plain, wanted)
            else:
                self._check(self.pace.most + 1 if wanted is None else wanted)
        self.seconds = (0.0, time.perf_counter() - start)
        self._given += 1
        return [self._ready.popleft()]

    def force(self, row: int, token: int) -> None:
        """Say this token next, whatever was drawn."""
        if self._plain is not None:
            self._plain.force(row, token)
            return
        held = len(self._context.tokens)
        if held < self._given:
            self._context.feed([self._unread], logits=False)
        else:
            self._context.rollback(held - self._given)
        self._unread = token
        self._ready = deque([Step(token)])

    def settle(self) -> None:
        """Name every step in flight, so that the context can be rolled back and kept."""
        if self._plain is not None:
            self._plain.settle()
        self._guard.end_window()

    # ------------------------------------------------------------------ inside

    def _plainly(self, logits: mx.array) -> Decoder:
        return Decoder(
            self._context,
            logits,
            self._drawing,
            self._guard,
            prompt_lengths=[self._prompt_length],
            alternatives=self._alternatives,
        )

    def _speak_plainly(self, plain: Decoder, wanted: int | None) -> None:
        """One token; where a guess is at hand, without enqueuing what follows it."""
        self.pace.rest = max(self.pace.rest - 1, 0)
        tries = self.pace.rest == 0 and not self._guard.is_precise
        if tries and self._guesser.guess(self._context.tokens, 1):
            self._ready.extend(plain.next(1))
            self._unread, self._plain = self._ready[-1].token_id, None
        else:
            self._ready.extend(plain.next(wanted))

    def _check(self, wanted: int) -> None:
        """Read the unread token and the guesses after it, and see how many are right."""
        context = self._context
        ids = [*context.tokens, self._unread]
        guesses = self._guesser.guess(ids, min(self.pace.length, wanted - 1))
        logits = context.feed([self._unread, *guesses], positions=len(guesses) + 1)
        assert logits is not None
        rows = logits.reshape(len(guesses) + 1, -1)  # (L, V)
        drawn = self._drawing.draw_along(rows, ids, guesses, self._prompt_length)
        seen = None
        if self._alternatives is not None:
            seen = details(rows, drawn, self._alternatives, self._drawing.vocabulary.size)
        bad = faults(rows)
        mx.eval(drawn, bad, seen.arrays if seen is not None else [])
        if any(bools(bad)):
            self._read_alone(len(guesses))
            return
        said = ints(drawn)
        right = next(
            (i for i, (a, b) in enumerate(zip(said, guesses, strict=False)) if a != b), len(guesses)
        )
        context.rollback(len(guesses) - right)
        if guesses:
            self.pace.judge(len(guesses), right)
        steps = [Step(t) if seen is None else Step(t, *seen.row(i)) for i, t in enumerate(said)]
        self._ready.extend(steps[: right + 1])
        self._unread = said[right]
        if not guesses or self.pace.rest:
            self._ready.pop()  # the plain decoder draws it again, and gives it
            self._plain = self._plainly(rows[right : right + 1])

    def _read_alone(self, n_guesses: int) -> None:
        """Some of the numbers are faulty: go on plainly, under the plain decoder's repair."""
        self._context.rollback(n_guesses + 1)
        logits = self._context.feed([self._unread])
        assert logits is not None
        self._plain = self._plainly(logits)
        self.pace.rest = FIRST_REST_TOKENS
