"""One stretch of a conversation that is laid out at once: a message, or a section of a long one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from app.ui.render.blocks import Block, Run
from app.ui.render.code import CodeDocument
from app.ui.render.prose import ProseDocument

if TYPE_CHECKING:
    from app.ui.chat.transcript_message import MessageView
    from app.ui.render.body import Body, Part
    from app.ui.render.style import Style

RowKind = Literal["head", "thought", "part", "notice", "foot"]

BUBBLE_SHARE = 0.82
BUBBLE_X, BUBBLE_Y = 16, 9
CODE_HEADER = 32
SCROLL_BAR = 12
FOOT_HEIGHT = 36
HEAD_HEIGHT = 26
THOUGHT_HEIGHT = 30
BETWEEN = 12
LITERAL_LINE = 2000


@dataclass(slots=True, eq=False)
class Row:
    """Something with a place of its own inside an item, in pixels from the item's top left."""

    kind: RowKind
    x: float
    y: float
    width: float
    height: float
    part: Part | None = None
    text: str = ""
    quiet: bool = False


class Entry:
    """A message as the transcript keeps it: what is shown, and how it is unfolded.

    Attributes:
        unfolded: The thought is shown. `footed`: the line of figures is shown.
        items: The items that show it, in order.
    """

    def __init__(self, view: MessageView) -> None:
        self.view = view
        self.unfolded = False
        self.footed = False
        self.items: list[Item] = []


class Item:
    """A message or one section of it.

    Invariant: `height` is an estimate until `rows` were laid out for `width`.

    Attributes:
        section: Which part of the message's text it shows; None while it grows.
        body: Its documents, once it was looked at.
        thought: Those of the thought, if it was unfolded.
    """

    def __init__(self, entry: Entry, section: tuple[int, int] | None) -> None:
        self.entry = entry
        self.section = section
        self.body: Body | None = None
        self.thought: Body | None = None
        self.rows: list[Row] = []
        self.width = 0.0
        self.height = 0.0
        self.bubble: tuple[float, float, float, float] | None = None
        self.dirty_from = 0

    @property
    def is_first(self) -> bool:
        """Whether the message begins here."""
        return self.entry.items[0] is self

    @property
    def is_last(self) -> bool:
        """Whether the message ends here."""
        return self.entry.items[-1] is self

    def estimate(self, style: Style, width: float) -> float:
        """Guess the height from the amount of text."""
        view = self.entry.view
        begin, end = self.section or (0, len(view.text))
        wide = max(width * (BUBBLE_SHARE if view.role == "user" else 1.0), 80.0)
        per_line = max(wide / style.character_width, 10.0)
        lines = (end - begin) / per_line + view.text.count("\n", begin, end) * 0.7 + 0.6
        height = lines * style.line_height + (BETWEEN if self.is_first else 0)
        if self.is_last:
            height += FOOT_HEIGHT
        if self.is_first and view.role == "assistant":
            height += HEAD_HEIGHT if view.author else 0
            height += THOUGHT_HEIGHT if view.thought else 0
        return math.ceil(height)

    def lay_out(self, style: Style, width: float) -> float:
        """Place everything in a column; returns the height."""
        assert self.body is not None
        same_width = width == self.width
        known = {id(row.part): row for row in self.rows if row.part} if same_width else {}
        dirty = {id(part) for part in self.body.parts[self.dirty_from :]}
        view = self.entry.view
        self.rows = []
        y = float(BETWEEN if self.is_first else 0)
        if self.is_first and view.role == "assistant":
            y = self._head(style, view, y, width, known)
        is_user = view.role == "user"
        inner = round(width * BUBBLE_SHARE) - 2 * BUBBLE_X if is_user else width
        top = y
        y += BUBBLE_Y if is_user and self.is_first else 0
        for i, part in enumerate(self.body.parts):
            row = known.get(id(part))
            height = (
                row.height if row and id(part) not in dirty else part_height(part, style, inner)
            )
            if not same_width:
                part.changed = 0
            y += part.gap if i else self._first_gap(style, part)
            x = part.indent * style.indent
            self.rows.append(Row("part", x, y, inner - x, height, part))
            y += height
        y += BUBBLE_Y if is_user and self.is_last else 0
        self._place_bubble(width, inner, top, y) if is_user else None
        y = self._end(style, view, y, width)
        self.width, self.height = width, y
        self.dirty_from = len(self.body.parts)
        return y

    def _first_gap(self, style: Style, part: Part) -> float:
        """The distance of a later section's beginning to the section before."""
        if self.is_first:
            return 0.0
        return part.gap if self.section is None else style.gap(Block("paragraph"), part.first)

    def _head(
        self, style: Style, view: MessageView, y: float, width: float, known: dict[int, Row]
    ) -> float:
        if view.author:
            self.rows.append(Row("head", 0, y, width, HEAD_HEIGHT))
            y += HEAD_HEIGHT
        if view.thought:
            self.rows.append(Row("thought", 0, y, width, THOUGHT_HEIGHT))
            y += THOUGHT_HEIGHT
            if self.entry.unfolded and self.thought is not None:
                for part in self.thought.parts:
                    y += part.gap
                    x = part.indent * style.indent
                    height = part_height(part, style, width)
                    self.rows.append(Row("part", x, y, width - x, height, part, quiet=True))
                    y += height
                y += 6
            y += 8
        return y

    def _place_bubble(self, width: float, inner: float, top: float, bottom: float) -> None:
        """Draw the bubble only as wide as its text needs."""
        wide = inner
        if self.is_first and self.is_last and self.body is not None:
            ideal = max(
                (
                    part.document.ideal_width()
                    for part in self.body.parts
                    if isinstance(part.document, ProseDocument)
                ),
                default=inner,
            )
            wide = min(max(math.ceil(ideal) + 2, 24), inner)
        left = width - wide - BUBBLE_X
        for row in self.rows:
            if row.part is not None:
                row.x = left
                row.width = wide
                if isinstance(row.part.document, ProseDocument):
                    row.part.document.lay_out(wide)  # or text from right to left stands outside
        self.bubble = (left - BUBBLE_X, top, wide + 2 * BUBBLE_X, bottom - top)

    def _end(self, style: Style, view: MessageView, y: float, width: float) -> float:
        if not self.is_last:
            return y
        for text in (view.error, view.note):
            if text:
                y += 8
                height = notice_height(style, text, width)
                self.rows.append(Row("notice", 0, y, width, height, text=text))
                y += height
        self.rows.append(Row("foot", 0, y + 4, width, FOOT_HEIGHT - 4))
        return y + FOOT_HEIGHT


