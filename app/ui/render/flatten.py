"""markdown-it's tokens into flat blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, cast

from app.ui.render.blocks import BOLD, CODE, ITALIC, NOTE, STRIKE, Align, Block, Run, Table
from app.ui.render.clean import without_bidi_controls
from app.ui.render.links import safe_address, split_bare_links
from app.ui.render.parser import MAX_NESTING

if TYPE_CHECKING:
    from markdown_it.token import Token

MOST_COLUMNS = 30  # a wider table is shown row by row, as text
BULLETS = "•◦▪"
_TASK = re.compile(r"\[([ xX])\][ \t\n]")
_STYLES = {"strong": BOLD, "em": ITALIC, "s": STRIKE}


@dataclass(slots=True)
class Outline:
    """A top-level block: its lines, and the parts at which a long one may be cut.

    Attributes:
        lines: First line and the line after the last.
        children: For lists and quotes: (first line, index of the first block) of each direct child.
        kind: The opening token's type.
        first_number: Of an ordered list. `markup` is its "." or ")".
        is_too_deep: The parser gave up on what is nested deepest; it has to be shown as it is.
    """

    kind: str
    lines: tuple[int, int]
    blocks: list[Block]
    children: list[tuple[int, int]]
    first_number: int = 1
    markup: str = ""
    is_too_deep: bool = False


def outline(tokens: Sequence[Token], first_number: tuple[int, str] | None = None) -> list[Outline]:
    """Group tokens into top-level blocks.

    Args:
        tokens: Of a whole parse.
        first_number: Number of the first item and the list's mark, where the text begins inside
            an ordered list.
    """
    outlines: list[Outline] = []
    walk = _Walk()
    for token in tokens:
        if token.level == 0 and token.nesting >= 0:
            begin, end = token.map or (0, 0)
            top = Outline(token.type, (begin, end), [], [], markup=token.markup)
            if token.type == "ordered_list_open":
                top.first_number = int(token.attrs.get("start", 1))
                if not outlines and first_number and first_number[1] == token.markup:
                    top.first_number = first_number[0]
            outlines.append(top)
            walk.begin(top)
        if token.level == 1 and token.nesting >= 0 and token.map:
            walk.top.children.append((token.map[0], len(walk.top.blocks)))
        walk.top.is_too_deep |= token.level >= MAX_NESTING - 2
        walk.take(token)
    return outlines


class _Walk:
    """Carries where in lists, quotes and tables the walk over the tokens is."""

    def __init__(self) -> None:
        self.top = Outline("", (0, 0), [], [])
        self._path = ""
        self._numbers: list[int | None] = []
        self._marker = ""
        self._heading = 0
        self._note = ""
        self._rows: list[list[tuple[Run, ...]]] = []
        self._aligns: list[Align] = []

    def begin(self, top: Outline) -> None:
        self.top = top
        self._path = ""
        self._numbers = []
        self._marker = ""

    def take(self, token: Token) -> None:
        """Take the next token."""
        step = _STEPS.get(token.type)
        if step is not None:
            step(self, token)

    def open_quote(self, _: Token) -> None:
        self._flush_marker()
        self._path += "q"

    def open_list(self, token: Token) -> None:
        self._flush_marker()
        self._path += "l"
        self._numbers.append(self._first_number(token))

    def close_list(self, _: Token) -> None:
        self._path = self._path[:-1]
        self._numbers.pop()

    def close_quote(self, _: Token) -> None:
        self._path = self._path[:-1]

    def open_item(self, _: Token) -> None:
        self._marker = self._next_marker()

    def close_item(self, _: Token) -> None:
        self._flush_marker()

    def open_heading(self, token: Token) -> None:
        self._heading = int(token.tag[1])

    def open_note(self, token: Token) -> None:
        self._note = token.info

    def maths(self, token: Token) -> None:
        self._add(Block("maths", (Run(token.content, 0, "", "display"),)))

    def rule(self, _: Token) -> None:
        self._add(Block("rule"))

    def open_table(self, _: Token) -> None:
        self._rows, self._aligns = [], []

    def open_row(self, _: Token) -> None:
        self._rows.append([])

    def open_head_cell(self, token: Token) -> None:
        self._aligns.append(_align(token))

    def _first_number(self, token: Token) -> int | None:
        if token.type == "bullet_list_open":
            return None
        return self.top.first_number if token.level == 0 else int(token.attrs.get("start", 1))

    def _next_marker(self) -> str:
        number = self._numbers[-1]
        if number is None:
            depth = sum(1 for n in self._numbers if n is None) - 1
            return BULLETS[min(depth, len(BULLETS) - 1)]
        self._numbers[-1] = number + 1
        return f"{number}."

    def _flush_marker(self) -> None:
        """An item that holds nothing, or begins with a list, still shows its mark."""
        if self._marker:
            self._add(Block("paragraph"))

    def _add(self, block: Block) -> None:
        self.top.blocks.append(replace(block, path=self._path, marker=self._marker or block.marker))
        self._marker = ""

    def inline(self, token: Token) -> None:
        if self._rows:
            self._rows[-1].append(inline_runs(token))
        elif self._note:
            self._add(Block("note", inline_runs(token), marker=self._note))
            self._note = ""
        elif self._heading:
            self._add(Block("heading", inline_runs(token), level=self._heading))
            self._heading = 0
        else:
            self._paragraph(token)

    def _paragraph(self, token: Token) -> None:
        runs = inline_runs(token)
        if self._marker and runs and not runs[0].style and (task := _TASK.match(runs[0].text)):
            self._marker = "[ ]" if task.group(1) == " " else "[x]"
            runs = (replace(runs[0], text=runs[0].text[4:]), *runs[1:])
        alone = len(runs) == 1 and runs[0].maths == "display"
        self._add(Block("maths" if alone else "paragraph", runs))

    def code(self, token: Token) -> None:
        info = token.info.strip()
        language = info.split()[0].strip("{}.") if info else ""
        if self._marker:
            self._flush_marker()
        self._add(Block("code", language=language[:40], text=token.content.removesuffix("\n")))

    def table(self, _: Token) -> None:
        rows, self._rows = self._rows, []
        if self._marker:
            self._flush_marker()
        aligns = tuple(self._aligns)
        if len(aligns) > MOST_COLUMNS:
            for row in rows:
                runs = tuple(run for cell in row for run in (*cell, Run(" | ")))
                self._add(Block("paragraph", runs[:-1]))
            return
        for i, row in enumerate(rows):
            table = Table((tuple(row),), aligns, has_header=i == 0)
            self._add(Block("table", table=table, continues=i > 0))


_STEPS: Final[dict[str, Callable[[_Walk, Token], None]]] = {
    "blockquote_open": _Walk.open_quote,
    "blockquote_close": _Walk.close_quote,
    "bullet_list_open": _Walk.open_list,
    "bullet_list_close": _Walk.close_list,
    "ordered_list_open": _Walk.open_list,
    "ordered_list_close": _Walk.close_list,
    "list_item_open": _Walk.open_item,
    "list_item_close": _Walk.close_item,
    "heading_open": _Walk.open_heading,
    "footnote_open": _Walk.open_note,
    "inline": _Walk.inline,
    "fence": _Walk.code,
    "code_block": _Walk.code,
    "maths_block": _Walk.maths,
    "hr": _Walk.rule,
    "table_open": _Walk.open_table,
    "tr_open": _Walk.open_row,
    "th_open": _Walk.open_head_cell,
    "table_close": _Walk.table,
}


def _align(token: Token) -> Align:
    style = str(token.attrs.get("style", ""))
    return cast("Align", style.removeprefix("text-align:") if style else "")


def inline_runs(token: Token) -> tuple[Run, ...]:
    """The runs of a paragraph's worth of inline tokens, alike neighbours joined."""
    runs: list[Run] = []
    for run in _runs(token.children or []):
        last = runs[-1] if runs else None
        if last and not run.maths and not last.maths and _alike(last, run):
            runs[-1] = replace(last, text=last.text + run.text)
        elif run.text:
            runs.append(run)
    return tuple(runs)


