"""One piece of a table: rows can be added; a wide table scrolls inside its own frame."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QPainter,
    QPen,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextLength,
    QTextTable,
    QTextTableFormat,
)

from app.ui.render.blocks import BOLD, Block, Table, plain_text
from app.ui.render.rich import Mark, RichText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.ui.render.style import Style

PADDING_X, PADDING_Y = 10, 6
NARROWEST = 64
_ALIGN = {
    "": Qt.AlignmentFlag.AlignLeading,
    "left": Qt.AlignmentFlag.AlignLeft,
    "center": Qt.AlignmentFlag.AlignHCenter,
    "right": Qt.AlignmentFlag.AlignRight,
}


class TableDocument:
    """The rows of one table block; lives on the GUI thread.

    Attributes:
        scroll_x: How far it is scrolled to the right, in pixels.
    """

    def __init__(self, style: Style, block: Block) -> None:
        assert block.table is not None
        self.style = style
        self.rich = RichText(style)
        self.scroll_x = 0.0
        self._width = 0.0
        self._total = 0.0
        self._block = block
        self._rows: list[tuple[object, ...]] = []
        self._table = self._make(block.table)
        self.set_block(block)

    def _make(self, table: Table) -> QTextTable:
        form = QTextTableFormat()
        form.setBorder(0)
        form.setCellSpacing(0)
        form.setCellPadding(0)
        form.setMargin(0)
        return QTextCursor(self.rich.document).insertTable(1, max(len(table.weights), 1), form)

    def set_block(self, block: Block) -> None:
        """Show a table that begins with the rows already shown, or with some of them."""
        assert block.table is not None
        table = block.table
        columns = max(len(table.weights), 1)
        cursor = QTextCursor(self.rich.document)
        cursor.beginEditBlock()
        if columns != self._table.columns():
            self._table.resize(max(self._table.rows(), 1), columns)
        same = 0
        while same < min(len(self._rows), len(table.rows)) and self._rows[same] == table.rows[same]:
            same += 1
        self._table.resize(max(len(table.rows), 1), columns)
        for row in range(same, len(table.rows)):
            self._fill(row, table, clear=row < len(self._rows))
        cursor.endEditBlock()
        self._rows = list(table.rows)
        self._block = block
        if self._width:
            self._constrain()

    def _fill(self, row: int, table: Table, *, clear: bool) -> None:
        header = row == 0 and table.has_header
        for column, runs in enumerate(table.rows[row][: self._table.columns()]):
            cell = self._table.cellAt(row, column)
            cursor = cell.firstCursorPosition()
            if clear:
                cursor.setPosition(
                    cell.lastCursorPosition().position(), QTextCursor.MoveMode.KeepAnchor
                )
                cursor.removeSelectedText()
            self._pad(row, column)
            cursor.setBlockFormat(self._cell_format(table, column))
            shown = tuple(replace(run, style=run.style | BOLD) for run in runs) if header else runs
            self.rich.insert(cursor, shown, self._block)

    def _pad(self, row: int, column: int) -> None:
        cell = self._table.cellAt(row, column)
        form = cell.format().toTableCellFormat()
        form.setTopPadding(PADDING_Y)
        form.setBottomPadding(PADDING_Y)
        form.setLeftPadding(0 if column == 0 else PADDING_X)
        form.setRightPadding(PADDING_X)
        cell.setFormat(QTextCharFormat(form))

    def _cell_format(self, table: Table, column: int) -> QTextBlockFormat:
        made = QTextBlockFormat()
        made.setLineHeight(135.0, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        align = table.aligns[column] if column < len(table.aligns) else ""
        if align:
            made.setAlignment(_ALIGN[align])
        return made

    # ---------------------------------------------------------------------------------- layout

    def lay_out(self, width: float) -> float:
        """Take a width in pixels; returns the height without a scroll bar."""
        self._width = width
        self._constrain()
        height = self.rich.lay_out(self._total).height()
        self.scroll_x = min(self.scroll_x, self.widest_scroll)
        return height

    def _constrain(self) -> None:
        table = self._block.table
        assert table is not None
        weights = table.weights or (1,)
        character = self.style.character_width
        natural = [weight * character + 2 * PADDING_X for weight in weights]
        least = NARROWEST * len(weights)
        self._total = max(min(sum(natural), self._width), min(least, sum(natural)), 1.0)
        share = self._total / sum(natural)
        form = self._table.format().toTableFormat()
        lengths = [QTextLength(QTextLength.Type.FixedLength, part * share) for part in natural]
        if [c.rawValue() for c in form.columnWidthConstraints()] != [c.rawValue() for c in lengths]:
            form.setColumnWidthConstraints(lengths)
            form.setWidth(QTextLength(QTextLength.Type.FixedLength, self._total))
            self._table.setFormat(form)

    @property
    def widest_scroll(self) -> float:
        """How far it can be scrolled to the right."""
        return max(self._total - self._width, 0.0)

    @property
    def length(self) -> int:
        """How many positions there are, less one."""
        return self.rich.length

    def raw(self) -> str:
        """The text by positions."""
        return self.rich.raw()

    def position_at(self, x: float, y: float) -> int:
        """The position nearest to a point."""
        return self.rich.position_at(x + self.scroll_x, y)

    def link_at(self, x: float, y: float) -> str:
        """The address of the link under a point."""
        return self.rich.link_at(x + self.scroll_x, y)

    def word_at(self, position: int) -> tuple[int, int]:
        """The word around a position."""
        return self.rich.word_at(position)

    def paragraph_at(self, position: int) -> tuple[int, int]:
        """The paragraph around a position."""
        return self.rich.paragraph_at(position)

    def top_of(self, position: int) -> float:
        """How far below the top the line with a position begins, in pixels."""
        return self.rich.top_of(position)

    def text(self, begin: int = 0, end: int | None = None) -> str:
        """The cells between two positions, tabs between columns."""
        length = self.rich.length
        end = length if end is None else end
        if begin <= 0 and end >= length:
            return plain_text(self._block)
        lines: list[str] = []
        for row in range(self._table.rows()):
            cells: list[str] = []
            for column in range(self._table.columns()):
                cell = self._table.cellAt(row, column)
                low = max(cell.firstPosition(), begin)
                high = min(cell.lastPosition(), end)
                if low < high:
                    cells.append(self.rich.raw()[low:high])
            if cells:
                lines.append("\t".join(cells))
        return "\n".join(lines)

    def paint(self, painter: QPainter, clip: QRectF, marks: Sequence[Mark]) -> None:
        """Draw what lies in a rectangle, some ranges on a coloured ground."""
        painter.save()
        painter.setClipRect(QRectF(0, clip.top(), self._width, clip.height()))
        painter.translate(-self.scroll_x, 0)
        self.rich.paint(painter, clip.translated(self.scroll_x, 0), marks)
        layout = self.rich.document.documentLayout()
        painter.setPen(QPen(self.style.colour("border"), 1))
        for row in range(self._table.rows()):
            boxes = [
                layout.blockBoundingRect(self._table.cellAt(row, c).firstCursorPosition().block())
                for c in range(self._table.columns())
            ]
            bottom = round(max(box.bottom() for box in boxes) + PADDING_Y) - 0.5
            if clip.top() - 2 <= bottom <= clip.bottom() + 2:
                painter.drawLine(QPointF(0, bottom), QPointF(self._total, bottom))
        painter.restore()
