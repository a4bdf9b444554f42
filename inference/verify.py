"""A self-check that anyone can run: do kept prefixes change what is said?

A conversation is played through a whole engine, with turns, edits, branches, stops, another
conversation in between and a restart. Each reply is made again without anything kept, and the two
are compared token by token.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from inference.types import (
    ChatPrompt,
    Delta,
    Engine,
    Finished,
    GenerationRequest,
    Message,
    Prefilling,
    Sampling,
    ShouldStop,
    TokenDetail,
)

NEAR_TIE = 1e-3  # two candidates nearer than this, in log-probability, may swap by rounding
TEXT = "The lighthouse keeper wrote down the weather every evening: wind, sky, and the ships seen. "
SYSTEM = "Answer in one short sentence."


@dataclass(frozen=True, slots=True)
class CacheCheck:
    """One reply, warm and cold.

    Attributes:
        what: What was done before it.
        first_difference: Index of the first token that differs; None where all are the same.
        is_near_tie: The two likeliest tokens there were as likely as rounding can tell.
        largest: The largest difference of a log-probability over the tokens that are the same.
    """

    what: str
    prompt_tokens: int
    reused_tokens: int
    first_difference: int | None
    is_near_tie: bool
    largest: float

    @property
    def is_good(self) -> bool:
        """Whether nothing but rounding tells the two apart."""
        return self.first_difference is None or self.is_near_tie


@dataclass(frozen=True, slots=True)
class _Made:
    """A reply and what is known of each of its tokens."""

    end: Finished
    tokens: tuple[TokenDetail, ...]

    @property
    def message(self) -> Message:
        record = self.end.record
        text = self.end.text or "(nothing)"
        return Message("assistant", text, record.answer_ids, record.model_fingerprint)


def verify_cache(
    open_engine: Callable[[], Engine],
    should_stop: ShouldStop,
    text: str = TEXT * 20,
    max_tokens: int = 24,
) -> Iterator[CacheCheck]:
    """Play the conversation; yield each comparison. What it kept is forgotten at the end.

    Args:
        open_engine: Opens an engine with its model loaded; called twice, for the restart.
        should_stop: Asked before each reply; the check ends early then.
        text: What the first message quotes.
        max_tokens: The longest reply.
    """
    play = _Play(open_engine(), f"verify-cache {uuid.uuid4()}", max_tokens)
    try:
        yield from _before_the_restart(play, should_stop, text)
        if should_stop():
            return
        play.engine.keep(lambda: False)
        play.engine.close()
        play.engine = open_engine()
        play.say("And after the night?")
        yield play.compare("a restart")
    finally:
        play.engine.forget(play.conversation)
        play.engine.close()


def _before_the_restart(play: _Play, should_stop: ShouldStop, text: str) -> Iterator[CacheCheck]:
    play.messages = [Message("system", SYSTEM)]
    for number, question in enumerate(("What did the keeper write?", "Go on.", "And then?"), 1):
        if should_stop():
            return
        play.say(question if number > 1 else f"{text}\n\n{question}")
        yield play.compare(f"turn {number}")
    answered = list(play.messages)
    for what, messages in (
        ("the same turn again", answered[:-1]),
        ("an edit of the last message", [*answered[:-2], Message("user", "And why?")]),
        ("an edit in the middle", [*answered[:3], Message("user", "Who was it?")]),
        ("the first branch again", [*answered, Message("user", "And the ships?")]),
    ):
        if should_stop():
            return
        play.messages = list(messages)
        yield play.compare(what)
    play.say("Tell me more.")
    play.stop_while_speaking(3)
    play.say("Never mind. What else?")
    yield play.compare("a stop while speaking")
    play.say(text)
    play.stop_while_reading()
    yield play.compare("a stop while reading")
    home = play.messages
    play.messages = [Message("system", SYSTEM), Message("user", "Name a colour.")]
    yield play.compare("another conversation")
    play.messages = home
    play.say("Back to the keeper: what was the sky like?")
    yield play.compare("the way back")


class _Play:
    """A conversation and the engine that it is played on."""

    def __init__(self, engine: Engine, conversation: str, max_tokens: int) -> None:
        self.engine = engine
        self.conversation = conversation
        self.messages: list[Message] = []
        self._max_tokens = max_tokens

    def say(self, text: str) -> None:
        """Add what a person says."""
        self.messages.append(Message("user", text))

    def compare(self, what: str) -> CacheCheck:
        """Make the next reply with what is kept and without; the first one goes on."""
        request = self._request()
        warm = self._make(request)
        cold = self._make(replace(request, conversation="", fresh=True))
        self.messages.append(warm.message)
        return _compared(what, warm, cold)

    def stop_while_speaking(self, tokens: int) -> None:
        """Stop the next reply after some of its text."""
        self.messages.append(self._make(self._request(), Delta, tokens).message)

    def stop_while_reading(self) -> None:
        """Stop while the prompt is being read."""
        self._make(self._request(), Prefilling, 1)

    def _request(self) -> GenerationRequest:
        return GenerationRequest(
            ChatPrompt(tuple(self.messages)),
            Sampling(temperature=0, seed=0),
            self._max_tokens,
            conversation=self.conversation,
            alternatives=2,
        )

    def _make(self, request: GenerationRequest, event: type = object, stop_at: int = 0) -> _Made:
        """Make a reply; stop at the n-th event of a kind, if n is given."""
        tokens: list[TokenDetail] = []
        seen: list[object] = []
        for made in self.engine.generate(request, lambda: 0 < stop_at <= len(seen)):
            if isinstance(made, event):
                seen.append(made)
            if isinstance(made, Delta):
                tokens.extend(made.tokens)
            if isinstance(made, Finished):
                return _Made(made, tuple(tokens))
        raise AssertionError("a request ends with Finished")


def _compared(what: str, warm: _Made, cold: _Made) -> CacheCheck:
    ours, theirs = warm.end.record, cold.end.record
    place = _first_difference(ours.token_ids, theirs.token_ids)
    same = min(len(ours.token_ids), len(theirs.token_ids)) if place is None else place
    pairs = zip(ours.logprobs[:same], theirs.logprobs[:same], strict=False)
    return CacheCheck(
        what,
        ours.prompt_tokens,
        ours.reused_tokens,
        place,
        place is not None and _is_tie(warm.tokens, ours.token_ids, place),
        max((abs(a - b) for a, b in pairs), default=0.0),
    )


def _first_difference(ours: Sequence[int], theirs: Sequence[int]) -> int | None:
    for place, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        if a != b:
            return place
    return None if len(ours) == len(theirs) else min(len(ours), len(theirs))


def _is_tie(tokens: Sequence[TokenDetail], ids: Sequence[int], place: int) -> bool:
    """Whether the two likeliest tokens at a place are too near to tell apart."""
    if place >= min(len(tokens), len(ids)) or len(tokens[place].alternatives) < 2:
        return False
    (_, first), (_, second) = tokens[place].alternatives[:2]
    return first - second <= NEAR_TIE
