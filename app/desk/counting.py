"""Tokens of the composer, counted on one small thread: the tokenizer is shared and read-only."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from inference import Engine, InferenceError


class _Abacus(QObject):
    """Counts; lives on its own thread."""

    counted = Signal(str, int)

    def __init__(self) -> None:
        super().__init__()
        self._engine: Engine | None = None

    @Slot(object)
    def on_engine(self, engine: Engine) -> None:
        """Take the engine, for what is safe from any thread."""
        self._engine = engine

    @Slot(str)
    def on_asked(self, text: str) -> None:
        """Count; without a model there is nothing to count with."""
        if self._engine is None or self._engine.info is None:
            return
        try:
            self.counted.emit(text, self._engine.count_tokens(text))
        except InferenceError:
            return  # the next pause in typing asks again


class Counter(QObject):
    """Asks for counts and tells them; an older text's count is never told.

    Attributes:
        counted: A text's key and its tokens.
    """

    counted = Signal(str, int)
    _asked = Signal(str)
    _engine = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._newest: dict[str, str] = {}
        self._thread = QThread()
        self._thread.setObjectName("counter")
        self._abacus = _Abacus()
        self._abacus.moveToThread(self._thread)
        queued = Qt.ConnectionType.QueuedConnection
        self._asked.connect(self._abacus.on_asked, queued)
        self._engine.connect(self._abacus.on_engine, queued)
        self._abacus.counted.connect(self.on_counted, queued)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start(QThread.Priority.LowPriority)

    @Slot(object)
    def on_engine_made(self, engine: Engine) -> None:
        """Count with this engine."""
        self._engine.emit(engine)

    def count(self, key: str, text: str) -> None:
        """Ask for the tokens of a text; a later text of the same key takes its place."""
        self._newest[key] = text
        self._asked.emit(text)

    @Slot()
    def count_again(self) -> None:
        """Ask again for all that was asked (another model is loaded)."""
        for text in self._newest.values():
            self._asked.emit(text)

    def drop(self, key: str) -> None:
        """Forget a text."""
        self._newest.pop(key, None)

    @Slot(str, int)
    def on_counted(self, text: str, tokens: int) -> None:
        """Tell a count, if it is still wanted."""
        for key, wanted in self._newest.items():
            if wanted == text:
                self.counted.emit(key, tokens)

    def close(self) -> None:
        """End the thread; calling it again does nothing."""
        self._thread.quit()
        self._thread.wait()
