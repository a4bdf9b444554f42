"""The text field of the composer: it grows with its text and is safe for input methods."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QResizeEvent,
    QTextOption,
)
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QWidget

MOST_LINES = 10
SendKey = Literal["return", "ctrl_return"]


class Editor(QPlainTextEdit):
    """One to ten lines of plain text.

    While an input method composes, every key belongs to it: nothing is sent or undone then.

    Attributes:
        submitted: The send key was pressed.
        edit_last_requested: Up was pressed in an empty field.
        long_pasted: A long text was pasted; it is not in the field.
        files_dropped: Paths of files that were dropped or pasted.
        focused: The keyboard came or went.
    """

    submitted = Signal()
    edit_last_requested = Signal()
    long_pasted = Signal(str)
    files_dropped = Signal(list)
    focused = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composing = False
        self.send_key: SendKey = "return"
        self.long_characters = 2_000
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().setDocumentMargin(2)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    def sizeHint(self) -> QSize:
        """As high as the text, up to ten lines."""
        return QSize(200, self.height_of(self._lines()))

    def minimumSizeHint(self) -> QSize:
        """One line."""
        return QSize(80, self.height_of(1))

    def height_of(self, lines: int) -> int:
        """Pixels that so many lines take."""
        margins = self.contentsMargins()
        around = 2 * self.document().documentMargin() + margins.top() + margins.bottom()
        return round(lines * self.fontMetrics().lineSpacing() + around) + 2

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Remember whether an input method is in the middle of a word."""
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Send, break the line, edit the last message, or type."""
        if self._composing:
            event.accept()  # the input method has it; an undo here would lose its place
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._sends(event.modifiers()):
                self.submitted.emit()
            else:
                self.textCursor().insertBlock()
                self.ensureCursorVisible()
            return
        bare = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        empty = self.document().isEmpty()
        if event.key() == Qt.Key.Key_Up and empty and bare == Qt.KeyboardModifier.NoModifier:
            self.edit_last_requested.emit()
            return
        super().keyPressEvent(event)

    def _sends(self, modifiers: Qt.KeyboardModifier) -> bool:
        """Whether Return with these modifiers sends; Ctrl (⌘) with Return always does."""
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            return True
        line = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier
        return self.send_key == "return" and not modifiers & line

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Text and files."""
        return source.hasText() or source.hasUrls() or source.hasImage()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste or drop: files and long texts become attachments, the rest is typed in."""
        paths = [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()]
        if paths:
            self.files_dropped.emit(paths)
            return
        text = source.text()
        inline = QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.AltModifier
        if len(text) > self.long_characters and not inline:
            self.long_pasted.emit(text)
        elif text:
            self.insertPlainText(text)
            self.ensureCursorVisible()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell that the keyboard came."""
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell that the keyboard went."""
        super().focusOutEvent(event)
        self._composing = False
        self.focused.emit(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the height to the lines at the new width."""
        super().resizeEvent(event)
        self._fit()

    def _lines(self) -> int:
        lines = round(self.document().size().height())  # a plain text document counts in lines
        return max(1, min(lines, MOST_LINES))

    def _fit(self) -> None:
        height = self.height_of(self._lines())
        if self.height() != height or self.minimumHeight() != height:
            self.setFixedHeight(height)
        more = self.document().size().height() > MOST_LINES
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if more else policy.ScrollBarAlwaysOff
        )
