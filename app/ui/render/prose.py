"""Paragraphs, headings, list items and quotes in one small document that can change at its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QTextBlock, QTextCursor

from app.ui.render.blocks import Block, size_of, slice_block
from app.ui.render.rich import Mark, RichText

if TYPE_CHECKING:
    from app.ui.render.style import Style

BOXES = {"[ ]", "[x]"}


class ProseDocument:
    """Some blocks laid out one below the other; lives on the GUI thread.

    Positions are those of the text document: one for each character, one between blocks.

    Attributes:
        blocks: What it shows.
        size: Characters of text, to tell when it is full.
    """

    def __init__(self, style: Style) -> None:
        self.style = style
        self.blocks: list[Block] = []
        self.size = 0
        self.rich = RichText(style)
        self._width = 0.0
        self._starts: list[int] = []

    def replace_from(self, index: int, blocks: Sequence[Block]) -> None:
        """Put blocks in the place of those from an index on."""
        cursor = QTextCursor(self.rich.document)
        cursor.beginEditBlock()
        if index < len(self.blocks):
            cursor.setPosition(max(self._starts[index] - 1, 0))
            cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
            del self.blocks[index:]
            del self._starts[index:]
        else:
            cursor.movePosition(QTextCursor.MoveOperation.End)
        for block in blocks:
            self._append(cursor, block)
        cursor.endEditBlock()
        self.size = self.rich.length

    def _append(self, cursor: QTextCursor, block: Block) -> None:
        style = self.style
        before = self.blocks[-1] if self.blocks else None
        form = style.paragraph(block, style.gap(before, block))
        first = style.character(block.runs[0], block) if block.runs else style.font_only
        if before is None:
            cursor.setBlockFormat(form)
            cursor.setBlockCharFormat(first)
        else:
            cursor.insertBlock(form, first)
        self._starts.append(cursor.position())
        self.rich.insert(cursor, block.runs, block)
        self.blocks.append(block)

    def set_formulas(self) -> bool:
        """Show formulas that were source until now; true if there was one."""
        changed = False
        for block, start in zip(self.blocks, self._starts, strict=True):
            if any(run.maths for run in block.runs):
                changed |= self.rich.set_formulas(block.runs, start, block)
        return changed

    def lay_out(self, width: float) -> float:
        """Take a width in pixels; returns the height."""
        self._width = width
        return self.rich.lay_out(width).height()

    def top_of_change(self, index: int) -> float:
        """Where a block begins, in pixels from the top, what stands above it excluded."""
        if index <= 0 or index >= len(self._starts):
            return 0.0
        return self.rich.top_of(self._starts[index]) - self.style.palette.pixels

    def ideal_width(self) -> float:
        """The width of the longest line as laid out."""
        return self.rich.document.idealWidth()

    @property
    def length(self) -> int:
        """How many positions there are, less one."""
        return self.rich.length

    def raw(self) -> str:
        """The text by positions."""
        return self.rich.raw()

    def position_at(self, x: float, y: float) -> int:
        """The position nearest to a point."""
        return self.rich.position_at(x, y)

    def link_at(self, x: float, y: float) -> str:
        """The address of the link under a point."""
        return self.rich.link_at(x, y)

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
        """The blocks between two positions, the first and the last cut there."""
        found: list[Block] = []
        for block, start in zip(self.blocks, self._starts, strict=True):
            size = size_of(block)
            low, high = max(begin - start, 0), min(end - start, size)
            if low < high or (not size and low == high == 0):
                found.append(slice_block(block, low, high))
        return found

    def block_starts(self) -> list[int]:
        """The position at which each block begins."""
        return self._starts

    # -------------------------------------------------------------------------------- painting

    def paint(self, painter: QPainter, clip: QRectF, marks: Sequence[Mark]) -> None:
        """Draw what lies in a rectangle, some ranges on a coloured ground."""
        self.rich.paint(painter, clip, marks)
        layout = self.rich.document.documentLayout()
        text_block = self.rich.document.begin()
        for block in self.blocks:
            if block.path or block.marker or block.kind == "rule":
                box = layout.blockBoundingRect(text_block)
                if box.bottom() >= clip.top() and box.top() <= clip.bottom():
                    self._decorate(painter, block, text_block, box)
            text_block = text_block.next()

    def _decorate(
        self, painter: QPainter, block: Block, text_block: QTextBlock, box: QRectF
    ) -> None:
        style = self.style
        rtl = text_block.textDirection() == Qt.LayoutDirection.RightToLeft
        for depth, container in enumerate(block.path):
            if container == "q":
                x = self._width - depth * style.indent - 5 if rtl else depth * style.indent + 2
                above = text_block.previous()
                top = box.top()
                if above.isValid() and "q" in self.blocks[above.blockNumber()].path:
                    layout = self.rich.document.documentLayout()
                    top = layout.blockBoundingRect(above).bottom() - 1
                bar = QRectF(x, top, 3, box.bottom() - top)
                painter.fillRect(bar, style.colour("border"))
        if block.kind == "rule":
            y = round(box.center().y())
            painter.setPen(QPen(style.colour("border"), 1))
            painter.drawLine(QPointF(len(block.path) * style.indent, y), QPointF(self._width, y))
        if block.marker:
            self._draw_marker(painter, block, text_block, box, rtl=rtl)

    def _draw_marker(
        self, painter: QPainter, block: Block, text_block: QTextBlock, box: QRectF, *, rtl: bool
    ) -> None:
        style = self.style
        layout = text_block.layout()
        if not layout.lineCount():
            return
        line = layout.lineAt(0)
        baseline = box.top() + line.y() + line.ascent()
        right = max(len(block.path), 1) * style.indent - style.indent * 0.3
        if block.marker in BOXES:
            side = style.palette.pixels * 0.86
            left = self._width - right if rtl else right - side
            box = QRectF(left, baseline - side * 0.9, side, side)
            draw_check_box(painter, style, box, done=block.marker == "[x]")
            return
        painter.setFont(style.small_font if block.kind == "note" else style.font)
        painter.setPen(style.colour("muted"))
        wide = painter.fontMetrics().horizontalAdvance(block.marker)
        left = self._width - right if rtl else max(right - wide, 0.0)
        painter.drawText(QPointF(left, baseline), block.marker)


def draw_check_box(painter: QPainter, style: Style, box: QRectF, *, done: bool) -> None:
    """Draw a check box, ticked or not."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(style.colour("accent" if done else "muted"), 1.3))
    painter.setBrush(style.colour("accent") if done else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
    if done:
        painter.setPen(QPen(style.colour("on_accent"), 1.8))
        x, y, side = box.x(), box.y(), box.width()
        tick = ((0.24, 0.52), (0.43, 0.71), (0.77, 0.3))
        painter.drawPolyline([QPointF(x + side * a, y + side * b) for a, b in tick])
    painter.restore()
