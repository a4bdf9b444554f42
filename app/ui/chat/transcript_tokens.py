"""How sure the model was of each token, laid over the answer that it wrote."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.ui.render.body import Part
    from inference import TokenDetail

UNCERTAIN = math.log(0.8)
VERY_UNCERTAIN = math.log(0.4)
LOOK_AHEAD = 300


@dataclass(frozen=True, slots=True)
class Span:
    """A token in a part: which one, where it stands, and its log-probability."""

    token: int
    begin: int
    end: int
    logprob: float


class TokenLayer:
    """The tokens of one message; knows where each stands in every part of the answer.

    Attributes:
        details: The tokens, in order. `name_of` tells a token's text by its id.
    """

    def __init__(
        self, text: str, details: Sequence[TokenDetail], name_of: Callable[[int], str]
    ) -> None:
        self.details = tuple(details)
        self.name_of = name_of
        self._text = text
        joined = "".join(detail.text for detail in details)
        at = len(text) - len(joined) if text.endswith(joined) else max(text.find(joined), 0)
        self._starts: list[int] = []
        for detail in details:
            self._starts.append(at)
            at += len(detail.text)
        self._end = at
        self._spans: dict[Part, tuple[int, list[Span]]] = {}

    def spans(self, part: Part) -> list[Span]:
        """The tokens that are shown in a part."""
        length = part.document.length
        known = self._spans.get(part)
        if known is not None and known[0] == length:
            return known[1]
        begin, end = part.source
        places = align(self._text[begin:end], part.document.raw())
        found: list[Span] = []
        first = max(bisect_right(self._starts, begin) - 1, 0)
        for token in range(first, len(self._starts)):
            low = self._starts[token] - begin
            high = low + len(self.details[token].text)
            if low >= len(places):
                break
            shown = [place for place in places[max(low, 0) : max(high, 0)] if place >= 0]
            if shown:
                logprob = self.details[token].logprob
                found.append(Span(token, shown[0], shown[-1] + 1, logprob))
        self._spans[part] = (length, found)
        return found

    def uncertain(self, part: Part) -> list[Span]:
        """Those of them that could well have been others."""
        return [span for span in self.spans(part) if span.logprob < UNCERTAIN]

    def token_at(self, part: Part, position: int) -> int | None:
        """The token at a position of a part."""
        for span in self.spans(part):
            if span.begin <= position < span.end:
                return span.token
        return None

    def next_uncertain(self, token: int, step: int) -> int | None:
        """The uncertain token after or before one."""
        at = token + step
        while 0 <= at < len(self.details):
            if self.details[at].logprob < UNCERTAIN and self.details[at].text.strip():
                return at
            at += step
        return None

    def offset_of(self, token: int) -> int:
        """Where a token begins in the message's source."""
        return self._starts[token]


def align(source: str, shown: str) -> list[int]:
    """Where each character of a source is shown; -1 for markup.

    What is shown is the source without its markup, so each shown character is looked for in the
    source from where the one before was found.
    """
    places = [-1] * len(source)
    at = 0
    for i, character in enumerate(shown):
        if character in "\u2029\u2028\n\ufdd0\ufdd1\ufffc":
            continue
        found = _find(source, character, at)
        if found >= 0:
            places[found] = i
            at = found + 1
    return places


def _find(source: str, character: str, at: int) -> int:
    if character == " ":
        end = min(at + LOOK_AHEAD, len(source))
        return next((i for i in range(at, end) if source[i].isspace()), -1)
    return source.find(character, at, at + LOOK_AHEAD)
