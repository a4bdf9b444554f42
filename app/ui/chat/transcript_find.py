"""Finding words in a conversation: in the source of every message, shown where it is in sight."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.ui.render.rich import Mark

if TYPE_CHECKING:
    from app.ui.chat.transcript_page import Page
    from app.ui.render.body import Part
    from app.ui.render.style import Style

MOST = 100_000


@dataclass(frozen=True, slots=True)
class Match:
    """Where a word was found in a message's source."""

    message_id: int
    offset: int


class Finder:
    """The matches of one query, in the order in which they are read.

    Attributes:
        current: Index of the match that is shown; -1 before the first.
    """

    def __init__(self, page: Page, query: str) -> None:
        self._page = page
        self.query = query
        self._pattern = re.compile(re.escape(query), re.IGNORECASE)
        self.matches = list(self._search()) if query else []
        self.current = -1
        self._shown: tuple[Part, int] | None = None
        self._seen: dict[Part, tuple[int, list[tuple[int, int]]]] = {}

    def _search(self) -> list[Match]:
        found: list[Match] = []
        for message_id, entry in self._page.entries.items():
            places = self._pattern.finditer(entry.view.text)
            found.extend(Match(message_id, place.start()) for place in places)
            if len(found) > MOST:
                break
        return found

    def step(self, by: int) -> Match | None:
        """Go to the next or previous match, round the ends."""
        if not self.matches:
            return None
        at = self.current + by if self.current >= 0 or by > 0 else len(self.matches) - 1
        self.current = at % len(self.matches)
        return self.matches[self.current]

    def start_at(self, message_id: int) -> None:
        """Let the next step lead to the first match at or after a message."""
        order = {known: i for i, known in enumerate(self._page.entries)}
        here = order.get(message_id, 0)
        for i, match in enumerate(self.matches):
            if order[match.message_id] >= here:
                self.current = i - 1
                return

    def in_part(self, part: Part) -> list[tuple[int, int]]:
        """Where the query stands in a part, by its positions."""
        length = part.document.length
        known = self._seen.get(part)
        if known is not None and known[0] == length:
            return known[1]
        found = [match.span() for match in self._pattern.finditer(part.document.raw())]
        if len(self._seen) > 500:
            self._seen.clear()
        self._seen[part] = (length, found)
        return found

    def marks(self, part: Part, style: Style) -> list[Mark]:
        """The tint of every match in a part, the current one stronger."""
        quiet = style.colour("uncertain")
        strong = style.colour("warning")
        strong.setAlpha(130)
        return [
            Mark(begin, end, strong if (part, begin) == self._shown else quiet)
            for begin, end in self.in_part(part)
        ]

    def show(self, match: Match) -> tuple[int, Part, int] | None:
        """Mark a match as the current one; returns its item, its part and where it stands there.

        A match in an address or in markup is not shown itself; then the part's beginning is given.
        """
        page = self._page
        entry = page.entries.get(match.message_id)
        self._shown = None
        if entry is None:
            return None
        for item in entry.items:
            if item.section is not None and match.offset >= item.section[1]:
                continue
            index = page.index_of(item)
            for part in page.body_of(index).parts:
                begin, end = part.source
                if begin <= match.offset < max(end, begin + 1):
                    position = self._nth(part, entry.view.text, begin, match.offset)
                    self._shown = (part, position)
                    return index, part, max(position, 0)
        return None

    def _nth(self, part: Part, text: str, begin: int, offset: int) -> int:
        before = sum(1 for _ in self._pattern.finditer(text[begin:offset]))
        shown = self.in_part(part)
        return shown[min(before, len(shown) - 1)][0] if shown else -1
