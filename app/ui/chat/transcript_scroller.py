"""Where the view stands in the conversation, and what has to be on screen there.

The place is kept as a row and an offset, so that nothing that grows or is measured elsewhere moves
what is read. At the end the view follows what is written.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter

from app.ui.chat.transcript_item import BETWEEN, CODE_HEADER, Row
from app.ui.render.code import CodeDocument

if TYPE_CHECKING:
    from PySide6.QtWidgets import QAbstractScrollArea

    from app.ui.chat.transcript_page import Page
    from app.ui.chat.transcript_stage import Stage
    from app.ui.render.body import Part

COLUMN = 760
MARGIN = 28
BOTTOM = 24
ABOVE = 60
BUDGET_SECONDS = 0.006
WORK_SECONDS = 0.005
WORK_MS = 3
RADIUS = 16


class Scroller(QObject):
    """Places rows for a scroll position; lives on the GUI thread.

    Attributes:
        followed: Whether the view follows the end now.
        current: The message whose actions are shown.
        follows: The view is at the end and stays there.
    """

    followed = Signal(bool)
    placed = Signal()

    def __init__(self, area: QAbstractScrollArea, page: Page, stage: Stage) -> None:
        super().__init__(area)
        self._area = area
        self._page = page
        self._stage = stage
        self._bar = area.verticalScrollBar()
        self._bar.valueChanged.connect(self._on_scrolled)
        self._anchor: tuple[int, float] = (0, 0.0)
        self._placing = False
        self._bubbles: dict[int, QRectF] = {}
        self._mark = QRectF()
        self.current: int | None = None
        self.follows = True
        self._work = QTimer(self)
        self._work.setSingleShot(True)
        self._work.setInterval(WORK_MS)  # input and painting come in between
        self._work.timeout.connect(self._on_work)

    # ---------------------------------------------------------------------------------- places

    @property
    def top(self) -> float:
        """Where the viewport's top is, in pixels from the conversation's."""
        heights = self._page.heights
        lowest = max(heights.total + BOTTOM - self._height, 0.0)
        if self.follows:
            return lowest
        index, offset = self._anchor
        return max(min(heights.above(index) + offset, lowest), 0.0)

    @property
    def _height(self) -> int:
        return self._area.viewport().height()

    @property
    def column(self) -> tuple[int, int]:
        """Left edge and width of the column of text."""
        whole = self._area.viewport().width()
        width = max(min(COLUMN, whole - 2 * MARGIN), 120)
        return (whole - width) // 2, width

    def hold(self) -> None:
        """Keep what is read where it is, whatever changes its height; stop following."""
        top = self.top
        index = self._page.heights.find(top) if self._page.items else 0
        self._anchor = (index, top - self._page.heights.above(index))
        self.follows = False

    def go_to(self, item: int, offset: float = 0.0) -> None:
        """Bring a place to the top."""
        self._anchor = (item, offset)
        self._follow(False)
        self.place()

    def go_to_end(self) -> None:
        """Show the end and follow it."""
        self._follow(True)
        self.place()

    @property
    def place_held(self) -> tuple[int, float] | None:
        """The item at the top and how far it is scrolled out; None at the end."""
        return None if self.follows else self._anchor

    def _follow(self, follows: bool) -> None:
        if follows != self.follows:
            self.follows = follows
            self.followed.emit(follows)

    def _on_scrolled(self, value: int) -> None:
        index = self._page.heights.find(value) if self._page.items else 0
        self._anchor = (index, value - self._page.heights.above(index))
        self._follow(value >= self._bar.maximum() - 2)
        self.place()

    def rows(self) -> Iterator[tuple[int, Row, QRectF]]:
        """The rows in sight: index of their item, row, and where they are in the viewport."""
        top = self.top
        x, _ = self.column
        for index, y in self._page.between(top - ABOVE, top + self._height + ABOVE):
            for row in self._page.items[index].rows:
                yield index, row, QRectF(x + row.x, y + row.y - top, row.width, row.height)

    def message_at(self, y: float) -> int | None:
        """The message at a height of the viewport."""
        if not self._page.items:
            return None
        return self._page.items[self._page.heights.find(self.top + y)].entry.view.id

    # --------------------------------------------------------------------------------- placing

    def place(self) -> None:
        """Put everything where it belongs; what cannot be made ready in time follows soon."""
        if self._placing:  # a widget that goes out of sight may hand its focus on
            self._work.start()
            return
        self._placing = True
        try:
            self._page.set_width(self.column[1])
            self._prepare()
            self._set_bar()
            self._show_rows()
        finally:
            self._placing = False
        self.placed.emit()

    def _prepare(self) -> None:
        """Parse and lay out what is in sight, within the budget."""
        page = self._page
        deadline = time.perf_counter() + BUDGET_SECONDS
        ready = False
        while not ready:
            top = self.top
            ready = True
            for index, _ in page.between(top - ABOVE, top + self._height + ABOVE):
                if page.is_ready(index):
                    continue
                page.prepare(index)
                ready = False
                break
            if not ready and time.perf_counter() > deadline:
                self._work.start()
                return

    def _set_bar(self) -> None:
        bar = self._bar
        bar.blockSignals(True)
        bar.setRange(0, max(round(self._page.heights.total + BOTTOM - self._height), 0))
        bar.setPageStep(self._height)
        bar.setSingleStep(round(self._page.style.line_height * 2))
        bar.setValue(round(self.top))
        bar.blockSignals(False)

    def _show_rows(self) -> None:
        page, stage = self._page, self._stage
        top = self.top
        x, _ = self.column
        self._move(top)
        stage.begin()
        last = 0
        for index, y in page.between(top - ABOVE, top + self._height + ABOVE):
            last = index
            item = page.items[index]
            if page.is_ready(index):
                active = item.entry.view.id == self.current
                stage.place(index, item, x, y - top, self._height, active)
            else:
                self._work.start()
        stage.end()
        page.forget_far(range(max(last - 30, 0), last + 30))
        self._see_bubbles(x, top)

    def _move(self, top: float) -> None:
        """Move what is in sight and stays in sight, so that it need not be painted again."""
        for index, y in self._page.between(top, top + self._height):
            moved = self._stage.shift(self._page.items[index], y - top)
            if moved is None:
                continue
            if moved and abs(moved) < self._height:
                self._area.viewport().scroll(0, moved)
                for key, box in self._bubbles.items():
                    self._bubbles[key] = box.translated(0, moved)
                self._mark.translate(0, moved if not self._mark.isNull() else 0)
            return

    # -------------------------------------------------------------------------- behind the rows

    def _see_bubbles(self, x: float, top: float) -> None:
        """Have those bubbles painted that are not where they were."""
        viewport = self._area.viewport()
        bubbles: dict[int, QRectF] = {}
        for index, y in self._page.between(top - ABOVE, top + self._height + ABOVE):
            item = self._page.items[index]
            if item.bubble is not None and item.rows:
                left, above, wide, tall = item.bubble
                bubbles[index] = QRectF(x + left, y - top + above, wide, tall)
        before, self._bubbles = self._bubbles, bubbles
        for key in before.keys() | bubbles.keys():
            if before.get(key) != bubbles.get(key):
                for boxes in (before, bubbles):
                    if key in boxes:
                        viewport.update(boxes[key].toAlignedRect())
        mark = self._mark_of_current(x, top)
        if mark != self._mark:
            for box in (mark, self._mark):
                viewport.update(box.toAlignedRect())
            self._mark = mark

    def _mark_of_current(self, x: float, top: float) -> QRectF:
        """The bar beside the message that the keys act on."""
        page = self._page
        entry = page.entries.get(self.current if self.current is not None else -1)
        if entry is None or not self._area.hasFocus():
            return QRectF()
        first, last = (page.index_of(entry.items[i]) for i in (0, -1))
        begin = page.heights.above(first) - top + BETWEEN
        end = page.heights.above(last + 1) - top - 8
        return QRectF(x - 14, begin, 3, max(end - begin, 8))

    def paint(self, painter: QPainter) -> None:
        """Draw the bubbles, and the bar beside the current message."""
        style = self._page.style
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.colour("bubble"))
        for index, place in self._bubbles.items():
            if index >= len(self._page.items):
                continue
            item = self._page.items[index]
            box = QRectF(place)
            box.setTop(box.top() - (0 if item.is_first else 2 * RADIUS))
            box.setBottom(box.bottom() + (0 if item.is_last else 2 * RADIUS))
            painter.save()
            painter.setClipRect(place, Qt.ClipOperation.IntersectClip)
            painter.drawRoundedRect(box, RADIUS, RADIUS)
            painter.restore()
        painter.setBrush(style.colour("accent"))
        painter.drawRoundedRect(self._mark, 1.5, 1.5)

    # -------------------------------------------------------------------------------- later work

    def work_soon(self) -> None:
        """Go on with what did not fit into a turn."""
        self._work.start()

    def _on_work(self) -> None:
        self.place()
        deadline = time.perf_counter() + WORK_SECONDS
        for part in self._stage.parts_in_sight():
            document = part.document
            if not isinstance(document, CodeDocument) or not document.needs_work:
                continue
            if document.work(deadline) and (view := self._stage.part_view(part)):
                view.update()
            if document.needs_work:
                self._work.start()
            if time.perf_counter() > deadline:
                break

    def show_position(self, index: int, part: Part, position: int) -> QPoint:
        """Scroll until a position of a part is in sight; returns where it is then."""
        item = self._page.items[index]
        row = next((row for row in item.rows if row.part is part), None)
        if row is None:
            self.go_to(index)
            return QPoint(0, 0)
        header = CODE_HEADER if isinstance(part.document, CodeDocument) else 0
        inside = row.y + header + part.document.top_of(position)
        y = self._page.heights.above(index) + inside
        if not self.top + 20 <= y <= self.top + self._height - 3 * self._page.style.line_height:
            self.go_to(index, round(inside - self._height / 3))
        line = self._page.style.line_height
        x = self.column[0] + row.x
        return QPoint(round(x), round(self._page.heights.above(index) + inside - self.top + line))

    def point_in_text(self, point: QPointF) -> tuple[int, Row, QPointF] | None:
        """The part nearest to a point of the viewport, and the point inside it."""
        best: tuple[float, int, Row, QRectF] | None = None
        for index, row, box in self.rows():
            if row.part is None:
                continue
            distance = max(box.top() - point.y(), point.y() - box.bottom(), 0.0)
            if best is None or distance < best[0]:
                best = (distance, index, row, box)
        if best is None:
            return None
        _, index, row, box = best
        return index, row, point - box.topLeft()
