"""Opening the database file: checked, migrated on a copy, set aside when unreadable."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from app.files import set_aside
from app.store.schema import MIGRATIONS, VERSION

_SETTINGS = """
PRAGMA journal_mode=WAL;
PRAGMA synchronous=NORMAL;
PRAGMA fullfsync=ON;
PRAGMA foreign_keys=ON;
PRAGMA secure_delete=ON;
PRAGMA busy_timeout=3000;
PRAGMA temp_store=MEMORY;
PRAGMA cache_size=-16000;
PRAGMA mmap_size=268435456;
"""


class StoreError(Exception):
    """The database cannot be used; the message is one sentence for the user."""


def open_database(path: Path | None) -> tuple[sqlite3.Connection, str]:
    """Open the file, or a database in memory alone for `None`.

    Returns:
        The connection, and one sentence when an unreadable file was set aside.

    Raises:
        StoreError: The file belongs to a newer version, or the folder cannot be written.
    """
    notice = ""
    if path is not None and path.exists():
        notice = _prepare(path)
    db = _connect(path)
    try:
        db.executescript(_SETTINGS)
        if _version(db) == 0:
            _migrate(db, 0)
    except sqlite3.Error as error:
        db.close()
        raise StoreError(f"The conversations at {path} cannot be opened: {error}.") from error
    return db, notice


def _connect(path: Path | None) -> sqlite3.Connection:
    try:
        # One thread uses the connection; which one is decided by the caller.
        return sqlite3.connect(
            str(path) if path else ":memory:", isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise StoreError(f"The conversations at {path} cannot be opened: {error}.") from error


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _prepare(path: Path) -> str:
    """Check an existing file; migrate it on a copy; set it aside when it cannot be read."""
    try:
        with closing(_connect(path)) as db:
            version = _version(db)
            if version > VERSION:
                raise StoreError(
                    f"The conversations at {path} were written by a newer version of Cabochon; "
                    "they are untouched. Update the app to open them."
                )
            _check(db)
            if 0 < version < VERSION:
                _migrate_on_a_copy(db, path, version)
    except sqlite3.OperationalError as error:
        # A locked file or a folder without rights is no damage: nothing is moved.
        raise StoreError(f"The conversations at {path} cannot be opened: {error}.") from error
    except sqlite3.DatabaseError:
        aside = set_aside(path)
        return (
            "The saved conversations could not be read and are kept untouched as "
            f"{aside.name}; new ones go to a fresh file."
        )
    return ""


def _check(db: sqlite3.Connection) -> None:
    """Look through the file; a thorough look only after the app was killed.

    Raises:
        sqlite3.DatabaseError: The file is damaged.
    """
    tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    if tables and "conversation" not in tables:
        raise sqlite3.DatabaseError("not a file of conversations")
    if "message" in tables:
        db.execute("SELECT id, content FROM message ORDER BY id DESC LIMIT 1").fetchall()
        unfinished = db.execute("SELECT 1 FROM message WHERE status='writing' LIMIT 1").fetchone()
        if unfinished and db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise sqlite3.DatabaseError("damaged")


def _migrate_on_a_copy(db: sqlite3.Connection, path: Path, version: int) -> None:
    """Keep the old file as a backup, migrate a copy, and put the copy in its place."""
    backup = path.with_name(f"{path.name}.version-{version}")
    copy = path.with_name(f"{path.name}.migrating")
    copy.unlink(missing_ok=True)
    with closing(_connect(copy)) as target:
        db.backup(target)
        target.execute("PRAGMA foreign_keys=OFF")
        _migrate(target, version)
        if target.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
            raise StoreError(
                "The conversations could not be brought to this version; the old file is untouched."
            )
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()  # the last connection also removes the -wal and -shm files
    if not backup.exists():
        shutil.copy2(path, backup)
    copy.replace(path)


def _migrate(db: sqlite3.Connection, version: int) -> None:
    """Run the steps from a version to the newest, each in one transaction."""
    for step in range(version, VERSION):
        db.executescript(f"BEGIN;{MIGRATIONS[step]}PRAGMA user_version={step + 1};COMMIT;")
