"""The widgets in sight: taken from a pool, put where their rows are, and given back."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

from PySide6.QtCore import QObject, QPointF, QRect, Qt, Signal
from PySide6.QtWidgets import QLabel, QScrollBar, QWidget

from app.ui.chat.transcript_foot import Foot
from app.ui.chat.transcript_item import CODE_HEADER, SCROLL_BAR, Item, Row
from app.ui.chat.transcript_views import CodeHeader, Notice, PartView, ThoughtButton, thought_title
from app.ui.render.code import CodeDocument
from app.ui.render.prose import ProseDocument

if TYPE_CHECKING:
    from app.ui.chat.transcript_message import MessageView
    from app.ui.render.body import Part
    from app.ui.render.rich import Mark
    from app.ui.render.style import Style

Address = tuple[int, int, int]  # item, 1 in the text or 0 in the thought, part
W = TypeVar("W", bound=QWidget)
ROLES = {"user": "You", "assistant": "Answer", "system": "System prompt"}


class Stage(QObject):
    """Shows rows by widgets that are used again; lives on the GUI thread.

    Attributes:
        acted: Message id and an action of its foot.
        unfolded: Message id whose thought is to be shown or hidden.
        rewrapped: The part whose code wraps now, or no longer does.
        scrolled: Something was scrolled sideways.
    """

    acted = Signal(int, str)
    unfolded = Signal(int)
    rewrapped = Signal(object)  # Part
    scrolled = Signal()

    def __init__(
        self, viewport: QWidget, style: Style, marks: Callable[[Address, Part], Sequence[Mark]]
    ) -> None:
        super().__init__(viewport)
        self._viewport = viewport
        self._style = style
        self._marks = marks
        self._shown: dict[Hashable, QWidget] = {}
        self._spare: dict[type, list[QWidget]] = {}
        self._wanted: set[Hashable] = set()
        self._told: dict[QWidget, tuple[object, ...]] = {}
        self._bars: dict[QScrollBar, Part] = {}
        self.addresses: dict[Part, Address] = {}

    def restyle(self, style: Style) -> None:
        """Take another appearance: all widgets are made or shown anew."""
        self._style = style
        self._told = {}
        self._give_back(set(self._shown))
        for kind in (Foot, CodeHeader):
            for widget in self._spare.get(kind, []):
                cast("Foot | CodeHeader", widget).restyle(style)

    def shift(self, item: Item, y: float) -> int | None:
        """How far an item that is in sight will have moved down when its top is at `y`."""
        for row in item.rows:
            view = self._shown.get(("part", row.part)) if row.part is not None else None
            if view is not None:
                return round(y + row.y) - view.y()
        return None

    def begin(self) -> None:
        """Begin to place rows; those that are not placed until `end` are given back."""
        self._wanted = set()
        self.addresses = {}

    def place(
        self, index: int, item: Item, x: float, y: float, height: float, active: bool
    ) -> None:
        """Place the rows of an item.

        Args:
            index: Of the item.
            item: Laid out.
            x: Of the column, in pixels of the viewport.
            y: Of the item's top.
            height: Of the viewport.
            active: The message's actions are shown.
        """
        number = {True: 0, False: 0}
        for row in item.rows:
            address = (index, 0 if row.quiet else 1, number[row.quiet])
            if row.part is not None:
                number[row.quiet] += 1
                self.addresses[row.part] = address
            top = y + row.y
            if top + row.height < -40 or top > height + 40:
                continue
            box = QRect(round(x + row.x), round(top), round(row.width), round(row.height))
            self._place_row(item, row, box, active=active)

    def end(self) -> None:
        """Give back what is out of sight."""
        self._give_back(set(self._shown) - self._wanted)

    def _place_row(self, item: Item, row: Row, box: QRect, *, active: bool) -> None:
        view = item.entry.view
        match row.kind:
            case "part":
                assert row.part is not None
                self._place_part(item, row.part, box)
            case "foot":
                foot = self._take(("foot", view.id), Foot, self._make_foot)
                footed = item.entry.footed
                if self._is_news(foot, _foot_of(view), active, footed):
                    foot.show_message(view, active=active, footed=footed)
                _put(foot, box.adjusted(-6, 0, 6, 0))
            case "head":
                label = self._take(("head", view.id), QLabel, self._make_label)
                if self._is_news(label, view.author):
                    label.setText(view.author)
                    label.setFont(self._style.small_font)
                    label.setStyleSheet(f"color: {self._style.palette.muted}; font-weight: 600;")
                _put(label, box)
            case "thought":
                button = self._take(("thought", view.id), ThoughtButton, self._make_thought)
                unfolded = item.entry.unfolded
                if self._is_news(button, view.id, thought_title(view), unfolded):
                    button.show_thought(view, self._style, unfolded=unfolded)
                    button.setProperty("message", view.id)
                _put(button, QRect(box.x() - 6, box.y(), button.width(), button.height()))
            case "notice":
                is_error = row.text == view.error
                notice = self._take(("notice", view.id, row.text), Notice, self._make_notice)
                if self._is_news(notice, row.text, is_error):
                    notice.show_notice(row.text, self._style, is_error=is_error)
                _put(notice, box)

    def _is_news(self, widget: QWidget, *facts: object) -> bool:
        """Whether a widget shows something else; to set a text or a style again is not cheap."""
        if self._told.get(widget) == facts:
            return False
        self._told[widget] = facts
        return True

    def _place_part(self, item: Item, part: Part, box: QRect) -> None:
        key = ("part", part)
        known = key in self._shown
        view = self._take(key, PartView, self._make_part)
        _put(view, box)
        if not known or part.changed is not None:
            in_bubble = item.entry.view.role == "user"
            ground = self._style.colour("bubble" if in_bubble else "page")
            view.show_part(part, ROLES[item.entry.view.role], ground)
        if isinstance(part.document, ProseDocument):
            return
        if isinstance(part.document, CodeDocument):
            self._place_header(part, box)
        widest = part.document.widest_scroll
        if widest > 0:
            bar = self._take(("bar", part), QScrollBar, self._make_bar)
            bar.blockSignals(True)
            bar.setRange(0, round(widest))
            bar.setPageStep(box.width())
            bar.setValue(round(part.document.scroll_x))
            bar.blockSignals(False)
            self._bars[bar] = part
            bar.setGeometry(box.x() + 2, box.bottom() - SCROLL_BAR, box.width() - 4, SCROLL_BAR)
            bar.show()
            bar.raise_()

    def _place_header(self, part: Part, box: QRect) -> None:
        header = self._take(("header", part), CodeHeader, self._make_header)
        header.show_part(part)
        lowest = box.bottom() - CODE_HEADER - 30
        top = max(box.top(), min(0, lowest))
        header.setGeometry(box.x(), top, box.width(), CODE_HEADER)
        header.show()
        header.raise_()

    # ---------------------------------------------------------------------------------- the pool

    def _take(self, key: Hashable, kind: type[W], make: Callable[[], W]) -> W:
        """The widget that shows a key, or one to show it with."""
        self._wanted.add(key)
        widget = self._shown.get(key)
        if widget is None:
            spare = self._spare.get(kind)
            widget = spare.pop() if spare else make()
            self._shown[key] = widget
        return cast("W", widget)

    def _give_back(self, keys: set[Hashable]) -> None:
        for key in keys:
            widget = self._shown.pop(key)
            widget.hide()
            if isinstance(widget, PartView):
                widget.part = None
            self._spare.setdefault(type(widget), []).append(widget)

    def refresh(self) -> None:
        """Paint all parts again: a selection or a mark changed."""
        for widget in self._shown.values():
            if isinstance(widget, PartView):
                widget.update()

    def part_view(self, part: Part) -> QWidget | None:
        """The widget that shows a part, if it is in sight."""
        return self._shown.get(("part", part))

    def parts_in_sight(self) -> list[Part]:
        """The parts that are shown now."""
        return [w.part for w in self._shown.values() if isinstance(w, PartView) and w.part]

    def nothing_at(self, point: QPointF) -> bool:
        """Whether no part lies under a point of the viewport."""
        place = point.toPoint()
        return not any(
            isinstance(w, PartView) and w.geometry().contains(place) for w in self._shown.values()
        )

    def foot(self, message_id: int) -> Foot | None:
        """The foot of a message, if it is in sight."""
        return cast("Foot | None", self._shown.get(("foot", message_id)))

    def _make_part(self) -> PartView:
        return PartView(self._viewport, self._marks_of)

    def _marks_of(self, part: Part) -> Sequence[Mark]:
        address = self.addresses.get(part)
        return self._marks(address, part) if address is not None else ()

    def _make_foot(self) -> Foot:
        made = Foot(self._viewport, self._style)
        made.acted.connect(self.acted)
        return made

    def _make_label(self) -> QLabel:
        made = QLabel(self._viewport)
        made.setTextFormat(Qt.TextFormat.PlainText)
        made.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        return made

    def _make_thought(self) -> ThoughtButton:
        made = ThoughtButton(self._viewport)
        made.clicked.connect(self._on_thought)
        return made

    def _make_notice(self) -> Notice:
        return Notice(self._viewport)

    def _make_header(self) -> CodeHeader:
        return CodeHeader(self._viewport, self._style, self.rewrapped.emit)

    def _make_bar(self) -> QScrollBar:
        made = QScrollBar(Qt.Orientation.Horizontal, self._viewport)
        made.setAccessibleName("Scroll sideways")
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        made.valueChanged.connect(self._on_sideways)
        return made

    def _on_thought(self) -> None:
        sender = self.sender()
        if sender is not None:
            self.unfolded.emit(sender.property("message"))

    def _on_sideways(self, value: int) -> None:
        part = self._bars.get(cast("QScrollBar", self.sender()))
        if part is not None and not isinstance(part.document, ProseDocument):
            part.document.scroll_x = float(value)
            view = self.part_view(part)
            if view is not None:
                view.update()


def _foot_of(view: MessageView) -> tuple[object, ...]:
    """What a message's foot depends on."""
    shape = (view.id, view.role, view.status, view.version, view.versions)
    return (*shape, view.footer, bool(view.text))


def _put(widget: QWidget, box: QRect) -> None:
    if widget.geometry() != box:
        widget.setGeometry(box)
    if widget.isHidden():
        widget.show()
