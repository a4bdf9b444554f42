"""Text that arrives faster than it can be read: collected, and laid out by turns."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

if TYPE_CHECKING:
    from app.ui.chat.transcript_message import MessageView
    from app.ui.chat.transcript_page import GrowthKind, Page

PAINT_MS = 33
TURN_CHARACTERS = 1000
ALL = 1 << 40


class Feed(QObject):
    """Holds what was said until it is painted; lives on the GUI thread.

    Attributes:
        grew: The page changed and has to be placed.
        ended: A message that was being written is complete, as a `MessageView`.
    """

    grew = Signal()
    ended = Signal(object)

    def __init__(self, page: Page, parent: QObject) -> None:
        super().__init__(parent)
        self._page = page
        self._waiting: dict[int, list[tuple[GrowthKind, str]]] = {}
        self._ending: dict[int, MessageView] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.flush)

    def grow(self, message_id: int, text: str, kind: GrowthKind) -> None:
        """Take more of a message."""
        self._waiting.setdefault(message_id, []).append((kind, text))
        if not self._timer.isActive():
            self._timer.start(PAINT_MS)

    def finish(self, message: MessageView) -> None:
        """Take the end of a message."""
        self._ending[message.id] = message
        self._timer.start(0)

    def forget(self) -> None:
        """Drop what waits: other messages are shown now."""
        self._waiting.clear()
        self._ending.clear()
        self._timer.stop()

    def flush_all(self) -> None:
        """Lay out everything that waits, however much."""
        while self._waiting or self._ending:
            self._turn(ALL)
        self._timer.stop()

    def flush(self) -> None:
        """Lay out what waits, a turn's worth at most; the rest follows by itself."""
        start = time.perf_counter()
        self._turn(TURN_CHARACTERS)
        self.grew.emit()
        cost_ms = (time.perf_counter() - start) * 1000
        self._timer.stop()
        if self._waiting:
            self._timer.start(0)
        elif self._ending:
            self._timer.start(max(PAINT_MS, round(4 * cost_ms)))

    def _turn(self, limit: int) -> None:
        """Take waiting text up to a limit, then the ends of messages that are all taken."""
        for message_id in list(self._waiting):
            pieces = self._waiting.pop(message_id)
            while pieces and limit > 0:
                kind, text = _first(pieces, limit)
                limit -= len(text)
                if text and message_id in self._page.growing:
                    self._page.grow(message_id, text, kind)
            if pieces:
                self._waiting[message_id] = pieces
        for message_id in [i for i in self._ending if i not in self._waiting]:
            message = self._ending.pop(message_id)
            if message_id in self._page.entries:
                self._page.finish(message)
                self.ended.emit(message)


def _first(pieces: list[tuple[GrowthKind, str]], limit: int) -> tuple[GrowthKind, str]:
    """Take text of one kind off the front of a list, up to a number of characters."""
    kind = pieces[0][0]
    count, size = 0, 0
    while count < len(pieces) and pieces[count][0] == kind and size < limit:
        size += len(pieces[count][1])
        count += 1
    text = "".join(piece for _, piece in pieces[:count])
    pieces[:count] = [(kind, text[limit:])] if len(text) > limit else []
    return kind, text[:limit]
