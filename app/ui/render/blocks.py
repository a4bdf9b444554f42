"""What Markdown becomes: a flat list of blocks, each a paragraph's worth, without Qt.

Lists and quotes are told by a block's `path` instead of by nesting, so that a growing answer is a
list that only grows at its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

BOLD, ITALIC, CODE, STRIKE, NOTE = 1, 2, 4, 8, 16

BlockKind = Literal["paragraph", "line", "heading", "code", "maths", "rule", "table", "note"]
Align = Literal["", "left", "center", "right"]


@dataclass(frozen=True, slots=True)
class Run:
    """Some text in one style.

    Attributes:
        style: Sum of `BOLD`, `ITALIC`, `CODE`, `STRIKE` and `NOTE`.
        href: Where a link leads; empty where there is none, or none that may be followed.
        maths: Whether `text` is TeX, set in the line or on its own.
    """

    text: str
    style: int = 0
    href: str = ""
    maths: Literal["", "inline", "display"] = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of a table: one in each block of an answer, so that a row that is read is final."""

    rows: tuple[tuple[tuple[Run, ...], ...], ...]
    aligns: tuple[Align, ...]
    has_header: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, heading, code block, formula, rule, table or footnote, or a line as typed.

    Attributes:
        path: The lists ("l") and quotes ("q") around it, outermost first.
        marker: What stands before the first block of a list item: "•", "3.", "[ ]" or "[x]"; or
            the label of a footnote.
        level: Of a heading, from 1 to 6.
        language: First word after a code fence, as written.
        text: Of a code block.
        continues: It carries on the block before: a later row of a table, or more of a paragraph
            that had grown too long.
        source: Where in the source the outermost block around it begins and ends.
    """

    kind: BlockKind
    runs: tuple[Run, ...] = ()
    path: str = ""
    marker: str = ""
    level: int = 0
    language: str = ""
    text: str = ""
    table: Table | None = None
    continues: bool = False
    source: tuple[int, int] = field(default=(0, 0), compare=False)


def plain_text(block: Block) -> str:
    """The block's words without any markup."""
    if block.kind == "code":
        return block.text
    if block.table is not None:
        return "\n".join("\t".join(runs_text(cell) for cell in row) for row in block.table.rows)
    marker = f"{block.marker} " if block.marker else ""
    return "  " * max(block.path.count("l") - 1, 0) + marker + runs_text(block.runs)


def runs_text(runs: tuple[Run, ...]) -> str:
    """The text of runs, formulas as their source."""
    return "".join(run.text for run in runs)


def size_of(block: Block) -> int:
    """How many positions a block of text has: a formula is one."""
    return sum(1 if run.maths else len(run.text) for run in block.runs)


def slice_block(block: Block, low: int, high: int) -> Block:
    """The part of a block of text between two positions in it; its mark only with its beginning."""
    if low <= 0 and high >= size_of(block):
        return block
    runs: list[Run] = []
    at = 0
    for run in block.runs:
        wide = 1 if run.maths else len(run.text)
        begin, end = max(low - at, 0), min(high - at, wide)
        if begin < end:
            runs.append(run if run.maths else replace(run, text=run.text[begin:end]))
        at += wide
    return replace(block, runs=tuple(runs), marker=block.marker if low <= 0 else "")


def join_plain(blocks: Sequence[Block]) -> str:
    """Blocks as plain text: paragraphs apart by an empty line, items and rows by none."""
    text = ""
    before: Block | None = None
    for block in blocks:
        if before is not None:
            text += _between(before, block)
        text += plain_text(block)
        before = block
    return text


def _between(before: Block, block: Block) -> str:
    if block.continues:
        return " " if block.kind == "paragraph" else "\n"
    return "\n" if block.marker and "l" in before.path and "l" in block.path else "\n\n"


def coalesce(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Join what was cut for length: two renderings compared as a reader sees them."""
    joined: list[Block] = []
    for block in blocks:
        before = joined[-1] if joined else None
        if not block.continues or before is None or before.kind != block.kind:
            joined.append(block)
        elif before.table is not None and block.table is not None:
            rows = before.table.rows + block.table.rows
            joined[-1] = replace(before, table=replace(before.table, rows=rows))
        else:
            joined[-1] = replace(before, runs=(*before.runs, *block.runs))
    return tuple(joined)
