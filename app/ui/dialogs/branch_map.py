"""The branch map: every version of a conversation as a tree to choose from."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.rows import BranchRow
from app.ui.parts import label, text_button

ID = Qt.ItemDataRole.UserRole


class BranchMap(QDialog):
    """A conversation with many versions.

    Attributes:
        chosen: The path is to run through a message.
    """

    chosen = Signal(int)

    def __init__(self, rows: Sequence[BranchRow], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Branch map"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(640, 520)
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName(self.tr("Messages and their versions"))
        self.tree.setIndentation(18)
        self._fill(rows)
        show = text_button(self.tr("Show"), "primary")
        close = text_button(self.tr("Close"))
        show.clicked.connect(self._on_chosen)
        close.clicked.connect(self.reject)
        self.tree.itemActivated.connect(lambda *_: self._on_chosen())
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(close)
        row.addWidget(show)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(10)
        column.addWidget(
            label(self.tr("What is shown now is bold; a branch begins with each version."), "muted")
        )
        column.addWidget(self.tree, 1)
        column.addLayout(row)

    def _fill(self, rows: Sequence[BranchRow]) -> None:
        """Hang a message below its parent only where the tree divides, so that it stays flat."""
        items: dict[int, QTreeWidgetItem] = {}
        groups: dict[int, QTreeWidgetItem | None] = {}
        for row in rows:
            above = groups.get(row.parent) if row.n_versions == 1 else items.get(row.parent)
            item = QTreeWidgetItem([f"{row.speaker}: {row.text}"])
            item.setData(0, ID, row.id)
            font = item.font(0)
            font.setBold(row.shown)
            item.setFont(0, font)
            if above is None:
                self.tree.addTopLevelItem(item)
            else:
                above.addChild(item)
            items[row.id] = item
            groups[row.id] = item if row.n_versions > 1 else above
            if row.shown:
                self.tree.setCurrentItem(item)
        self.tree.expandAll()

    def _on_chosen(self) -> None:
        item = self.tree.currentItem()
        if item is not None:
            self.chosen.emit(item.data(0, ID))
            self.accept()
