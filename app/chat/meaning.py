"""Search by meaning: messages embedded by the loaded model in idle time, if the user wants it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.store.rows import Hit
from app.store.thread import StoreThread
from app.work import Embed, Ended, Priority, Yielded
from app.worker import Worker
from inference import ModelInfo

BATCH = 8  # messages embedded at a time; a person waits for one batch at most
MAX_CHARACTERS = 2_000  # of a message
PAUSE_MS = 2_000


class MeaningIndex(QObject):
    """Keeps the vectors up to date and searches them. Lives on the GUI thread.

    Signals:
        progressed (int): So many more messages are embedded.
    """

    progressed = Signal(int)

    def __init__(self, store: StoreThread, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._worker = worker
        self._model: ModelInfo | None = None
        self._enabled = False
        self._ids: dict[int, tuple[int, ...]] = {}  # by ticket: which messages
        self._queries: dict[int, Callable[[tuple[Hit, ...]], None]] = {}
        self._found: dict[int, np.ndarray] = {}
        self._timer = QTimer(self, interval=PAUSE_MS, singleShot=True)
        self._timer.timeout.connect(self._look)
        worker.happened.connect(self.on_happened)
        worker.model_changed.connect(self.on_model_changed)

    @property
    def ready(self) -> bool:
        """Whether a search by meaning can be made now."""
        return self._enabled and self._model is not None

    def set_enabled(self, enabled: bool) -> None:
        """Begin or end; ending removes every vector."""
        if self._enabled and not enabled:
            self._store.ask(lambda s: s.search.forget_embeddings())
        self._enabled = enabled
        if enabled:
            self._timer.start()

    @Slot()
    def wake(self) -> None:
        """Look for new messages soon; connect `Chat.conversations_changed` to it."""
        if self._enabled and not self._timer.isActive():
            self._timer.start()

    @Slot(object)
    def on_model_changed(self, info: ModelInfo | None) -> None:
        """Vectors belong to one model."""
        self._model = info
        self.wake()

    def find(self, query: str, then: Callable[[tuple[Hit, ...]], None]) -> None:
        """Find what is near in meaning; `then` gets the hits on the GUI thread."""
        if not self.ready:
            then(())
            return
        ticket = self._worker.submit(Embed((query,)), Priority.LAB)
        self._queries[ticket.id] = then

    @Slot()
    def _look(self) -> None:
        if not self.ready or self._ids or self._model is None:
            return
        model = self._model.fingerprint
        self._store.ask(lambda s: s.search.without_embedding(model, BATCH), self._embed)

    def _embed(self, rows: tuple[tuple[int, str], ...]) -> None:
        if rows and self.ready and not self._ids:
            texts = tuple(text[:MAX_CHARACTERS] for _, text in rows)
            ticket = self._worker.submit(Embed(texts), Priority.IDLE)
            self._ids[ticket.id] = tuple(i for i, _ in rows)

    @Slot(int, object)
    def on_happened(self, ticket_id: int, event: object) -> None:
        """Take the vectors that were asked for."""
        if ticket_id not in self._ids and ticket_id not in self._queries:
            return
        match event:
            case np.ndarray():
                self._found[ticket_id] = event
            case Yielded():
                self._found.pop(ticket_id, None)
            case Ended():
                vectors = self._found.pop(ticket_id, None)
                if ticket_id in self._ids:
                    self._keep(self._ids.pop(ticket_id), vectors)
                else:
                    self._search(self._queries.pop(ticket_id), vectors)
            case _:
                pass

    def _keep(self, ids: tuple[int, ...], vectors: np.ndarray | None) -> None:
        if vectors is None or not self.ready or self._model is None:
            return
        model = self._model.fingerprint
        self._store.ask(lambda s: s.search.keep_embeddings(model, ids, vectors))
        self.progressed.emit(len(ids))
        self._look()

    def _search(self, then: Callable[[tuple[Hit, ...]], None], vectors: np.ndarray | None) -> None:
        if vectors is None or self._model is None:
            then(())
            return
        model, vector = self._model.fingerprint, vectors[0]
        self._store.ask(lambda s: s.search.nearest(model, vector), then)
