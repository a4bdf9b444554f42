"""Markdown that grows: what is complete is frozen for good, only the open end is parsed again.

Where a long block is cut depends on the text alone, never on the pieces it arrived in, so that a
streamed answer and the same answer opened later are one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from app.ui.render.blocks import Block, Run
from app.ui.render.clean import clean
from app.ui.render.closing import closed
from app.ui.render.fence import Fence, fence_at, unfinished
from app.ui.render.flatten import Outline, outline
from app.ui.render.parser import unsure_from
from app.ui.render.split import PARAGRAPH_WINDOW, Carried, find_cut

if TYPE_CHECKING:
    from app.ui.render.parser import MarkdownParser

SLICE = 2000
UNSPLITTABLE = 4096
# Markdown takes this for a space in a line but not at its start: it keeps the rest of a cut
# paragraph from being read as a list, a heading or a fence.
_GUARD = "\u00a0"


@dataclass(frozen=True, slots=True)
class Growth:
    """What a feed did: blocks that will not change any more, and those that still may."""

    frozen: tuple[Block, ...]
    open: tuple[Block, ...]


class MarkdownStream:
    """Parses a text that arrives in pieces.

    Invariant: the frozen blocks are a prefix of what the whole text gives.

    Attributes:
        references_came_late: A link's address was told after text that may use it; a second
            stream over the whole text, made with `references`, shows it right.
    """

    def __init__(
        self, parser: MarkdownParser, references: dict[str, Any] | None = None, base: int = 0
    ) -> None:
        self._parser = parser
        self._env: dict[str, Any] = {"references": dict(references or {})}
        self._tail = ""
        self._base = base
        self._carriage = False
        self._fence: Fence | None = None
        self._carried = Carried()
        self._wait = 0
        self._parsed = 0
        self._open: tuple[Block, ...] = ()
        self._frozen: list[Block] = []
        self._brackets = False
        self._told = False
        self.references_came_late = False

    @property
    def references(self) -> dict[str, Any]:
        """The link references told so far."""
        references: dict[str, Any] = self._env["references"]
        return references

    def feed(self, text: str) -> Growth:
        """Take more text."""
        if self._carriage:
            text = "\r" + text
        self._carriage = text.endswith("\r")
        text = clean(text.removesuffix("\r")).replace("\r\n", "\n").replace("\r", "\n")
        for at in range(0, len(text), SLICE):
            self._tail += text[at : at + SLICE]
            self._advance(still_open=True)
        return self._growth()

    def take_whole(self, text: str) -> tuple[Block, ...]:
        """Take a whole text and end it; a short one is parsed only once."""
        if len(text) >= PARAGRAPH_WINDOW:
            return self.feed(text).frozen + self.finish().frozen
        self._tail = clean(text).replace("\r\n", "\n").replace("\r", "\n")
        return self.finish().frozen

    def finish(self) -> Growth:
        """End the text: everything is frozen."""
        if self._carriage:
            self._tail += "\n"
            self._carriage = False
        self._wait = 0
        if len(self._tail) >= PARAGRAPH_WINDOW:  # else nothing in it has to be cut
            self._advance(still_open=True)
            self._wait = 0
        self._advance(still_open=False)
        self._learn(self._tail)
        self._freeze(self._open)
        self._open = ()
        return self._growth()

    def _growth(self) -> Growth:
        frozen, self._frozen = tuple(self._frozen), []
        pending = self._tail[self._parsed :] if self._wait else ""
        return Growth(frozen, _with_raw_end(self._open, pending))

    def _freeze(self, blocks: tuple[Block, ...]) -> None:
        self._frozen.extend(blocks)
        if blocks and self._told:
            self.references_came_late = True  # they may have used what is not certain yet
        if not self._brackets:
            self._brackets = any("]" in run.text for block in blocks for run in block.runs)

    def _advance(self, *, still_open: bool) -> None:
        while True:
            if self._fence is not None and not self._read_fence(still_open=still_open):
                return
            if len(self._tail) < self._wait or not self._parse(still_open=still_open):
                return

    def _read_fence(self, *, still_open: bool) -> bool:
        """Take lines into the open fence; true if it closed."""
        fence = self._fence
        assert fence is not None
        taken = fence.take(self._tail, still_open=still_open)
        self._cut(taken)
        source = (fence.start, self._base + (0 if fence.closed else len(self._tail)))
        block = Block("code", language=fence.language, text=fence.text, source=source)
        if not fence.closed:
            self._open = (block,)
            return False
        self._freeze((block,))
        self._fence = None
        self._open = ()
        return True

    def _cut(self, count: int, carried: Carried | None = None) -> None:
        """Let go of the tail's first characters."""
        gone = self._tail[:count]
        if self._fence is None and "]:" in gone:
            self._learn(gone)
        self._tail = self._tail[count:]
        self._base += count
        self._carried = carried or Carried()
        self._wait = 0

    def _learn(self, text: str) -> None:
        """Take the link references told in a text that is certain."""
        known = len(self.references)
        self._parser.parse(text, self._env)
        self.references_came_late |= self._brackets and len(self.references) > known

    def _parse(self, *, still_open: bool) -> bool:
        """Parse the tail; true if what is left should be looked at again at once."""
        held = unfinished(self._tail) if still_open else 0
        carried = self._carried
        head = carried.table_head + (_GUARD if carried.in_paragraph else "")
        text = head + self._tail[: len(self._tail) - held]
        starts = _line_starts(text)
        sure = unsure_from(text) if still_open else len(text)
        complete = text.count("\n", 0, sure) if still_open else len(starts)
        tops = self._outline(text, starts, len(head), still_open=still_open)
        rest = 0
        for i, top in enumerate(tops):
            is_long = still_open or len(text) >= PARAGRAPH_WINDOW
            cut = is_long and find_cut(top, text, starts, complete, sure, self._runs_of)
            if cut:
                self._freeze(cut.frozen)
                self._cut(cut.offset - len(head), cut.carried)
                return True
            rest = i
            if i + 1 == len(tops) or tops[i + 1].lines[0] >= complete:
                break
            self._freeze(tuple(top.blocks))
        if still_open and tops and tops[rest].kind == "fence":
            return self._open_fence(text, starts[tops[rest].lines[0]], len(head))
        self._open = tuple(block for top in tops[rest:] for block in top.blocks)
        if rest:
            self._cut(starts[tops[rest].lines[0]] - len(head))
        self._parsed = len(self._tail) - held
        self._wait = len(self._tail) * 5 // 4 if len(self._tail) > UNSPLITTABLE else 0
        return False

    def _open_fence(self, text: str, at: int, head: int) -> bool:
        source = at - head + self._base
        found = fence_at(text, at, source)
        assert found is not None, "a line that opens a fence is complete"
        self._cut(found[1] - head)
        self._fence = found[0]
        self._parsed = 0
        return True

    def _outline(
        self, text: str, starts: list[int], head: int, *, still_open: bool
    ) -> list[Outline]:
        env: dict[str, Any] = {"references": dict(self.references)}
        shown = closed(text) if still_open else text
        tokens = self._parser.parse(shown, env, still_open=still_open)
        self._told = len(env["references"]) > len(self.references)
        tops = outline(tokens, self._carried.number)
        for top in tops:
            first, end = (starts[line] if line < len(starts) else len(text) for line in top.lines)
            if top.is_too_deep:
                top.kind, top.children = "too deep", []
                top.blocks = [Block("code", text=text[first:end].strip("\n"))]
            source = (max(first - head, 0) + self._base, max(end - head, 0) + self._base)
            top.blocks = [replace(block, source=source) for block in top.blocks]
        if tops:
            tops[0].blocks = _carry_on(tops[0].blocks, self._carried)
        return tops

    def _runs_of(self, text: str) -> tuple[Run, ...]:
        """Parse a paragraph's text alone."""
        tokens = self._parser.parse(_GUARD + text, self._env)
        tops = outline(tokens)
        return tops[0].blocks[0].runs if tops and tops[0].blocks else ()


