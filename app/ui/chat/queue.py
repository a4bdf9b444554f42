"""The messages that wait to be sent, above the composer; each can be taken back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.parts import IconButton, ShortLabel, label


class Queue(QWidget):
    """A row for each message that waits.

    Attributes:
        taken_back: A message, by its id, goes back into the composer.
    """

    taken_back = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self.hide()

    def show_waiting(self, rows: Sequence[tuple[int, str]]) -> None:
        """Show what waits: pairs of id and text."""
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for at, text in rows:
            self._column.addWidget(self._row(at, text))
        self.setVisible(bool(rows))

    def _row(self, at: int, text: str) -> QWidget:
        frame = QFrame()
        frame.setObjectName("chip")
        line = ShortLabel()
        line.show_text(" ".join(text.split()))
        back = IconButton("close", self.tr("Take this message back"))
        back.clicked.connect(lambda: self.taken_back.emit(at))
        row = QHBoxLayout(frame)
        row.setContentsMargins(12, 2, 4, 2)
        row.addWidget(label(self.tr("Waits"), "small"))
        row.addWidget(line, 1)
        row.addWidget(back)
        return frame
