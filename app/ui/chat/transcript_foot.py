"""The line below a message: its versions, what can be done with it, and its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.ui.chat.transcript_views import IconButton

if TYPE_CHECKING:
    from app.ui.chat.transcript_message import MessageView
    from app.ui.render.style import Style

# Action, name, icon; in the order in which they are shown.
ACTIONS = (
    ("copy", "Copy", "copy"),
    ("edit", "Edit", "edit"),
    ("regenerate", "Regenerate", "regenerate"),
    ("continue", "Continue", "continue"),
    ("branch", "Branch from here", "branch"),
    ("inspect", "Inspect tokens", "inspect"),
    ("delete", "Delete", "delete"),
    ("details", "Show figures", "details"),
)


def actions_for(view: MessageView) -> tuple[str, ...]:
    """What can be done with a message."""
    if view.status in {"queued", "writing"}:
        return ("copy",) if view.text else ()
    if view.role == "assistant":
        last = ("details",) if view.footer else ()
        return (
            "copy", "edit", "regenerate", "continue", "branch", "inspect", "delete", *last,
        )  # fmt: skip
    return ("copy", "edit", "branch", "delete")


def _state(view: MessageView) -> str:
    """What a message that is not there yet waits for."""
    if view.status == "queued":
        return "Queued"
    return "Writing" if view.status == "writing" and not view.text else ""


class Foot(QWidget):
    """One line of small controls; lives on the GUI thread.

    Attributes:
        acted: Message id and what was asked for: one of `ACTIONS`, "previous" or "next".
    """

    acted = Signal(int, str)

    def __init__(self, parent: QWidget, style: Style) -> None:
        super().__init__(parent)
        self._view: MessageView | None = None
        self._style = style
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(2)
        self._previous = self._button("previous", "Previous version", "previous")
        self._count = QLabel(self)
        self._count.setTextFormat(Qt.TextFormat.PlainText)
        self._next = self._button("next", "Next version", "next")
        self._buttons = {action: self._button(icon, name, action) for action, name, icon in ACTIONS}
        self._figures = QLabel(self)
        self._figures.setTextFormat(Qt.TextFormat.PlainText)
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(1500)
        self._copied.timeout.connect(self._on_copied_shown)
        self._row.addStretch(0)
        for widget in (self._previous, self._count, self._next, *self._buttons.values()):
            self._row.addWidget(widget)
        self._row.addWidget(self._figures)
        self._row.addStretch(1)
        self.restyle(style)

    def _button(self, icon: str, name: str, action: str) -> IconButton:
        made = IconButton(icon, name, self._style, self)
        made.setObjectName(action)
        made.clicked.connect(self._on_clicked)
        return made

    def restyle(self, style: Style) -> None:
        """Take another palette."""
        self._style = style
        for button in (self._previous, self._next):
            button.restyle(button.objectName(), style)
        for action, _, icon in ACTIONS:
            self._buttons[action].restyle(icon, style)
        for label in (self._count, self._figures):
            label.setFont(style.small_font)
            label.setStyleSheet(f"color: {style.palette.muted}; background: transparent;")

    def show_message(self, view: MessageView, *, active: bool, footed: bool) -> None:
        """Stand below a message; the actions are shown while it is pointed at or current."""
        self._view = view
        is_user = view.role == "user"
        self._row.setStretch(0, 1 if is_user else 0)
        self._row.setStretch(self._row.count() - 1, 0 if is_user else 1)
        several = view.versions > 1
        for widget in (self._previous, self._count, self._next):
            widget.setVisible(several)
        if several:
            self._count.setText(f"{view.version}/{view.versions}")
            self._count.setAccessibleName(f"Version {view.version} of {view.versions}")
            self._previous.setEnabled(view.version > 1)
            self._next.setEnabled(view.version < view.versions)
        possible = actions_for(view) if active else ()
        for action, button in self._buttons.items():
            button.setVisible(action in possible)
        self._buttons["details"].rename("Hide figures" if footed else "Show figures")
        shown = view.footer if footed else _state(view)
        self._figures.setText(shown)
        self._figures.setVisible(bool(shown))
        self.setAccessibleName("Actions for your message" if is_user else "Actions for the answer")

    def tell_copied(self) -> None:
        """Show for a moment that it was copied."""
        self._buttons["copy"].restyle("done", self._style)
        self._buttons["copy"].rename("Copied")
        self._copied.start()

    def _on_copied_shown(self) -> None:
        self._buttons["copy"].restyle("copy", self._style)
        self._buttons["copy"].rename("Copy")

    def _on_clicked(self) -> None:
        sender = self.sender()
        if self._view is not None and sender is not None:
            self.acted.emit(self._view.id, sender.objectName())
