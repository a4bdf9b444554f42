"""The conversation as items with heights: what is where, and what has to be parsed to show it.

No widget: the transcript asks the page what lies at a place and shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from app.ui.chat.transcript_heights import Heights
from app.ui.chat.transcript_item import Entry, Item, literal_blocks, quoted
from app.ui.render.body import Body
from app.ui.render.parser import MarkdownParser
from app.ui.render.sections import REFERENCE, split_sections
from app.ui.render.stream import MarkdownStream, parse_markdown

if TYPE_CHECKING:
    from app.ui.chat.transcript_message import MessageView
    from app.ui.render.style import Style

GrowthKind = Literal["answer", "thought"]
PARTS_IN_ITEM = 16
KEPT_ITEMS = 160


class Growing:
    """The streams of a message that is being written."""

    def __init__(self, parser: MarkdownParser) -> None:
        self.answer = MarkdownStream(parser)
        self.thought = MarkdownStream(parser)


class Page:
    """All items of a conversation; lives on the GUI thread.

    Invariant: `heights[i]` is the height of `items[i]`.
    """

    def __init__(self, style: Style) -> None:
        self.style = style
        self.width = 0.0
        self.parser = MarkdownParser()
        self.entries: dict[int, Entry] = {}
        self.items: list[Item] = []
        self.heights = Heights()
        self.growing: dict[int, Growing] = {}
        self._recent: dict[int, Item] = {}
        self._index: dict[int, int] = {}

    # -------------------------------------------------------------------------------- messages

    def show(self, views: Sequence[MessageView]) -> None:
        """Show other messages; those that were shown before need not be parsed again."""
        known, self.entries = self.entries, {}
        self.items = []
        self.growing = {}
        self._recent = {}
        for view in views:
            entry = known.get(view.id)
            if entry is None or not _shows_the_same(entry.view, view):
                self._add(view)
                continue
            if entry.view != view:
                entry.items[0].width = entry.items[-1].width = 0.0
            entry.view = view
            self.entries[view.id] = entry
            self.items += entry.items
        self._measure()

    def append(self, view: MessageView) -> Entry:
        """Add a message at the end."""
        first = len(self.items)
        entry = self._add(view)
        for i in range(first, len(self.items)):
            item = self.items[i]
            self._index[id(item)] = i
            self.heights.append(item.estimate(self.style, self.width))
        return entry

    def _add(self, view: MessageView) -> Entry:
        entry = Entry(view)
        self.entries[view.id] = entry
        if view.status == "writing":
            self.growing[view.id] = Growing(self.parser)
            item = Item(entry, None)
            item.body = Body(self.style)
            entry.items.append(item)
            self.items.append(item)
            growing = self.growing[view.id]
            grown = growing.answer.feed(view.text)
            item.body.apply(grown.frozen, grown.open)
            growing.thought.feed(view.thought)
        else:
            for section in _sections(view):
                item = Item(entry, section)
                entry.items.append(item)
                self.items.append(item)
        return entry

    def _measure(self) -> None:
        """Make the heights anew; items that are laid out for this width keep theirs."""
        self.heights = Heights(
            item.height
            if item.width == self.width and item.rows
            else item.estimate(self.style, self.width)
            for item in self.items
        )
        self._index = {id(item): i for i, item in enumerate(self.items)}

    def set_width(self, width: float) -> None:
        """Take the column's width; what is not looked at is only estimated."""
        if width != self.width:
            self.width = width
            self._measure()

    def set_style(self, style: Style) -> None:
        """Take another appearance: documents are made again when they are looked at."""
        self.style = style
        self._recent = {}
        for item in self.items:
            item.width = 0.0
            if item.section is not None:
                item.body = None
                item.rows = []
            item.thought = None
        for entry in list(self.entries.values()):
            if entry.items[0].section is None:
                self._rebuild(entry)
        self._measure()

    def _rebuild(self, entry: Entry) -> None:
        """Parse a streamed message again from its text."""
        writing = entry.view.id in self.growing
        at = self._index[id(entry.items[0])]
        count = len(entry.items)
        entry.items = []
        if writing:
            growing = self.growing[entry.view.id] = Growing(self.parser)
            item = Item(entry, None)
            item.body = Body(self.style)
            grown = growing.answer.feed(entry.view.text)
            item.body.apply(grown.frozen, grown.open)
            growing.thought.feed(entry.view.thought)
            entry.items = [item]
        else:
            entry.items = [Item(entry, section) for section in _sections(entry.view)]
        self.items[at : at + count] = entry.items
        self._measure()

    def update(self, view: MessageView) -> bool:
        """Take what changed of a message; true if its text is another one."""
        entry = self.entries[view.id]
        old = entry.view
        entry.view = view
        if old.thought != view.thought:
            entry.items[0].thought = None
        if old.text != view.text or (old.role != view.role):
            self.growing.pop(view.id, None)
            self._rebuild(entry)
            return True
        for item in {id(i): i for i in (entry.items[0], entry.items[-1])}.values():
            item.width = 0.0
            self._set_height(item)
        return False

    # --------------------------------------------------------------------------------- growing

    def grow(self, message_id: int, text: str, kind: GrowthKind) -> None:
        """Add text to a message that is being written."""
        entry = self.entries[message_id]
        growing = self.growing[message_id]
        if kind == "thought":
            entry.view = replace(entry.view, thought=entry.view.thought + text)
            self._grow_thought(entry, growing, text)
            return
        entry.view = replace(entry.view, text=entry.view.text + text)
        item = entry.items[-1]
        assert item.body is not None
        grown = growing.answer.feed(text)
        item.dirty_from = min(item.body.apply(grown.frozen, grown.open), item.dirty_from)
        self._set_height(item)
        if len(item.body.parts) > PARTS_IN_ITEM:
            self._split(entry, item)

    def _grow_thought(self, entry: Entry, growing: Growing, text: str) -> None:
        item = entry.items[0]
        grown = growing.thought.feed(text)
        if item.thought is not None:
            item.thought.apply(quoted(grown.frozen), quoted(grown.open))
        item.width = 0.0 if entry.unfolded or len(entry.view.thought) == len(text) else item.width
        self._set_height(item)

    def _split(self, entry: Entry, item: Item) -> None:
        """Let a long growing message go on in another item."""
        assert item.body is not None
        at = item.body.n_frozen
        if at < PARTS_IN_ITEM // 2:
            return
        rest = Item(entry, None)
        rest.body = item.body.split(at)
        entry.items.append(rest)
        item.dirty_from = at
        where = self._index[id(item)]
        item.lay_out(self.style, self.width)
        self.heights.set(where, item.height)
        if where + 1 == len(self.items):
            self.items.append(rest)
            self._index[id(rest)] = where + 1
            self.heights.append(0.0)
        else:
            self.items.insert(where + 1, rest)
            self._measure()
        self._set_height(rest)

    def finish(self, view: MessageView) -> None:
        """End a growing message; its final data replaces what was grown."""
        entry = self.entries[view.id]
        growing = self.growing.pop(view.id, None)
        if growing is None or not _extends(view.text, entry.view.text):
            self.update(view)
            return
        added = view.text[len(entry.view.text) :]
        grown = growing.answer.feed(added)
        end = growing.answer.finish()
        entry.view = view
        if growing.answer.references_came_late:
            self._rebuild(entry)
            return
        item = entry.items[-1]
        assert item.body is not None
        changed = item.body.apply((*grown.frozen, *end.frozen), ())
        item.dirty_from = min(changed, item.dirty_from)
        entry.items[0].thought = None
        entry.items[0].width = item.width = 0.0
        self._set_height(item)
        self._set_height(entry.items[0])

    def set_formulas(self) -> None:
        """Show formulas that were source until now."""
        for item in [item for item in self.items if item.body is not None]:
            bodies = [body for body in (item.body, item.thought) if body is not None]
            parts = [part for body in bodies for part in body.parts]
            changed = [part for part in parts if part.document.set_formulas()]
            for part in changed:
                part.touch(0)
            if changed:
                item.dirty_from = 0
                self._set_height(item)

    # ---------------------------------------------------------------------------------- layout

    def index_of(self, item: Item) -> int:
        """Which row of the heights an item is."""
        return self._index[id(item)]

    def _set_height(self, item: Item) -> None:
        if self.width <= 0:
            return
        if item.body is not None:
            self._prepare_thought(item)
            item.lay_out(self.style, self.width)
            self.heights.set(self._index[id(item)], item.height)
        else:
            self.heights.set(self._index[id(item)], item.estimate(self.style, self.width))

    def is_ready(self, index: int) -> bool:
        """Whether an item is laid out for the present width."""
        item = self.items[index]
        return item.body is not None and item.width == self.width

    def prepare(self, index: int) -> bool:
        """Parse and lay out an item if needed; true if its height changed."""
        item = self.items[index]
        self.body_of(index)
        if self.is_ready(index):
            return False
        before = self.heights[index]
        self._prepare_thought(item)
        item.lay_out(self.style, self.width)
        self.heights.set(index, item.height)
        return item.height != before

    def body_of(self, index: int) -> Body:
        """An item's documents, parsed if they were not yet."""
        item = self.items[index]
        if item.body is None:
            item.body = self._parse(item)
            item.dirty_from = 0
            item.width = 0.0
        self._recent.pop(index, None)
        self._recent[index] = item
        return item.body

    def _prepare_thought(self, item: Item) -> None:
        """Parse a thought that is shown; one that grows goes on from its own stream."""
        entry = item.entry
        if item.thought is not None or not (
            entry.unfolded and item.is_first and entry.view.thought
        ):
            return
        item.thought = Body(self.style)
        growing = self.growing.get(entry.view.id)
        if growing is None:
            item.thought.apply(quoted(parse_markdown(entry.view.thought, self.parser)), ())
        else:
            growing.thought = MarkdownStream(self.parser)
            grown = growing.thought.feed(entry.view.thought)
            item.thought.apply(quoted(grown.frozen), quoted(grown.open))

    def _parse(self, item: Item) -> Body:
        view = item.entry.view
        body = Body(self.style)
        assert item.section is not None
        begin, end = item.section
        text = view.text[begin:end]
        if view.role == "assistant":
            references = self._references(view.text) if len(item.entry.items) > 1 else None
            blocks = parse_markdown(text, self.parser, references, begin)
        else:
            blocks = tuple(literal_blocks(text.removesuffix("\n") if not item.is_last else text))
        body.apply(blocks, ())
        return body

    def _references(self, text: str) -> dict[str, object] | None:
        """The link references of a whole text, for its sections."""
        if not REFERENCE.search(text):
            return None
        env: dict[str, object] = {}
        lines = "\n\n".join(text[m.start() :].split("\n", 1)[0] for m in REFERENCE.finditer(text))
        self.parser.parse(lines, env)
        references = env.get("references")
        return references if isinstance(references, dict) else None

    def forget_far(self, keep: range) -> None:
        """Let go of the documents of items that were not looked at for the longest time."""
        for index in list(self._recent):
            if len(self._recent) <= KEPT_ITEMS:
                break
            item = self._recent[index]
            if index in keep or item.section is None:
                continue
            item.body = None
            item.thought = None
            item.rows = []
            del self._recent[index]

    def between(self, top: float, bottom: float) -> Iterator[tuple[int, float]]:
        """The items that touch a stretch: index and top."""
        if not self.items:
            return
        index = self.heights.find(top)
        y = self.heights.above(index)
        while index < len(self.items) and y < bottom:
            yield index, y
            y += self.heights[index]
            index += 1


def _sections(view: MessageView) -> list[tuple[int, int]]:
    if view.role == "assistant":
        return split_sections(view.text)
    return _literal_sections(view.text)


def _literal_sections(text: str) -> list[tuple[int, int]]:
    """Cut text as it was typed at line ends."""
    sections: list[tuple[int, int]] = []
    begin = 0
    while len(text) - begin > 6000:
        end = text.rfind("\n", begin, begin + 4000) + 1
        end = end if end > begin else begin + 4000
        sections.append((begin, end))
        begin = end
    return [*sections, (begin, len(text))]


def _shows_the_same(old: MessageView, new: MessageView) -> bool:
    """Whether two views differ at most in what stands around their text."""
    same = (old.text, old.thought, old.role) == (new.text, new.thought, new.role)
    return same and "writing" not in {old.status, new.status}


def _extends(text: str, beginning: str) -> bool:
    return text.startswith(beginning)
