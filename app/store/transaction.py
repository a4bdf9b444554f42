"""All or nothing: a few statements as one step."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def transaction(db: sqlite3.Connection, *, durable: bool = False) -> Iterator[None]:
    """Commit the statements inside together; on any error none of them happened.

    One inside another joins the outer one.

    Args:
        db: The connection.
        durable: Wait until the disk has it, so that it also survives a loss of power; else it
            survives the death of the process alone.
    """
    if db.in_transaction:
        yield
        return
    if durable:
        db.execute("PRAGMA synchronous=FULL")
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    else:
        db.execute("COMMIT")
    finally:
        if durable:
            db.execute("PRAGMA synchronous=NORMAL")
