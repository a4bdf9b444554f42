"""The conversation on screen: a list of messages of any length, of which only what is seen costs.

Scrolling up is never undone by new text. What the user asks for is emitted; nothing here changes a
conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QEvent, QMimeData, QPointF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QMenu, QWidget

from app.ui.chat.transcript_copy import message_as_mime, selection_as_mime, text_as_mime
from app.ui.chat.transcript_feed import Feed
from app.ui.chat.transcript_inspector import TokenInspector
from app.ui.chat.transcript_item import CODE_HEADER
from app.ui.chat.transcript_keys import ask_of, scroll_step
from app.ui.chat.transcript_latest import LatestButton
from app.ui.chat.transcript_links import ask_to_open, open_in_browser
from app.ui.chat.transcript_menu import Entry as MenuEntry
from app.ui.chat.transcript_menu import make_menu, message_entries
from app.ui.chat.transcript_message import MessageView
from app.ui.chat.transcript_page import GrowthKind, Page
from app.ui.chat.transcript_pointer import Grain, Pointer
from app.ui.chat.transcript_scroller import Scroller
from app.ui.chat.transcript_searcher import Searcher
from app.ui.chat.transcript_selection import (
    Place,
    Selection,
    everything,
    selected_markdown,
)
from app.ui.chat.transcript_stage import Address, Stage
from app.ui.chat.transcript_warmth import Warmth
from app.ui.render.code import CodeDocument
from app.ui.render.links import shown_address
from app.ui.render.maths import FormulaShop
from app.ui.render.rich import Mark
from app.ui.render.style import Style
from app.ui.theme import LIGHT, Palette

if TYPE_CHECKING:
    from app.ui.render.body import Part
    from inference import TokenDetail

__all__ = ["MessageView", "Transcript"]

SPOKEN = 200


class Transcript(QAbstractScrollArea):
    """Shows the visible path of a conversation; lives on the GUI thread.

    Attributes:
        edit_requested: Message id. The same for regenerate, branch, continue, delete, inspect.
        version_requested: Message id and the version wanted, counted from 1.
        alternative_chosen: Message id, index of a token in the answer, and the id to say instead.
        copied: The text that went to the clipboard.
        followed: Whether the view follows what is written.
        found: Which match is shown, counted from 1 (0: none yet), and how many there are.
    """

    edit_requested = Signal(int)
    regenerate_requested = Signal(int)
    version_requested = Signal(int, int)
    branch_requested = Signal(int)
    continue_requested = Signal(int)
    delete_requested = Signal(int)
    inspect_requested = Signal(int)
    alternative_chosen = Signal(int, int, int)
    copied = Signal(str)
    followed = Signal(bool)
    found = Signal(int, int)

    def __init__(
        self,
        palette: Palette = LIGHT,
        parent: QWidget | None = None,
        opener: Callable[[str], None] = open_in_browser,
    ) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Conversation")
        self.verticalScrollBar().setAccessibleName("Scroll the conversation")
        viewport = self.viewport()
        viewport.setAccessibleName("Messages")
        viewport.setMouseTracking(True)
        self._opener = opener
        self._shop = FormulaShop(self)
        self._style = Style(palette, self._shop)
        self._page = Page(self._style)
        self._stage = Stage(viewport, self._style, self._marks)
        self._scroller = Scroller(self, self._page, self._stage)
        self._feed = Feed(self._page, self)
        self._warmth = Warmth(self)
        self._pointer = Pointer(self, self._on_clicked, self)
        self._last_double = QElapsedTimer()
        self._selection: Selection | None = None
        self._searcher = Searcher(self._page, self._scroller, self)
        self._inspector = TokenInspector(viewport, self._page, self._scroller, self._style)
        self._latest = LatestButton(self, self._style)
        self._requests = {
            "edit": self.edit_requested,
            "regenerate": self.regenerate_requested,
            "branch": self.branch_requested,
            "continue": self.continue_requested,
            "delete": self.delete_requested,
            "inspect": self.inspect_requested,
        }
        self._connect()

    def _connect(self) -> None:
        self._shop.arrived.connect(self._on_formulas)
        self._stage.acted.connect(self._on_acted)
        self._stage.unfolded.connect(self._on_unfolded)
        self._stage.rewrapped.connect(self._on_rewrapped)
        self._scroller.followed.connect(self.followed)
        self._scroller.placed.connect(self._on_placed)
        self._feed.grew.connect(self._scroller.place)
        self._feed.ended.connect(self._on_ended)
        self._inspector.chosen.connect(self.alternative_chosen)
        self._inspector.left.connect(self.setFocus)
        self._searcher.found.connect(self.found)
        self._latest.clicked.connect(self.show_latest)

    # -------------------------------------------------------------------------------- messages

    def show_messages(self, messages: Sequence[MessageView]) -> None:
        """Show other messages: from the end, or where the view stands if that stays in it."""
        self._feed.forget()
        held = self.place()
        self._selection = None
        self._scroller.current = None
        self._inspector.forget()
        self._page.show(messages)
        if held is None or held[0] not in self._page.entries:
            self._scroller.go_to_end()
        else:
            self.restore_place(held)
        if self._searcher.query:
            self.find_text(self._searcher.query)

    def begin(self, message: MessageView) -> None:
        """Add a message at the end; one that is "writing" may grow."""
        self._feed.flush_all()
        self._page.append(message)
        if message.role == "user":
            self._scroller.go_to_end()
        else:
            self._scroller.place()

    def grow(self, message_id: int, text: str, kind: GrowthKind = "answer") -> None:
        """Add text to a message that is being written; it is painted soon, not at once."""
        self._warmth.put_off()
        self._feed.grow(message_id, text, kind)

    def finish(self, message: MessageView) -> None:
        """End a message that was being written; what is given here is final."""
        self._feed.finish(message)

    def flush(self) -> None:
        """Show now what was grown, a turn's worth of it at most."""
        self._feed.flush()

    def update_message(self, message: MessageView) -> None:
        """Show what changed of a message."""
        self._feed.flush_all()
        if self._page.update(message):
            self.select(None)
            self._inspector.forget(message.id)
        self._scroller.place()

    def _on_ended(self, message: MessageView) -> None:
        self._scroller.work_soon()
        if message.role == "assistant":
            said = message.error or message.text[:SPOKEN]
            event = QAccessibleAnnouncementEvent(self, f"Answer complete. {said}")
            QAccessible.updateAccessibility(event)

    # ------------------------------------------------------------------------------- the place

    def show_latest(self) -> None:
        """Go to the end and follow what is written."""
        self._scroller.go_to_end()

    def place(self) -> tuple[int, float] | None:
        """Where the view stands: a message and how far it is scrolled out; None at the end."""
        held = self._scroller.place_held
        if held is None or not self._page.items:
            return None
        entry = self._page.items[held[0]].entry
        first = self._page.index_of(entry.items[0])
        above = self._page.heights.above(held[0]) - self._page.heights.above(first)
        return entry.view.id, above + held[1]

    def restore_place(self, place: tuple[int, float] | None) -> None:
        """Go to where the view stood."""
        entry = self._page.entries.get(place[0]) if place is not None else None
        if entry is None or place is None:
            self._scroller.go_to_end()
            return
        self._scroller.go_to(self._page.index_of(entry.items[0]), place[1])

    def jump_to(self, message_id: int, query: str = "") -> None:
        """Bring a message's beginning into sight, or the first match of a query in it."""
        entry = self._page.entries.get(message_id)
        if entry is None:
            return
        self._scroller.go_to(self._page.index_of(entry.items[0]))
        if query:
            self.find_text(query)
            self.find_next()

    def scroll_by(self, pixels: float) -> None:
        """Scroll down by so much."""
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + round(pixels))

    def viewport_height(self) -> int:
        """In pixels."""
        return self.viewport().height()

    def step_message(self, step: int) -> None:
        """Make the message before or after the current one current, and show it."""
        ids = list(self._page.entries)
        if not ids:
            return
        scroller = self._scroller
        known = scroller.current in self._page.entries
        now = scroller.current if known else scroller.message_at(0)
        at = ids.index(now) if now is not None else 0
        at = min(max(at + step, 0), len(ids) - 1) if known else at
        scroller.current = ids[at]
        self.jump_to(ids[at])

    # ------------------------------------------------------------------------------- selecting

    def place_at(self, point: QPointF) -> tuple[Place, Part] | None:
        """The place in the text nearest to a point of the viewport."""
        found = self._scroller.point_in_text(point)
        if found is None or found[1].part is None:
            return None
        _, row, inside = found
        part = row.part
        address = self._stage.addresses.get(part) if part is not None else None
        if part is None or address is None:
            return None
        header = CODE_HEADER if isinstance(part.document, CodeDocument) else 0
        y = min(max(inside.y() - header, 0.0), max(row.height - header - 1, 0.0))
        return Place(*address, part.document.position_at(inside.x(), y)), part

    def link_at(self, point: QPointF) -> str:
        """The address under a point of the viewport."""
        for _, row, box in self._scroller.rows():
            if row.part is not None and box.contains(point):
                return row.part.document.link_at(point.x() - box.x(), point.y() - box.y())
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

    def copy_selection(self) -> None:
        """Put the selected text on the clipboard, plain and rich."""
        if self._selection is not None:
            self._copy(selection_as_mime(self._page, self._selection))

    def copy_selection_as_markdown(self) -> None:
        """Put the source of what is selected on the clipboard."""
        if self._selection is not None:
            self._copy(text_as_mime(selected_markdown(self._page, self._selection)))

    def copy_message(self, message_id: int, *, markdown: bool = False) -> None:
        """Put a message on the clipboard, its thought left out."""
        view = self._page.entries[message_id].view
        self._copy(text_as_mime(view.text) if markdown else message_as_mime(self._page, message_id))
        if foot := self._stage.foot(message_id):
            foot.tell_copied()

    def _copy(self, mime: QMimeData) -> None:
        text = mime.text()
        QGuiApplication.clipboard().setMimeData(mime)
        self.copied.emit(text)

    # -------------------------------------------------------------------------- finding, tokens

    def find_text(self, text: str) -> int:
        """Mark a text wherever it is; returns how often. An empty text ends it."""
        count = self._searcher.look_for(text)
        self._stage.refresh()
        return count

    def find_next(self) -> None:
        """Go to the next match, round the end."""
        self._searcher.step(1)
        self._stage.refresh()

    def find_previous(self) -> None:
        """Go to the match before."""
        self._searcher.step(-1)
        self._stage.refresh()

    def set_token_details(
        self,
        message_id: int,
        details: Sequence[TokenDetail],
        name_of: Callable[[int], str] = str,
    ) -> None:
        """Show how sure the model was of each token of an answer; without details no longer.

        Args:
            message_id: Of the answer.
            details: Of its tokens, in order.
            name_of: Tells the text of a token by its id.
        """
        self._inspector.set_details(message_id, details, name_of)
        self._stage.refresh()

    def _marks(self, address: Address, part: Part) -> list[Mark]:
        """What is drawn on a coloured ground in a part, the topmost last."""
        marks: list[Mark] = []
        index, in_body, _ = address
        if in_body and index < len(self._page.items):
            message_id = self._page.items[index].entry.view.id
            marks += self._inspector.marks(message_id, part)
            marks += self._searcher.marks(part, self._style)
        if self._selection is not None:
            chosen = self._selection.range_in(*address, part.document.length)
            if chosen is not None:
                marks.append(Mark(*chosen, self._style.colour("selection")))
        return marks

    # ---------------------------------------------------------------------------------- acting

    def _on_acted(self, message_id: int, action: str) -> None:
        entry = self._page.entries[message_id]
        match action:
            case "copy":
                self.copy_message(message_id)
            case "details":
                entry.footed = not entry.footed
                self._scroller.place()
            case "previous" | "next":
                step = -1 if action == "previous" else 1
                self.version_requested.emit(message_id, entry.view.version + step)
            case _:
                self._requests[action].emit(message_id)

    def _on_unfolded(self, message_id: int) -> None:
        entry = self._page.entries[message_id]
        self.select(None)
        entry.unfolded = not entry.unfolded
        self._scroller.hold()
        self._page.update(entry.view)
        self._scroller.place()

    def _on_rewrapped(self, part: Part) -> None:
        address = self._stage.addresses.get(part)
        if address is not None:
            self._scroller.hold()
            self._page.items[address[0]].width = 0.0
            self._scroller.place()

    def _on_clicked(self, point: QPointF) -> None:
        address = self.link_at(point)
        if address:
            ask_to_open(address, self.window(), self._opener)

    def _on_formulas(self) -> None:
        self._page.set_formulas()
        self._scroller.place()

    # ---------------------------------------------------------------------------------- events

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to select."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        triple = self._last_double.isValid() and self._last_double.elapsed() < 400
        self._last_double.invalidate()
        grain: Grain = "paragraph" if triple else "character"
        self._pointer.press(event.position(), grain, self._selection if shift else None)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select by words."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._last_double.start()
            self._pointer.press(event.position(), "word", None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Draw the selection on, or tell what is under the pointer."""
        point = event.position()
        if self._pointer.is_pressed:
            self._pointer.move(point)
            return
        address = self.link_at(point)
        viewport = self.viewport()
        viewport.setToolTip(shown_address(address) if address else "")
        shape = Qt.CursorShape.PointingHandCursor if address else Qt.CursorShape.IBeamCursor
        if not address and self._stage.nothing_at(point):
            shape = Qt.CursorShape.ArrowCursor
        viewport.setCursor(shape)
        if self._inspector.is_active:
            self._inspector.point_at(point)
        self._make_current(self._scroller.message_at(point.y()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End selecting; a click on a link asks to open it."""
        self._pointer.release(event.position())

    def leaveEvent(self, event: QEvent) -> None:
        """Hide the actions again, unless the keyboard is at them."""
        focused = self.window().focusWidget()
        if focused is None or (focused is not self and not self.isAncestorOf(focused)):
            self._make_current(None)

    def _make_current(self, message_id: int | None) -> None:
        if message_id != self._scroller.current:
            self._scroller.current = message_id
            self._scroller.place()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll, go from message to message or token to token, copy."""
        step = scroll_step(event)
        if step is not None:
            self.verticalScrollBar().triggerAction(step)
            return
        match ask_of(event):
            case "copy":
                self.copy_selection()
            case "select all":
                self.select_all()
            case "previous":
                self.step_message(-1)
            case "next":
                self.step_message(1)
            case "end":
                self.show_latest()
            case "token before" if self._inspector.is_active:
                self._inspector.step(-1)
            case "token after" if self._inspector.is_active:
                self._inspector.step(1)
            case "escape" if self._inspector.hide_card() or self._selection is not None:
                self.select(None)
            case _:
                event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with the message under the pointer, or the current one."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        point = QPointF(event.pos())
        message_id = self._scroller.current if by_key else self._scroller.message_at(point.y())
        if message_id is not None:
            self.menu_for(message_id, self.link_at(point)).popup(event.globalPos())

    def menu_for(self, message_id: int, address: str = "") -> QMenu:
        """The context menu of a message."""
        view = self._page.entries[message_id].view
        entries: list[MenuEntry] = []
        if self._selection is not None:
            entries.append(("Copy selection", self.copy_selection))
            entries += [("Copy selection as Markdown", self.copy_selection_as_markdown), None]
        if address:
            entries += [("Copy address", partial(self._copy_text, shown_address(address))), None]
        markdown = partial(self.copy_message, message_id, markdown=True)
        entries += message_entries(view, partial(self._on_acted, message_id), markdown)
        entries += [None, ("Select all", self.select_all)]
        return make_menu(entries, "Message", self)

    def _copy_text(self, text: str) -> None:
        self._copy(text_as_mime(text))

    def showEvent(self, event: QShowEvent) -> None:
        """Use the quiet after the start."""
        super().showEvent(event)
        self._warmth.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out for another size."""
        self._inspector.hide_card()
        self._scroller.place()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """The scroller moves what is seen."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is behind the rows."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._style.colour("page"))
        self._scroller.paint(painter)
        painter.end()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show which message the keys act on."""
        super().focusInEvent(event)
        if self._scroller.current is None and event.reason() != Qt.FocusReason.MouseFocusReason:
            self._scroller.current = next(reversed(self._page.entries), None)
        self._scroller.place()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the mark away."""
        super().focusOutEvent(event)
        self._scroller.place()

    # -------------------------------------------------------------------------------- the rest

    def on_theme_changed(self, palette: Palette) -> None:
        """Take another palette or text size; what is read stays in sight."""
        held = self.place()
        self._style = Style(palette, self._shop)
        self._page.set_style(self._style)
        self._stage.restyle(self._style)
        self._inspector.restyle(self._style)
        self._latest.restyle(self._style)
        self.restore_place(held)
        self.viewport().update()

    def _on_placed(self) -> None:
        self._latest.place(follows=self._scroller.follows)

    def shut_down(self) -> None:
        """Set no more formulas; called before the window closes."""
        self._shop.close()
