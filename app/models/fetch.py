"""Fetching one model: several files with one progress, to be paused and taken up at any byte.

Everything comes into a folder of its own below `.fetching` and is checked there; one rename lists
the finished model. What is there may end at any moment, and the next `run` goes on from it.
"""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.models.digests import Interrupted, is_whole
from app.models.errors import (
    ConnectionFailedError,
    DamagedError,
    ModelError,
    NotEnoughSpaceError,
)
from app.models.manifest import MANIFEST, Manifest, read_manifest, write_manifest
from app.models.remote import RemoteFile, check_repository, choose_files
from app.sizes import as_size

if TYPE_CHECKING:
    from app.models.downloads import Hub

FETCHING = ".fetching"
PARTIAL = ".part"
SPARE = 1.1  # of the bytes still to come must be free, so that nothing else runs out of space
_SPEED_SECONDS = 5.0

Doing = Literal["asking", "fetching", "waiting", "checking", "paused", "done"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is.

    Attributes:
        speed: Bytes a second over the last seconds.
        seconds_left: None while it cannot be told.
        note: Why it waits.
    """

    repository: str
    doing: Doing
    done_bytes: int
    total_bytes: int
    speed: float = 0.0
    seconds_left: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Tries:
    """How stubborn to be: failures in a row without a byte between, and the pauses after each."""

    most: int = 6
    pause_seconds: float = 1.0
    longest_pause_seconds: float = 30.0


def folder_name(repository: str) -> str:
    """The name of a repository's folder."""
    return repository.replace("/", "--")


class Fetch:
    """One model on its way into the models folder."""

    def __init__(
        self,
        hub: Hub,
        models: Path,
        repository: str,
        revision: str = "main",
        gguf: str = "",
        tries: Tries | None = None,
    ) -> None:
        self.repository = check_repository(repository)
        self.target = models / folder_name(self.repository)
        self.workplace = models / FETCHING / folder_name(self.repository)
        self._hub = hub
        self._revision = revision
        self._gguf = gguf
        self._tries = tries or Tries()
        self._manifest = Manifest()
        self._done = 0
        self._seen: deque[tuple[float, int]] = deque(maxlen=200)

    def run(self, should_stop: Callable[[], bool]) -> Iterator[Progress]:
        """Fetch, or go on fetching, until the model is whole or somebody pauses.

        The last progress is "done" or "paused". `should_stop` is asked at every piece.

        Raises:
            ModelError: See the tree in `errors`. What was fetched is kept.
        """
        try:
            yield self._progress("asking")
            self._prepare()
            self._check_space()
            for file in sorted(self._manifest.files, key=lambda file: file.size):
                yield from self._fetch_file(file, should_stop)
            self._list_it()
            yield self._progress("done")
        except Interrupted:
            yield self._progress("paused")
        except OSError as error:
            raise _disk_error(error) from error

    # --------------------------------------------------------------------------- the steps

    def _prepare(self) -> None:
        """Take up the old manifest, or ask for a new one."""
        kept = read_manifest(self.workplace)
        if kept is not None and (kept.revision, kept.gguf) == (self._revision, self._gguf):
            self._manifest = kept
        else:
            model = choose_files(self._hub.look_up(self.repository, self._revision), self._gguf)
            shutil.rmtree(self.workplace, ignore_errors=True)
            self.workplace.mkdir(parents=True)
            self._manifest = Manifest(
                self.repository, self._revision, model.commit, self._gguf, list(model.files)
            )
            write_manifest(self.workplace, self._manifest)
        self._done = sum(self._have(file) for file in self._manifest.files)

    def _have(self, file: RemoteFile) -> int:
        """Bytes of a file that are here."""
        for path in (self.workplace / file.name, self._partial(file)):
            if path.is_file():
                return min(path.stat().st_size, file.size)
        return 0

    def _partial(self, file: RemoteFile) -> Path:
        return self.workplace / (file.name + PARTIAL)

    def _check_space(self) -> None:
        needed = int((self._manifest.model.size - self._done) * SPARE)
        free = shutil.disk_usage(self.workplace).free
        if needed > free:
            raise NotEnoughSpaceError(
                f"{as_size(needed)} are needed on the disk and {as_size(free)} are free; nothing "
                "was fetched. Make room, or choose a smaller model or another folder."
            )

    def _fetch_file(self, file: RemoteFile, should_stop: Callable[[], bool]) -> Iterator[Progress]:
        if (self.workplace / file.name).is_file():
            return  # it was checked when it got its name
        partial = self._partial(file)
        for attempt in (1, 2):
            yield from self._fetch_bytes(file, partial, should_stop)
            yield self._progress("checking")
            if is_whole(partial, file, should_stop):
                partial.rename(self.workplace / file.name)
                return
            self._done -= min(partial.stat().st_size, file.size)
            partial.unlink()
            self._forget_etag(file)
            if attempt == 1:
                yield self._progress("waiting", f"{file.name} came damaged and is fetched anew")
        raise DamagedError(
            f"{file.name} of {self.repository} came damaged twice: it is not what the hub says it "
            "should be. The other files are kept; try again later."
        )

    def _fetch_bytes(
        self, file: RemoteFile, partial: Path, should_stop: Callable[[], bool]
    ) -> Iterator[Progress]:
        """Append until the file has its size, over as many connections as it takes."""
        failures = 0
        partial.parent.mkdir(parents=True, exist_ok=True)
        partial.touch()
        while (have := partial.stat().st_size) < file.size:
            try:
                yield from self._fetch_some(file, partial, have, should_stop)
            except ConnectionFailedError as error:
                if should_stop():
                    raise Interrupted from None
                came = partial.stat().st_size > have
                failures = 1 if came else failures + 1
                if not error.may_retry or failures >= self._tries.most:
                    raise
                yield from self._wait(failures, error, should_stop)

    def _fetch_some(
        self, file: RemoteFile, partial: Path, have: int, should_stop: Callable[[], bool]
    ) -> Iterator[Progress]:
        if should_stop():
            raise Interrupted
        etag = self._manifest.etags.get(file.name, "")
        with self._hub.open(self._manifest.model, file.name, have, etag) as transfer:
            self._remember_etag(file, transfer.etag)
            with partial.open("r+b") as out:
                out.seek(transfer.start)
                out.truncate()
                self._done -= have - transfer.start
                for piece in transfer.pieces:
                    room = file.size - out.tell()
                    out.write(piece[:room])
                    self._done += min(len(piece), room)
                    if should_stop():
                        raise Interrupted
                    yield self._progress("fetching")
                    if len(piece) > room:
                        return  # more than there should be; the digest tells
                out.flush()
                os.fsync(out.fileno())
        if partial.stat().st_size < file.size:
            raise ConnectionFailedError("The connection was lost; what came is kept.")

    def _wait(
        self, failures: int, error: ConnectionFailedError, should_stop: Callable[[], bool]
    ) -> Iterator[Progress]:
        pause = self._tries.pause_seconds * 2 ** (failures - 1)
        pause = max(min(pause, self._tries.longest_pause_seconds), error.retry_after_seconds)
        end = time.monotonic() + pause
        yield self._progress("waiting", str(error))
        while (left := end - time.monotonic()) > 0:
            if should_stop():
                raise Interrupted
            time.sleep(min(left, 0.1))

    def _list_it(self) -> None:
        """Let the finished model appear, in one step, in place of an older one."""
        wanted = {file.name for file in self._manifest.files} | {MANIFEST}
        for path in self.workplace.rglob("*"):
            if path.is_file() and path.relative_to(self.workplace).as_posix() not in wanted:
                path.unlink()
        write_manifest(self.workplace, replace(self._manifest, etags={}))
        if self.target.exists():
            old = self.workplace.with_name(self.workplace.name + ".old")
            shutil.rmtree(old, ignore_errors=True)
            self.target.rename(old)
            self.workplace.rename(self.target)
            shutil.rmtree(old, ignore_errors=True)
        else:
            self.workplace.rename(self.target)
        _remove_if_empty(self.workplace.parent)

    def discard(self) -> int:
        """Give up: remove what was fetched, and give the bytes that are free again."""
        freed = sum(path.stat().st_size for path in self.workplace.rglob("*") if path.is_file())
        shutil.rmtree(self.workplace, ignore_errors=True)
        _remove_if_empty(self.workplace.parent)
        return freed

    # --------------------------------------------------------------------------- small things

    def _remember_etag(self, file: RemoteFile, etag: str) -> None:
        if etag and self._manifest.etags.get(file.name) != etag:
            etags = {**self._manifest.etags, file.name: etag}
            self._manifest = replace(self._manifest, etags=etags)
            write_manifest(self.workplace, self._manifest)

    def _forget_etag(self, file: RemoteFile) -> None:
        etags = {name: etag for name, etag in self._manifest.etags.items() if name != file.name}
        self._manifest = replace(self._manifest, etags=etags)
        write_manifest(self.workplace, self._manifest)

    def _progress(self, doing: Doing, note: str = "") -> Progress:
        now = time.monotonic()
        self._seen.append((now, self._done))
        while len(self._seen) > 2 and now - self._seen[0][0] > _SPEED_SECONDS:
            self._seen.popleft()
        (then, before), total = self._seen[0], self._manifest.model.size
        speed = max(self._done - before, 0) / (now - then) if now - then > 0.2 else 0.0
        left = (total - self._done) / speed if speed else None
        return Progress(self.repository, doing, self._done, total, speed, left, note)


def unfinished(models: Path) -> list[Manifest]:
    """What was begun and is not whole yet."""
    found = [read_manifest(folder) for folder in sorted((models / FETCHING).glob("*--*"))]
    return [manifest for manifest in found if manifest is not None]


def _remove_if_empty(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _disk_error(error: OSError) -> ModelError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return NotEnoughSpaceError(
            "The disk is full; what was fetched is kept. Make room and go on."
        )
    return ModelError(f"The models folder cannot be written ({error.strerror or error}).")
