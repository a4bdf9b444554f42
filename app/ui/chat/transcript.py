"""The conversation on screen: a list of messages of any length, of which only what is seen costs.

Streaming text is collected and painted by a timer; scrolling up is never undone by new text. What
the user asks for is emitted; nothing here changes a conversation.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QAbstractSlider,
    QFrame,
    QMenu,
    QToolButton,
    QWidget,
)

from app.ui.chat.transcript_foot import ACTIONS, actions_for
from app.ui.chat.transcript_icons import draw_icon
from app.ui.chat.transcript_item import BETWEEN, CODE_HEADER, Row
from app.ui.chat.transcript_links import ask_to_open, open_in_browser
from app.ui.chat.transcript_message import MessageView
from app.ui.chat.transcript_page import GrowthKind, Page
from app.ui.chat.transcript_pointer import Pointer
from app.ui.chat.transcript_selection import (
    Place,
    Selection,
    everything,
    selected_markdown,
    selected_text,
    text_of,
)
from app.ui.chat.transcript_stage import Address, Stage
from app.ui.render.code import CodeDocument
from app.ui.render.links import shown_address
from app.ui.render.maths import FormulaShop
from app.ui.render.style import Style
from app.ui.theme import LIGHT, Palette

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.ui.render.body import Part
    from app.ui.render.rich import Mark

__all__ = ["MessageView", "Transcript"]

COLUMN = 760
MARGIN = 28
PAINT_MS = 33
TURN_CHARACTERS = 1000
BUDGET_SECONDS = 0.008
BOTTOM = 24
WORK_SECONDS = 0.005


class Transcript(QAbstractScrollArea):
    """Shows the visible path of a conversation; lives on the GUI thread.

    Attributes:
        edit_requested: Message id. The same for regenerate, branch, continue, delete, inspect.
        version_requested: Message id and the version wanted, counted from 1.
        copied: The text that went to the clipboard.
        reached_bottom: The view follows new text again, or no longer does.
    """

    edit_requested = Signal(int)
    regenerate_requested = Signal(int)
    version_requested = Signal(int, int)
    branch_requested = Signal(int)
    continue_requested = Signal(int)
    delete_requested = Signal(int)
    inspect_requested = Signal(int)
    copied = Signal(str)
    reached_bottom = Signal(bool)

    def __init__(self, palette: Palette = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Conversation")
        self.viewport().setAccessibleName("Messages")
        self.viewport().setMouseTracking(True)
        self._shop = FormulaShop(self)
        self._shop.arrived.connect(self._on_formulas)
        self._style = Style(palette, self._shop)
        self._page = Page(self._style)
        self._stage = Stage(self.viewport(), self._style, self._marks)
        self._stage.acted.connect(self._on_acted)
        self._stage.unfolded.connect(self._on_unfolded)
        self._stage.rewrapped.connect(self._on_rewrapped)
        self._stage.scrolled.connect(self.viewport().update)
        self._placing = False
        self._bubbles: dict[int, QRectF] = {}
        self._mark = QRectF()
        self._follows = True
        self._anchor: tuple[int, float] = (0, 0.0)
        self._waiting: dict[int, list[tuple[GrowthKind, str]]] = {}
        self._ending: dict[int, MessageView] = {}
        self._selection: Selection | None = None
        self._pointer = Pointer(self, self._on_clicked, self)
        self._last_double = QElapsedTimer()
        self._opener: Callable[[str], None] = open_in_browser
        self._requests = {
            "edit": self.edit_requested,
            "regenerate": self.regenerate_requested,
            "branch": self.branch_requested,
            "continue": self.continue_requested,
            "delete": self.delete_requested,
            "inspect": self.inspect_requested,
        }
        self._current: int | None = None
        self._paint_timer = _timer(self, self._on_paint_due)
        self._work_timer = _timer(self, self._on_work)
        self._latest = QToolButton(self.viewport())
        self._latest.setObjectName("latest")
        self._latest.clicked.connect(self.show_latest)
        self._latest.hide()
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self._restyle()

    # -------------------------------------------------------------------------------- messages

    def show_messages(self, messages: Sequence[MessageView]) -> None:
        """Show other messages, from the end."""
        self._forget_pending()
        self._page.show(messages)
        self._selection = None
        self._current = None
        self._follows = True
        self._place()

    def begin(self, message: MessageView) -> None:
        """Add a message at the end; one that is "writing" may grow."""
        self._flush_all()
        self._page.append(message)
        if message.role == "user":
            self._follows = True
        self._place()

    def grow(self, message_id: int, text: str, kind: GrowthKind = "answer") -> None:
        """Add text to a message that is being written; it is painted soon, not at once."""
        self._waiting.setdefault(message_id, []).append((kind, text))
        if not self._paint_timer.isActive():
            self._paint_timer.start(PAINT_MS)

    def finish(self, message: MessageView) -> None:
        """End a message that was being written; what is given here is final."""
        self._ending[message.id] = message
        if not self._paint_timer.isActive():
            self._paint_timer.start(0)

    def update_message(self, message: MessageView) -> None:
        """Show what changed of a message."""
        self._flush_all()
        if self._page.update(message):
            self._selection = None
        self._place()

    def _forget_pending(self) -> None:
        self._waiting.clear()
        self._ending.clear()
        self._paint_timer.stop()

    def _flush_all(self) -> None:
        while self._waiting or self._ending:
            self._take_turn(1 << 30)

    def flush(self) -> None:
        """Show now what was grown, a turn's worth of it at most."""
        self._paint_timer.stop()
        self._on_paint_due()

    def _on_paint_due(self) -> None:
        start = time.perf_counter()
        self._take_turn(TURN_CHARACTERS)
        self._place()
        cost_ms = (time.perf_counter() - start) * 1000
        if self._waiting or self._ending:
            backlog = any(len(text) for pieces in self._waiting.values() for _, text in pieces)
            self._paint_timer.start(0 if backlog else max(PAINT_MS, round(4 * cost_ms)))

    def _take_turn(self, limit: int) -> None:
        """Take waiting text, but no more than a turn's worth, then what ended."""
        for message_id in list(self._waiting):
            pieces = self._waiting.pop(message_id)
            while pieces and limit > 0:
                kind, text = pieces.pop(0)
                while pieces and pieces[0][0] == kind and len(text) < limit:
                    text += pieces.pop(0)[1]
                if len(text) > limit:
                    pieces.insert(0, (kind, text[limit:]))
                    text = text[:limit]
                limit -= len(text)
                if text and message_id in self._page.growing:
                    self._page.grow(message_id, text, kind)
            if pieces:
                self._waiting[message_id] = pieces
        for message_id in [i for i in self._ending if i not in self._waiting]:
            message = self._ending.pop(message_id)
            if message_id in self._page.entries:
                self._page.finish(message)
                self._work_timer.start(0)

    # ---------------------------------------------------------------------------------- layout

    def _column(self) -> tuple[float, float]:
        """Left edge and width of the column of text."""
        whole = self.viewport().width()
        width = max(min(COLUMN, whole - 2 * MARGIN), 120)
        return (whole - width) // 2, width

    def _place(self) -> None:
        """Put everything where it belongs; what cannot be made ready in time follows soon."""
        if self._placing:  # a widget that goes out of sight may hand its focus on
            self._work_timer.start(0)
            return
        self._placing = True
        try:
            self._place_now()
        finally:
            self._placing = False

    def _place_now(self) -> None:
        page = self._page
        x, width = self._column()
        page.set_width(width)
        height = self.viewport().height()
        deadline = time.perf_counter() + BUDGET_SECONDS
        ready = False
        top = 0.0
        while not ready:
            top = self._top(height)
            ready = True
            for index, _ in page.between(top - 60, top + height + 60):
                if page.is_ready(index):
                    continue
                ready = not page.prepare(index)
                if time.perf_counter() > deadline:
                    self._work_timer.start(0)
                    ready = True
                break
        top = self._top(height)
        self._set_scroll_bar(top, height)
        self._show_rows(top, x, height)

    def _top(self, height: int) -> float:
        """Where the viewport's top is now, in pixels from the beginning."""
        page = self._page
        lowest = max(page.heights.total + BOTTOM - height, 0.0)
        if self._follows:
            return lowest
        index, offset = self._anchor
        return max(min(page.heights.above(index) + offset, lowest), 0.0)

    def _set_scroll_bar(self, top: float, height: int) -> None:
        bar = self.verticalScrollBar()
        bar.blockSignals(True)
        bar.setRange(0, max(round(self._page.heights.total + BOTTOM - height), 0))
        bar.setPageStep(height)
        bar.setSingleStep(round(self._style.line_height * 2))
        bar.setValue(round(top))
        bar.blockSignals(False)
        self._place_latest()

    def _show_rows(self, top: float, x: float, height: int) -> None:
        page = self._page
        stage = self._stage
        self._shift(top, height)
        stage.begin()
        unready = False
        last = 0
        for index, y in page.between(top - 60, top + height + 60):
            last = index
            item = page.items[index]
            if not page.is_ready(index):
                unready = True
                continue
            active = item.entry.view.id == self._current
            stage.place(index, item, x, y - top, height, active)
        stage.end()
        if unready:
            self._work_timer.start(0)
        page.forget_far(range(max(last - 30, 0), last + 30))
        self._paint_bubbles(top, x, height)

    def _shift(self, top: float, height: int) -> None:
        """Move what is in sight and stays in sight, so that it need not be painted again."""
        for index, y in self._page.between(top, top + height):
            moved = self._stage.shift(self._page.items[index], y - top)
            if moved is None:
                continue
            if moved and abs(moved) < height:
                self.viewport().scroll(0, moved)
                self._bubbles = {
                    key: box.translated(0, moved) for key, box in self._bubbles.items()
                }
            return

    def _paint_bubbles(self, top: float, x: float, height: int) -> None:
        """Have those bubbles painted that are not where they were."""
        bubbles: dict[int, QRectF] = {}
        for index, y in self._page.between(top - 60, top + height + 60):
            item = self._page.items[index]
            if item.bubble is not None and item.rows:
                left, above, wide, tall = item.bubble
                bubbles[index] = QRectF(x + left, y - top + above, wide, tall)
        before, self._bubbles = self._bubbles, bubbles
        for key in before.keys() | bubbles.keys():
            if before.get(key) != bubbles.get(key):
                for boxes in (before, bubbles):
                    if key in boxes:
                        self.viewport().update(boxes[key].toAlignedRect())
        mark = self._current_mark(top, x)
        if mark != self._mark:
            for box in (mark, self._mark):
                self.viewport().update(box.toAlignedRect())
            self._mark = mark

    def _on_scrolled(self, value: int) -> None:
        bar = self.verticalScrollBar()
        follows = value >= bar.maximum() - 2
        index = self._page.heights.find(value) if self._page.items else 0
        self._anchor = (index, value - self._page.heights.above(index))
        if follows != self._follows:
            self._follows = follows
            self.reached_bottom.emit(follows)
        self._place()

    def show_latest(self) -> None:
        """Go to the end and follow what is written."""
        self._follows = True
        self.reached_bottom.emit(True)
        self._place()

    # ------------------------------------------------------------------------------- selecting

    def place_at(self, point: QPointF) -> tuple[Place, Part] | None:
        """The place in the text nearest to a point of the viewport."""
        page = self._page
        x, _ = self._column()
        top = self._top(self.viewport().height())
        best: tuple[float, Row, int] | None = None
        best_y = 0.0
        for index, y in page.between(top - 60, top + self.viewport().height() + 60):
            for row in page.items[index].rows:
                if row.part is None:
                    continue
                begin = y + row.y - top
                distance = max(begin - point.y(), point.y() - begin - row.height, 0.0)
                if best is None or distance < best[0]:
                    best, best_y = (distance, row, index), begin
        if best is None:
            return None
        _, row, _ = best
        part = row.part
        assert part is not None
        address = self._stage.addresses.get(part)
        if address is None:
            return None
        header = CODE_HEADER if isinstance(part.document, CodeDocument) else 0
        inside = QPointF(point.x() - x - row.x, point.y() - best_y - header)
        inside.setY(min(max(inside.y(), 0.0), max(row.height - header - 1, 0.0)))
        position = part.document.position_at(inside.x(), inside.y())
        return Place(*address, position), part

    def link_at(self, point: QPointF) -> str:
        """The address under a point of the viewport."""
        page = self._page
        x, _ = self._column()
        top = self._top(self.viewport().height())
        for index, y in page.between(top, top + self.viewport().height()):
            for row in page.items[index].rows:
                box = QRectF(x + row.x, y + row.y - top, row.width, row.height)
                if row.part is not None and box.contains(point):
                    inside = point - box.topLeft()
                    return row.part.document.link_at(inside.x(), inside.y())
        return ""

    def select(self, selection: Selection | None) -> None:
        """Show a selection."""
        self._selection = None if selection is None or selection.is_empty else selection
        self._stage.refresh()

    def select_all(self) -> None:
        """Select the whole conversation."""
        self.select(everything(self._page))

    @property
    def has_selection(self) -> bool:
        """Whether something is selected."""
        return self._selection is not None

    def scroll_by(self, pixels: float) -> None:
        """Scroll down by so much."""
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + round(pixels))

    def viewport_height(self) -> int:
        """In pixels."""
        return self.viewport().height()

    def copy_selection(self) -> None:
        """Put the selected text on the clipboard, plain and rich."""
        if self._selection is not None:
            self._to_clipboard(selected_text(self._page, self._selection))

    def copy_selection_as_markdown(self) -> None:
        """Put the source of what is selected on the clipboard."""
        if self._selection is not None:
            self._to_clipboard(selected_markdown(self._page, self._selection))

    def copy_message(self, message_id: int, *, markdown: bool = False) -> None:
        """Put a message on the clipboard, its thought left out."""
        view = self._page.entries[message_id].view
        self._to_clipboard(view.text if markdown else text_of(self._page, message_id))
        if foot := self._stage.foot(message_id):
            foot.tell_copied()

    def _to_clipboard(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.copied.emit(text)

    def _marks(self, address: Address, part: Part) -> list[Mark]:
        """What is drawn on a coloured ground in a part."""
        marks: list[Mark] = []
        if self._selection is not None:
            found = self._selection.range_in(*address, part.document.length)
            if found is not None:
                marks.append((*found, self._style.colour("selection")))
        return marks

    # ---------------------------------------------------------------------------------- acting

    def _on_acted(self, message_id: int, action: str) -> None:
        view = self._page.entries[message_id].view
        match action:
            case "copy":
                self.copy_message(message_id)
            case "details":
                entry = self._page.entries[message_id]
                entry.footed = not entry.footed
                self._place()
            case "previous" | "next":
                step = -1 if action == "previous" else 1
                self.version_requested.emit(message_id, view.version + step)
            case _:
                self._requests[action].emit(message_id)

    def _on_unfolded(self, message_id: int) -> None:
        entry = self._page.entries[message_id]
        self._selection = None
        entry.unfolded = not entry.unfolded
        self._hold()
        self._page.update(entry.view)
        self._place()

    def _hold(self) -> None:
        """Keep what is read where it is while something changes its height."""
        value = self.verticalScrollBar().value()
        index = self._page.heights.find(value) if self._page.items else 0
        self._anchor = (index, value - self._page.heights.above(index))
        self._follows = False

    def _on_rewrapped(self, part: Part) -> None:
        address = self._stage.addresses.get(part)
        if address is None:
            return
        self._hold()
        item = self._page.items[address[0]]
        item.width = 0.0
        part.touch(0)
        self._place()

    def _on_clicked(self, point: QPointF) -> None:
        address = self.link_at(point)
        if address:
            ask_to_open(address, self.window(), self._opener)

    # ---------------------------------------------------------------------------------- events

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to select."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        extend = None
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            extend = self._selection
        triple = self._last_double.isValid() and self._last_double.elapsed() < 400
        self._last_double.invalidate()
        self._pointer.press(
            event.position(), grain="paragraph" if triple else "character", extend=extend
        )

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select by words."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._last_double.start()
            self._pointer.press(event.position(), grain="word", extend=None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Draw the selection on, or tell what is under the pointer."""
        if self._pointer.is_pressed:
            self._pointer.move(event.position())
            return
        self._point_at(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End selecting; a click on a link asks to open it."""
        self._pointer.release(event.position())

    def _point_at(self, point: QPointF) -> None:
        address = self.link_at(point)
        viewport = self.viewport()
        viewport.setToolTip(shown_address(address) if address else "")
        shape = Qt.CursorShape.PointingHandCursor if address else Qt.CursorShape.IBeamCursor
        if not address and self._stage.nothing_at(point):
            shape = Qt.CursorShape.ArrowCursor
        viewport.setCursor(shape)
        self._make_current(self._message_at(point.y()))

    def _message_at(self, y: float) -> int | None:
        if not self._page.items:
            return None
        top = self._top(self.viewport().height())
        index = self._page.heights.find(top + y)
        return self._page.items[index].entry.view.id

    def _make_current(self, message_id: int | None) -> None:
        if message_id != self._current:
            self._current = message_id
            self._place()

    def leaveEvent(self, event: QEvent) -> None:
        """Hide the actions again."""
        if not self.hasFocus() and not self._has_focus_inside():
            self._make_current(None)

    def _has_focus_inside(self) -> bool:
        focused = self.window().focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll, go from message to message, copy."""
        bar = self.verticalScrollBar()
        action = bar.SliderAction
        keys: dict[int, QAbstractSlider.SliderAction] = {
            Qt.Key.Key_Up: action.SliderSingleStepSub,
            Qt.Key.Key_Down: action.SliderSingleStepAdd,
            Qt.Key.Key_PageUp: action.SliderPageStepSub,
            Qt.Key.Key_PageDown: action.SliderPageStepAdd,
            Qt.Key.Key_Home: action.SliderToMinimum,
            Qt.Key.Key_Space: action.SliderPageStepAdd,
        }
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_selection()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.select_all()
        elif control and event.key() in {Qt.Key.Key_Up, Qt.Key.Key_Down}:
            self.step_message(-1 if event.key() == Qt.Key.Key_Up else 1)
        elif event.key() == Qt.Key.Key_End:
            self.show_latest()
        elif event.key() == Qt.Key.Key_Escape and self._selection is not None:
            self.select(None)
        elif event.key() in keys and not control:
            bar.triggerAction(keys[event.key()])
        else:
            event.ignore()

    def step_message(self, step: int) -> None:
        """Make the message before or after the current one current, and show it."""
        ids = list(self._page.entries)
        if not ids:
            return
        now = self._current if self._current in self._page.entries else self._message_at(0)
        at = ids.index(now) if now is not None else 0
        at = at if self._current is None else min(max(at + step, 0), len(ids) - 1)
        self._current = ids[at]
        self.jump_to(ids[at])

    def jump_to(self, message_id: int) -> None:
        """Bring a message's beginning into sight."""
        entry = self._page.entries.get(message_id)
        if entry is None:
            return
        self._follows = False
        self._anchor = (self._page.index_of(entry.items[0]), 0.0)
        self._place()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with the message under the pointer, or the current one."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        message_id = self._current if by_key else self._message_at(event.pos().y())
        if message_id is None:
            return
        menu = self.menu_for(message_id, self.link_at(QPointF(event.pos())))
        menu.popup(event.globalPos())

    def menu_for(self, message_id: int, address: str = "") -> QMenu:
        """The context menu of a message."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setAccessibleName("Message")
        if self._selection is not None:
            menu.addAction("Copy selection", self.copy_selection)
            menu.addAction("Copy selection as Markdown", self.copy_selection_as_markdown)
            menu.addSeparator()
        if address:
            menu.addAction("Copy address", lambda: self._to_clipboard(shown_address(address)))
            menu.addSeparator()
        view = self._page.entries[message_id].view
        for action, name, _ in ACTIONS:
            if action not in actions_for(view):
                continue
            menu.addAction(name, partial(self._on_acted, message_id, action))
            if action == "copy" and view.role == "assistant":
                menu.addAction(
                    "Copy as Markdown", partial(self.copy_message, message_id, markdown=True)
                )
        menu.addSeparator()
        menu.addAction("Select all", self.select_all)
        return menu

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out for another size."""
        self._place()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is behind the rows: the bubbles, and a mark beside the current message."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._style.colour("page"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._style.colour("bubble"))
        for index, place in self._bubbles.items():
            item = self._page.items[index]
            box = QRectF(place)
            box.setTop(box.top() - (0 if item.is_first else 24))
            box.setBottom(box.bottom() + (0 if item.is_last else 24))
            painter.save()
            painter.setClipRect(place)
            painter.drawRoundedRect(box, 16, 16)
            painter.restore()
        painter.setBrush(self._style.colour("accent"))
        painter.drawRoundedRect(self._mark, 1.5, 1.5)
        painter.end()

    def _current_mark(self, top: float, x: float) -> QRectF:
        """The bar beside the message that the keys act on."""
        entry = self._page.entries.get(self._current if self._current is not None else -1)
        if entry is None or not self.hasFocus():
            return QRectF()
        page = self._page
        first, last = (page.index_of(entry.items[i]) for i in (0, -1))
        begin = page.heights.above(first) - top + BETWEEN
        end = page.heights.above(last + 1) - top - 8
        return QRectF(x - 14, begin, 3, max(end - begin, 8))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show which message the keys act on."""
        super().focusInEvent(event)
        if self._current is None and event.reason() != Qt.FocusReason.MouseFocusReason:
            ids = list(self._page.entries)
            self._current = ids[-1] if ids else None
        self._place()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the mark away."""
        super().focusOutEvent(event)
        self._place()

    # -------------------------------------------------------------------------------- the rest

    def _on_formulas(self) -> None:
        self._page.set_formulas()
        self._place()

    def shut_down(self) -> None:
        """End the thread that sets formulas; called before the window closes."""
        self._shop.close()

    def on_theme_changed(self, palette: Palette) -> None:
        """Take another palette or text size; what is read stays in sight."""
        self._style = Style(palette, self._shop)
        self._page.set_style(self._style)
        self._stage.restyle(self._style)
        self._restyle()
        self._place()
        self.viewport().update()

    def _restyle(self) -> None:
        self._latest.setIcon(draw_icon("down", self._style.palette.text, 16))
        self._latest.setText("Latest")
        self._latest.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._latest.setAccessibleName("Go to the latest message")
        palette = self._style.palette
        self._latest.setStyleSheet(
            f"QToolButton {{ background: {palette.field}; color: {palette.text};"
            f"border: 1px solid {palette.border}; border-radius: 15px; padding: 5px 12px; }}"
            f"QToolButton:hover {{ background: {palette.hover}; }}"
        )

    def _place_latest(self) -> None:
        bar = self.verticalScrollBar()
        away = not self._follows and bar.maximum() - bar.value() > 80
        self._latest.setVisible(away)
        if away:
            size = self._latest.sizeHint()
            viewport = self.viewport()
            self._latest.setGeometry(
                (viewport.width() - size.width()) // 2,
                viewport.height() - size.height() - 14,
                size.width(),
                size.height(),
            )
            self._latest.raise_()

    def _on_work(self) -> None:
        """Go on with what did not fit into a turn."""
        self._place()
        deadline = time.perf_counter() + WORK_SECONDS
        for part in self._stage.parts_in_sight():
            document = part.document
            if isinstance(document, CodeDocument) and document.needs_work:
                if document.work(deadline) and (view := self._stage.part_view(part)):
                    view.update()
                if document.needs_work:
                    self._work_timer.start(0)
                if time.perf_counter() > deadline:
                    break


def _timer(parent: QObject, slot: Callable[[], None]) -> QTimer:
    made = QTimer(parent)
    made.setSingleShot(True)
    made.setTimerType(Qt.TimerType.PreciseTimer)
    made.timeout.connect(slot)
    return made
