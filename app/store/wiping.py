"""Lets the words of removed messages leave the file for good, in steps that hold nobody up."""

from __future__ import annotations

import sqlite3

PAGES = 250  # of the search index, merged in one step: some ten milliseconds


class Wiping:
    """Rewrites the search index, which else keeps removed words until it is merged by itself.

    What is not done when the app ends is done after the next start.

    Source: https://www.sqlite.org/fts5.html, the 'merge' command.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._begun = False
        self._wanted = bool(db.execute("SELECT 1 FROM chore WHERE name='wipe'").fetchone())

    @property
    def wanted(self) -> bool:
        """Whether something was removed and its words are still in the file."""
        return self._wanted

    def want(self) -> None:
        """Note that something was removed."""
        self._db.execute("INSERT OR IGNORE INTO chore(name) VALUES ('wipe')")
        self._wanted = True

    def step(self) -> None:
        """Do a little of it; `wanted` is False when all is done."""
        if not self._wanted:
            return
        before = self._db.total_changes
        self._db.execute(
            "INSERT INTO message_text(message_text, rank) VALUES ('merge', ?)",
            (PAGES if self._begun else -PAGES,),
        )
        self._begun = True
        if self._db.total_changes - before < 2:
            self._db.execute("DELETE FROM chore WHERE name='wipe'")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._wanted = self._begun = False

    def finish(self) -> None:
        """Do the rest of it at once."""
        while self._wanted:
            self.step()
