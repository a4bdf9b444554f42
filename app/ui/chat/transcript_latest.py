"""The button that appears when the view was scrolled away from the end, and leads back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractScrollArea, QToolButton

from app.ui.chat.transcript_icons import draw_icon

if TYPE_CHECKING:
    from app.ui.render.style import Style

AWAY = 80
ABOVE_EDGE = 14


class LatestButton(QToolButton):
    """Floats above the lower edge of a viewport; lives on the GUI thread."""

    def __init__(self, area: QAbstractScrollArea, style: Style) -> None:
        super().__init__(area.viewport())
        self._area = area
        self.setObjectName("latest")
        self.setText("Latest")
        self.setAccessibleName("Go to the latest message")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.restyle(style)
        self.hide()

    def restyle(self, style: Style) -> None:
        """Take another palette."""
        palette = style.palette
        self.setIcon(draw_icon("down", palette.text, 16))
        self.setStyleSheet(
            f"QToolButton {{ background: {palette.field}; color: {palette.text};"
            f"border: 1px solid {palette.border}; border-radius: 15px; padding: 5px 12px; }}"
            f"QToolButton:hover {{ background: {palette.hover}; }}"
            f"QToolButton:focus {{ border-color: {palette.accent}; }}"
        )

    def place(self, *, follows: bool) -> None:
        """Appear if the end is out of sight and not followed."""
        bar = self._area.verticalScrollBar()
        away = not follows and bar.maximum() - bar.value() > AWAY
        self.setVisible(away)
        if away:
            size, viewport = self.sizeHint(), self._area.viewport()
            self.resize(size)
            x = (viewport.width() - size.width()) // 2
            self.move(x, viewport.height() - size.height() - ABOVE_EDGE)
            self.raise_()