def _carry_on(blocks: list[Block], carried: Carried) -> list[Block]:
    """Make a block that was cut before look like the rest that it is."""
    if not blocks or not (carried.table_head or carried.in_paragraph):
        return blocks
    if carried.table_head:
        return blocks[1:]  # the header, which is shown already
    first = replace(blocks[0], continues=True)
    return [first, *blocks[1:]] if first.runs else blocks[1:]


def _line_starts(text: str) -> list[int]:
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


def _with_raw_end(blocks: tuple[Block, ...], pending: str) -> tuple[Block, ...]:
    """Show text that waits to be parsed as it is, at the end of what it will belong to."""
    if not pending.strip():
        return blocks
    last = blocks[-1] if blocks else None
    if last is not None and last.kind == "code":
        return (*blocks[:-1], replace(last, text=last.text + pending))
    path = last.path if last is not None else ""
    return (*blocks, Block("paragraph", (Run(pending),), path=path, continues=True))


def parse_markdown(
    text: str,
    parser: MarkdownParser,
    references: dict[str, Any] | None = None,
    base: int = 0,
) -> tuple[Block, ...]:
    """Parse a whole text, link references known from the start.

    Args:
        text: The source.
        parser: Does the parsing.
        references: Link references told elsewhere.
        base: Where the text begins in the message's source.
    """
    stream = MarkdownStream(parser, references, base)
    blocks = stream.take_whole(text)
    if stream.references_came_late:
        blocks = MarkdownStream(parser, stream.references, base).take_whole(text)
    return blocks
