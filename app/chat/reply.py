"""One reply on its way: what it said so far, what of it is saved, and how it ended."""

from __future__ import annotations

import time
from dataclasses import replace

from app.chat.states import ChatState, ChatStatus
from app.store.rows import Node, ReplyNote, Status, StoredToken
from app.work import Ticket
from inference import Delta, Finished, Prefilling, RunRecord

_SPEED_SECONDS = 2.0  # the speed shown is that of the last moments


class Reply:
    """Gathers the events of one reply.

    Invariant: `unsaved` is what was said since it was last taken, and nothing else.
    """

    def __init__(
        self, conversation_id: int, node: Node, ticket: Ticket, prefix_ids: tuple[int, ...] = ()
    ) -> None:
        self.conversation_id = conversation_id
        self.node = node
        self.ticket = ticket
        self.state = ChatState.WAITING
        self.status = ChatStatus(ChatState.WAITING)
        self.record: RunRecord | None = None
        self.details: list[StoredToken] = []
        self.error = ""
        self._prefix_ids = prefix_ids
        self._finished: Finished | None = None
        self._said: dict[str, list[str]] = {"answer": [node.text], "thought": [node.thought]}
        self._unsaved: list[tuple[str, str]] = []
        self._times: list[float] = []
        self._n_tokens = 0

    def on_prefilling(self, event: Prefilling) -> None:
        """The prompt is being read."""
        self.state = ChatState.READING
        self.status = ChatStatus(
            ChatState.READING,
            fraction=event.done / max(event.total, 1),
            prompt_tokens=event.total,
            reused_tokens=event.reused,
        )

    def on_delta(self, event: Delta) -> None:
        """More was said."""
        if self.state is not ChatState.SPEAKING:
            self.state = ChatState.SPEAKING
            self.status = replace(self.status, state=ChatState.SPEAKING, fraction=1.0)
        self._said[event.kind].append(event.text)
        self._unsaved.append((event.kind, event.text))
        now = time.monotonic()
        for _ in event.tokens or (None,):
            self._n_tokens += 1
            self._times.append(now)
        self.details += [
            StoredToken(t.token_id, len(t.text), t.logprob, t.entropy, t.alternatives)
            for t in event.tokens
        ]

    def on_finished(self, event: Finished) -> None:
        """All was said."""
        self._finished = event
        self.record = event.record

    def measure(self) -> ChatStatus:
        """Give the status line while it is spoken, with the speed of the last moments."""
        now = time.monotonic()
        self._times = [t for t in self._times if t > now - _SPEED_SECONDS]
        span = now - self._times[0] if self._times else 0.0
        self.status = replace(
            self.status,
            spoken_tokens=self._n_tokens,
            tokens_per_second=len(self._times) / span if span > 0.2 else 0.0,
        )
        return self.status

    @property
    def is_thinking(self) -> bool:
        """Whether it has thought and not yet said a word of the answer."""
        return any(self._said["thought"]) and "".join(self._said["answer"]) == self.node.text

    def take_unsaved(self) -> list[tuple[str, str]]:
        """Give what was said since the last time, joined by kind in order."""
        joined: list[tuple[str, str]] = []
        for kind, text in self._unsaved:
            if joined and joined[-1][0] == kind:
                joined[-1] = (kind, joined[-1][1] + text)
            else:
                joined.append((kind, text))
        self._unsaved.clear()
        return joined

    def so_far(self) -> Node:
        """Give the message with what was said so far."""
        for pieces in self._said.values():
            pieces[:] = ["".join(pieces)]
        return replace(self.node, text=self._said["answer"][0], thought=self._said["thought"][0])

    def ended(self) -> Node:
        """Give the message as it ended."""
        record = self.record
        note = replace(self.node.note, error=self.error)
        if record is not None:
            note = ReplyNote(
                model_name=record.model_name,
                reason=record.reason,
                prompt_tokens=record.prompt_tokens,
                reused_tokens=record.reused_tokens,
                generated_tokens=record.generated_tokens,
                ttft_seconds=record.ttft_seconds,
                tokens_per_second=record.tokens_per_second,
                seed=record.seed,
                thinking_tokens=record.thinking_tokens,
                thinking_seconds=record.thinking_seconds,
                dropped_messages=record.dropped_messages,
                prefix_characters=self.node.note.prefix_characters,
            )
        return replace(self.so_far(), status=self._status(), note=note)

    def spoken_ids(self) -> tuple[int, ...]:
        """Give the token ids of the whole answer, or none where a part of it was only text."""
        if self.record is None or (self.node.text and not self._prefix_ids):
            return ()
        return (*self._prefix_ids, *self.record.answer_ids)

    def _status(self) -> Status:
        if self.error:
            return "failed"
        if self._finished is None or self._finished.reason == "stopped":
            return "stopped"
        return "complete"
