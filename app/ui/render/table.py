"""One piece of a table: rows can be added; a wide table scrolls inside its own frame."""

from __future__ import annotations

from collections.abc import Sequence
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
    QTextTableFormat,
)

from app.ui.render.blocks import BOLD, Block, Run, runs_text, slice_block
from app.ui.render.rich import Mark, RichText

if TYPE_CHECKING:
    from app.ui.render.style import Style

PADDING_X, PADDING_Y = 10, 6
LEAST_WEIGHT, MOST_WEIGHT, MOST_LEAST = 5, 42, 18
Weights = tuple[tuple[int, int], ...]
_ALIGN = {
    "": Qt.AlignmentFlag.AlignLeading,
    "left": Qt.AlignmentFlag.AlignLeft,
    "center": Qt.AlignmentFlag.AlignHCenter,
    "right": Qt.AlignmentFlag.AlignRight,
}


class TableDocument:
    """Some rows of a table; lives on the GUI thread.

    Attributes:
        blocks: One for each row.
        size: Characters in them, to tell when it is full.
        weights: How wide each column wants to be and must be, in characters: as in the piece
            before, or by these rows where there is none.
        scroll_x: How far it is scrolled to the right, in pixels.
    """

    def __init__(self, style: Style, columns: int, weights: Weights = ()) -> None:
        self.style = style
        self.rich = RichText(style)
        self.blocks: list[Block] = []
        self.size = 0
        self.scroll_x = 0.0
        self._given = weights
        self._columns = max(columns, 1)
        self.weights = weights or ((LEAST_WEIGHT, LEAST_WEIGHT),) * self._columns
        self._width = 0.0
        self._total = 0.0
        self._bottoms: list[float] = []
        form = QTextTableFormat()
        form.setBorder(0)
        form.setCellSpacing(0)
        form.setCellPadding(0)
        form.setMargin(0)
        self._table = QTextCursor(self.rich.document).insertTable(1, self._columns, form)

    def replace_from(self, index: int, blocks: Sequence[Block]) -> None:
        """Put rows in the place of those from an index on."""
        cursor = QTextCursor(self.rich.document)
        cursor.beginEditBlock()
        before = self.blocks[index:]
        del self.blocks[index:]
        self.blocks += blocks
        count = max(len(self.blocks), 1)
        if count < self._table.rows():
            self._table.removeRows(count, self._table.rows() - count)
        elif count > self._table.rows():
            self._table.appendRows(count - self._table.rows())
        for row in range(index, len(self.blocks)):
            old = before[row - index] if row - index < len(before) else None
            self._fill(row, self.blocks[row], old)
        cursor.endEditBlock()
        self.size = self.rich.length
        if not self._given:
            self.weights = weigh(self.blocks, self._columns)
        if self._width:
            self._constrain()

    def _fill(self, row: int, block: Block, old: Block | None) -> None:
        """Write a row; of a row that is there only the cells that changed."""
        assert block.table is not None
        cells = block.table.rows[0]
        known = old.table.rows[0] if old is not None and old.table is not None else None
        for column in range(self._columns):
            runs = cells[column] if column < len(cells) else ()
            if known is not None and runs == (known[column] if column < len(known) else ()):
                continue
            cell = self._table.cellAt(row, column)
            cursor = cell.firstCursorPosition()
            if known is not None:
                last = cell.lastCursorPosition().position()
                cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
                cursor.removeSelectedText()
            else:
                self._pad(row, column)
                cursor.setBlockFormat(self._cell_format(block, column))
            if block.table.has_header:
                runs = tuple(replace(run, style=run.style | BOLD) for run in runs)
            self.rich.insert(cursor, runs, block)

    def top_of_change(self, row: int) -> float:
        """Where a row begins, in pixels from the top."""
        if row <= 0 or row >= self._table.rows():
            return 0.0
        layout = self.rich.document.documentLayout()
        block = self._table.cellAt(row, 0).firstCursorPosition().block()
        return layout.blockBoundingRect(block).top() - 2 * PADDING_Y

    def _pad(self, row: int, column: int) -> None:
        cell = self._table.cellAt(row, column)
        form = cell.format().toTableCellFormat()
        form.setTopPadding(PADDING_Y)
        form.setBottomPadding(PADDING_Y)
        form.setLeftPadding(0 if column == 0 else PADDING_X)
        form.setRightPadding(PADDING_X)
        cell.setFormat(QTextCharFormat(form))

    def _cell_format(self, block: Block, column: int) -> QTextBlockFormat:
        made = QTextBlockFormat()
        self.style.lead(made, block)
        aligns = block.table.aligns if block.table is not None else ()
        if column < len(aligns) and aligns[column]:
            made.setAlignment(_ALIGN[aligns[column]])
        return made

    def set_formulas(self) -> bool:
        """Show formulas that were source until now; true if there was one."""
        changed = False
        for row, block in enumerate(self.blocks):
            cells = block.table.rows[0][: self._columns] if block.table is not None else ()
            for column, runs in enumerate(cells):
                if any(run.maths for run in runs):
                    at = self._table.cellAt(row, column).firstPosition()
                    changed |= self.rich.set_formulas(runs, at, block)
        return changed

    # ---------------------------------------------------------------------------------- layout

    def lay_out(self, width: float) -> float:
        """Take a width in pixels; returns the height without a scroll bar."""
        self._width = width
        self._constrain()
        height = self.rich.lay_out(self._total).height()
        self._bottoms = [self._bottom_of(row) for row in range(self._table.rows())]
        self.scroll_x = min(self.scroll_x, self.widest_scroll)
        return height

    def _bottom_of(self, row: int) -> float:
        """Where the line below a row is drawn."""
        layout = self.rich.document.documentLayout()
        cells = (self._table.cellAt(row, column) for column in range(self._columns))
        boxes = [layout.blockBoundingRect(c.firstCursorPosition().block()) for c in cells]
        return round(max(box.bottom() for box in boxes) + PADDING_Y) - 0.5

    def _constrain(self) -> None:
        """Share the width among the columns."""
        character = self.style.character_width * 1.06
        room = 2 * PADDING_X
        natural = [wanted * character + room for wanted, _ in self.weights]
        least = [word * character + room for _, word in self.weights]
        if sum(natural) <= self._width:
            widths = natural
        else:
            spare = max(self._width - sum(least), 0.0)
            wishes = [max(n - m, 0.0) for n, m in zip(natural, least, strict=True)]
            share = spare / max(sum(wishes), 1.0)
            widths = [m + w * share for m, w in zip(least, wishes, strict=True)]
        self._total = sum(widths)
        form = self._table.format().toTableFormat()
        if [each.rawValue() for each in form.columnWidthConstraints()] != widths:
            fixed = QTextLength.Type.FixedLength
            form.setColumnWidthConstraints([QTextLength(fixed, width) for width in widths])
            form.setWidth(QTextLength(fixed, self._total))
            self._table.setFormat(form)

    @property
    def n_columns(self) -> int:
        """How many columns it has."""
        return self._columns

    @property
    def n_cells(self) -> int:
        """How many cells it has, to tell when it is full."""
        return len(self.blocks) * self._columns

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

    def selected(self, begin: int, end: int) -> list[Block]:
        """The rows between two positions, only the cells that are touched if it is one row."""
        touched: list[Block] = []
        for row, block in enumerate(self.blocks):
            first = self._table.cellAt(row, 0).firstPosition()
            last = self._table.cellAt(row, self._columns - 1).lastPosition()
            if begin > last or end < first:
                continue
            cut = first < begin or end < last
            touched.append(self._cut(block, row, begin, end) if cut else block)
        return touched

    def _cut(self, block: Block, row: int, begin: int, end: int) -> Block:
        assert block.table is not None
        cells: list[tuple[Run, ...]] = []
        for column, runs in enumerate(block.table.rows[0][: self._columns]):
            at = self._table.cellAt(row, column).firstPosition()
            cells.append(slice_block(Block("paragraph", runs), begin - at, end - at).runs)
        return replace(block, table=replace(block.table, rows=(tuple(cells),)))

    def paint(self, painter: QPainter, clip: QRectF, marks: Sequence[Mark]) -> None:
        """Draw what lies in a rectangle, some ranges on a coloured ground."""
        painter.save()
        painter.setClipRect(QRectF(0, clip.top(), self._width, clip.height()))
        painter.translate(-self.scroll_x, 0)
        self.rich.paint(painter, clip.translated(self.scroll_x, 0), marks)
        painter.setPen(QPen(self.style.colour("border"), 1))
        for bottom in self._bottoms:
            if clip.top() - 2 <= bottom <= clip.bottom() + 2:
                painter.drawLine(QPointF(0, bottom), QPointF(self._total, bottom))
        painter.restore()


def weigh(blocks: Sequence[Block], columns: int) -> Weights:
    """How wide each column wants to be and must be at least, in characters."""
    wanted = [LEAST_WEIGHT] * columns
    least = [LEAST_WEIGHT] * columns
    for block in blocks:
        row = block.table.rows[0] if block.table is not None else ()
        for i, cell in enumerate(row[:columns]):
            text = runs_text(cell)
            wanted[i] = max(wanted[i], min(len(text) + 2, MOST_WEIGHT))
            word = max(map(len, text.split()), default=0)
            least[i] = max(least[i], min(word + 1, MOST_LEAST))
    return tuple(zip(wanted, least, strict=True))
