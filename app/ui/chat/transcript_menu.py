"""The context menu of a message."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

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


def _without_argument(slot: Callable[[], None]) -> Callable[[], None]:
    def triggered() -> None:
        slot()

    return triggered
