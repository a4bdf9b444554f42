"""A small text document that is painted, measured and hit by hand, never by a text widget.

Nothing in it can ask for a resource: it holds characters and formats only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QPainter,
    QPalette,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)

from app.ui.render.maths_object import MATHS_OBJECT

if TYPE_CHECKING:
    from app.ui.render.blocks import Block, Run
    from app.ui.render.style import Style

OBJECT = "\ufffc"


class Mark(NamedTuple):
    """A range of positions on a coloured ground, underlined or not."""

    begin: int
    end: int
    ground: QColor
    underlined: bool = False


class RichText:
    """A `QTextDocument` with the transcript's fonts; lives on the GUI thread."""

    def __init__(self, style: Style) -> None:
        self.style = style
        self.document = QTextDocument()
        self.document.setUndoRedoEnabled(False)
        self.document.setDocumentMargin(0)
        self.document.setDefaultFont(style.font)
        self.document.setDefaultTextOption(style.option)
        self.document.setIndentWidth(style.indent)
        if style.formulas is not None:
            self.document.documentLayout().registerHandler(MATHS_OBJECT, style.formulas)
        self._palette = QPalette()
        self._palette.setColor(QPalette.ColorRole.Text, style.colour("text"))

    def insert(self, cursor: QTextCursor, runs: Sequence[Run], block: Block) -> None:
        """Write runs at a cursor."""
        style = self.style
        for run in runs:
            if run.maths and style.formulas is not None:
                cursor.insertText(OBJECT, style.formula(run, block))
            else:
                cursor.insertText(run.text.replace("\n", "\u2028"), style.character(run, block))

    def set_formulas(self, runs: Sequence[Run], at: int, block: Block) -> bool:
        """Show formulas that were source until now; true if there was one.

        Args:
            runs: Of a paragraph or cell.
            at: Position at which they begin.
            block: To which they belong.
        """
        changed = False
        for run in runs:
            if run.maths:
                cursor = self._cursor(at)
                cursor.setPosition(at + 1, QTextCursor.MoveMode.KeepAnchor)
                form = self.style.formula(run, block)
                if form.font() != cursor.charFormat().font():
                    cursor.setCharFormat(form)
                    changed = True
            at += 1 if run.maths else len(run.text)
        return changed

    def lay_out(self, width: float) -> QSizeF:
        """Take a width in pixels; returns the size."""
        if width != self.document.textWidth():  # else only what changed is laid out
            self.document.setTextWidth(width)
        return self.document.size()

    def position_at(self, x: float, y: float) -> int:
        """The position nearest to a point."""
        layout = self.document.documentLayout()
        return max(layout.hitTest(QPointF(x, y), Qt.HitTestAccuracy.FuzzyHit), 0)

    def link_at(self, x: float, y: float) -> str:
        """The address of the link under a point."""
        return self.document.documentLayout().anchorAt(QPointF(x, y))

    @property
    def length(self) -> int:
        """How many positions there are, less one."""
        return self.document.characterCount() - 1

    def raw(self) -> str:
        """The text by positions: what is found at an index stands at that position."""
        return self.document.toRawText()

    def word_at(self, position: int) -> tuple[int, int]:
        """The word around a position."""
        cursor = self._cursor(position)
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return cursor.selectionStart(), cursor.selectionEnd()

    def paragraph_at(self, position: int) -> tuple[int, int]:
        """The paragraph around a position."""
        block = self._cursor(position).block()
        return block.position(), block.position() + block.length() - 1

    def _cursor(self, position: int) -> QTextCursor:
        cursor = QTextCursor(self.document)
        cursor.setPosition(min(max(position, 0), self.length))
        return cursor

    def top_of(self, position: int) -> float:
        """How far below the top the line with a position begins, in pixels."""
        block = self._cursor(position).block()
        box = self.document.documentLayout().blockBoundingRect(block)
        line = block.layout().lineForTextPosition(position - block.position())
        return box.top() + (line.y() if line.isValid() else 0.0)

    def paint(self, painter: QPainter, clip: QRectF, marks: Sequence[Mark]) -> None:
        """Draw what lies in a rectangle, some ranges on a coloured ground."""
        context = QAbstractTextDocumentLayout.PaintContext()
        context.clip = clip
        context.palette = self._palette
        if marks:
            context.selections = [self._selection(mark) for mark in marks]
        self.document.documentLayout().draw(painter, context)

    def _selection(self, mark: Mark) -> QAbstractTextDocumentLayout.Selection:
        made = QAbstractTextDocumentLayout.Selection()
        cursor = self._cursor(mark.begin)
        cursor.setPosition(min(mark.end, self.length), QTextCursor.MoveMode.KeepAnchor)
        made.cursor = cursor
        form = made.format
        form.setBackground(mark.ground)
        if mark.underlined:
            form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
            form.setUnderlineColor(self.style.colour("warning"))
        made.format = form
        return made
