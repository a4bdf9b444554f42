"""Makes an answer again from its record, cold, and tells whether it is identical.

Lives on the GUI thread.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal, Slot

from app.lab.replay import compare, replay_request, why_not
from app.store.rows import Run, StoredToken
from app.store.store import is_temporary
from app.store.thread import StoreThread
from app.work import Ended, Failed, Forget, Generate, Priority, Ticket
from app.worker import Worker
from inference import Delta, Finished, ModelInfo


@dataclass(slots=True)
class _Check:
    message_id: int
    run: Run
    ticket: Ticket
    details: list[StoredToken] = field(default_factory=list)
    finished: Finished | None = None
    error: str = ""


class Verifier(QObject):
    """Replays answers, one ticket each.

    Signals:
        progressed (int, int, int): Message, tokens made again, tokens in all.
        verified (int, object): Message and its `Verdict`.
        failed (int, str): Message and one sentence; the record is kept.
    """

    progressed = Signal(int, int, int)
    verified = Signal(int, object)
    failed = Signal(int, str)

    def __init__(self, store: StoreThread, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._worker = worker
        self._model: ModelInfo | None = None
        self._checks: dict[int, _Check] = {}
        worker.happened.connect(self.on_happened)
        worker.model_changed.connect(self.on_model_changed)

    @Slot(object)
    def on_model_changed(self, info: ModelInfo | None) -> None:
        """Note which model is loaded."""
        self._model = info

    def verify(self, conversation_id: int, message_id: int) -> None:
        """Make a message's answer again; the conversation's kept prefixes are dropped first."""

        def then(run: Run | None) -> None:
            if run is None:
                self.failed.emit(message_id, "This message has no run record.")
            else:
                self._begin(conversation_id, message_id, run)

        self._store.ask_for(
            message_id,
            lambda s: s.runs.of_message(message_id),
            then,
            failed=lambda why: self.failed.emit(message_id, why),
        )

    def stop(self, message_id: int) -> None:
        """Stop making an answer again."""
        for check in self._checks.values():
            if check.message_id == message_id:
                check.ticket.stop()

    def _begin(self, conversation_id: int, message_id: int, run: Run) -> None:
        try:
            request = replay_request(run.record)
        except ValueError as error:
            self.failed.emit(message_id, str(error))
            return
        if why := why_not(run.record, self._model):
            self.failed.emit(message_id, why)
            return
        if not is_temporary(conversation_id):
            self._worker.submit(Forget(str(conversation_id)), Priority.CHAT, conversation_id)
        ticket = self._worker.submit(Generate(request), Priority.CHAT, conversation_id)
        self._checks[ticket.id] = _Check(message_id, run, ticket)

    @Slot(int, object)
    def on_happened(self, ticket_id: int, event: object) -> None:
        """Take what the worker tells of these replays."""
        check = self._checks.get(ticket_id)
        if check is None:
            return
        match event:
            case Delta(tokens=tokens):
                check.details += [
                    StoredToken(t.token_id, len(t.text), t.logprob, t.entropy, t.alternatives)
                    for t in tokens
                ]
                total = len(check.run.record.token_ids)
                self.progressed.emit(check.message_id, len(check.details), total)
            case Finished():
                check.finished = event
            case Failed(message):
                check.error = message
            case Ended():
                del self._checks[ticket_id]
                self._tell(check)
            case _:
                pass

    def _tell(self, check: _Check) -> None:
        finished = check.finished
        if finished is None or finished.reason == "stopped":
            self.failed.emit(check.message_id, check.error or "The check was stopped.")
            return
        verdict = compare(check.run.record, finished.record, check.run.details, check.details)
        self.verified.emit(check.message_id, verdict)
