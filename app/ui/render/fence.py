"""The open end of a text: code fences taken line by line, and lines that cannot be judged yet."""

from __future__ import annotations

import re

_FENCE = re.compile(r"( {0,3})(`{3,}(?=[^`\n]*\n)|~{3,}(?=[^\n]*\n))([^\n]*)\n")
_CONTAINERS = re.compile(r"(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*")
_UNJUDGED = re.compile(r"[-*+=#~`$:_]*[ \t]*|\d{1,9}[.)]?|`{3,}[^`]*|~{3,}.*|\\\[?")
_RULER = re.compile(r"[ \t|:-]*")


class Fence:
    """A fenced code block being read.

    Attributes:
        start: Where its first line begins in the source.
        text: Its code so far, without a line that may yet turn out to be its end.
        closed: Its end was read.
    """

    def __init__(self, indent: str, marker: str, info: str, start: int) -> None:
        self._indent = len(indent)
        self._marker = marker
        self._end = re.compile(
            r" {0,3}" + re.escape(marker[0]) + "{" + str(len(marker)) + r",}[ \t]*"
        )
        word = info.strip().split()
        self.language = word[0].strip("{}.")[:40] if word else ""
        self.start = start
        self.text = ""
        self.closed = False
        self._lines: list[str] = []
        self._complete = ""

    def take(self, tail: str, *, still_open: bool) -> int:
        """Take what can be judged; returns how many characters of the tail are used up."""
        at = 0
        added: list[str] = []
        while (stop := tail.find("\n", at)) >= 0:
            line = tail[at:stop]
            at = stop + 1
            if self._end.fullmatch(line):
                self.closed = True
                break
            added.append(self._strip(line))
        if added:
            self._complete += "".join(line + "\n" for line in added)
        rest = "" if self.closed else tail[at:]
        if not still_open and self._end.fullmatch(rest):
            self.closed = True
            at, rest = len(tail), ""
        may_end = not rest.strip(" " + self._marker[0]) and len(rest) - len(rest.lstrip(" ")) < 4
        if rest and not (still_open and may_end):
            self.text = self._complete + self._strip(rest)
        else:
            self.text = self._complete.removesuffix("\n")
        return at

    def _strip(self, line: str) -> str:
        spaces = len(line) - len(line.lstrip(" "))
        return line[min(spaces, self._indent) :]


def fence_at(text: str, at: int, source: int) -> tuple[Fence, int] | None:
    """The fence that opens at a place in a text, and where its code begins."""
    found = _FENCE.match(text, at)
    if found is None:
        return None
    return Fence(found.group(1), found.group(2), found.group(3), source), found.end()


def unfinished(tail: str) -> int:
    """How many characters at the end are too few to tell what block they begin.

    Showing them would let the reader see a block change its kind a moment later.
    """
    start = tail.rfind("\n") + 1
    line = tail[start:]
    inner = _CONTAINERS.match(line)
    assert inner is not None
    if _UNJUDGED.fullmatch(line, inner.end()) and line.strip():
        return _with_table_head(tail, start)
    if line.lstrip().startswith("|") or not line.strip():
        return _with_table_head(tail, start)
    return 0


def _with_table_head(tail: str, start: int) -> int:
    """Hold back a row that is a header if the next line is a ruler."""
    line = tail[start:]
    before = tail.rfind("\n", 0, max(start - 1, 0)) + 1
    previous = tail[before : max(start - 1, 0)]
    if previous.lstrip().startswith("|"):
        above = tail.rfind("\n", 0, max(before - 1, 0)) + 1
        in_table = tail[above : max(before - 1, 0)].lstrip().startswith("|")
        if not in_table and _RULER.fullmatch(line):
            return len(tail) - before
        return 0 if line.lstrip().startswith("|") else len(line)
    return len(line)
