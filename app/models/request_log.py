"""The list of every request that left this machine: when, where to, and how much came back."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from app.files import write_atomically

MOST_LINES = 2_000


@dataclass(frozen=True, slots=True)
class RequestLine:
    """One request. The path has no query: a signed address is a key.

    Attributes:
        at: Seconds since 1970.
        outcome: The status, or in a word why there was none.
    """

    at: float
    host: str
    path: str
    outcome: str
    received_bytes: int


class RequestLog:
    """The lines on disk, oldest first, the newest `MOST_LINES` of them. Safe from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def add(self, host: str, path: str, outcome: str, received_bytes: int) -> None:
        """Add a line; a request that cannot be listed is one that raises here."""
        line = RequestLine(time.time(), host, path, outcome, received_bytes)
        with self._lock:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(line)) + "\n")
            if self._path.stat().st_size > MOST_LINES * 400:
                kept = self._path.read_bytes().splitlines(keepends=True)[-MOST_LINES:]
                write_atomically(self._path, b"".join(kept))

    def lines(self) -> list[RequestLine]:
        """Read all lines; one that was cut off by a crash is left out."""
        with self._lock:
            try:
                raw = self._path.read_text("utf-8", errors="replace")
            except FileNotFoundError:
                return []
        found = []
        for text in raw.splitlines()[-MOST_LINES:]:
            try:
                found.append(RequestLine(**json.loads(text)))
            except (ValueError, TypeError):
                continue
        return found

    def clear(self) -> None:
        """Forget all lines."""
        with self._lock:
            self._path.unlink(missing_ok=True)
