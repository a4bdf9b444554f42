"""One reply: read the prompt, speak, remember."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING

import mlx.core as mx

from inference.decode import Decoder, Drawing
from inference.draft import DraftingDecoder
from inference.drift import check_drift
from inference.fitting import context_limit, fitted
from inference.guard import Guard
from inference.reading import Reading
from inference.sampling import with_seed
from inference.speaking import Clock, Reply
from inference.types import (
    Delta,
    Finished,
    GenerationEvent,
    GenerationRequest,
    Prefilling,
    ShouldStop,
)
from inference.watch import Watch

if TYPE_CHECKING:
    from inference.context import Context
    from inference.model import Model


def reply(
    model: Model, request: GenerationRequest, should_stop: ShouldStop, seed: int
) -> Iterator[GenerationEvent]:
    """Make one reply; ends with `Finished`.

    Whatever ends it, the context that was read and spoken is kept for the next turn.
    """
    mx.reset_peak_memory()
    made = begin(model, request, seed)
    model.masks([request])  # an impossible constraint is refused before anything is read
    watch = Watch.of(request, len(model.forward.layers))
    guard = Guard(model.forward)
    context = restored(model, made)
    made.costs.reused_tokens = len(context.tokens)
    try:
        logits = yield from read(
            model, made, context, guard, made.composed.marks, should_stop, watch
        )
        if logits is None:
            made.end("stopped")
        else:
            made.begin()
            yield from _speak(model, made, context, logits, guard, should_stop, watch)
    finally:
        guard.end_window()
    yield finished(model, made, guard)


def begin(model: Model, request: GenerationRequest, seed: int) -> Reply:
    """Compose a request's prompt and see that it fits.

    Raises:
        PromptTooLongError: It does not.
    """
    clock = Clock()
    composed, dropped = fitted(model, request)
    made = Reply(request, composed, model.speaker, with_seed(request.sampling, seed), clock)
    made.costs.dropped_messages = dropped
    if request.kv_bits is not None:
        made.costs.inexact = (f"{request.kv_bits}-bit keys and values",)
    if request.context_policy != "rotate":
        made.limit_context(context_limit(model, request) - len(composed.ids))
    return made


def restored(model: Model, made: Reply) -> Context:
    """Give a context with as much of a prompt as is kept."""
    request = made.request
    rotates = request.context_policy == "rotate"
    ids = made.composed.ids
    looks = request.probe is not None and 0 in request.probe.steps
    return model.tree_for(request).restore(
        ids[:-1] if looks else ids,  # so that there is a call to look into
        request.conversation,
        kv_bits=request.kv_bits,
        rotates_at=context_limit(model, request) if rotates else None,
    )


def finished(model: Model, made: Reply, guard: Guard) -> Finished:
    """Count what a reply cost, and tell it."""
    made.costs.guard_events = tuple(guard.events)
    made.costs.peak_memory_bytes = mx.get_peak_memory()
    made.costs.snapshot_bytes = model.tree.bytes
    return made.finished()


def read(
    model: Model,
    made: Reply,
    context: Context,
    guard: Guard,
    marks: Sequence[int],
    should_stop: ShouldStop,
    watch: Watch | None = None,
) -> Generator[Prefilling, None, mx.array | None]:
    """Read the rest of a prompt; give the logits after it, or None where it was stopped.

    Raises:
        DriftError: The likeliest next tokens are not those that the request expects.
    """
    ids, request = made.composed.ids, made.request
    reused = len(context.tokens)
    reading = Reading(context, model.tree_for(request), guard, request.conversation, watch)
    for done in reading.run(ids, marks, should_stop):
        yield Prefilling(done, len(ids), reused, made.costs.dropped_messages)
    if reading.logits is not None and request.expected_top_k:
        check_drift(reading.logits, request.expected_top_k, request.max_drift)
    return reading.logits


def _speak(
    model: Model,
    made: Reply,
    context: Context,
    logits: mx.array,
    guard: Guard,
    should_stop: ShouldStop,
    watch: Watch,
) -> Iterator[Delta]:
    """Speak until the reply is over; leave the context with what is kept of it."""
    prompt_length = len(made.composed.ids)
    drawing = Drawing([made.request.sampling], [made.sampling.seed or 0], model.vocabulary)
    decoder = _decoder(model, made, context, logits, drawing, guard, watch)
    try:
        while made.reason is None:
            if should_stop():
                yield from made.end("stopped")
                break
            if made.wants_closing:
                decoder.force(0, model.closer)
            (step,) = decoder.next(made.left)
            heard = time.perf_counter()
            deltas = made.hear(step)
            watch.time(made.heard - 1, *decoder.seconds, time.perf_counter() - heard)
            yield from deltas
    finally:
        decoder.settle()
        if isinstance(decoder, DraftingDecoder):
            made.costs.draft_proposed = decoder.pace.proposed
            made.costs.draft_accepted = decoder.pace.accepted
        made.costs.profile, made.costs.probes = tuple(watch.profile), watch.probes()
        made.costs.probe_tops = watch.tops()
        _remember(model, made, context, prompt_length)


def _decoder(
    model: Model,
    made: Reply,
    context: Context,
    logits: mx.array,
    drawing: Drawing,
    guard: Guard,
    watch: Watch,
) -> Decoder | DraftingDecoder:
    request = made.request
    masks = model.masks([request])
    if request.draft is not None and masks is None:
        return DraftingDecoder(
            context,
            logits,
            drawing,
            guard,
            model.guesser(request.draft, made.request.sampling, made.sampling.seed or 0),
            prompt_length=len(made.composed.ids),
            alternatives=request.alternatives or None,
            most=request.draft.max_tokens,
        )
    return Decoder(
        context,
        logits,
        drawing,
        guard,
        prompt_lengths=[len(made.composed.ids)],
        alternatives=request.alternatives or None,
        ahead=1 if request.thinking_tokens is not None else request.read_back_tokens,
        masks=masks,
        watch=watch,
    )


def _remember(model: Model, made: Reply, context: Context, prompt_length: int) -> None:
    """Roll back to the last token that is kept, and keep what the next turn may take up."""
    if not context.is_exact:
        made.costs.inexact = (*made.costs.inexact, "rotated context")
    wanted = [*made.composed.ids, *made.kept_ids()]
    held = len(context.tokens)
    common = _common(context.tokens, wanted)
    if held - common > context.room():
        return
    context.rollback(held - common)
    if common > prompt_length:
        model.tree_for(made.request).keep(context, made.request.conversation)


def remember_row(model: Model, made: Reply, context: Context, row: int) -> None:
    """Keep what the next turn may take up of one row, while the others go on."""
    wanted = [*made.composed.ids, *made.kept_ids()]
    common = _common(context.row_tokens(row), wanted)
    if common > len(made.composed.ids):
        tree = model.tree_for(made.request)
        tree.keep(context, made.request.conversation, row, common)


def _common(held: Sequence[int], wanted: Sequence[int]) -> int:
    """How many tokens two runs share at their start."""
    for i, (a, b) in enumerate(zip(held, wanted, strict=False)):
        if a != b:
            return i
    return min(len(held), len(wanted))
