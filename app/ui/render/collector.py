"""When Python looks for cyclic garbage: never in the middle of what a person sees.

A full collection of a large window stops it for a tenth of a second and more. What start-up made is
frozen; while something is written only the youngest objects are looked at, about once a second;
everything is looked at when nothing is going on.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

YOUNG_MS = 1000
IDLE_MS = 5000


class Collector(QObject):
    """Collects garbage on the GUI thread, at moments of its own choice.

    Attributes:
        is_busy: Something is being written.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_busy = False
        self._since_idle_ms = 0
        self._timer = QTimer(self)
        self._timer.setInterval(YOUNG_MS)
        self._timer.timeout.connect(self._on_due)

    def start(self) -> None:
        """Take over from Python, once the window is built."""
        gc.collect()
        gc.freeze()
        gc.disable()
        self._timer.start()

    def stop(self) -> None:
        """Give it back to Python."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def on_busy(self, busy: bool) -> None:
        """Take note that something is being written, or no longer."""
        self.is_busy = busy
        self._since_idle_ms = 0

    def _on_due(self) -> None:
        if self.is_busy:
            gc.collect(0)
            return
        self._since_idle_ms += YOUNG_MS
        if self._since_idle_ms == IDLE_MS:
            gc.collect()
            gc.freeze()
        elif self._since_idle_ms < IDLE_MS:
            gc.collect(0)
