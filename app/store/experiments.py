"""Experiments of the lab: plans, and the cells that were run with their records."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass

from app.store.packing import pack_run, unpack_run
from app.store.rows import Run, StoredToken
from app.store.transaction import transaction
from inference import RunRecord


@dataclass(frozen=True, slots=True)
class ExperimentRow:
    """A saved experiment; its plan is JSON that the lab reads."""

    id: int
    name: str
    plan: str
    created_at: float
    updated_at: float


@dataclass(frozen=True, slots=True)
class CellRow:
    """One cell that was run.

    Attributes:
        place: Row, column and seed.
        status: Why it ended, or "failed".
        note: More about it, as the lab wrote it.
    """

    id: int
    place: tuple[int, int, int]
    text: str
    thought: str
    status: str
    created_at: float
    note: dict[str, object]


class Experiments:
    """Plans and cells. Running a cell again keeps the older ones."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def all(self) -> tuple[ExperimentRow, ...]:
        """Give the experiments, the latest first."""
        rows = self._db.execute(
            "SELECT id, name, plan, created_at, updated_at FROM experiment "
            "WHERE deleted_at IS NULL ORDER BY updated_at DESC, id DESC"
        )
        return tuple(ExperimentRow(*row) for row in rows)

    def create(self, name: str, plan: str) -> int:
        """Begin an experiment."""
        now = time.time()
        new_id = self._db.execute(
            "INSERT INTO experiment(name, created_at, updated_at, plan) VALUES (?,?,?,?)",
            (name, now, now, plan),
        ).lastrowid
        assert new_id is not None
        return new_id

    def save(self, experiment_id: int, name: str, plan: str) -> None:
        """Keep a changed plan."""
        self._db.execute(
            "UPDATE experiment SET name=?, plan=?, updated_at=? WHERE id=?",
            (name, plan, time.time(), experiment_id),
        )

    def add_cell(
        self,
        experiment_id: int,
        place: tuple[int, int, int],
        text: str,
        thought: str,
        status: str,
        note: dict[str, object],
        run: tuple[RunRecord, Sequence[StoredToken]] | None = None,
    ) -> int:
        """Keep a cell that was run, with its record."""
        now = time.time()
        with transaction(self._db):
            new_id = self._db.execute(
                "INSERT INTO cell(experiment_id, place, content, thought, status, created_at, note)"
                " VALUES (?,?,?,?,?,?,?)",
                (
                    experiment_id,
                    json.dumps(place),
                    text,
                    thought,
                    status,
                    now,
                    json.dumps(note, ensure_ascii=False),
                ),
            ).lastrowid
            assert new_id is not None
            if run is not None:
                record, details = run
                self._db.execute(
                    "INSERT INTO run(cell_id, created_at, record) VALUES (?,?,?)",
                    (new_id, record.started_at, pack_run(record, details)),
                )
        return new_id

    def cells(self, experiment_id: int) -> tuple[CellRow, ...]:
        """Give the newest cell of each place."""
        rows = self._db.execute(
            "SELECT id, place, content, thought, status, created_at, note FROM cell WHERE id IN "
            "(SELECT max(id) FROM cell WHERE experiment_id=? GROUP BY place) ORDER BY id",
            (experiment_id,),
        )
        found = []
        for i, place, text, thought, status, at, note in rows:
            row, column, seed = json.loads(place)
            found.append(
                CellRow(i, (row, column, seed), text, thought, status, at, json.loads(note))
            )
        return tuple(found)

    def run_of(self, cell_id: int) -> Run | None:
        """Give the record of a cell."""
        row = self._db.execute("SELECT id, record FROM run WHERE cell_id=?", (cell_id,)).fetchone()
        return Run(row[0], *unpack_run(row[1])) if row else None

    def trash(self, experiment_id: int) -> None:
        """Move to the trash; gone for good after 30 days."""
        self._db.execute(
            "UPDATE experiment SET deleted_at=? WHERE id=?", (time.time(), experiment_id)
        )

    def restore(self, experiment_id: int) -> None:
        """Bring back from the trash."""
        self._db.execute("UPDATE experiment SET deleted_at=NULL WHERE id=?", (experiment_id,))
