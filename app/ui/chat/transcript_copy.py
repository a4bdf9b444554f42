"""Text on its way to the clipboard: plain, and rich for programs that take it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData

from app.ui.chat.transcript_selection import Selection, blocks_of, selected_blocks
from app.ui.render.blocks import Block, join_plain
from app.ui.render.html import to_html

if TYPE_CHECKING:
    from app.ui.chat.transcript_page import Page


def selection_as_mime(page: Page, selection: Selection) -> QMimeData:
    """What is selected, messages apart by an empty line or a rule."""
    return _mime(selected_blocks(page, selection))


def message_as_mime(page: Page, message_id: int) -> QMimeData:
    """A message, its thought left out; what a person typed goes as it was typed."""
    view = page.entries[message_id].view
    if view.role != "assistant":
        made = QMimeData()
        made.setText(view.text)
        return made
    return _mime([blocks_of(page, message_id)])


def text_as_mime(text: str) -> QMimeData:
    """Plain text."""
    made = QMimeData()
    made.setText(text)
    return made


def _mime(messages: Sequence[Sequence[Block]]) -> QMimeData:
    made = QMimeData()
    made.setText("\n\n".join(map(join_plain, messages)))
    made.setHtml("<hr>".join(map(to_html, messages)))
    return made
