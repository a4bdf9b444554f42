"""Characters that must not reach a layout as they are.

Every replacement keeps the length, so that places in the source stay places in the text.
"""

from __future__ import annotations

import re

_BIDI = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_CONTROL = {c: chr(0x2400 + c) for c in range(32) if c not in (9, 10, 13)} | {127: "\u2421"}
# U+FFFC and U+FDD0/1 mean objects and frames to Qt; half a pair of surrogates means nothing.
_QT = {0xFFFC: "□", 0xFDD0: " ", 0xFDD1: " ", 0x2028: " ", 0x2029: " ", 0x85: " "}
_TABLE = str.maketrans(_CONTROL | _QT)
_SURROGATES = re.compile("[\ud800-\udfff]")
_HIDE_BIDI = dict.fromkeys(_BIDI)
_SHOW_BIDI = {c: f"[U+{c:04X}]" for c in _BIDI}


def clean(text: str) -> str:
    """Make text safe for parsing and layout, character by character."""
    text = text.translate(_TABLE)
    return text if text.isascii() else _SURROGATES.sub("□", text)


def without_bidi_controls(text: str) -> str:
    """Prose without the controls that could turn its order around."""
    return text if text.isascii() else text.translate(_HIDE_BIDI)


def with_visible_bidi_controls(text: str) -> str:
    """Code with those controls spelled out."""
    return text if text.isascii() else text.translate(_SHOW_BIDI)
