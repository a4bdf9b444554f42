"""The last words of a text that still grows, as they will most likely look when they are complete.

An answer that writes `**bold` is shown bold at once, not with two stars that vanish a moment later.
What is shown so is never frozen.
"""

from __future__ import annotations

import re

_CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_OPEN_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)(?=[^`\s])[^`]*\Z")
_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\](?:\([^()\s]{0,500})?\Z")
_HALF_MARK = re.compile(r"(?<!\\)[*_~`]{1,3}\Z")
_LONGEST = 1500


def closed(text: str) -> str:
    """The text with its open emphasis, code or link closed."""
    if not text or text[-1] == "\n":
        return text
    begin = max(text.rfind("\n\n"), len(text) - _LONGEST, 0)
    last = text[begin:]
    if "```" in last or "~~~" in last:
        return text
    link = _LINK.search(last)
    if link is not None and "](" in link.group():
        last = last[: link.start()] + link.group(1)
    last = _HALF_MARK.sub("", last)
    code = _CODE.sub("", last)
    if (found := _OPEN_CODE.search(code)) is not None:
        return text[:begin] + last + found.group(1)
    for mark in ("**", "~~"):
        if code.count(mark) % 2:
            last = _close(last, mark)
    return text[:begin] + last


def _close(last: str, mark: str) -> str:
    """Close a mark behind the last word, or leave it out if no word followed it yet."""
    words = last.rstrip()
    space = last[len(words) :]
    if words.endswith(mark):
        return words[: -len(mark)] + space
    return words + mark + space
