"""Where a block that has grown long is cut, so that its first part can be frozen.

A cut depends on the text alone. Lists and quotes are cut between their children, tables after each
row (the header's text is carried on), paragraphs between words where no emphasis, code or link is
open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.ui.render.blocks import Block, Run

if TYPE_CHECKING:
    from app.ui.render.flatten import Outline

LIST_BOUND = 800
PARAGRAPH_BOUND = 2048
PARAGRAPH_WINDOW = 2560
MOST_MARKS = 200
_BREAKS = (re.compile(r"(?<=[.!?。!?]) +(?=\S)|\n"), re.compile(r"[ \n]+(?=\S)"))


@dataclass(frozen=True, slots=True)
class Carried:
    """What the rest of a cut block must know of its first part.

    Attributes:
        in_paragraph: The text goes on in the middle of a paragraph.
        number: Number and mark of the next item of an ordered list.
        table_head: Header and ruler, to be parsed again before the next rows.
    """

    in_paragraph: bool = False
    number: tuple[int, str] | None = None
    table_head: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """The first part of a block, and where in the text the rest begins."""

    frozen: tuple[Block, ...]
    offset: int
    carried: Carried


def find_cut(
    top: Outline,
    text: str,
    starts: Sequence[int],
    complete: int,
    sure: int,
    runs_of: Callable[[str], tuple[Run, ...]],
) -> Cut | None:
    """Find the first place to cut a block, if it is long enough.

    Args:
        top: The block.
        text: What was parsed.
        starts: Where each line of the text begins.
        complete: How many of its lines are complete.
        sure: Up to where in the text it is certain what is a paragraph.
        runs_of: Parses a paragraph's text.
    """
    match top.kind:
        case "bullet_list_open" | "ordered_list_open" | "blockquote_open":
            return _cut_children(top, starts, complete)
        case "table_open":
            return _cut_rows(top, text, starts, complete)
        case "paragraph_open":
            return _cut_paragraph(top, text[:sure], starts, runs_of)
        case _:
            return None


def _cut_children(top: Outline, starts: Sequence[int], complete: int) -> Cut | None:
    begin = starts[top.lines[0]]
    for i in range(len(top.children) - 1, 0, -1):
        line, block = top.children[i]
        if line < complete:
            if starts[line] - begin < LIST_BOUND:
                return None
            number = (top.first_number + i, top.markup) if top.kind[0] == "o" else None
            return Cut(tuple(top.blocks[:block]), starts[line], Carried(number=number))
    return None


def _cut_rows(top: Outline, text: str, starts: Sequence[int], complete: int) -> Cut | None:
    """Every complete row is final; header and ruler are parsed again with the next."""
    first, end = top.lines
    last = min(end, complete)
    rows = last - first - 1
    if rows < 2 or last >= len(starts):
        return None
    dropped = end - first - 1 - len(top.blocks)  # the header, if it was shown before
    head = text[starts[first] : starts[first + 2]]
    frozen = tuple(top.blocks[: rows - dropped])
    return Cut(frozen, starts[last], Carried(table_head=head)) if frozen else None


def _cut_paragraph(
    top: Outline, text: str, starts: Sequence[int], runs_of: Callable[[str], tuple[Run, ...]]
) -> Cut | None:
    first, end = top.lines
    at = starts[first]
    stop = min(starts[end] if end < len(starts) else len(text), len(text))
    pieces: list[Block] = []
    while stop - at >= PARAGRAPH_WINDOW:
        window = text[at : at + PARAGRAPH_WINDOW]
        cut = _place(window, runs_of)
        model = top.blocks[0] if not pieces else replace(top.blocks[0], continues=True)
        pieces.append(replace(model, runs=runs_of(window[:cut])))
        at += cut
        while at < stop and text[at] in " \n":
            at += 1
    return Cut(tuple(pieces), at, Carried(in_paragraph=True)) if pieces else None


def _place(window: str, runs_of: Callable[[str], tuple[Run, ...]]) -> int:
    """Where to cut: the last place where both sides read as they do together."""
    marks = sum(window.count(mark) for mark in "*_`[~\\<$")
    whole = _flat(runs_of(window)) if 0 < marks < MOST_MARKS else []
    for breaks in _BREAKS:
        places = [m.start() for m in breaks.finditer(window, PARAGRAPH_BOUND // 2, PARAGRAPH_BOUND)]
        for at in places[-1:-4:-2]:
            if not marks:
                return at
            if whole and _flat((*runs_of(window[:at]), Run(" "), *runs_of(window[at:]))) == whole:
                return at
    at = window.rfind(" ", PARAGRAPH_BOUND // 2, PARAGRAPH_BOUND)
    if at >= 0:
        return at
    at = PARAGRAPH_BOUND
    while at > PARAGRAPH_BOUND // 2 and _joins(window[at - 1], window[at]):
        at -= 1
    return at


def _joins(before: str, after: str) -> bool:
    """Whether two characters may be drawn as one."""
    return before == "\u200d" or after == "\u200d" or not (before.isalnum() and after.isalnum())


def _flat(runs: Sequence[Run]) -> list[tuple[str, int, str, str]]:
    """Runs word by word, so that where they are joined does not matter."""
    return [
        (word, run.style, run.href, run.maths)
        for run in runs
        for word in (run.text.split() if not run.maths else [run.text])
    ]
