"""One small thread that counts tokens for the composer and reads the files that are attached."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from app.chat.attachments import AttachmentError, cut_to, read_attachment
from app.store.messages import full_text
from app.store.rows import Attachment, Node
from inference import Engine, InferenceError


class TokenCounter(QObject):
    """Counts by the loaded model's tokenizer. Lives on the GUI thread; the work is elsewhere.

    While no model is loaded nothing is counted (0).

    Signals:
        counted (int): Tokens of the composer's text, the newest only.
        path_counted (object): dict of message id to tokens.
        attached (object): An `Attachment`, counted and cut.
        refused (str): One sentence about a file that cannot be attached.
    """

    counted = Signal(int)
    path_counted = Signal(object)
    attached = Signal(object)
    refused = Signal(str)
    _text = Signal(int, str)
    _path = Signal(object)
    _file = Signal(str, int)
    _paste = Signal(object, int)
    _engine = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = QThread()
        self._thread.setObjectName("tokens")
        self._clerk = _Clerk()
        self._clerk.moveToThread(self._thread)
        queued = Qt.ConnectionType.QueuedConnection
        self._engine.connect(self._clerk.on_engine, queued)
        self._text.connect(self._clerk.on_text, queued)
        self._path.connect(self._clerk.on_path, queued)
        self._file.connect(self._clerk.on_file, queued)
        self._paste.connect(self._clerk.on_paste, queued)
        self._clerk.counted.connect(self._on_counted, queued)
        self._clerk.path_counted.connect(self.path_counted, queued)
        self._clerk.attached.connect(self.attached, queued)
        self._clerk.refused.connect(self.refused, queued)
        self._thread.start()

    @Slot(object)
    def set_engine(self, engine: Engine) -> None:
        """Take the engine whose `count_tokens` is used; connect `Worker.engine_made` to it."""
        self._engine.emit(engine)

    @Slot(object)
    def on_model_changed(self, _: object) -> None:
        """Forget the counts of another model; connect `Chat.model_changed` to it."""
        self._clerk.stale = True

    def count(self, text: str) -> None:
        """Count the composer's text; an older text that still waits is skipped."""
        self._clerk.newest += 1
        self._text.emit(self._clerk.newest, text)

    def count_path(self, path: Sequence[Node]) -> None:
        """Count the messages of the visible path; each is counted once."""
        self._path.emit(tuple(path))

    def attach(self, path: Path, max_tokens: int) -> None:
        """Read a file, count it, and cut it to a number of tokens."""
        self._file.emit(str(path), max_tokens)

    def attach_text(self, attachment: Attachment, max_tokens: int) -> None:
        """Count a pasted text and cut it to a number of tokens."""
        self._paste.emit(attachment, max_tokens)

    @Slot(int, int)
    def _on_counted(self, serial: int, n_tokens: int) -> None:
        if serial == self._clerk.newest:
            self.counted.emit(n_tokens)

    def close(self) -> None:
        """End the thread."""
        self._clerk.newest += 1
        self._thread.quit()
        self._thread.wait()


class _Clerk(QObject):
    """Does the counting; lives on the small thread.

    `newest` and `stale` are plain values that the GUI thread sets and this one reads.
    """

    counted = Signal(int, int)
    path_counted = Signal(object)
    attached = Signal(object)
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.newest = 0
        self.stale = False
        self._engine: Engine | None = None
        self._known: dict[int, tuple[int, int]] = {}  # message id to (characters, tokens)

    @Slot(object)
    def on_engine(self, engine: Engine) -> None:
        """Take the engine."""
        self._engine = engine

    @Slot(int, str)
    def on_text(self, serial: int, text: str) -> None:
        """Count a text, unless a newer one waits."""
        if serial == self.newest:
            self.counted.emit(serial, self._count(text))

    @Slot(object)
    def on_path(self, path: tuple[Node, ...]) -> None:
        """Count messages that are not known yet."""
        if self.stale:
            self._known.clear()
            self.stale = False
        for node in path:
            n_characters, n_tokens = self._known.get(node.id, (-1, 0))
            text = full_text(node)
            if n_characters != len(text) or not n_tokens:
                self._known[node.id] = len(text), self._count(text)
        self.path_counted.emit({node.id: self._known[node.id][1] for node in path})

    @Slot(str, int)
    def on_file(self, path: str, max_tokens: int) -> None:
        """Read a file."""
        try:
            read = read_attachment(Path(path))
        except AttachmentError as error:
            self.refused.emit(str(error))
        else:
            self.on_paste(read, max_tokens)

    @Slot(object, int)
    def on_paste(self, read: Attachment, max_tokens: int) -> None:
        """Count and cut a text."""
        self.attached.emit(cut_to(read, max_tokens, self._count) if max_tokens else read)

    def _count(self, text: str) -> int:
        if self._engine is None or self._engine.info is None:
            return 0
        try:
            return self._engine.count_tokens(text)
        except InferenceError:
            return 0
