"""Runs a grid through the worker, keeps every result, and can stop a cell, a column or all.

Lives on the GUI thread.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, Signal, Slot

from app.lab.json_schema import SchemaError, check_text, read_schema
from app.lab.plan import (
    Place,
    Plan,
    batches,
    completion_of,
    places,
    problems,
    prompt_of,
    request_of,
)
from app.lab.results import CellResult
from app.store.rows import StoredToken
from app.store.thread import StoreThread
from app.work import Ended, Failed, GenerateMany, Priority, ScoreText, Ticket
from app.worker import Worker
from inference import (
    Delta,
    Finished,
    GenerationEvent,
    ModelInfo,
    Prefilling,
    Sampling,
    Score,
    TokenDetail,
)

BATCH = 32


@dataclass(slots=True)
class _Batch:
    """Cells on their way together."""

    ticket: Ticket
    cells: tuple[Place, ...]
    stops: tuple[threading.Event, ...]
    details: list[list[StoredToken]] = field(default_factory=list)
    said: list[list[str]] = field(default_factory=list)
    done: set[int] = field(default_factory=set)
    error: str = ""


class Lab(QObject):
    """One experiment at a time.

    Signals:
        cell_began (object): A `Place` that is being read.
        cell_grew (object, str): A `Place` and more of its reply.
        cell_ended (object): A `CellResult`, stored already if the experiment is.
        ended (): No cell is on its way any more.
        noticed (str): One sentence: why nothing, or not all, was run.
    """

    cell_began = Signal(object)
    cell_grew = Signal(object, str)
    cell_ended = Signal(object)
    ended = Signal()
    noticed = Signal(str)

    def __init__(self, store: StoreThread, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._worker = worker
        self._model: ModelInfo | None = None
        self._plan = Plan((), ())
        self._experiment_id = 0
        self._batches: dict[int, _Batch] = {}
        worker.happened.connect(self.on_happened)
        worker.model_changed.connect(self.on_model_changed)

    @property
    def running(self) -> bool:
        """Whether a cell is on its way."""
        return bool(self._batches)

    @Slot(object)
    def on_model_changed(self, info: ModelInfo | None) -> None:
        """Note which model is loaded."""
        self._model = info

    def run(
        self,
        plan: Plan,
        model: str,
        wanted: Iterable[Place] | None = None,
        experiment_id: int = 0,
        alternatives: int = 10,
    ) -> None:
        """Run cells; those of one model run as a batch and read what they share once.

        Args:
            plan: The grid.
            model: The model of variants that have none of their own.
            wanted: The cells; None is all of them.
            experiment_id: Where to keep the results; 0 keeps none.
            alternatives: How many likeliest tokens are kept with each.
        """
        wrong = list(problems(plan))
        try:
            if plan.schema:
                read_schema(plan.schema)
        except SchemaError as error:
            wrong.append(str(error))
        if wrong or self.running:
            self.noticed.emit(wrong[0] if wrong else "The lab is still running; stop it first.")
            return
        self._plan, self._experiment_id = plan, experiment_id
        cells = list(places(plan) if wanted is None else wanted)
        if plan.completion:
            self._score(cells, model, alternatives)
            return
        default = self._model.default_sampling if self._model else Sampling()
        for own, some in batches(plan, cells, BATCH):
            stops = tuple(threading.Event() for _ in some)
            requests = tuple(request_of(plan, place, default, alternatives) for place in some)
            work = GenerateMany(requests, stops, own or model)
            self._add(self._worker.submit(work, Priority.LAB), tuple(some), stops)

    def _score(self, cells: list[Place], model: str, alternatives: int) -> None:
        for place in cells:
            own = self._plan.variants[place.column].model
            work = ScoreText(
                prompt_of(self._plan, place),
                completion_of(self._plan, place),
                alternatives,
                own or model,
            )
            self._add(self._worker.submit(work, Priority.LAB), (place,), (threading.Event(),))

    def _add(
        self, ticket: Ticket, cells: tuple[Place, ...], stops: tuple[threading.Event, ...]
    ) -> None:
        batch = _Batch(ticket, cells, stops, [[] for _ in cells], [[] for _ in cells])
        self._batches[ticket.id] = batch

    # ------------------------------------------------------------------------------ stopping

    def stop(self, place: Place) -> None:
        """Stop one cell; what it said stays."""
        for batch in self._batches.values():
            for cell, flag in zip(batch.cells, batch.stops, strict=True):
                if cell == place:
                    flag.set()
            if all(flag.is_set() for flag in batch.stops):
                batch.ticket.stop()

    def stop_column(self, column: int) -> None:
        """Stop a variant."""
        for batch in tuple(self._batches.values()):
            for cell in batch.cells:
                if cell.column == column:
                    self.stop(cell)

    def stop_all(self) -> None:
        """Stop every cell."""
        for batch in self._batches.values():
            batch.ticket.stop()

    # ------------------------------------------------------------------------------ hearing

    @Slot(int, object)
    def on_happened(self, ticket_id: int, event: object) -> None:
        """Take what the worker tells of these cells."""
        batch = self._batches.get(ticket_id)
        if batch is None:
            return
        match event:
            case (int() as i, Prefilling() | Delta() | Finished() as of_cell):
                self._hear(batch, i, of_cell)
            case Score(total_logprob=total, tokens=tokens):
                batch.details[0] = [_stored(token) for token in tokens]
                scored = CellResult(batch.cells[0], total_logprob=total)
                self._end(batch, 0, replace(scored, details=tuple(batch.details[0])))
            case Failed(message):
                batch.error = message
            case Ended():
                self._end_batch(batch)
            case _:
                pass

    def _hear(self, batch: _Batch, i: int, event: GenerationEvent) -> None:
        match event:
            case Prefilling():
                self.cell_began.emit(batch.cells[i])
            case Delta(text, kind, tokens):
                batch.details[i] += [_stored(token) for token in tokens]
                if kind == "answer":
                    batch.said[i].append(text)
                    self.cell_grew.emit(batch.cells[i], text)
            case Finished():
                result = CellResult(
                    batch.cells[i],
                    event.text,
                    event.thought,
                    event.reason,
                    record=event.record,
                    details=tuple(batch.details[i]),
                    schema_fault=self._fault(event.text),
                )
                self._end(batch, i, result)

    def _fault(self, text: str) -> str:
        return check_text(text, read_schema(self._plan.schema)) if self._plan.schema else ""

    def _end_batch(self, batch: _Batch) -> None:
        del self._batches[batch.ticket.id]
        for i, place in enumerate(batch.cells):
            if i not in batch.done:
                said = "".join(batch.said[i])
                result = CellResult(place, said, error=batch.error)
                self._end(batch, i, result if batch.error else replace(result, reason="stopped"))
        if batch.error:
            self.noticed.emit(batch.error)
        if not self._batches:
            self.ended.emit()

    def _end(self, batch: _Batch, i: int, result: CellResult) -> None:
        batch.done.add(i)
        if self._experiment_id:
            self._keep(self._experiment_id, result)
        self.cell_ended.emit(result)

    def _keep(self, experiment_id: int, result: CellResult) -> None:
        place = result.place
        note: dict[str, object] = {
            "error": result.error,
            "total_logprob": result.total_logprob,
            "schema_fault": result.schema_fault,
            "n_tokens": result.n_tokens,
            "seconds": result.seconds,
            "tokens_per_second": result.tokens_per_second,
        }
        run = (result.record, result.details) if result.record else None
        self._store.ask(
            lambda s: s.experiments.add_cell(
                experiment_id,
                (place.row, place.column, place.seed),
                result.text,
                result.thought,
                result.reason or ("failed" if result.error else "scored"),
                note,
                run,
            )
        )


def _stored(token: TokenDetail) -> StoredToken:
    return StoredToken(
        token.token_id, len(token.text), token.logprob, token.entropy, token.alternatives
    )
