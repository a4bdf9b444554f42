"""What the parent knows of replies while the child makes them, so that it can end them itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from inference.types import (
    Delta,
    Finished,
    GenerationEvent,
    GenerationRequest,
    ModelInfo,
    Prefilling,
    RunRecord,
)

NOT_HEARD = "the engine was stopped before it told what it had read and spoken"


class Relay:
    """One reply on its way through: what was said of it, and whether it is over."""

    def __init__(self, request: GenerationRequest, info: ModelInfo | None) -> None:
        self._request = request
        self._info = info
        self._said = {"answer": "", "thought": ""}
        self._ids: list[int] = []
        self._n_deltas = 0
        self._read = Prefilling(0, 0, 0)
        self._started_at = time.time()
        self._start = time.perf_counter()
        self._first = self._start
        self.stopped_at: float | None = None
        self.is_over = False
        self.was_ended_here = False

    @property
    def doing(self) -> str:
        """What the engine is at, in words that follow "while"."""
        return "speaking" if self._n_deltas else "reading the prompt"

    def passes(self, event: GenerationEvent) -> bool:
        """Take note of an event; False when the reply has had its end already."""
        if self.is_over:
            return False
        match event:
            case Prefilling():
                self._read = event
            case Delta(text, kind, tokens):
                if not self._n_deltas:
                    self._first = time.perf_counter()
                self._n_deltas += 1
                self._said[kind] += text
                self._ids.extend(token.token_id for token in tokens)
            case Finished():
                self.is_over = True
        return True

    def end_here(self) -> Finished:
        """End a stopped reply without the engine: what was said stays said."""
        self.is_over = self.was_ended_here = True
        end = time.perf_counter()
        seed = self._request.sampling.seed
        first = self._first if self._n_deltas else end
        info = self._info
        record = RunRecord(
            model_fingerprint=info.fingerprint if info else "",
            model_name=info.name if info else "",
            quantisation=info.quantisation if info else "",
            template_hash="",
            engine_version="",
            device=info.device if info else "",
            prompt_ids=(),
            token_ids=tuple(self._ids),
            answer_ids=(),
            sampling=replace(self._request.sampling, seed=seed or 0),
            seed=seed or 0,
            reason="stopped",
            prompt_tokens=self._read.total,
            reused_tokens=self._read.reused,
            generated_tokens=self._n_deltas,
            ttft_seconds=first - self._start,
            prefill_seconds=first - self._start,
            decode_seconds=end - first,
            tokens_per_second=self._n_deltas / max(end - first, 1e-9),
            started_at=self._started_at,
            inexact=(NOT_HEARD,),
        )
        return Finished("stopped", self._said["answer"], record, self._said["thought"])


class Relays:
    """The replies of one call, and which of them were asked to stop."""

    def __init__(
        self,
        requests: Sequence[GenerationRequest],
        info: ModelInfo | None,
        should_stop: Callable[[int], bool],
        grace_seconds: float,
    ) -> None:
        self.each = [Relay(request, info) for request in requests]
        self._should_stop = should_stop
        self._grace_seconds = grace_seconds

    @property
    def were_ended_here(self) -> bool:
        """Whether every reply has its end, and the engine's own last word may be long in coming."""
        over = all(relay.is_over for relay in self.each)
        return over and any(relay.was_ended_here for relay in self.each)

    @property
    def doing(self) -> str:
        """What the engine is at."""
        going = [relay for relay in self.each if not relay.is_over]
        return max((relay.doing for relay in going), default="ending a reply")

    def newly_stopped(self) -> list[int]:
        """Ask every running reply's flag once; give those that are to stop from now on."""
        now = time.monotonic()
        stopped = []
        for i, relay in enumerate(self.each):
            if not relay.is_over and relay.stopped_at is None and self._should_stop(i):
                relay.stopped_at = now
                stopped.append(i)
        return stopped

    def overdue(self) -> list[int]:
        """Those whose own end has not come in time after their stop."""
        latest = time.monotonic() - self._grace_seconds
        return [
            i
            for i, relay in enumerate(self.each)
            if not relay.is_over and relay.stopped_at is not None and relay.stopped_at < latest
        ]
