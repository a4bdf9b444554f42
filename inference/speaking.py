"""One reply in the making: what was said, when it is over, and what it cost.

Knows nothing of the device: it hears tokens, and tells text.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from inference.reply import LoopGuard, Markers, Piece, ReplyReader, TokenStream
from inference.types import (
    Delta,
    Finished,
    FinishReason,
    GenerationRequest,
    ModelInfo,
    RunRecord,
    Sampling,
    TokenDetail,
)

if TYPE_CHECKING:
    from inference.decode import Step
    from inference.template import Composed

ENGINE_VERSION = "1"  # changes when the same request may give another reply


@dataclass(slots=True)
class Clock:
    """When things happened, in seconds."""

    started_at: float = field(default_factory=time.time)
    start: float = field(default_factory=time.perf_counter)
    read: float = 0.0
    first: float = 0.0
    thought: float = 0.0


@dataclass(slots=True)
class Costs:
    """What a reply cost beside time."""

    reused_tokens: int = 0
    peak_memory_bytes: int = 0
    snapshot_bytes: int = 0
    guard_events: tuple[tuple[int, int], ...] = ()
    draft_proposed: int = 0
    draft_accepted: int = 0
    dropped_messages: int = 0
    inexact: tuple[str, ...] = ()
    profile: tuple[tuple[int, float, float, float], ...] = ()
    probes: tuple[tuple[int, int, float, float, int, int, tuple[float, ...]], ...] = ()
    probe_tops: tuple[tuple[int, tuple[tuple[int, float], ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Speaker:
    """What a model brings to every reply."""

    info: ModelInfo
    end_ids: frozenset[int]
    markers: Markers
    template_hash: str
    stream: Callable[[], TokenStream]
    encode: Callable[[str], Sequence[int]]


class Reply:
    """Hears one row's tokens.

    Attributes:
        reason: Why the reply is over; None while it goes on.
        spoken: Every token heard but the end token.
        wants_closing: The thinking budget is spent and the thought is still open.
    """

    def __init__(
        self,
        request: GenerationRequest,
        composed: Composed,
        speaker: Speaker,
        sampling: Sampling,
        clock: Clock,
    ) -> None:
        self.request = request
        self.composed = composed
        self.sampling = sampling
        self.costs = Costs()
        self.clock = clock
        self.reason: FinishReason | None = None
        self._speaker = speaker
        self._reader = ReplyReader(
            speaker.stream(),
            speaker.markers,
            tuple(dict.fromkeys((*request.stop, *composed.stop))),
            composed.begins,
            composed.trims_start,
        )
        self._loop = LoopGuard()
        self._logprobs: list[float] = []
        self._thought_tokens = 0
        asked = request.max_tokens
        self._limit = speaker.info.default_max_tokens if asked is None else asked
        self._limit_reason: FinishReason = "length"
        self._heard = 0
        self._decode_start = 0.0

    @property
    def spoken(self) -> list[int]:
        """Every token heard but the end token."""
        return self._reader.spoken

    @property
    def heard(self) -> int:
        """How many tokens were heard, the end token included."""
        return self._heard

    @property
    def left(self) -> int:
        """How many more tokens may come."""
        return self._limit - self._heard

    @property
    def wants_closing(self) -> bool:
        """Whether the thinking budget is spent while the thought is still open."""
        budget = self.request.thinking_tokens
        return (
            budget is not None
            and self.reason is None
            and self._reader.kind == "thought"
            and self._thought_tokens >= budget
        )

    def limit_context(self, tokens: int) -> None:
        """So many tokens fit the context after the prompt."""
        if tokens < self._limit:
            self._limit, self._limit_reason = tokens, "context"

    def begin(self) -> None:
        """The prompt is read; speaking begins."""
        self.clock.read = self._decode_start = time.perf_counter()
        if self.left <= 0:
            self.reason = self._limit_reason

    def hear(self, step: Step) -> list[Delta]:
        """Take the next token; give the text that is certain now, and decide whether to go on."""
        now = time.perf_counter()
        self.clock.first = self.clock.first or now
        self._heard += 1
        if step.token_id in self._speaker.end_ids:
            self.reason = "end"
            return self._deltas(self._reader.finish())
        detail = None
        if self.request.alternatives:
            shown = step.alternatives[: self.request.alternatives]
            detail = TokenDetail(step.token_id, "", step.logprob, step.entropy, shown)
            self._logprobs.append(step.logprob)
        if self._reader.kind == "thought":
            self._thought_tokens += 1
            self.clock.thought = now
        pieces = self._reader.push(step.token_id, detail)
        if self._reader.stopped:
            self.reason = "stop"
        elif self._loop.push(step.token_id):
            self.reason = "loop"
        elif self.left <= 0:
            self.reason = self._limit_reason
        if self.reason is not None:
            pieces = [*pieces, *self._reader.finish()]
        return self._deltas(pieces)

    def end(self, reason: FinishReason) -> list[Delta]:
        """End the reply from outside; give the text that waited."""
        assert self.reason is None
        self.reason = reason
        return self._deltas(self._reader.finish())

    def kept_ids(self) -> tuple[int, ...]:
        """The spoken tokens without those of a stop sequence: what a next turn may take up."""
        cut = self._answer_ids()
        before = self._reader.spoken[: len(self._reader.spoken) - len(self._reader.answer_ids)]
        kept: list[int] = list(before)
        for said, wanted in zip(self._reader.answer_ids, cut, strict=False):
            if said != wanted:
                break
            kept.append(said)
        return tuple(kept)

    def finished(self) -> Finished:
        """Tell the reply and its record."""
        assert self.reason is not None
        clock, info = self.clock, self._speaker.info
        end = time.perf_counter()
        first = clock.first or end
        decode_seconds = end - self._decode_start if self._decode_start else 0.0
        costs = self.costs
        record = RunRecord(
            model_fingerprint=info.fingerprint,
            model_name=info.name,
            quantisation=info.quantisation,
            template_hash=self._speaker.template_hash,
            engine_version=ENGINE_VERSION,
            device=info.device,
            prompt_ids=self.composed.ids,
            token_ids=tuple(self._reader.spoken),
            answer_ids=self._answer_ids(),
            sampling=self.sampling,
            seed=self.sampling.seed or 0,
            reason=self.reason,
            prompt_tokens=len(self.composed.ids),
            reused_tokens=costs.reused_tokens,
            generated_tokens=self._heard,
            ttft_seconds=first - clock.start,
            prefill_seconds=(clock.read or end) - clock.start,
            decode_seconds=decode_seconds,
            tokens_per_second=self._heard / decode_seconds if decode_seconds > 0 else 0.0,
            started_at=clock.started_at,
            logprobs=tuple(self._logprobs),
            peak_memory_bytes=costs.peak_memory_bytes,
            snapshot_bytes=costs.snapshot_bytes,
            guard_events=costs.guard_events,
            draft_proposed=costs.draft_proposed,
            draft_accepted=costs.draft_accepted,
            thinking_tokens=self._thought_tokens,
            thinking_seconds=max(clock.thought - first, 0.0),
            dropped_messages=costs.dropped_messages,
            inexact=costs.inexact,
            profile=costs.profile,
            probes=costs.probes,
            probe_tops=costs.probe_tops,
        )
        return Finished(self.reason, self._reader.answer, record, self._reader.thought)

    def _answer_ids(self) -> tuple[int, ...]:
        return self._reader.cut_ids(self._speaker.encode)

    def _deltas(self, pieces: Sequence[Piece]) -> list[Delta]:
        """One delta for neighbours of one kind."""
        deltas: list[Delta] = []
        for piece in pieces:
            if deltas and deltas[-1].kind == piece.kind:
                last = deltas.pop()
                deltas.append(Delta(last.text + piece.text, piece.kind, last.tokens + piece.tokens))
            else:
                deltas.append(Delta(piece.text, piece.kind, piece.tokens))
        return deltas
