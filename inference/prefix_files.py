"""The prefix tree's tier on disk: what it lets a restart remember.

    folder/MODEL/NAME.safetensors     one kept run of tokens
    folder/MODEL/chats/CHAT.json      the names that a conversation needs

Files hold what was said. Only their owner can read them, only saved conversations have any, and
they go when the conversation goes. Any file may vanish at any time, another process's doing
included: then its tokens are read again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from inference.segment_file import (
    Header,
    SegmentFileError,
    load,
    names_in,
    read_header,
    write,
)

if TYPE_CHECKING:
    from inference.segments import Group, Segment

log = logging.getLogger(__name__)

FREE_BYTES = 1 << 28  # left to others on a disk that is nearly full
HEADER_BYTES = 4096  # of a file, at most, beside its rows and tokens
STALE_SECONDS = 3600  # a draft older than this has no writer any more


class PrefixFiles:
    """The files of one model, within a budget for all models together.

    Attributes:
        is_on: Whether anything is written; a full disk turns it off.
    """

    def __init__(self, folder: Path, fingerprint: str, budget: int) -> None:
        self.fingerprint = fingerprint
        self.budget = budget
        self.is_on = budget > 0
        self._root = folder
        self._folder = folder / hashlib.sha256(fingerprint.encode()).hexdigest()[:24]
        self._bytes = -1

    @property
    def bytes(self) -> int:
        """Bytes of the files of all models."""
        if self._bytes < 0:
            self._bytes = sum(size for _, _, size in self._all_files())
        return self._bytes

    def index(self) -> list[Header]:
        """What the files say of themselves, parents before children; no rows are read.

        Damaged files are deleted; those of another model or version are left alone.
        """
        found: dict[str, Header] = {}
        for path in names_in(self._folder):
            header = self._header(path)
            if header is not None:
                found[path.stem] = header
        self._clear_drafts()
        return sorted(found.values(), key=lambda header: header.start)

    def write(self, header: Header, segment: Segment) -> bool:
        """Write a run; tell whether it is on disk now."""
        size = segment.nbytes + 12 * len(header.tokens) + HEADER_BYTES
        if not self.is_on or size > self.budget:
            return False
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for folder in (self._root, self._folder):
                folder.chmod(0o700)
            if shutil.disk_usage(self._folder).free < size + FREE_BYTES:
                self._turn_off("the disk is nearly full")
                return False
            self._make_room(size)
            path = self._path(header.name)
            before = path.stat().st_size if path.exists() else 0
            self._bytes = self.bytes + write(path, header, segment) - before
        except OSError as error:
            self._turn_off(error.strerror or "the disk refused")
            return False
        return True

    def load(self, header: Header, groups: Sequence[Group]) -> Segment | None:
        """Read a run's rows; None where the file is gone or not what it should be."""
        path = self._path(header.name)
        try:
            segment = load(path, groups, header)
            os.utime(path)
        except SegmentFileError as error:
            self._refuse(path, error)
            return None
        except OSError as error:
            log.info("A kept prefix cannot be read from disk: %s", error.strerror)
            return None
        return segment

    def size_of(self, name: str) -> int:
        """Bytes of a file; 0 where it is gone."""
        try:
            return self._path(name).stat().st_size
        except OSError:
            return 0

    def touch(self, names: Iterable[str]) -> None:
        """Mark files as used now, so that they are the last to go."""
        for name in names:
            try:
                os.utime(self._path(name))
            except OSError:
                continue

    def note(self, key: str, names: Iterable[str]) -> None:
        """Remember that a conversation, by its key, needs these files, beside those noted."""
        if not self.is_on:
            return
        path = self._chats / f"{key}.json"
        wanted = sorted({*_names(path), *names})
        try:
            self._chats.mkdir(parents=True, exist_ok=True, mode=0o700)
            draft = path.with_name(f".{path.stem}.{os.getpid()}.tmp")
            draft.write_text(json.dumps(wanted))
            draft.chmod(0o600)
            draft.replace(path)
        except OSError as error:
            self._turn_off(error.strerror or "the disk refused")

    def conversations_of(self) -> dict[str, set[str]]:
        """For each file's name the keys of the conversations that need it."""
        needed: dict[str, set[str]] = {}
        for path in self._chats.glob("*.json"):
            for name in _names(path):
                needed.setdefault(name, set()).add(path.stem)
        return needed

    def remove(self, name: str) -> None:
        """Remove a file."""
        self._unlink(self._path(name))

    def forget(self, conversation: str) -> None:
        """Remove what one conversation alone needs, of every model; "" removes everything."""
        forget_files(self._root, conversation)
        self._bytes = -1

    @property
    def _chats(self) -> Path:
        return self._folder / "chats"

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.safetensors"

    def _header(self, path: Path) -> Header | None:
        try:
            header = read_header(path)
        except SegmentFileError as error:
            self._refuse(path, error)
            return None
        except OSError:
            return None
        if header.fingerprint != self.fingerprint or header.name != path.stem:
            log.info("A kept prefix on disk is not this model's and is left alone.")
            return None
        return header

    def _refuse(self, path: Path, error: SegmentFileError) -> None:
        log.info("A kept prefix on disk is ignored: %s.", error)
        if error.is_damaged:
            self._unlink(path)

    def _unlink(self, path: Path) -> None:
        try:
            size = path.stat().st_size
            path.unlink()
        except OSError:
            return
        if self._bytes >= 0:
            self._bytes -= size

    def _turn_off(self, why: str) -> None:
        if self.is_on:
            self.is_on = False
            log.warning("Prefixes are no longer kept on disk: %s.", why)

    def _all_files(self) -> list[tuple[float, Path, int]]:
        """When each file was used last, where it is and how large."""
        found = []
        for path in self._root.glob("*/*.safetensors"):
            try:
                stat = path.stat()
            except OSError:
                continue
            found.append((stat.st_mtime, path, stat.st_size))
        return found

    def _make_room(self, need: int) -> None:
        """Remove files, least recently used first, until `need` more bytes fit."""
        if self.bytes + need <= self.budget:
            return
        files = self._all_files()
        self._bytes = sum(size for _, _, size in files)
        for _, path, _ in sorted(files, key=lambda file: file[0]):
            if self.bytes + need <= self.budget:
                return
            self._unlink(path)

    def _clear_drafts(self) -> None:
        for path in self._folder.glob(".*.tmp"):
            try:
                if time.time() - path.stat().st_mtime > STALE_SECONDS:
                    path.unlink()
            except OSError:
                continue


def forget_files(folder: Path, conversation: str) -> None:
    """Remove what one conversation alone needs, of every model; "" removes everything.

    It needs no model, so that a conversation can go while none is loaded.
    """
    if not conversation:
        for path in [*folder.glob("*/*.safetensors"), *folder.glob("*/chats/*.json")]:
            path.unlink(missing_ok=True)
        return
    for mine in folder.glob(f"*/chats/{chat_key(conversation)}.json"):
        names = set(_names(mine))
        mine.unlink(missing_ok=True)
        for other in mine.parent.glob("*.json"):
            names -= set(_names(other))
        for name in names:
            (mine.parent.parent / f"{name}.safetensors").unlink(missing_ok=True)


def chat_key(conversation: str) -> str:
    """How a conversation is named in the tree and on disk; "" stays that of temporary chats."""
    return hashlib.sha256(conversation.encode()).hexdigest()[:32] if conversation else ""


def _names(path: Path) -> list[str]:
    """The file names in a conversation's list, as far as it can be read."""
    try:
        names = json.loads(path.read_text())
    except (OSError, ValueError):
        return []
    return [name for name in names if isinstance(name, str) and name.isalnum()]
