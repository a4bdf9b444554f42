"""The context menu of a message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from app.ui.chat.transcript_foot import ACTIONS, actions_for

if TYPE_CHECKING:
    from app.ui.chat.transcript_message import MessageView

Entry = tuple[str, Callable[[], None]] | None  # None draws a line


def make_menu(entries: Sequence[Entry], name: str, parent: QWidget) -> QMenu:
    """Make a menu that deletes itself when it closes."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setAccessibleName(name)
    for entry in entries:
        if entry is None:
            menu.addSeparator()
        else:
            action = menu.addAction(entry[0])
            action.triggered.connect(_without_argument(entry[1]))
    return menu


def message_entries(
    view: MessageView, act: Callable[[str], None], copy_markdown: Callable[[], None]
) -> list[Entry]:
    """What can be done with a message, as in its foot."""
    possible = actions_for(view)
    entries: list[Entry] = []
    for action, name, _ in ACTIONS:
        if action not in possible:
            continue
        entries.append((name, partial(act, action)))
        if action == "copy" and view.role == "assistant":
            entries.append(("Copy as Markdown", copy_markdown))
    return entries


def _without_argument(slot: Callable[[], None]) -> Callable[[], None]:
    def triggered() -> None:
        slot()

    return triggered
