"""What a screen reader is told: each finished answer once, politely."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


def announce(window: QWidget, text: str) -> None:
    """Have a text read when the reader has nothing else to say."""
    if text and QAccessible.isActive():
        event = QAccessibleAnnouncementEvent(window, text)
        event.setPoliteness(QAccessible.AnnouncementPoliteness.Polite)
        QAccessible.updateAccessibility(event)
