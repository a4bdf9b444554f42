"""The sidebar: search, new chat, the list, and the ways to trash, models and settings."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QVBoxLayout, QWidget

from app.rows import ChatRow, SearchRow, into_sections
from app.ui.chat_list import ChatList
from app.ui.parts import IconButton, label, themed_icon

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from app.ui.theme import Palette

SEARCH_MS = 60  # a pause in typing before a search is asked for


class SearchLine(QLineEdit):
    """Where one types what to search for; Esc empties it, Down goes to what was found.

    Attributes:
        left: The person wants to go to the list.
    """

    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc empties, Down leaves, the rest is typing."""
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.left.emit()
        else:
            super().keyPressEvent(event)


class Sidebar(QWidget):
    """Conversations and the ways to other pages.

    Attributes:
        new_requested: A new chat is wanted. `temporary_requested`: one that leaves no trace.
        searched: Something else is searched for; "" ends the search.
        pinned: A chat is to be pinned or not. `tagged`: its tags are to be edited.
        export_requested: A chat is to be written to a file.
        folder_requested: A chat is to go to a folder whose name is still to be asked for.
    """

    new_requested = Signal()
    temporary_requested = Signal()
    searched = Signal(str)
    pinned = Signal(int, bool)
    moved = Signal(int, str)
    folder_requested = Signal(int)
    tags_requested = Signal(int)
    export_requested = Signal(int)
    trash_requested = Signal()
    models_requested = Signal()
    settings_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(200)
        self._rows: tuple[ChatRow, ...] = ()
        self._folders: tuple[str, ...] = ()
        self._current = 0
        self.search = SearchLine()
        self.search.setPlaceholderText(self.tr("Search chats"))
        self.search.setAccessibleName(self.tr("Search chats"))
        self.search.setClearButtonEnabled(True)
        self._glass = self.search.addAction(
            themed_icon("search", QGuiApplication.palette(), QPalette.ColorRole.PlaceholderText),
            QLineEdit.ActionPosition.LeadingPosition,
        )
        self.new = IconButton("new", self.tr("New chat"))
        self.chats = ChatList()
        self._nothing = label(self.tr("Nothing found"), "muted", wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.hide()
        self._pause = QTimer(self, interval=SEARCH_MS, singleShot=True)
        self._lay_out()
        self._connect()

    def set_palette(self, palette: Palette) -> None:
        """Paint in these colours."""
        self.chats.set_palette(palette)
        glass = themed_icon("search", QGuiApplication.palette(), QPalette.ColorRole.PlaceholderText)
        self._glass.setIcon(glass)

    def show_chats(
        self, rows: Sequence[ChatRow], folders: Sequence[str] = (), current: int = 0
    ) -> None:
        """Show the conversations; `current` is the open one's id, 0 none."""
        self._rows, self._folders, self._current = tuple(rows), tuple(folders), current
        if not self.search.text().strip():
            self._nothing.hide()
            self.chats.show()
            today = date.today()  # noqa: DTZ011  (the calendar on the wall)
            self.chats.show_sections(into_sections(rows, today, folders), current)

    def show_finds(self, finds: Sequence[SearchRow], searched: str) -> None:
        """Show what was found, if that is still what is searched for."""
        if searched != self.search.text().strip():
            return
        self.chats.setVisible(bool(finds))
        self._nothing.setVisible(not finds)
        self.chats.show_finds(finds)

    def focus_search(self) -> None:
        """Put the keyboard into the search line."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(12, 12, 10, 8)
        top.setSpacing(6)
        top.addWidget(self.search, 1)
        top.addWidget(self.new)
        self.trash = self._way("trash", self.tr("Trash"))
        self.models = self._way("models", self.tr("Models"))
        self.settings = self._way("settings", self.tr("Settings"))
        bottom = QHBoxLayout()
        bottom.setContentsMargins(10, 6, 10, 10)
        bottom.setSpacing(2)
        bottom.addWidget(self.settings)
        bottom.addWidget(self.models)
        bottom.addWidget(self.trash)
        bottom.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.chats, 1)
        column.addWidget(self._nothing, 1)
        column.addLayout(bottom)

    def _way(self, icon: str, name: str) -> IconButton:
        return IconButton(icon, name)

    def _connect(self) -> None:
        self.new.clicked.connect(self.new_requested)
        self.trash.clicked.connect(self.trash_requested)
        self.models.clicked.connect(self.models_requested)
        self.settings.clicked.connect(self.settings_requested)
        self.search.textChanged.connect(self._on_typed)
        self.search.left.connect(self.chats.setFocus)
        self._pause.timeout.connect(self._on_paused)
        self.chats.moved.connect(self.moved)
        self.chats.customContextMenuRequested.connect(self._on_menu_requested)

    def _on_typed(self, text: str) -> None:
        if text.strip():
            self._pause.start()
        else:
            self._pause.stop()
            self.searched.emit("")
            self.show_chats(self._rows, self._folders, self._current)

    def _on_paused(self) -> None:
        self.searched.emit(self.search.text().strip())

    def _on_menu_requested(self, place: QPoint) -> None:
        row = self.chats.row_at(place)
        if row is not None:
            menu = self.menu_for(row)
            menu.aboutToHide.connect(menu.deleteLater)
            menu.popup(self.chats.viewport().mapToGlobal(place))

    def menu_for(self, row: ChatRow) -> QMenu:
        """What can be done with a chat."""
        menu = QMenu(self)
        menu.setAccessibleName(self.tr("Chat"))
        rename = menu.addAction(self.tr("Rename"))
        rename.triggered.connect(lambda: self.chats.rename_chat(row.id))
        pin = menu.addAction(self.tr("Unpin") if row.pinned else self.tr("Pin"))
        pin.triggered.connect(lambda: self.pinned.emit(row.id, not row.pinned))
        folders = menu.addMenu(self.tr("Move to folder"))
        for name in self._folders:
            to = folders.addAction(name)
            to.setEnabled(name != row.folder)
            to.triggered.connect(lambda _=False, name=name: self.moved.emit(row.id, name))
        if row.folder:
            out = folders.addAction(self.tr("No folder"))
            out.triggered.connect(lambda: self.moved.emit(row.id, ""))
        folders.addSeparator()
        other = folders.addAction(self.tr("New folder…"))
        other.triggered.connect(lambda: self.folder_requested.emit(row.id))
        tags = menu.addAction(self.tr("Tags…"))
        tags.triggered.connect(lambda: self.tags_requested.emit(row.id))
        export = menu.addAction(self.tr("Export…"))
        export.triggered.connect(lambda: self.export_requested.emit(row.id))
        menu.addSeparator()
        delete = menu.addAction(self.tr("Move to Trash"))
        delete.triggered.connect(lambda: self.chats.trashed.emit(row.id))
        return menu
