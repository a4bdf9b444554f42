"""The line that finds a text in the open chat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QWidget

from app.ui.parts import IconButton, label

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent


class FindBar(QFrame):
    """Asks for a text and shows where one is among what was found.

    Attributes:
        searched: Another text; "" ends the search.
        stepped: The next find is wanted (1), or the one before (-1).
        closed: The bar was closed.
    """

    searched = Signal(str)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self.line = QLineEdit()
        self.line.setPlaceholderText(self.tr("Find in this chat"))
        self.line.setAccessibleName(self.tr("Find in this chat"))
        self.count = label("", "small")
        self.count.setMinimumWidth(70)
        self.before = IconButton("up", self.tr("Previous find"))
        self.after = IconButton("down", self.tr("Next find"))
        close = IconButton("close", self.tr("Close"))
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 6, 8, 6)
        row.setSpacing(6)
        row.addWidget(self.line, 1)
        row.addWidget(self.count)
        for button in (self.before, self.after, close):
            row.addWidget(button)
        self.line.textChanged.connect(self.searched)
        self.before.clicked.connect(lambda: self.stepped.emit(-1))
        self.after.clicked.connect(lambda: self.stepped.emit(1))
        close.clicked.connect(self.close_bar)
        self.hide()

    def open_bar(self) -> None:
        """Show the bar and put the keyboard into it."""
        self.show()
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.line.selectAll()
        self.searched.emit(self.line.text())

    def close_bar(self) -> None:
        """Hide the bar and end the search."""
        if not self.isHidden():
            self.hide()
            self.searched.emit("")
            self.closed.emit()

    def show_found(self, current: int, total: int) -> None:
        """Show which of how many finds is in sight."""
        if not self.line.text():
            self.count.setText("")
        elif not total:
            self.count.setText(self.tr("Not found"))
        else:
            self.count.setText(self.tr("{n} of {total}").format(n=current, total=total))
        self.before.setEnabled(total > 0)
        self.after.setEnabled(total > 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return goes on, Shift-Return goes back, Esc closes."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.stepped.emit(-1 if back else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.close_bar()
        else:
            super().keyPressEvent(event)
