"""The chat page: the transcript or what stands in its place, the bars, the composer, the status."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.ui.bars import Bars
from app.ui.chat.composer import Composer
from app.ui.chat.empty import Empty
from app.ui.chat.find_bar import FindBar
from app.ui.chat.queue import Queue
from app.ui.chat.status import StatusLine

COLUMN = 800  # the widest the composer gets; messages stay within it


class ChatPage(QWidget):
    """Arranges a chat; it knows nothing of what is in the transcript."""

    def __init__(self, transcript: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.transcript = transcript
        self.empty = Empty()
        self.bars = Bars()
        self.queue = Queue()
        self.composer = Composer()
        self.status = StatusLine()
        self._upper = QStackedWidget()
        self._upper.addWidget(self.empty)
        self._upper.addWidget(transcript)
        foot = QWidget()
        foot.setMaximumWidth(COLUMN)
        inner = QVBoxLayout(foot)
        inner.setContentsMargins(20, 0, 20, 10)
        inner.setSpacing(6)
        inner.addWidget(self.bars)
        inner.addWidget(self.queue)
        inner.addWidget(self.composer)
        inner.addWidget(self.status)
        self.find_bar = FindBar()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.find_bar)
        column.addWidget(self._upper, 1)
        centre = QHBoxLayout()
        centre.setContentsMargins(0, 6, 0, 0)
        centre.addStretch(1)
        centre.addWidget(foot, 1_000)
        centre.addStretch(1)
        column.addLayout(centre)

    def show_transcript(self) -> None:
        """Show the messages."""
        self._upper.setCurrentWidget(self.transcript)

    def show_welcome(self) -> None:
        """Show a chat that has no messages yet."""
        self.empty.show_welcome()
        self._upper.setCurrentWidget(self.empty)

    def show_no_model(self, reason: str = "") -> None:
        """Show that there is no model, and why if something went wrong."""
        self.empty.show_no_model(reason)
        self._upper.setCurrentWidget(self.empty)
