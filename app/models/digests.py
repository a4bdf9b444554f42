"""Whether a file is what the hub says: its size, and its SHA-256 or its name in git."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from app.models.remote import RemoteFile

_PIECE_BYTES = 4 * 1024 * 1024


class Interrupted(Exception):  # noqa: N818  (no error: somebody asked for it)
    """The check was stopped."""


def is_whole(path: Path, expected: RemoteFile, should_stop: Callable[[], bool]) -> bool:
    """Whether a file has the expected size and digest.

    Raises:
        Interrupted: It was stopped.
    """
    if not path.is_file() or path.stat().st_size != expected.size:
        return False
    if expected.sha256:
        return _digest(path, hashlib.sha256(), should_stop) == expected.sha256.lower()
    if expected.blob_id:
        # Source: git's object format, "blob <size>\0" before the content.
        start = hashlib.sha1(b"blob %d\0" % expected.size, usedforsecurity=False)
        return _digest(path, start, should_stop) == expected.blob_id.lower()
    return True


def sha256_of(path: Path, should_stop: Callable[[], bool] = lambda: False) -> str:
    """Give a file's SHA-256."""
    return _digest(path, hashlib.sha256(), should_stop)


def _digest(path: Path, start: hashlib._Hash, should_stop: Callable[[], bool]) -> str:
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            if should_stop():
                raise Interrupted
            start.update(piece)
    return start.hexdigest()
