"""Models on their way, one after the other, on a thread of their own; each can be paused."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.models.errors import LicenceNeededError, ModelError
from app.models.fetch import Fetch, Progress, unfinished
from app.models.rows import TransferRow

if TYPE_CHECKING:
    from app.models.downloads import Hub

_REPORT_SECONDS = 0.1
_log = logging.getLogger(__name__)


@dataclass
class _Order:
    """One model to fetch, and its own stop flag: made with it and never used again."""

    fetch: Fetch
    stop: threading.Event = field(default_factory=threading.Event)


class Transfers(QObject):
    """Fetches models. Its methods are called from the GUI thread, where it lives.

    Attributes:
        changed: A list of `TransferRow`: everything that is on its way, paused or failed.
        arrived: The folder of a model that is whole now.
    """

    changed = Signal(object)
    arrived = Signal(str)
    _reported = Signal(str, object)
    _ended = Signal(str, object)

    def __init__(
        self, make_hub: Callable[[], Hub], models: Callable[[], Path], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._make_hub, self._models = make_hub, models
        self._hub: Hub | None = None
        self._rows: dict[str, TransferRow] = {}
        self._ggufs: dict[str, str] = {}
        self._orders: dict[str, _Order] = {}
        self._discarding: set[str] = set()
        self._queue: queue.SimpleQueue[_Order | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        queued = Qt.ConnectionType.QueuedConnection
        self._reported.connect(self._on_reported, queued)
        self._ended.connect(self._on_ended, queued)

    # ------------------------------------------------------------------------------ orders

    def find_unfinished(self) -> None:
        """List what an earlier run left unfinished; it waits for a person to go on."""
        for manifest in unfinished(self._models()):
            if manifest.repository not in self._rows:
                self._ggufs[manifest.repository] = manifest.gguf
                total = manifest.model.size
                self._rows[manifest.repository] = TransferRow(
                    manifest.repository, "paused", 0, total
                )
        self._tell()

    def fetch(self, repository: str, gguf: str = "") -> None:
        """Fetch a model, or go on with it, after those that were ordered before.

        Raises:
            ModelError: It is no repository id.
        """
        if repository in self._orders:
            return
        if self._hub is None:
            self._hub = self._make_hub()
        gguf = gguf or self._ggufs.get(repository, "")
        order = _Order(Fetch(self._hub, self._models(), repository, gguf=gguf))
        self._ggufs[order.fetch.repository] = gguf
        self._orders[order.fetch.repository] = order
        before = self._rows.get(order.fetch.repository)
        self._rows[order.fetch.repository] = TransferRow(
            order.fetch.repository,
            "queued",
            before.done_bytes if before else 0,
            before.total_bytes if before else 0,
        )
        if self._thread is None:
            # What it writes may be cut off at any moment, so nothing has to wait for it at the end.
            self._thread = threading.Thread(target=self._run, name="downloads", daemon=True)
            self._thread.start()
        self._queue.put(order)
        self._tell()

    def pause(self, repository: str) -> None:
        """Stop fetching a model; what came is kept."""
        order = self._orders.get(repository)
        if order is not None:
            order.stop.set()
            if self._hub is not None and self._rows[repository].doing != "queued":
                self._hub.abort()

    def discard(self, repository: str) -> int:
        """Give a model up and remove what came of it.

        Returns:
            The bytes that are free again.
        """
        if repository in self._orders:
            self._discarding.add(repository)  # once it has stopped
            self.pause(repository)
            return 0
        self._hub = self._hub or self._make_hub()
        freed = Fetch(self._hub, self._models(), repository).discard()
        self._rows.pop(repository, None)
        self._tell()
        return freed

    def close(self) -> None:
        """Pause everything; the program ends."""
        for order in self._orders.values():
            order.stop.set()
        self._queue.put(None)
        if self._hub is not None:
            self._hub.abort()
        if self._thread is not None:
            self._thread.join(1.0)

    # ------------------------------------------------------------------------------ its thread

    def _run(self) -> None:
        while (order := self._queue.get()) is not None:
            name = order.fetch.repository
            try:
                self._fetch(order)
            except ModelError as error:
                self._ended.emit(name, error)
            else:
                self._ended.emit(name, None if order.stop.is_set() else order.fetch.target)
        if self._hub is not None:
            self._hub.close()

    def _fetch(self, order: _Order) -> None:
        told, doing = 0.0, ""
        if order.stop.is_set():
            return
        for progress in order.fetch.run(order.stop.is_set):
            now = time.monotonic()
            if progress.doing != doing or now - told > _REPORT_SECONDS:
                told, doing = now, progress.doing
                self._reported.emit(order.fetch.repository, progress)
            if progress.doing == "done":
                order.stop.clear()

    # ------------------------------------------------------------------------------ GUI thread

    @Slot(str, object)
    def _on_reported(self, repository: str, progress: Progress) -> None:
        if repository in self._orders:
            self._rows[repository] = TransferRow(
                repository,
                progress.doing,
                progress.done_bytes,
                progress.total_bytes,
                progress.speed,
                progress.seconds_left,
                progress.note,
            )
            self._tell()

    @Slot(str, object)
    def _on_ended(self, repository: str, outcome: object) -> None:
        self._orders.pop(repository, None)
        before = self._rows[repository]
        if isinstance(outcome, Path):
            self._rows.pop(repository)
            self.arrived.emit(str(outcome))
        else:
            url = outcome.licence_url if isinstance(outcome, LicenceNeededError) else ""
            self._rows[repository] = TransferRow(
                repository,
                "failed" if outcome is not None else "paused",
                before.done_bytes,
                before.total_bytes,
                note=str(outcome or ""),
                licence_url=url,
            )
        if repository in self._discarding:
            self._discarding.discard(repository)
            self.discard(repository)
        self._tell()

    def _tell(self) -> None:
        self.changed.emit(list(self._rows.values()))