def part_height(part: Part, style: Style, width: float) -> int:
    """Lay a part's document out; returns the height of its row."""
    document = part.document
    x = part.indent * style.indent
    height = math.ceil(document.lay_out(width - x))
    if isinstance(document, ProseDocument):
        return height
    if isinstance(document, CodeDocument):
        height += CODE_HEADER
    return height + (SCROLL_BAR if document.widest_scroll > 0 else 0)


def notice_height(style: Style, text: str, width: float) -> int:
    """The height of a notice below a message."""
    room = QRectF(0, 0, width - 26, 1e6)
    box = QFontMetricsF(style.font).boundingRect(room, Qt.TextFlag.TextWordWrap, text)
    return math.ceil(box.height()) + 16


def literal_blocks(text: str) -> list[Block]:
    """Text as it was typed: each line a block."""
    blocks: list[Block] = []
    at = 0
    for line in text.split("\n"):
        for begin in range(0, max(len(line), 1), LITERAL_LINE):
            piece = line[begin : begin + LITERAL_LINE]
            source = (at + begin, at + begin + len(piece))
            runs = (Run(piece),) if piece else ()
            blocks.append(Block("line", runs, continues=bool(blocks), source=source))
        at += len(line) + 1
    return blocks


def quoted(blocks: Sequence[Block]) -> list[Block]:
    """The same blocks as a quote: how a thought is shown."""
    return [replace(block, path="q" + block.path) for block in blocks]
