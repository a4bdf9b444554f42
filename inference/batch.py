"""Several replies as one batch: what the prompts share is read once, each row ends by itself.

A row draws by its own sampling and seed, so its reply is the one it would make alone.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

import mlx.core as mx

from inference.context import Context
from inference.decode import Decoder, Drawing
from inference.generation import begin, finished, read, remember_row, reply, restored
from inference.guard import Guard
from inference.types import GenerationEvent, GenerationRequest, Prefilling

if TYPE_CHECKING:
    from inference.model import Model
    from inference.speaking import Reply

Event = tuple[int, GenerationEvent]


def replies(
    model: Model,
    requests: Sequence[GenerationRequest],
    should_stop: Callable[[int], bool],
    seeds: Sequence[int],
) -> Iterator[Event]:
    """Make all replies; each ends with its own `Finished`, in the order in which they end."""
    if not _fit_together(requests):
        for i, (request, seed) in enumerate(zip(requests, seeds, strict=True)):
            for event in reply(model, request, partial(should_stop, i), seed):
                yield i, event
        return
    mx.reset_peak_memory()
    made = [begin(model, r, seed) for r, seed in zip(requests, seeds, strict=True)]
    model.masks(requests)  # an impossible constraint is refused before anything is read
    guard = Guard(model.forward)
    try:
        contexts, logits = yield from _read_all(model, made, guard, should_stop)
        rows = list(contexts)
        for i, one in enumerate(made):
            if i not in contexts:
                one.end("stopped")
                yield i, finished(model, one, guard)
        if rows:
            yield from _Batch(model, made, rows, guard).speak(contexts, logits, should_stop)
    finally:
        guard.end_window()


def _fit_together(requests: Sequence[GenerationRequest]) -> bool:
    """Whether one batch can hold them: rows of one form, and none that forgets its middle."""
    return (
        len(requests) > 1
        and len({request.kv_bits for request in requests}) == 1
        and all(request.context_policy != "rotate" for request in requests)
    )


def _read_all(
    model: Model, made: Sequence[Reply], guard: Guard, should_stop: Callable[[int], bool]
) -> Generator[Event, None, tuple[dict[int, Context], dict[int, mx.array]]]:
    """Read each distinct prompt once; the beginning that all share is kept on the way.

    Gives the contexts and logits of the rows that were not stopped.
    """
    shared = _shared([one.composed.ids for one in made])
    contexts: dict[int, Context] = {}
    logits: dict[int, mx.array] = {}
    first_with: dict[tuple[int, ...], int] = {}
    for i, one in enumerate(made):
        ids = one.composed.ids
        same = first_with.get(ids)
        if same is not None and not should_stop(i):
            one.costs.reused_tokens = len(ids)
            yield i, Prefilling(len(ids), len(ids), len(ids))
            contexts[i], logits[i] = contexts[same], logits[same]
            continue
        context = restored(model, one)
        one.costs.reused_tokens = len(context.tokens)
        marks = (*one.composed.marks, shared)
        found = yield from _numbered(
            i, read(model, one, context, guard, marks, partial(should_stop, i))
        )
        if found is not None:
            contexts[i], logits[i] = context, found
            first_with[ids] = i
    return contexts, logits


def _numbered(
    i: int, reading: Generator[Prefilling, None, mx.array | None]
) -> Generator[Event, None, mx.array | None]:
    """The same events with the request's number."""
    while True:
        try:
            event = next(reading)
        except StopIteration as end:
            return cast("mx.array | None", end.value)
        yield i, event


def _shared(prompts: Sequence[tuple[int, ...]]) -> int:
    """How many tokens all prompts have in common at their start."""
    least, most = min(prompts), max(prompts)
    for i, (a, b) in enumerate(zip(least, most, strict=False)):
        if a != b:
            return i
    return min(len(least), len(most))


class _Batch:
    """The rows that still speak, in the order of the context's rows."""

    def __init__(
        self, model: Model, made: Sequence[Reply], rows: Sequence[int], guard: Guard
    ) -> None:
        self._model = model
        self._made = made
        self._rows = list(rows)
        self._guard = guard

    def speak(
        self,
        contexts: dict[int, Context],
        logits: dict[int, mx.array],
        should_stop: Callable[[int], bool],
    ) -> Iterator[Event]:
        """Speak until every row is over."""
        replies = [self._made[i] for i in self._rows]
        for one in replies:
            one.begin()
        context = _together([contexts[i] for i in self._rows])
        self._model.tree.watch(context)
        drawing = Drawing(
            [one.request.sampling for one in replies],
            [one.sampling.seed or 0 for one in replies],
            self._model.vocabulary,
        )
        asked = max(one.request.alternatives for one in replies)
        decoder = Decoder(
            context,
            mx.concatenate([logits[i] for i in self._rows]),
            drawing,
            self._guard,
            prompt_lengths=[len(one.composed.ids) for one in replies],
            alternatives=asked or None,
            masks=self._model.masks([one.request for one in replies]),
        )
        try:
            while True:
                yield from self._end_some(decoder, context, should_stop)
                if not self._rows:
                    return
                for row, i in enumerate(self._rows):
                    if self._made[i].wants_closing:
                        decoder.force(row, self._model.closer)
                steps = decoder.next(max(self._made[i].left for i in self._rows))
                for i, step in zip(self._rows, steps, strict=True):
                    for delta in self._made[i].hear(step):
                        yield i, delta
        finally:
            decoder.settle()

    def _end_some(
        self, decoder: Decoder, context: Context, should_stop: Callable[[int], bool]
    ) -> Iterator[Event]:
        """Tell the replies that are over, and go on with the rows of the others."""
        going: list[int] = []
        for row, i in enumerate(self._rows):
            one = self._made[i]
            if one.reason is None and should_stop(i):
                for delta in one.end("stopped"):
                    yield i, delta
            if one.reason is None:
                going.append(row)
            else:
                remember_row(self._model, one, context, row)
                yield i, finished(self._model, one, self._guard)
        if len(going) < len(self._rows):
            self._rows = [self._rows[row] for row in going]
            if going:
                decoder.keep(going)


def _together(contexts: Sequence[Context]) -> Context:
    """One context with a row for each of these, which may be the same ones."""
    if all(context is contexts[0] for context in contexts):
        return contexts[0].fork(len(contexts))
    return Context.merge(contexts)
