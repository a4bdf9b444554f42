"""Small texts that belong to no conversation, by name."""

from __future__ import annotations

import sqlite3

NEW_DRAFT = "draft of the new chat"


class Kept:
    """A text for each name; the empty text is the same as none."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def get(self, name: str) -> str:
        """Give a text, or ""."""
        row = self._db.execute("SELECT content FROM kept WHERE name=?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def put(self, name: str, text: str) -> None:
        """Keep a text in the place of the one before."""
        if text:
            self._db.execute(
                "INSERT OR REPLACE INTO kept(name, content) VALUES (?,?)", (name, text)
            )
        else:
            self._db.execute("DELETE FROM kept WHERE name=?", (name,))
