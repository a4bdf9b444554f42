"""The one place that drives the engine: a QObject on the permanent inference thread.

Work of every kind waits in one queue: the open chat before other chats, before the lab, before idle
work. Idle work yields at the next chunk or token when a person asks for something, and is taken up
again later. Stopping is a flag of each ticket, never a queued slot: that would wait behind the work
it should stop.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from app.logs import log_failure
from app.work import (
    Embed,
    Ended,
    Failed,
    Forget,
    Generate,
    GenerateMany,
    Keep,
    Lens,
    Load,
    MeasureMemory,
    Priority,
    Render,
    ScoreText,
    Ticket,
    Unload,
    Work,
    Yielded,
)
from inference import Engine, InferenceError, Loaded, LoadEvent, ModelInfo, ShouldStop

STACK_BYTES = 16 * 1024 * 1024  # deep graphs are built recursively
KEEP_SECONDS = 2.0  # what is not on the disk by then is read again after the next start
_log = logging.getLogger(__name__)


# ------------------------------------------------------------------------------- the worker


class Worker(QObject):
    """Drives one engine on its own thread. Its methods are called from the GUI thread.

    Signals:
        happened (int, object): Ticket id and event, in order; ends with `Ended`. Connect it only
            to methods of QObjects that live on the GUI thread.
        model_changed (object): The `ModelInfo` now loaded, or None.
        engine_made (object): The engine, for what is safe from any thread (`count_tokens`).
    """

    happened = Signal(int, object)
    model_changed = Signal(object)
    engine_made = Signal(object)
    _wanted = Signal()
    _closing = Signal()

    def __init__(self, make_engine: Callable[[], Engine]) -> None:
        """Prepare the thread.

        Args:
            make_engine: Makes the engine; called once, on the inference thread.
        """
        super().__init__()
        self._make_engine = make_engine
        self._engine: Engine | None = None
        self._info: ModelInfo | None = None
        self._ids = itertools.count(1)
        self._lock = threading.Lock()  # guards the two below
        self._waiting: list[Ticket] = []
        self._running: Ticket | None = None
        self._open_conversation = 0
        self._closed = threading.Event()
        self._thread = QThread()
        self._thread.setObjectName("inference")
        self._thread.setStackSize(STACK_BYTES)
        self.moveToThread(self._thread)
        self._wanted.connect(self._on_wanted, Qt.ConnectionType.QueuedConnection)
        self._closing.connect(self._on_closing, Qt.ConnectionType.QueuedConnection)

    # ----------------------------------------------------------------- from the GUI thread

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def submit(self, work: Work, priority: Priority, conversation: int = 0) -> Ticket:
        """Queue a piece of work. Safe from any thread."""
        ticket = Ticket(next(self._ids), work, priority, conversation)
        with self._lock:
            self._waiting.append(ticket)
        self._wanted.emit()
        return ticket

    def set_open_conversation(self, conversation: int) -> None:
        """Tell which chat is open: it is served before the others. Safe from any thread."""
        self._open_conversation = conversation

    def close(self, wait_ms: int = 30_000) -> bool:
        """Stop everything, close the engine on its own thread, end the thread.

        Returns:
            Whether the thread ended in time. It is never killed.
        """
        if not self._thread.isRunning():
            return True
        self._closed.set()
        with self._lock:
            for ticket in [*self._waiting, *([self._running] if self._running else [])]:
                ticket.stop()
        self._closing.emit()
        return bool(self._thread.wait(wait_ms))

    # ----------------------------------------------------------------- on the inference thread

    @Slot()
    def _on_wanted(self) -> None:
        """Do the most urgent piece of work; each submission brings one call of this."""
        ticket = self._take()
        if ticket is None:
            return
        started = not ticket.stopped
        again = started and self._do(ticket)
        with self._lock:
            self._running = None
            if again:
                self._waiting.append(ticket)
        if again:
            self.happened.emit(ticket.id, Yielded())
            self._wanted.emit()
        else:
            self.happened.emit(ticket.id, Ended(started))

    def _take(self) -> Ticket | None:
        with self._lock:
            if not self._waiting:
                return None
            ticket = min(self._waiting, key=self._rank)
            self._waiting.remove(ticket)
            self._running = ticket
            return ticket

    def _rank(self, ticket: Ticket) -> tuple[int, int]:
        other = ticket.priority == Priority.CHAT and ticket.conversation != self._open_conversation
        return int(ticket.priority) + int(other), ticket.id

    def _do(self, ticket: Ticket) -> bool:
        """Do one piece of work and tell what happens.

        Returns:
            Whether it made room for something more urgent and wants to be done again.
        """
        try:
            for event in self._events(ticket):
                self.happened.emit(ticket.id, event)
        except InferenceError as error:
            if self._must_yield(ticket):
                return True
            _log.info("Work ended with %s", type(error).__name__)
            self.happened.emit(ticket.id, Failed(str(error), type(error).__name__))
        except Exception as error:  # noqa: BLE001  (the thread's outermost frame)
            log_failure(_log, "Work failed", error)
            message = (
                "Something went wrong in the engine; what was written is kept. "
                "Try again, or open the model anew."
            )
            self.happened.emit(ticket.id, Failed(message, type(error).__name__))
        self._tell_model()
        return self._must_yield(ticket)

    def _must_yield(self, ticket: Ticket) -> bool:
        if ticket.priority != Priority.IDLE or ticket.stopped:
            return False
        with self._lock:
            return any(other.priority < Priority.IDLE for other in self._waiting)

    def _events(self, ticket: Ticket) -> Iterator[object]:
        if self._engine is None:
            self._engine = self._make_engine()
            self.engine_made.emit(self._engine)

        def should_stop() -> bool:
            return ticket.stopped or self._must_yield(ticket)

        if isinstance(ticket.work, Generate | GenerateMany | ScoreText):
            yield from self._load_if_other(self._engine, ticket.work.model, should_stop)
        yield from _ask(self._engine, ticket.work, should_stop, self._load)

    def _load_if_other(
        self, engine: Engine, source: str, should_stop: ShouldStop
    ) -> Iterator[LoadEvent]:
        if engine.info is None and not source:
            raise InferenceError("No model is open; choose one first.")
        if source and (engine.info is None or engine.info.source != source):
            yield from self._load(engine, source, should_stop)

    def _load(self, engine: Engine, source: str, should_stop: ShouldStop) -> Iterator[LoadEvent]:
        for event in engine.load(source, should_stop):
            if isinstance(event, Loaded):
                self._tell_model()
            yield event

    def _tell_model(self) -> None:
        info = self._engine.info if self._engine else None
        if info != self._info:
            self._info = info
            self.model_changed.emit(info)

    @Slot()
    def _on_closing(self) -> None:
        """Close the engine here, where it was made, and leave the thread's loop."""
        try:
            if self._engine is not None:
                soon = time.monotonic() + KEEP_SECONDS
                self._engine.keep(lambda: time.monotonic() > soon)
        except InferenceError as error:
            _log.info("Nothing was kept: %s", type(error).__name__)
        finally:
            self._close_engine()

    def _close_engine(self) -> None:
        try:
            if self._engine is not None:
                self._engine.close()
        finally:
            self._engine = None
            self._thread.quit()


def _ask(
    engine: Engine,
    work: Work,
    should_stop: ShouldStop,
    load: Callable[[Engine, str, ShouldStop], Iterator[LoadEvent]],
) -> Iterator[object]:
    """Turn a piece of work into the engine's verbs."""
    match work:
        case Load(source):
            yield from load(engine, source, should_stop)
        case Generate(request):
            yield from engine.generate(request, should_stop)
        case GenerateMany(requests, stops):
            yield from engine.generate_many(requests, lambda i: should_stop() or stops[i].is_set())
        case ScoreText(prompt, completion, alternatives):
            yield engine.score(prompt, completion, alternatives)
        case Lens(token_ids, positions, top):
            yield from engine.lens(token_ids, positions, top, should_stop)
        case Render(prompt):
            yield engine.render(prompt)
        case Embed() | MeasureMemory():
            yield _measure(engine, work)
        case Unload():
            engine.unload()
        case Keep():
            engine.keep(should_stop)
        case Forget(conversation):
            engine.forget(conversation)


def _measure(engine: Engine, work: Embed | MeasureMemory) -> object:
    match work:
        case Embed(texts, pooling):
            return engine.embed(texts, pooling)
        case MeasureMemory():
            return engine.memory()
