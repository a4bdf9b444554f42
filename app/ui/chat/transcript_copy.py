"""Text on its way to the clipboard: plain, and rich for programs that take it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtGui import QStandardItemModel

from app.ui.chat.transcript_selection import Selection, blocks_of, selected_blocks
from app.ui.render.blocks import Block, join_plain
from app.ui.render.html import to_html

if TYPE_CHECKING:
    from PySide6.QtCore import QMimeData

    from app.ui.chat.transcript_page import Page


def selection_as_mime(page: Page, selection: Selection) -> QMimeData:
    """What is selected, messages apart by an empty line or a rule."""
    return _mime(selected_blocks(page, selection))


def message_as_mime(page: Page, message_id: int) -> QMimeData:
    """A message, its thought left out; what a person typed goes as it was typed."""
    view = page.entries[message_id].view
    if view.role != "assistant":
        return text_as_mime(view.text)
    return _mime([blocks_of(page, message_id)])


def text_as_mime(text: str) -> QMimeData:
    """Plain text."""
    made = _made_by_qt()
    made.setText(text)
    return made


def _mime(messages: Sequence[Sequence[Block]]) -> QMimeData:
    made = _made_by_qt()
    made.setText("\n\n".join(map(join_plain, messages)))
    made.setHtml("<hr>".join(map(to_html, messages)))
    return made


def _made_by_qt() -> QMimeData:
    """Something to put text into that outlives Python.

    WORKAROUND (PySide6 6.11.3; removable when a program that ends with `QMimeData()` on its
    clipboard ends well): Qt deletes what is on the clipboard after Python has ended, and an object
    that Python made then crashes the exit. One that Qt made does not.
    """
    model = QStandardItemModel(1, 1)
    made = model.mimeData([model.index(0, 0)])
    for form in made.formats():
        made.removeFormat(form)
    return made
