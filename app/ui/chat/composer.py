"""Where a message is written: text, attachments, its tokens, and the one button that sends."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeyEvent, QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.chat.editor import Editor, SendKey
from app.ui.parts import IconButton, label, restyle, text_button

COUNT_MS = 80  # a pause in typing before tokens are counted and the draft is kept


class Chip(QFrame):
    """One attachment: its name, what it costs, and a button that takes it off.

    Attributes:
        removed: The attachment is not wanted.
    """

    removed = Signal(str)

    def __init__(self, key: str, name: str, detail: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chip")
        self.key = key
        self.setAccessibleName(name)
        self._detail = label(detail, "small")
        close = IconButton("close", self.tr("Remove {name}").format(name=name))
        close.clicked.connect(lambda: self.removed.emit(key))
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 2, 4, 2)
        row.setSpacing(8)
        text = label(name)
        text.setMaximumWidth(260)
        row.addWidget(text)
        row.addWidget(self._detail)
        row.addWidget(close)

    def show_detail(self, detail: str) -> None:
        """Show another cost."""
        self._detail.setText(detail)


class Composer(QFrame):
    """The field at the foot of a chat.

    Attributes:
        submitted: The text is to be sent. It stays until `clear`.
        stop_requested: The reply is to stop.
        edit_last_requested: The last message is to be edited.
        draft_changed: The text changed; comes after a short pause.
        long_pasted: A long text is to become an attachment.
        files_given: Files are to become attachments (dropped or pasted).
        attach_requested: Files are to be chosen.
        attachment_removed: An attachment, by its key, is not wanted.
        edit_cancelled: The message being edited is to stay as it is.
    """

    submitted = Signal(str)
    stop_requested = Signal()
    edit_last_requested = Signal()
    draft_changed = Signal(str)
    long_pasted = Signal(str)
    files_given = Signal(list)
    attach_requested = Signal()
    attachment_removed = Signal(str)
    edit_cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self.setAcceptDrops(True)
        self._busy = False
        self._chips: dict[str, Chip] = {}
        self.editor = Editor()
        self.editor.setAccessibleName(self.tr("Message"))
        self.editor.setPlaceholderText(self.tr("Write a message"))
        self.attach = IconButton("attach", self.tr("Attach files"))
        self.tokens = label("", "small")
        self.send = IconButton("send", self.tr("Send"))
        self.send.setProperty("role", "send")
        self.send.tint(QPalette.ColorRole.Base)
        self._pause = QTimer(self, interval=COUNT_MS, singleShot=True)
        self._lay_out()
        self._connect()
        self._follow()

    def text(self) -> str:
        """What is written now."""
        return self.editor.toPlainText()

    def set_text(self, text: str) -> None:
        """Put a draft, or a message to edit, into the field, the cursor behind it."""
        if text != self.text():
            self.editor.setPlainText(text)
            cursor = self.editor.textCursor()
            cursor.movePosition(cursor.MoveOperation.End)
            self.editor.setTextCursor(cursor)
        self._pause.stop()
        self._follow()

    def clear(self) -> None:
        """Empty the field and its attachments: what was in them is sent."""
        self.set_text("")
        for key in list(self._chips):
            self.remove_chip(key)
        self.show_tokens(0)

    def flush(self) -> None:
        """Tell at once what is still waiting for the pause in typing."""
        if self._pause.isActive():
            self._pause.stop()
            self._on_paused()

    def set_busy(self, busy: bool) -> None:
        """A reply is being made: the button stops it while the field is empty."""
        self._busy = busy
        self._follow()

    def set_editing(self, editing: bool) -> None:
        """Say that an older message stands in the field, or no more."""
        self._edit_line.setVisible(editing)
        if editing:
            self.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_send_key(self, key: SendKey) -> None:
        """Choose what sends: Return, or Return with Ctrl (⌘)."""
        self.editor.send_key = key

    def show_tokens(self, tokens: int) -> None:
        """Show what the text costs; nothing for an empty one."""
        self.tokens.setText(self.tr("%n token(s)", "", tokens) if tokens else "")

    def add_chip(self, key: str, name: str, detail: str) -> None:
        """Show an attachment, or another cost of one."""
        if key in self._chips:
            self._chips[key].show_detail(detail)
            return
        chip = Chip(key, name, detail)
        chip.removed.connect(self.attachment_removed)
        self._chips[key] = chip
        self._row.insertWidget(self._row.count() - 1, chip)
        self._tray.show()
        self._follow()

    def remove_chip(self, key: str) -> None:
        """Take an attachment away."""
        chip = self._chips.pop(key, None)
        if chip is not None:
            self._row.removeWidget(chip)
            chip.deleteLater()
        self._tray.setVisible(bool(self._chips))
        self._follow()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Take files."""
        urls = event.mimeData().urls()
        paths = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
        if paths:
            self.files_given.emit(paths)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc stops a reply."""
        if event.key() == Qt.Key.Key_Escape and self._busy:
            self.stop_requested.emit()
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        self._tray = QWidget()
        self._row = QHBoxLayout(self._tray)
        self._row.setContentsMargins(0, 0, 0, 4)
        self._row.setSpacing(6)
        self._row.addStretch(1)
        self._tray.hide()
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(self.attach)
        below.addStretch(1)
        below.addWidget(self.tokens)
        below.addWidget(self.send)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 10, 8)
        column.setSpacing(6)
        self._edit_line = QWidget()
        line = QHBoxLayout(self._edit_line)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(label(self.tr("Editing a message; the old one stays as a version"), "small"))
        line.addStretch(1)
        self.cancel = text_button(self.tr("Cancel"), "link")
        line.addWidget(self.cancel)
        self._edit_line.hide()
        column.addWidget(self._edit_line)
        column.addWidget(self._tray)
        column.addWidget(self.editor)
        column.addLayout(below)
        self.setFocusProxy(self.editor)

    def _connect(self) -> None:
        self.editor.submitted.connect(self._on_submitted)
        self.editor.textChanged.connect(self._on_typed)
        self.editor.edit_last_requested.connect(self.edit_last_requested)
        self.editor.long_pasted.connect(self.long_pasted)
        self.editor.files_dropped.connect(self.files_given)
        self.editor.focused.connect(lambda on: restyle(self, "active", "true" if on else "false"))
        self.attach.clicked.connect(self.attach_requested)
        self.send.clicked.connect(self._on_pressed)
        self._pause.timeout.connect(self._on_paused)
        self.cancel.clicked.connect(self.edit_cancelled)

    def _has_something(self) -> bool:
        return bool(self.text().strip() or self._chips)

    def _follow(self) -> None:
        """Let the button say what it does now."""
        stops = self._busy and not self._has_something()
        if stops:
            self.send.name_it(self.tr("Stop"), self.tr("Stop (Esc)"))
        elif self._busy:
            self.send.name_it(self.tr("Send when ready"))
        else:
            self.send.name_it(self.tr("Send"))
        self.send.show_icon("stop" if stops else "send")
        self.send.setEnabled(stops or self._has_something())

    def _on_submitted(self) -> None:
        if self._has_something():
            self._pause.stop()
            self.submitted.emit(self.text().strip("\n"))

    def _on_pressed(self) -> None:
        if self._busy and not self._has_something():
            self.stop_requested.emit()
        else:
            self._on_submitted()

    def _on_typed(self) -> None:
        self._follow()
        self._pause.start()

    def _on_paused(self) -> None:
        self.draft_changed.emit(self.text())