def _alike(a: Run, b: Run) -> bool:
    return a.style == b.style and a.href == b.href


def _runs(children: Sequence[Token]) -> Iterator[Run]:
    depth = {"strong": 0, "em": 0, "s": 0}
    hrefs: list[str] = []
    for child in children:
        style = sum(_STYLES[name] for name, count in depth.items() if count)
        href = hrefs[-1] if hrefs else ""
        kind = child.type
        name, _, end = kind.rpartition("_")
        if name in depth:
            depth[name] += 1 if end == "open" else -1
        elif kind == "link_open":
            hrefs.append(safe_address(str(child.attrs.get("href", ""))))
        elif kind == "link_close":
            hrefs.pop()
        else:
            yield from _leaf(child, style, href, bool(hrefs))


def _leaf(child: Token, style: int, href: str, in_link: bool) -> Iterator[Run]:
    text = without_bidi_controls(child.content)
    match child.type:
        case "text" if in_link or "http" not in text:
            yield Run(text, style, href)
        case "text":
            for piece, address in split_bare_links(text):
                yield Run(piece, style, address)
        case "code_inline":
            yield Run(text, style | CODE, href)
        case "softbreak":
            yield Run(" ", style, href)
        case "hardbreak":
            yield Run("\n", style, href)
        case "maths_inline":
            shape = "inline" if child.markup == "\\(" else "display"
            yield Run(text, style, "", "inline" if shape == "inline" else "display")
        case "footnote_mark":
            yield Run(text, style | NOTE)
        case "image":
            source = safe_address(str(child.attrs.get("src", "")))
            shown = without_bidi_controls(child.content).strip() or "image"
            yield Run(f"[image: {shown}]", style, href or source)
        case _:
            yield Run(text, style, href)
