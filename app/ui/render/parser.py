r"""The Markdown that answers are written in: CommonMark, tables, strikethrough, footnotes, maths.

Raw HTML stays text. Maths is `$$…$$`, `\[…\]` and `\(…\)`, never a single dollar sign.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import image, link

if TYPE_CHECKING:
    from markdown_it.ruler import RuleOptionsType
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

MAX_NESTING = 30
MOST_BRACKETS = 120  # in one paragraph; more make links quadratic, and stay text
LONGEST_FORMULA = 2000
InlineRule = Callable[["StateInline", bool], bool]
_FOOTNOTE = re.compile(r"\[\^([^\s\]\[^]{1,40})\]")
_OPENER = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(\\\[|\$\$)", re.MULTILINE)
_FENCES = (("$$", "$$"), ("\\[", "\\]"))


class MarkdownParser:
    """Turns Markdown into markdown-it's tokens."""

    def __init__(self) -> None:
        rules = MarkdownIt("commonmark", {"html": False, "maxNesting": MAX_NESTING})
        rules.enable(["table", "strikethrough"])
        stops: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
        rules.block.ruler.before("fence", "maths", _maths_block, stops)
        rules.block.ruler.before("reference", "footnote", _footnote_block, stops)
        rules.inline.ruler.before("escape", "maths", _maths_inline)
        rules.inline.ruler.at("link", _bounded(link))
        rules.inline.ruler.at("image", _bounded(image))
        rules.inline.ruler.before("link", "footnote", _footnote_mark)
        self._rules = rules

    def parse(self, text: str, env: dict[str, Any], *, still_open: bool = False) -> list[Token]:
        """Parse a text.

        Args:
            text: The source.
            env: What is known of the text before: link references. It is added to.
            still_open: More text may follow; a formula without an end may still get one.
        """
        env["still_open"] = still_open
        return self._rules.parse(text, env)


def _bounded(rule: InlineRule) -> InlineRule:
    """A rule that looks for a closing bracket, kept from looking too often."""

    def bounded(state: StateInline, silent: bool) -> bool:
        count = state.env.get("brackets")
        if count is None or count[0] is not state.src:
            count = state.env["brackets"] = (state.src, state.src.count("["))
        return count[1] <= MOST_BRACKETS and rule(state, silent)

    return bounded


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _maths_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    r"""A formula on lines of its own, without a blank line in it."""
    if state.is_code_block(first):
        return False
    text = _line(state, first)
    for start, stop in _FENCES:
        if not text.startswith(start):
            continue
        still_open = not silent and bool(state.env.get("still_open"))
        found = _find_stop(state, first, end, (len(start), stop), still_open=still_open)
        if found is None:
            return False
        if silent:
            return True
        last, tex = found
        token = state.push("maths_block", "", 0)
        token.content = tex.strip()
        token.map = [first, last + 1]
        state.line = last + 1
        return True
    return False


def _find_stop(
    state: StateBlock, first: int, end: int, mark: tuple[int, str], *, still_open: bool
) -> tuple[int, str] | None:
    """The last line of a formula, and what is in it."""
    skip, stop = mark
    lines: list[str] = []
    size = 0
    for line in range(first, end):
        text = _line(state, line)[skip if line == first else 0 :]
        at = text.find(stop)
        size += len(text)
        if size > LONGEST_FORMULA or (not text.strip() and line > first):
            return None
        if at >= 0:
            tex = "\n".join([*lines, text[:at]])
            return (line, tex) if not text[at + len(stop) :].strip() and tex.strip() else None
        lines.append(text)
    if still_open and end == state.lineMax and len(lines) > 1:
        return end - 1, "\n".join(lines)
    return None


def unsure_from(text: str) -> int:
    """Where a formula begins that may yet be closed; the text's length if there is none.

    What such a formula holds looks like lists and headings until its end is there.
    """
    begin = max(text.rfind("\n\n") + 1, len(text) - 2 * LONGEST_FORMULA, 0)
    for found in _OPENER.finditer(text, begin):
        start = found.group(1)
        stop = "\\]" if start == "\\[" else "$$"
        at = text.find(stop, found.end())
        if at < 0:
            unsure = len(text) - found.end() <= LONGEST_FORMULA
        else:
            unsure = "\n" not in text[at:] and not text[at + 2 :].strip()
        if unsure:
            return found.start()
    return len(text)


def _maths_inline(state: StateInline, silent: bool) -> bool:
    r"""`\(…\)`, and `\[…\]` or `$$…$$` inside a paragraph."""
    at = state.pos
    start = state.src[at : at + 2]
    stop = {"\\(": "\\)", "\\[": "\\]", "$$": "$$"}.get(start)
    if stop is None:
        return False
    end = state.src.find(stop, at + 2, min(state.posMax, at + 2000))
    if end < 0 or not state.src[at + 2 : end].strip():
        return False
    if not silent:
        token = state.push("maths_inline", "", 0)
        token.content = state.src[at + 2 : end].strip()
        token.markup = start
    state.pos = end + 2
    return True


def _footnote_mark(state: StateInline, silent: bool) -> bool:
    """`[^name]` inside a paragraph."""
    if state.src[state.pos : state.pos + 2] != "[^":
        return False
    found = _FOOTNOTE.match(state.src, state.pos, state.posMax)
    if found is None or state.src[found.end() : found.end() + 1] == "(":
        return False
    if not silent:
        token = state.push("footnote_mark", "", 0)
        token.content = found.group(1)
    state.pos = found.end()
    return True


def _footnote_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """`[^name]: text` at the start of a block; it ends with its paragraph."""
    if state.is_code_block(first):
        return False
    text = _line(state, first)
    found = _FOOTNOTE.match(text)
    if found is None or text[found.end() : found.end() + 1] != ":":
        return False
    if silent:
        return True
    last = first + 1
    while last < end and _line(state, last).strip() and not _FOOTNOTE.match(_line(state, last)):
        last += 1
    lines = [text[found.end() + 1 :].strip()]
    lines += [_line(state, line).strip() for line in range(first + 1, last)]
    token = state.push("footnote_open", "", 1)
    token.info = found.group(1)
    token.map = [first, last]
    inline = state.push("inline", "", 0)
    inline.content = "\n".join(lines).strip()
    inline.map = [first, last]
    inline.children = []
    state.push("footnote_close", "", -1)
    state.line = last
    return True
