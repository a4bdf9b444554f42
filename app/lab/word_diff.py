"""Two texts, word by word: what stayed, what came, what went."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal

_PIECE = re.compile(r"\s+|\w+|[^\w\s]")
_MAX_PIECES = 5_000  # beyond this the comparison is by line

Change = Literal["same", "added", "removed"]


def word_diff(old: str, new: str) -> tuple[tuple[Change, str], ...]:
    """Compare two texts; the "same" and "added" parts joined are the new one."""
    a, b = _PIECE.findall(old), _PIECE.findall(new)
    if max(len(a), len(b)) > _MAX_PIECES:
        a, b = old.splitlines(keepends=True), new.splitlines(keepends=True)
    return tuple(_joined(_changes(a, b)))


def _changes(a: list[str], b: list[str]) -> Iterator[tuple[Change, str]]:
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    for what, a_first, a_last, b_first, b_last in matcher.get_opcodes():
        if what == "equal":
            yield "same", "".join(b[b_first:b_last])
        else:
            yield "removed", "".join(a[a_first:a_last])
            yield "added", "".join(b[b_first:b_last])


def _joined(changes: Iterator[tuple[Change, str]]) -> Iterator[tuple[Change, str]]:
    last: tuple[Change, str] | None = None
    for change, text in changes:
        if not text:
            continue
        if last is not None and last[0] == change:
            last = change, last[1] + text
            continue
        if last is not None:
            yield last
        last = change, text
    if last is not None:
        yield last
