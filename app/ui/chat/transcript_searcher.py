"""Going from match to match of a text in the conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.ui.chat.transcript_find import Finder

if TYPE_CHECKING:
    from app.ui.chat.transcript_page import Page
    from app.ui.chat.transcript_scroller import Scroller
    from app.ui.render.body import Part
    from app.ui.render.rich import Mark
    from app.ui.render.style import Style


class Searcher(QObject):
    """Holds what is looked for; lives on the GUI thread.

    Attributes:
        found: Which match is shown, counted from 1 (0: none yet), and how many there are.
        query: What is looked for; empty if nothing is.
    """

    found = Signal(int, int)

    def __init__(self, page: Page, scroller: Scroller, parent: QObject) -> None:
        super().__init__(parent)
        self._page = page
        self._scroller = scroller
        self._finder: Finder | None = None

    @property
    def query(self) -> str:
        """What is looked for."""
        return self._finder.query if self._finder is not None else ""

    def look_for(self, text: str) -> int:
        """Find a text; returns how often it is there. An empty text ends it."""
        self._finder = Finder(self._page, text) if text else None
        first = self._scroller.message_at(0)
        if self._finder is not None and first is not None:
            self._finder.start_at(first)
        count = len(self._finder.matches) if self._finder is not None else 0
        self.found.emit(0, count)
        return count

    def step(self, by: int) -> None:
        """Go to a later or an earlier match, and bring it into sight."""
        finder = self._finder
        match = finder.step(by) if finder is not None else None
        if finder is None or match is None:
            return
        where = finder.show(match)
        if where is not None:
            index, part, position = where
            self._page.prepare(index)
            self._scroller.show_position(index, part, position)
        self.found.emit(finder.current + 1, len(finder.matches))

    def marks(self, part: Part, style: Style) -> list[Mark]:
        """The tint of the matches in a part."""
        return self._finder.marks(part, style) if self._finder is not None else []
