"""Inspecting an answer token by token: what is tinted, and the card with the alternatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QPointF, Signal
from PySide6.QtGui import QColor

from app.ui.chat.transcript_card import TokenCard
from app.ui.chat.transcript_item import CODE_HEADER
from app.ui.chat.transcript_tokens import VERY_UNCERTAIN, TokenLayer
from app.ui.render.code import CodeDocument
from app.ui.render.rich import Mark

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.ui.chat.transcript_page import Page
    from app.ui.chat.transcript_scroller import Scroller
    from app.ui.render.body import Part
    from app.ui.render.style import Style
    from inference import TokenDetail


class TokenInspector(QObject):
    """Knows the tokens of the messages that are inspected; lives on the GUI thread.

    Attributes:
        chosen: Message id, index of a token in the answer, and the id to say instead.
        left: The keyboard's focus goes back to the conversation.
    """

    chosen = Signal(int, int, int)
    left = Signal()

    def __init__(self, viewport: QWidget, page: Page, scroller: Scroller, style: Style) -> None:
        super().__init__(viewport)
        self._page = page
        self._scroller = scroller
        self._style = style
        self._layers: dict[int, TokenLayer] = {}
        self._card = TokenCard(viewport, style)
        self._card.chosen.connect(self.chosen)
        self._card.stepped.connect(self.step)
        self._card.closed.connect(self.left)

    def restyle(self, style: Style) -> None:
        """Take another palette."""
        self._style = style
        self._card.restyle(style)

    def set_details(
        self, message_id: int, details: Sequence[TokenDetail], name_of: Callable[[int], str]
    ) -> None:
        """Inspect a message, or no longer if there are no details."""
        self._layers.pop(message_id, None)
        self._card.hide()
        if details and message_id in self._page.entries:
            text = self._page.entries[message_id].view.text
            self._layers[message_id] = TokenLayer(text, details, name_of)

    def forget(self, message_id: int | None = None) -> None:
        """Inspect a message no longer; without an id, none."""
        if message_id is None:
            self._layers.clear()
        else:
            self._layers.pop(message_id, None)
        self._card.hide()

    @property
    def is_active(self) -> bool:
        """Whether a message is inspected."""
        return bool(self._layers)

    def hide_card(self) -> bool:
        """Put the card away; true if it was shown."""
        shown = not self._card.isHidden()
        self._card.hide()
        return shown

    def marks(self, message_id: int, part: Part) -> list[Mark]:
        """The tint and line under each token that could well have been another."""
        layer = self._layers.get(message_id)
        if layer is None:
            return []
        tint = QColor(self._style.palette.uncertain)
        faint = QColor(tint)
        faint.setAlpha(130)
        return [
            Mark(s.begin, s.end, tint if s.logprob < VERY_UNCERTAIN else faint, underlined=True)
            for s in layer.uncertain(part)
        ]

    def point_at(self, point: QPointF) -> None:
        """Show the card for the token under the pointer."""
        for index, row, box in self._scroller.rows():
            if row.part is None or row.quiet or not box.contains(point):
                continue
            message_id = self._page.items[index].entry.view.id
            layer = self._layers.get(message_id)
            if layer is None:
                continue
            header = CODE_HEADER if isinstance(row.part.document, CodeDocument) else 0
            x, y = point.x() - box.x(), point.y() - box.y() - header
            token = layer.token_at(row.part, row.part.document.position_at(x, y))
            if token is not None and layer.details[token].alternatives:
                if self._card.isHidden() or self._card.token != (message_id, token):
                    line = round(self._style.line_height)
                    place = QPoint(round(point.x()) - 20, round(point.y()) + line // 2)
                    self._card.show_token(message_id, token, layer, place)
                return
        self._card.hide()

    def step(self, by: int) -> None:
        """Show the card for the next or previous uncertain token, and scroll to it."""
        message_id, token = self._card.token
        if self._card.isHidden() or message_id not in self._layers:
            if not self._layers:
                return
            message_id = next(iter(self._layers))
            token = -1 if by > 0 else len(self._layers[message_id].details)
        layer = self._layers[message_id]
        after = layer.next_uncertain(token, by)
        if after is None:
            return
        place = self._bring_into_sight(message_id, layer.offset_of(after))
        self._card.show_token(message_id, after, layer, place)
        self._card.take_focus()

    def _bring_into_sight(self, message_id: int, offset: int) -> QPoint:
        """Scroll to a place in a message's source; returns where it is in the viewport then."""
        entry = self._page.entries[message_id]
        layer = self._layers[message_id]
        for item in entry.items:
            index = self._page.index_of(item)
            for part in self._page.body_of(index).parts:
                if not part.source[0] <= offset < max(part.source[1], part.source[0] + 1):
                    continue
                self._page.prepare(index)
                spans = [s for s in layer.spans(part) if layer.offset_of(s.token) >= offset]
                position = spans[0].begin if spans else 0
                return self._scroller.show_position(index, part, position)
        return QPoint(40, 40)
