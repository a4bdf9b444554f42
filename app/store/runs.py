"""Run records of chat messages: all that is needed to make a reply again."""

from __future__ import annotations

import sqlite3

from app.store.packing import pack_run, unpack_run
from app.store.rows import Run


class Runs:
    """Reads the records that were written with the replies."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def of_message(self, message_id: int) -> Run | None:
        """Give the record of a message, if it was made by a model here."""
        row = self._db.execute(
            "SELECT id, record FROM run WHERE message_id=? ORDER BY id DESC LIMIT 1", (message_id,)
        ).fetchone()
        return Run(row[0], *unpack_run(row[1])) if row else None

    def of_conversation(self, conversation_id: int) -> dict[int, Run]:
        """Give the records of a whole conversation by message id."""
        rows = self._db.execute(
            "SELECT m.id, r.id, r.record FROM run r JOIN message m ON m.id = r.message_id "
            "WHERE m.conversation_id=? ORDER BY r.id",
            (conversation_id,),
        )
        return {message: Run(i, *unpack_run(packed)) for message, i, packed in rows}

    def add(self, message_id: int, run: Run) -> None:
        """Keep a record that came with an import."""
        self._db.execute(
            "INSERT INTO run(message_id, created_at, record) VALUES (?,?,?)",
            (message_id, run.record.started_at, pack_run(run.record, run.details)),
        )
