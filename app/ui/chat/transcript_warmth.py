"""What takes a moment at its first use, done before it is needed, while nothing else goes on."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from app.ui.render.lexing import COMMON, LineColours

AFTER_MS = 2500
BETWEEN_MS = 250


class Warmth(QObject):
    """Reads the lexers of common languages one by one; lives on the GUI thread."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._languages = list(reversed(COMMON))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._on_due)

    def start(self) -> None:
        """Begin some time from now."""
        if self._languages and not self._timer.isActive():
            self._timer.start(AFTER_MS)

    def put_off(self) -> None:
        """Wait again: something is being written."""
        if self._timer.isActive():
            self._timer.start(AFTER_MS)

    def _on_due(self) -> None:
        LineColours(self._languages.pop()).open_line("x = 1")
        if self._languages:
            self._timer.start(BETWEEN_MS)
