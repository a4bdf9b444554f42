"""Selecting with the mouse: by character, word or paragraph, scrolling at the edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, Protocol

from PySide6.QtCore import QObject, QPointF, QTimer
from PySide6.QtWidgets import QApplication

from app.ui.chat.transcript_selection import Place, Selection

if TYPE_CHECKING:
    from app.ui.render.body import Part

Grain = Literal["character", "word", "paragraph"]
EDGE_MS = 16


class Ground(Protocol):
    """What the pointer needs of the transcript."""

    def place_at(self, point: QPointF) -> tuple[Place, Part] | None:
        """The place in the text nearest to a point of the viewport."""

    def select(self, selection: Selection | None) -> None:
        """Show a selection."""

    def scroll_by(self, pixels: float) -> None:
        """Scroll down by so much."""

    def viewport_height(self) -> int:
        """In pixels."""


class Pointer(QObject):
    """Turns presses and moves into selections; lives on the GUI thread."""

    def __init__(self, ground: Ground, clicked: Callable[[QPointF], None], parent: QObject) -> None:
        super().__init__(parent)
        self._ground = ground
        self._clicked = clicked
        self._press: QPointF | None = None
        self._first: tuple[Place, Place] | None = None
        self._grain: Grain = "character"
        self._moved = False
        self._at = QPointF()
        self._edge = QTimer(self)
        self._edge.setInterval(EDGE_MS)
        self._edge.timeout.connect(self._on_edge)

    @property
    def is_pressed(self) -> bool:
        """Whether the button is held down."""
        return self._press is not None

    def press(self, point: QPointF, grain: Grain, extend: Selection | None) -> None:
        """The button went down; with `extend` the selection is drawn on from its anchor."""
        found = self._ground.place_at(point)
        self._press = self._at = point
        self._grain = grain
        self._moved = grain != "character" or extend is not None
        if found is None:
            self._first = None
            return
        self._first = (extend.anchor, extend.anchor) if extend else self._around(*found)
        if self._moved:
            self._draw(found)
        else:
            self._ground.select(None)

    def move(self, point: QPointF) -> None:
        """The pointer moved with the button down."""
        if self._press is None:
            return
        self._at = point
        distance = (point - self._press).manhattanLength()
        if not self._moved and distance < QApplication.startDragDistance():
            return
        self._moved = True
        outside = point.y() < 0 or point.y() > self._ground.viewport_height()
        if outside and not self._edge.isActive():
            self._edge.start()
        elif not outside:
            self._edge.stop()
        self._draw(self._ground.place_at(point))

    def release(self, point: QPointF) -> None:
        """The button came up; without a move between it was a click."""
        self._edge.stop()
        pressed, self._press = self._press, None
        if pressed is not None and not self._moved:
            self._clicked(point)

    def _around(self, place: Place, part: Part) -> tuple[Place, Place]:
        document = part.document
        if self._grain == "word":
            low, high = document.word_at(place.position)
        elif self._grain == "paragraph":
            low, high = document.paragraph_at(place.position)
        else:
            return place, place
        return (
            Place(place.item, place.in_body, place.part, low),
            Place(place.item, place.in_body, place.part, high),
        )

    def _draw(self, found: tuple[Place, Part] | None) -> None:
        if found is None or self._first is None:
            return
        low, high = self._around(*found)
        first, last = self._first
        backwards = low < first
        self._ground.select(Selection(last if backwards else first, low if backwards else high))

    def _on_edge(self) -> None:
        height = self._ground.viewport_height()
        beyond = self._at.y() if self._at.y() < 0 else max(self._at.y() - height, 0.0)
        self._ground.scroll_by(beyond * 0.5)
        edge = QPointF(self._at.x(), min(max(self._at.y(), 0.0), height - 1.0))
        self._draw(self._ground.place_at(edge))
