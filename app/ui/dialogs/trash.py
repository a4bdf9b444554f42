"""What lies in the trash: each chat can come back, or go for good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QDate, QDateTime, QLocale, Qt, Signal, SignalInstance
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.ui.parts import label, text_button

if TYPE_CHECKING:
    from app.rows import ChatRow

ID = Qt.ItemDataRole.UserRole


class TrashDialog(QDialog):
    """A list of deleted chats.

    Attributes:
        restore_requested: A chat is to come back.
        erase_requested: A chat is to go for good. `empty_requested`: all of them.
    """

    restore_requested = Signal(int)
    erase_requested = Signal(int)
    empty_requested = Signal()

    def __init__(self, days: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Trash"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(520, 420)
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Deleted chats"))
        self.list.setAlternatingRowColors(False)
        self._note = label(
            self.tr("Chats stay here for %n day(s); then they go for good.", "", days),
            "muted",
            wrap=True,
        )
        self._none = label(self.tr("The trash is empty."), "muted")
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.restore = text_button(self.tr("Restore"), "primary")
        self.erase = text_button(self.tr("Delete for good"), "danger")
        self.empty = text_button(self.tr("Empty the trash"), "danger")
        close = text_button(self.tr("Close"))
        close.clicked.connect(self.accept)
        self.restore.clicked.connect(lambda: self._tell(self.restore_requested))
        self.erase.clicked.connect(lambda: self._tell(self.erase_requested))
        self.empty.clicked.connect(self.empty_requested)
        self.list.itemActivated.connect(lambda _: self._tell(self.restore_requested))
        self.list.itemSelectionChanged.connect(self._follow)
        row = QHBoxLayout()
        row.addWidget(self.restore)
        row.addWidget(self.erase)
        row.addWidget(self.empty)
        row.addStretch(1)
        row.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addWidget(self._note)
        column.addWidget(self._none, 1)
        column.addWidget(self.list, 1)
        column.addLayout(row)
        self.show_rows(())

    def show_rows(self, rows: Sequence[ChatRow]) -> None:
        """Show the deleted chats; `updated_at` is when each was deleted."""
        self.list.clear()
        for row in rows:
            day = QLocale().toString(_date(row.updated_at), QLocale.FormatType.ShortFormat)
            item = QListWidgetItem(f"{row.title or self.tr('New chat')}   ·   {day}")
            item.setData(ID, row.id)
            self.list.addItem(item)
        self.list.setVisible(bool(rows))
        self._none.setVisible(not rows)
        self.empty.setEnabled(bool(rows))
        if rows:
            self.list.setCurrentRow(0)
        self._follow()

    def _tell(self, signal: SignalInstance) -> None:
        item = self.list.currentItem()
        if item is not None:
            signal.emit(item.data(ID))

    def _follow(self) -> None:
        chosen = self.list.currentItem() is not None
        self.restore.setEnabled(chosen)
        self.erase.setEnabled(chosen)


def _date(seconds: float) -> QDate:
    return QDateTime.fromSecsSinceEpoch(int(seconds)).date()
