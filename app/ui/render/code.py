"""A code block: only the lines that are looked at are laid out, however many there are.

Code always reads from left to right. A very long line is shown in pieces, which are joined again
when it is copied; wrapping is the same with shorter pieces.
"""

from __future__ import annotations

import time
import unicodedata
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QTextCharFormat, QTextLayout, QTextOption

from app.ui.render.blocks import Block
from app.ui.render.clean import with_visible_bidi_controls
from app.ui.render.lexing import LineColours, Span, language_name

if TYPE_CHECKING:
    from app.ui.render.rich import Mark
    from app.ui.render.style import Style

PIECE = 2000
KEPT_LAYOUTS = 300
PADDING = 12
GROW_SECONDS = 0.003


class CodeDocument:
    """The lines of one code block; lives on the GUI thread.

    Positions count the shown characters, and one between lines.

    Attributes:
        language: As written after the fence. `language_name` is how it is called.
        source: The code as written, for copying.
        scroll_x: How far it is scrolled to the right, in pixels.
    """

    def __init__(self, style: Style, language: str, *, wrapped: bool = False) -> None:
        self.style = style
        self.language = language
        self.language_name = language_name(language)
        self.source = ""
        self.wrapped = wrapped
        self.scroll_x = 0.0
        self._width = 0.0
        self._piece = PIECE
        self._lines: list[str] = [""]
        self._rows: list[tuple[int, int, int]] = []  # line, begin, end
        self._starts: list[int] = []
        self._row_of_line: list[int] = []
        self._longest = 0
        self._layouts: OrderedDict[int, QTextLayout] = OrderedDict()
        self._colours = LineColours(language)
        self._open_spans: list[Span] = []
        self._option = QTextOption()
        self._option.setWrapMode(QTextOption.WrapMode.NoWrap)
        self._option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        self._option.setTabStopDistance(style.code_character * 4)
        self._split_from(0)

    # ------------------------------------------------------------------------------------ text

    def set_text(self, text: str) -> int:
        """Show a text; one that begins with the text shown costs only what is new.

        Returns:
            The first line that changed.
        """
        if text == self.source:
            return len(self._lines) - 1
        if text.startswith(self.source):
            first = len(self._lines) - 1
            new = text[len(self.source) :].split("\n")
            added = [self._lines[-1] + _shown(new[0]), *(_shown(line) for line in new[1:])]
        else:
            first = 0
            added = [_shown(line) for line in text.split("\n")]
            self._colours = LineColours(self.language)
        self.source = text
        self._lines[first:] = added
        self._split_from(first)
        self._colours.grow(self._lines[:-1], time.perf_counter() + GROW_SECONDS)
        if len(self._colours.spans) == len(self._lines) - 1:
            self._open_spans = self._colours.open_line(self._lines[-1])
        return first

    def top_of_change(self, line: int) -> float:
        """Where a line begins, in pixels from the top."""
        row = self._row_of_line[min(line, len(self._row_of_line) - 1)]
        return float(row * self.style.code_line_height)

    def set_formulas(self) -> bool:
        """Code has none."""
        return False

    def finish(self) -> None:
        """Nothing more will come: colour it as a whole, in slices, by `work`."""
        self._colours.finish("\n".join(self._lines))

    @property
    def needs_work(self) -> bool:
        """Whether colours are still missing."""
        return not self._colours.is_finished

    def work(self, deadline: float) -> bool:
        """Colour until a moment passes; true if there is something new to paint."""
        changed = self._colours.work(deadline)
        if changed:
            self._layouts.clear()
        return changed

    def _split_from(self, line: int) -> None:
        """Cut lines into rows again, from a line on."""
        del self._row_of_line[line:]
        first = self._row_of_line[-1] if self._row_of_line else 0
        while first < len(self._rows) and self._rows[first][0] < line:
            first += 1
        del self._rows[first:]
        del self._starts[first:]
        for row in [row for row in self._layouts if row >= first]:
            del self._layouts[row]
        for number in range(line, len(self._lines)):
            self._add_line(number)

    def _add_line(self, number: int) -> None:
        text = self._lines[number]
        self._row_of_line.append(len(self._rows))
        at = 0
        while True:
            end = _piece_end(text, at, self._piece)
            if self._rows:
                last = self._rows[-1]
                joined = last[0] == number
                self._starts.append(self._starts[-1] + last[2] - last[1] + (0 if joined else 1))
            else:
                self._starts.append(0)
            self._rows.append((number, at, end))
            self._longest = max(self._longest, end - at)
            at = end
            if at >= len(text):
                return

    # ---------------------------------------------------------------------------------- layout

    def lay_out(self, width: float) -> float:
        """Take a width in pixels; returns the height without header and scroll bar."""
        self._width = width
        columns = int((width - 2 * PADDING) / self.style.code_character)
        piece = max(min(columns, PIECE), 8) if self.wrapped else PIECE
        if piece != self._piece:
            self._piece = piece
            self._longest = 0
            self._split_from(0)
        self.scroll_x = min(self.scroll_x, self.widest_scroll)
        return len(self._rows) * self.style.code_line_height + PADDING

    @property
    def widest_scroll(self) -> float:
        """How far it can be scrolled to the right."""
        wide = self._longest * self.style.code_character + 2 * PADDING
        return 0.0 if self.wrapped else max(wide - self._width, 0.0)

    def position_at(self, x: float, y: float) -> int:
        """The position nearest to a point."""
        row = min(max(int(y / self.style.code_line_height), 0), len(self._rows) - 1)
        line = self._layout(row).lineAt(0)
        return self._starts[row] + int(line.xToCursor(x - PADDING + self.scroll_x))

    def link_at(self, x: float, y: float) -> str:
        """Code has no links."""
        return ""

    @property
    def length(self) -> int:
        """How many positions there are, less one."""
        last = self._rows[-1]
        return self._starts[-1] + last[2] - last[1]

    def raw(self) -> str:
        """The text by positions."""
        return "\n".join(self._lines)

    def selected(self, begin: int, end: int) -> list[Block]:
        """The code between two positions; all of it as it was written."""
        whole = begin <= 0 and end >= self.length
        text = self.source if whole else self.raw()[begin:end]
        return [Block("code", language=self.language, text=text)]

    def top_of(self, position: int) -> float:
        """How far below the top the row with a position begins, in pixels."""
        row = bisect_right(self._starts, position) - 1
        return float(max(row, 0) * self.style.code_line_height)

    def word_at(self, position: int) -> tuple[int, int]:
        """The word around a position."""
        text = self.raw()
        begin = end = min(position, len(text))
        while begin > 0 and (text[begin - 1].isalnum() or text[begin - 1] == "_"):
            begin -= 1
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
        return begin, end

    def paragraph_at(self, position: int) -> tuple[int, int]:
        """The line around a position."""
        row = bisect_right(self._starts, position) - 1
        line = self._rows[row][0]
        begin = self._starts[self._row_of_line[line]]
        return begin, begin + len(self._lines[line])

    # -------------------------------------------------------------------------------- painting

    def paint(self, painter: QPainter, clip: QRectF, marks: Sequence[Mark]) -> None:
        """Draw the rows that a rectangle touches, some ranges on a coloured ground."""
        height = self.style.code_line_height
        first = max(int(clip.top() / height), 0)
        last = min(int(clip.bottom() / height) + 1, len(self._rows))
        painter.setPen(self.style.colour("text"))
        painter.save()
        painter.setClipRect(QRectF(1, clip.top(), self._width - 2, clip.height()))
        for row in range(first, last):
            layout = self._layout(row)
            where = QPointF(PADDING - self.scroll_x, row * height)
            layout.draw(painter, where, self._marks(row, marks), QRectF())
        painter.restore()

    def _marks(self, row: int, marks: Sequence[Mark]) -> list[QTextLayout.FormatRange]:
        start = self._starts[row]
        size = self._rows[row][2] - self._rows[row][1]
        made: list[QTextLayout.FormatRange] = []
        for mark in marks:
            low, high = max(mark.begin - start, 0), min(mark.end - start, size)
            if low < high:
                form = QTextCharFormat()
                form.setBackground(mark.ground)
                if mark.underlined:
                    form.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
                made.append(_range(low, high - low, form))
        return made

    def _layout(self, row: int) -> QTextLayout:
        layout = self._layouts.get(row)
        if layout is not None:
            self._layouts.move_to_end(row)
            return layout
        number, begin, end = self._rows[row]
        layout = QTextLayout(self._lines[number][begin:end], self.style.code_font)
        layout.setTextOption(self._option)
        layout.setFormats(self._ranges(number, begin, end))
        layout.setCacheEnabled(True)
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(1e7)
        line.setPosition(QPointF(0, self.style.code_ascent - line.ascent()))
        layout.endLayout()
        self._layouts[row] = layout
        if len(self._layouts) > KEPT_LAYOUTS:
            self._layouts.popitem(last=False)
        return layout

    def _ranges(self, number: int, begin: int, end: int) -> list[QTextLayout.FormatRange]:
        colours = self._colours.spans
        is_open = number == len(self._lines) - 1 and number >= len(colours)
        spans = self._open_spans if is_open else colours[number] if number < len(colours) else []
        made: list[QTextLayout.FormatRange] = []
        for at, length, kind in spans:
            low, high = max(at, begin), min(at + length, end)
            if low < high and (form := self.style.code_format(kind)) is not None:
                made.append(_range(low - begin, high - low, form))
        return made


def _range(start: int, length: int, form: QTextCharFormat) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start = start
    made.length = length
    made.format = form
    return made


def _shown(line: str) -> str:
    return with_visible_bidi_controls(line)


def _piece_end(text: str, at: int, size: int) -> int:
    """Where the next piece of a line ends; wide characters take two columns."""
    end = min(at + size, len(text))
    if size < PIECE and not text[at:end].isascii():
        columns = 0
        for i in range(at, end):
            columns += 2 if unicodedata.east_asian_width(text[i]) in "WF" else 1
            if columns > size:
                return max(i, at + 1)
    while at < end < len(text) and (unicodedata.combining(text[end]) or text[end] == "\u200d"):
        end -= 1
    return max(end, min(at + 1, len(text)))
