"""The small line icons of the transcript's buttons, drawn in the colour that is asked for."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

_PATHS = {
    "copy": '<rect x="8" y="8" width="12" height="12" rx="2.5"/>'
    '<path d="M16 8V6.5A2.5 2.5 0 0 0 13.5 4h-7A2.5 2.5 0 0 0 4 6.5v7A2.5 2.5 0 0 0 6.5 16H8"/>',
    "done": '<path d="M5 12.5l4.5 4.5L19 7.5"/>',
    "edit": '<path d="M4 20l.9-4L16 4.9a2 2 0 0 1 2.9 0l.2.2a2 2 0 0 1 0 2.9L8 19.1z"/>'
    '<path d="M14 7l3 3"/>',
    "regenerate": '<path d="M19.5 12a7.5 7.5 0 1 1-2.2-5.3L19.5 9"/><path d="M19.5 4.5V9H15"/>',
    "continue": '<path d="M5 6v6.5A2.5 2.5 0 0 0 7.5 15H19"/><path d="M15 11l4 4-4 4"/>',
    "branch": '<circle cx="7" cy="5.5" r="2"/><circle cx="7" cy="18.5" r="2"/>'
    '<circle cx="17" cy="8.5" r="2"/><path d="M7 7.5v9M17 10.5c0 4-5 3-9 5"/>',
    "inspect": '<circle cx="10.5" cy="10.5" r="6"/><path d="M15 15l5 5"/>',
    "delete": '<path d="M5 7h14M10 7V5h4v2M7 7l.8 12h8.4L17 7M10.5 11v4.5M13.5 11v4.5"/>',
    "details": '<circle cx="12" cy="12" r="8"/><path d="M12 11v5M12 8v.2"/>',
    "previous": '<path d="M14.5 6l-6 6 6 6"/>',
    "next": '<path d="M9.5 6l6 6-6 6"/>',
    "down": '<path d="M12 5v14M6 13l6 6 6-6"/>',
    "folded": '<path d="M9.5 6l6 6-6 6"/>',
    "unfolded": '<path d="M6 9.5l6 6 6-6"/>',
    "wrap": '<path d="M4 6h16M4 12h12.5a3 3 0 0 1 0 6H12M4 18h4"/>'
    '<path d="M14 15.5L11.5 18l2.5 2.5"/>',
}


def draw_icon(name: str, colour: str, side: int = 18, ratio: float = 2.0) -> QIcon:
    """Draw an icon.

    Args:
        name: One of the names in this file.
        colour: As "#rrggbb".
        side: Width and height in pixels of the screen's own measure.
        ratio: Device pixels for each of those.
    """
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" '
        f'stroke="{colour}" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round">'
        f"{_PATHS[name]}</svg>"
    )
    pixmap = QPixmap(QSize(round(side * ratio), round(side * ratio)))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, side * ratio, side * ratio))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return QIcon(pixmap)
