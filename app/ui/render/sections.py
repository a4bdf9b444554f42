"""A long text into sections that can be parsed each on its own.

A section ends before a line that certainly begins a new block: one at the left edge after a blank
line, outside of fences and formulas, that continues no list, quote, table or footnote.
"""

from __future__ import annotations

import re

SECTION = 2000
_SAFE = re.compile(r"\n[ \t]*\n(?=[^\s\-*+>|\d\[:`~$\\=<])")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
REFERENCE = re.compile(r"^ {0,3}\[[^\]\n]{1,200}\]:", re.MULTILINE)


def split_sections(text: str, size: int = SECTION) -> list[tuple[int, int]]:
    """Cut a text; returns where each section begins and ends."""
    if len(text) <= size * 3 // 2:
        return [(0, len(text))]
    fences = _fences(text)
    sections: list[tuple[int, int]] = []
    begin = 0
    fence = 0
    for found in _SAFE.finditer(text):
        at = found.end()
        if at - begin < size or len(text) - at < size // 2:
            continue
        while fence < len(fences) and fences[fence][1] <= at:
            fence += 1
        if fence < len(fences) and fences[fence][0] < at:
            continue
        sections.append((begin, at))
        begin = at
    sections.append((begin, len(text)))
    return sections


def _fences(text: str) -> list[tuple[int, int]]:
    """Where fenced code begins and ends; an indented fence counts, which is only too careful."""
    found: list[tuple[int, int]] = []
    start, marker = -1, ""
    for line in _FENCE.finditer(text):
        mark, info = line.group(1), line.group(2)
        if start < 0:
            if mark[0] == "~" or "`" not in info:
                start, marker = line.start(), mark
        elif mark[0] == marker[0] and len(mark) >= len(marker) and not info.strip():
            found.append((start, line.end()))
            start = -1
    if start >= 0:
        found.append((start, len(text) + 1))
    return found
