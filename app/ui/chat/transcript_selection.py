"""What is selected in a conversation, whether or not it is in sight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.ui.render.blocks import Block, Run, join_plain

if TYPE_CHECKING:
    from app.ui.chat.transcript_item import Entry, Item
    from app.ui.chat.transcript_page import Page
    from app.ui.render.body import Part

END = 1 << 40
FROM_SOURCE = 200_000


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place between two characters.

    Attributes:
        item: Index of the item. `in_body` is 0 in its thought and 1 in its text.
        part: Index of the part; `position` is one of its document's.
    """

    item: int
    in_body: int
    part: int
    position: int


@dataclass(frozen=True, slots=True)
class Selection:
    """From where it was begun to where it was drawn."""

    anchor: Place
    caret: Place

    @property
    def begin(self) -> Place:
        """The upper end."""
        return min(self.anchor, self.caret)

    @property
    def end(self) -> Place:
        """The lower end."""
        return max(self.anchor, self.caret)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is selected."""
        return self.anchor == self.caret

    def range_in(self, item: int, in_body: int, part: int, length: int) -> tuple[int, int] | None:
        """What of one part is selected."""
        here = (item, in_body, part)
        begin, end = self.begin, self.end
        first = (begin.item, begin.in_body, begin.part)
        last = (end.item, end.in_body, end.part)
        if here < first or here > last:
            return None
        if not in_body and (begin.item != end.item or begin.in_body != end.in_body):
            return None  # a thought is selected only by itself
        low = begin.position if here == first else 0
        high = end.position if here == last else length
        return (low, min(high, length)) if low < high else None


def everything(page: Page) -> Selection | None:
    """The whole conversation."""
    if not page.items:
        return None
    return Selection(Place(0, 1, 0, 0), Place(len(page.items) - 1, 1, END, END))


def selected_blocks(page: Page, selection: Selection) -> list[list[Block]]:
    """What is selected, message by message; thoughts are left out between messages.

    Of a very long selection, what was never looked at is taken from its source.
    """
    messages: list[list[Block]] = []
    last: Entry | None = None
    size = 0
    for index in range(selection.begin.item, selection.end.item + 1):
        item = page.items[index]
        inside = selection.begin.item < index < selection.end.item
        if item.body is None and inside and size > FROM_SOURCE and item.section:
            text = item.entry.view.text[slice(*item.section)].strip("\n")
            found = [Block("line", (Run(text),))]
        else:
            found = _blocks_in(page, selection, index)
        size += sum(len(block.text) + sum(len(run.text) for run in block.runs) for block in found)
        if item.entry is not last:
            messages.append([])
            last = item.entry
        messages[-1] += found
    return [message for message in messages if message]


def selected_text(page: Page, selection: Selection) -> str:
    """The selected text, messages apart by an empty line."""
    return "\n\n".join(map(join_plain, selected_blocks(page, selection)))


def _blocks_in(page: Page, selection: Selection, index: int) -> list[Block]:
    found: list[Block] = []
    for in_body, number, part in _parts(page, index):
        chosen = selection.range_in(index, in_body, number, part.document.length)
        if chosen is not None:
            found += part.document.selected(*chosen)
    return found


def _parts(page: Page, index: int) -> Iterator[tuple[int, int, Part]]:
    item = page.items[index]
    body = page.body_of(index)
    if item.thought is not None and item.entry.unfolded:
        for i, part in enumerate(item.thought.parts):
            yield 0, i, part
    for i, part in enumerate(body.parts):
        yield 1, i, part


def _join(pieces: list[tuple[Item, str]]) -> str:
    joined = ""
    last: Item | None = None
    for item, text in pieces:
        if not text:
            continue
        if last is not None:
            joined += "\n\n"
        joined += text
        last = item
    return joined


def selected_markdown(page: Page, selection: Selection) -> str:
    """The source of every block that the selection touches."""
    pieces: list[tuple[Item, str]] = []
    for index in range(selection.begin.item, selection.end.item + 1):
        item = page.items[index]
        if selection.begin.item < index < selection.end.item and item.section:
            pieces.append((item, item.entry.view.text[slice(*item.section)].strip("\n")))
            continue
        touched = [
            part
            for in_body, number, part in _parts(page, index)
            if in_body and selection.range_in(index, 1, number, part.document.length)
        ]
        if touched:
            begin, end = touched[0].source[0], touched[-1].source[1]
            pieces.append((item, item.entry.view.text[begin:end].strip("\n")))
    return _join(pieces)


def blocks_of(page: Page, message_id: int) -> list[Block]:
    """A whole message, its thought left out."""
    entry = page.entries[message_id]
    return [
        block
        for item in entry.items
        for part in page.body_of(page.index_of(item)).parts
        for block in part.document.selected(0, END)
    ]


def text_of(page: Page, message_id: int) -> str:
    """A whole message as plain text, its thought left out."""
    view = page.entries[message_id].view
    return view.text if view.role != "assistant" else join_plain(blocks_of(page, message_id))
