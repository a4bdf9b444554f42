"""Bars that say one sentence above the composer: an error, or something that can be undone."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.ui.parts import IconButton, label, restyle, text_button

UNDO_MS = 12_000


class Bar(QFrame):
    """One sentence, at most two buttons, and a way to close it."""

    def __init__(self, kind: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        restyle(self, "kind", kind)
        self._text = label("", wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.first = text_button("")
        self.second = text_button("", "link")
        self._close = IconButton("close", self.tr("Close"))
        self._close.clicked.connect(self.hide)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._text, 1)
        buttons = row
        if kind == "error":  # a whole sentence gets the whole width
            buttons = QHBoxLayout()
            buttons.addStretch(1)
        buttons.addWidget(self.second)
        buttons.addWidget(self.first)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 8, 8, 8)
        column.setSpacing(6)
        column.addLayout(row)
        if buttons is not row:
            column.addLayout(buttons)
        self.hide()

    def say(self, text: str) -> None:
        """Show one sentence."""
        self._text.setText(text)
        self.setAccessibleName(text)
        self.show()

    def text(self) -> str:
        """The sentence shown."""
        return self._text.text()


class ErrorBar(Bar):
    """What went wrong, in one sentence; the details can be copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("error", parent)
        self._details = ""
        self.second.setText(self.tr("Copy details"))
        self.second.clicked.connect(self._on_copy)
        self._act: Callable[[], None] | None = None
        self.first.clicked.connect(self._on_act)

    def show_error(
        self,
        sentence: str,
        details: str = "",
        action: str = "",
        act: Callable[[], None] | None = None,
    ) -> None:
        """Say what happened, offer the details and perhaps one thing to do."""
        self._details = details
        self._act = act
        self.first.setText(action)
        self.first.setVisible(act is not None)
        self.second.setText(self.tr("Copy details"))
        self.second.setVisible(bool(details))
        self.say(sentence)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._details)
        self.second.setText(self.tr("Copied"))

    def _on_act(self) -> None:
        self.hide()
        if self._act is not None:
            self._act()


class UndoBar(Bar):
    """What was just done, and the button that takes it back; it goes away by itself."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("undo", parent)
        self._undo: Callable[[], None] | None = None
        self.second.hide()
        self.first.setText(self.tr("Undo"))
        self.first.clicked.connect(self._on_undo)
        self._end = QTimer(self, interval=UNDO_MS, singleShot=True)
        self._end.timeout.connect(self._on_ended)

    def offer(self, sentence: str, undo: Callable[[], None]) -> None:
        """Say what was done and offer to take it back."""
        self._undo = undo
        self.say(sentence)
        self._end.start()

    def notice(self, sentence: str) -> None:
        """Say something that needs no answer."""
        self._undo = None
        self.say(sentence)
        self.first.hide()
        self._end.start()

    def say(self, text: str) -> None:
        """Show one sentence with its button."""
        super().say(text)
        self.first.setVisible(self._undo is not None)

    def _on_ended(self) -> None:
        if self.underMouse() or self.isAncestorOf(QGuiApplication.focusObject() or self):  # type: ignore[arg-type]
            self._end.start()
        else:
            self.hide()

    def _on_undo(self) -> None:
        undo, self._undo = self._undo, None
        self.hide()
        if undo is not None:
            undo()


class Bars(QWidget):
    """The bars of a page, one above the other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.error = ErrorBar()
        self.undo = UndoBar()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.error)
        column.addWidget(self.undo)

    def buttons(self) -> list[QPushButton]:
        """Every button that can be pressed now."""
        return [b for b in self.findChildren(QPushButton) if b.isVisible()]
