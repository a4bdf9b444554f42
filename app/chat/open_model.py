"""The model that is open: opening it, letting it go after idle, and what it keeps on the disk.

Lives on the GUI thread.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.states import ChatState, ChatStatus
from app.work import Ended, Failed, Keep, Load, Priority, Unload
from app.worker import Worker
from inference import Loading, ModelInfo

KEEP_AFTER_MS = 5_000  # prefixes go to the disk when nobody wrote for so long


class OpenModel(QObject):
    """Follows one model through loading, use and idleness.

    Attributes:
        info: What is loaded now.
        status: How far loading is.
        error: One sentence when the last loading failed.

    Signals:
        changed (object): `ModelInfo` or None.
        moved (): `status`, `loading` or `error` changed.
        settled (): Loading ended, well or not.
    """

    changed = Signal(object)
    moved = Signal()
    settled = Signal()

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.info: ModelInfo | None = None
        self.status = ChatStatus(ChatState.LOADING)
        self.error = ""
        self._worker = worker
        self._ticket = 0
        self._keep = QTimer(self, singleShot=True, interval=KEEP_AFTER_MS)
        self._keep.timeout.connect(self._on_keep)
        self._unload = QTimer(self, singleShot=True)
        self._unload.timeout.connect(self.unload)
        worker.happened.connect(self.on_happened)
        worker.model_changed.connect(self.on_model_changed)

    @property
    def loading(self) -> bool:
        """Whether a model is being opened."""
        return bool(self._ticket)

    def load(self, source: str, conversation_id: int) -> None:
        """Open a model."""
        self.error = ""
        self.status = ChatStatus(ChatState.LOADING, "Opening the model")
        self._ticket = self._worker.submit(Load(source), Priority.CHAT, conversation_id).id
        self.moved.emit()

    @Slot()
    def unload(self) -> None:
        """Give the model's memory back; the next send opens it again."""
        self._worker.submit(Unload(), Priority.IDLE)

    def work(self) -> None:
        """Note that it is in use."""
        self.error = ""
        self._keep.stop()
        self._unload.stop()

    def rest(self, unload_after_minutes: int) -> None:
        """Note that nobody uses it: keep what is worth keeping, and later let it go.

        Args:
            unload_after_minutes: 0 keeps it loaded.
        """
        self._keep.start()
        if unload_after_minutes:
            self._unload.start(unload_after_minutes * 60_000)

    def close(self) -> None:
        """Begin nothing more."""
        self._keep.stop()
        self._unload.stop()

    @Slot()
    def _on_keep(self) -> None:
        self._worker.submit(Keep(), Priority.IDLE)

    @Slot(object)
    def on_model_changed(self, info: ModelInfo | None) -> None:
        """Note which model is loaded."""
        self.info = info
        self.changed.emit(info)

    @Slot(int, object)
    def on_happened(self, ticket_id: int, event: object) -> None:
        """Follow the loading that `load` asked for."""
        if ticket_id != self._ticket:
            return
        match event:
            case Loading(what, fraction):
                self.status = ChatStatus(ChatState.LOADING, what, fraction)
            case Failed(message):
                self.error = message
            case Ended():
                self._ticket = 0
                self.settled.emit()
            case _:
                pass
        self.moved.emit()
