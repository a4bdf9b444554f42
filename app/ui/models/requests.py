"""Every request that left this machine: when, where to, what came back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QDateTime, QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.models.request_log import RequestLine
from app.sizes import as_size
from app.ui.parts import label, text_button

MOST_SHOWN = 500


class RequestsDialog(QDialog):
    """A table of requests, the newest first.

    Attributes:
        cleared: The list is to be forgotten.
    """

    cleared = Signal()

    def __init__(self, lines: Sequence[RequestLine], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Connections"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(680, 420)
        self.table = QTableWidget(0, 4)
        self.table.setAccessibleName(self.tr("Requests that left this machine"))
        names = [self.tr("When"), self.tr("Where to"), self.tr("Answer"), self.tr("Received")]
        self.table.setHorizontalHeaderLabels(names)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        head = self.table.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.note = label("", "muted", wrap=True)
        clear = text_button(self.tr("Clear the list"), "danger")
        clear.clicked.connect(self._on_cleared)
        close = text_button(self.tr("Close"), "primary")
        close.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.addWidget(clear)
        row.addStretch(1)
        row.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addWidget(self.note)
        column.addWidget(self.table, 1)
        column.addLayout(row)
        self.show_lines(lines)

    def show_lines(self, lines: Sequence[RequestLine]) -> None:
        """Show the newest requests."""
        self.note.setText(
            self.tr("Only downloads that you start open a connection. Nothing else was sent.")
            if lines
            else self.tr("No connection was opened so far.")
        )
        shown = list(reversed(lines[-MOST_SHOWN:]))
        self.table.setRowCount(len(shown))
        for n, line in enumerate(shown):
            when = QDateTime.fromSecsSinceEpoch(int(line.at))
            texts = (
                QLocale().toString(when, QLocale.FormatType.ShortFormat),
                f"{line.host}{line.path}",
                line.outcome,
                as_size(line.received_bytes),
            )
            for column, text in enumerate(texts):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                self.table.setItem(n, column, item)

    def _on_cleared(self) -> None:
        self.cleared.emit()
        self.show_lines(())
