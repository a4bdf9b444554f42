"""Tokens -> the text of a reply: whole characters, no turn marker, thought apart from answer.

A stop sequence is found in the text, however its tokens are cut, and no part of it is ever shown:
text that could be its beginning waits. What the answer's tokens are, up to the cut, is told too, so
that the next turn can take them up again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from inference.types import DeltaKind, TokenDetail

LOOP_SPAN_TOKENS = 20
LOOP_TIMES = 8
LOOP_LONGEST_PERIOD = 400  # tokens; a longer span would have to fill 3,200 tokens to count


class TokenStream(Protocol):
    """Turns ids into whole characters; what is not whole yet waits."""

    def step(self, token_id: int) -> str:
        """Take one more token; give the characters that it completed."""

    def flush(self) -> str:
        """Give what was left waiting, and start anew."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Text to show, and the details of the tokens in it."""

    kind: DeltaKind
    text: str
    tokens: tuple[TokenDetail, ...] = ()


@dataclass(frozen=True, slots=True)
class Markers:
    """Control tokens that say nothing themselves.

    Attributes:
        opener: Begins a channel of thought; -1 where the model has none.
        closer: Ends it.
        silent: All control tokens; none of them is ever text.
    """

    opener: int = -1
    closer: int = -1
    silent: frozenset[int] = frozenset()


@dataclass(slots=True)
class ReplyReader:
    """Reads one reply. `thought` and `answer` are exactly what was given out of each kind.

    Attributes:
        stop: Texts that end the answer.
        trims_start: Leave out spaces before the answer's first word.
        stopped: A stop sequence was found; nothing more is given out.
        spoken: All tokens read, up to the one in which the stop sequence begins.
    """

    stream: TokenStream
    markers: Markers = Markers()
    stop: tuple[str, ...] = ()
    kind: DeltaKind = "answer"
    trims_start: bool = False
    thought: str = ""
    answer: str = ""
    stopped: bool = False
    spoken: list[int] = field(default_factory=list)
    answer_ids: list[int] = field(default_factory=list)
    _waiting: str = ""
    _details: deque[tuple[TokenDetail | None, int]] = field(default_factory=deque)
    _ends: list[int] = field(default_factory=list)
    _raw_length: int = 0
    _shown_raw: int = 0
    _heading: bool = False

    def push(self, token_id: int, detail: TokenDetail | None = None) -> list[Piece]:
        """Read one token; give out the text that is certain now."""
        assert not self.stopped
        self.spoken.append(token_id)
        if token_id in {self.markers.opener, self.markers.closer} or (
            token_id in self.markers.silent
        ):
            return self._control(token_id)
        text = self.stream.step(token_id)
        if self.kind == "answer":
            self._raw_length += len(text)
            self.answer_ids.append(token_id)
            self._ends.append(self._raw_length)
        return self._grow(text, detail)

    def finish(self) -> list[Piece]:
        """The reply is over: give out what waited, if it is whole."""
        if self.stopped:
            return []
        return self._all_waiting(self.stream.flush().rstrip("\ufffd"))

    def cut_ids(self, encode: Callable[[str], Sequence[int]]) -> tuple[int, ...]:
        """The answer's tokens without the stop sequence.

        Where it begins inside a token, that token's remaining text is encoded anew.
        """
        if not self.stopped:
            return tuple(self.answer_ids)
        cut = self._shown_raw
        whole = next((i + 1 for i, end in enumerate(self._ends) if end == cut), None)
        if not cut:
            return ()
        if whole is not None:
            return tuple(self.answer_ids[:whole])
        whole = sum(1 for end in self._ends if end < cut)
        start = self._ends[whole - 1] if whole else 0
        return (*self.answer_ids[:whole], *encode(self.answer[start - cut :]))

    # ------------------------------------------------------------------ inside

    def _control(self, token_id: int) -> list[Piece]:
        pieces = self._all_waiting(self.stream.flush().rstrip("\ufffd"))
        if token_id == self.markers.opener:
            self.kind, self._heading = "thought", True
        elif token_id == self.markers.closer:
            self.kind, self._heading = "answer", False
        return pieces

    def _grow(self, text: str, detail: TokenDetail | None) -> list[Piece]:
        """Add text of the current kind; hold back what may be the start of a stop sequence."""
        if self._heading:  # the channel's name, up to its line's end, is not thought
            _, line_end, text = text.partition("\n")
            self._heading = not line_end
        if self.kind == "answer" and self.trims_start and not self.answer:
            kept = (self._waiting + text).lstrip()
            lost = len(self._waiting) + len(text) - len(kept)
            self._shown_raw += lost
            text, self._waiting = kept, ""
        self._details.append((detail, len(text)))
        self._waiting += text
        if self.kind == "thought":
            keep = len(self._waiting) - len(self._waiting.rstrip())
            return self._show(len(self._waiting) - keep)
        found = [at for s in self.stop if s and (at := self._waiting.find(s)) >= 0]
        if found:
            pieces = self._show(min(found))
            self._waiting, self.stopped = "", True
            self._details.clear()
            return pieces
        certain = len(self._waiting) - _possible_start(self._waiting, self.stop)
        return self._show(self._whole_tokens(certain) if detail is not None else certain)

    def _whole_tokens(self, length: int) -> int:
        """Shorten a length of waiting text, so that no token is shown in part."""
        end = 0
        for _, size in self._details:
            if end + size > length:
                break
            end += size
        return end

    def _all_waiting(self, more: str) -> list[Piece]:
        if self.kind == "thought":
            self._waiting = self._waiting.rstrip()
        elif more:
            self._waiting += more
            self._raw_length += len(more)
            self._ends[-1:] = [self._raw_length]
        pieces = self._show(len(self._waiting))
        self._waiting = ""
        self._details.clear()
        return pieces

    def _show(self, length: int) -> list[Piece]:
        text, self._waiting = self._waiting[:length], self._waiting[length:]
        if not text:
            return []
        tokens: list[TokenDetail] = []
        left = length
        while self._details and left > 0:
            detail, size = self._details.popleft()
            here = min(size, left)
            if detail is not None:
                start = length - left
                tokens.append(replace(detail, text=text[start : start + here]))
            left -= here
        if self.kind == "thought":
            self.thought += text
        else:
            self.answer += text
            self._shown_raw += length
        return [Piece(self.kind, text, tuple(tokens))]


def _possible_start(text: str, stops: tuple[str, ...]) -> int:
    """How long an end of the text may be the start of a stop sequence."""
    longest = 0
    for stop in stops:
        for length in range(min(len(stop) - 1, len(text)), longest, -1):
            if text.endswith(stop[:length]):
                longest = length
                break
    return longest


class LoopGuard:
    """Sees when a span of 20 tokens or more was said 8 times in a row.

    For each period the length of the run of tokens that equal the one a period before is counted;
    a shorter period counts by the least multiple of it that is a span.
    """

    def __init__(self) -> None:
        periods = np.arange(1, LOOP_LONGEST_PERIOD + 1)
        spans = periods * -(-LOOP_SPAN_TOKENS // periods)
        self._needed = spans * LOOP_TIMES - periods
        self._runs = np.zeros(LOOP_LONGEST_PERIOD, np.int64)
        self._recent = np.full(LOOP_LONGEST_PERIOD, -1, np.int64)  # newest first

    def push(self, token_id: int) -> bool:
        """Take one token; tell whether the reply goes round in circles."""
        self._runs += 1
        self._runs[self._recent != token_id] = 0
        self._recent[1:] = self._recent[:-1].copy()
        self._recent[0] = token_id
        return bool((self._runs >= self._needed).any())
