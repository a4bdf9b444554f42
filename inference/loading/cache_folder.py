"""Converted models kept in the app's cache: written whole or not at all, checked when opened.

A conversion is written into a folder beside its place, its manifest last, and then renamed. Two
processes that want the same model take turns; the second one finds it done.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from inference.errors import InferenceError
from inference.loading.atomic import write_text
from inference.types import Loading, ShouldStop

FORMAT_VERSION = 1  # of the converted files; a change makes every conversion anew
MANIFEST = "manifest.json"
STOPPED = "Loading was stopped; choose a model to go on."
_WAIT_SECONDS = 0.1
_BLOCK_BYTES = 1 << 20

Fill = Callable[[Path], Iterator[Loading]]


def remembered_sha256(
    parts: list[Path], cache_dir: Path, should_stop: ShouldStop
) -> Iterator[Loading | str]:
    """Give the SHA-256 of some files read as one, remembered while they are as they were.

    Yields:
        Progress, and at last the digest.

    Raises:
        InferenceError: Stopped.
    """
    paths = [str(p.resolve()) for p in parts]
    state = [[p.stat().st_size, p.stat().st_mtime_ns] for p in parts]
    name = hashlib.sha256(json.dumps(paths).encode()).hexdigest()[:16]
    memory = cache_dir / "digests" / f"{name}.json"
    known = _read_json(memory)
    found = known.get("sha256")
    if known.get("state") == state and isinstance(found, str):
        yield found
        return
    total = sum(p.stat().st_size for p in parts) or 1
    digest, done = hashlib.sha256(), 0
    for part in parts:
        with part.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                if should_stop():
                    raise InferenceError(STOPPED)
                digest.update(block)
                done += len(block)
                if done % (32 * _BLOCK_BYTES) < len(block):
                    yield Loading("Checking the model file", done / total)
    write_text(memory, json.dumps({"state": state, "sha256": digest.hexdigest()}))
    yield digest.hexdigest()


def converted(
    place: Path, source: str, n_bytes: int, fill: Fill, should_stop: ShouldStop
) -> Iterator[Loading]:
    """See that a converted model lies whole at its place, and make it if it does not.

    Args:
        place: The folder.
        source: Names what it is made from; kept in the manifest.
        n_bytes: About how much will be written; refused if the disk has less.
        should_stop: Asked while waiting for another process.
        fill: Writes the files into the folder that it is given, yielding progress.

    Raises:
        InferenceError: Stopped, or the disk is full. Nothing is left behind.
    """
    if is_whole(place, source):
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    with (place.parent / f".{place.name}.lock").open("w") as lock:
        while not _locked(lock.fileno()):
            if should_stop():
                raise InferenceError(STOPPED)
            yield Loading("Waiting for another Cabochon that converts this model", 0.0)
            time.sleep(_WAIT_SECONDS)
        if is_whole(place, source):
            return
        for left in place.parent.glob(f".{place.name}.half.*"):
            shutil.rmtree(left, ignore_errors=True)
        need_space(place.parent, n_bytes)
        half = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name}.half."))
        try:
            yield from fill(half)
            _seal(half, source)
            if place.exists():
                place.rename(half.with_name(half.name + ".old"))
            half.rename(place)
        except OSError as error:
            raise disk_error(error) from error
        finally:
            shutil.rmtree(half, ignore_errors=True)
            shutil.rmtree(half.with_name(half.name + ".old"), ignore_errors=True)


def is_whole(place: Path, source: str) -> bool:
    """Tell whether a converted model lies at its place, unchanged since it was written."""
    manifest = _read_json(place / MANIFEST)
    files = manifest.get("files")
    if (manifest.get("format"), manifest.get("source")) != (FORMAT_VERSION, source):
        return False
    return isinstance(files, dict) and all(
        isinstance(entry, dict) and _is_same(place / name, entry) for name, entry in files.items()
    )


def _is_same(path: Path, entry: dict[str, Any]) -> bool:
    try:
        found = path.stat()
    except OSError:
        return False
    if found.st_size != entry.get("bytes"):
        return False
    return found.st_mtime_ns == entry.get("mtime_ns") or _sha256(path) == entry.get("sha256")


def _seal(folder: Path, source: str) -> None:
    """Flush every file to the disk and write the manifest last."""
    files = {}
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            os.fsync(file.fileno())
        stat = path.stat()
        files[path.name] = {
            "bytes": stat.st_size,
            "mtime_ns": stat.st_mtime_ns,
            "sha256": _sha256(path),
        }
    manifest = {"format": FORMAT_VERSION, "source": source, "files": files}
    write_text(folder / MANIFEST, json.dumps(manifest, indent=1))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def need_space(folder: Path, n_bytes: int) -> None:
    """See that a disk has room.

    Raises:
        InferenceError: It has not; tells both numbers.
    """
    free = shutil.disk_usage(folder).free
    if free < n_bytes:
        raise InferenceError(
            f"Converting this model needs {n_bytes / 1e9:.1f} GB of disk and {free / 1e9:.1f} GB "
            "are free; make room and try again."
        )


def disk_error(error: OSError) -> InferenceError:
    """Say in one sentence why a converted model could not be written."""
    if error.errno == errno.ENOSPC:
        return InferenceError(
            "The disk is full, so the model could not be converted; make room and try again."
        )
    return InferenceError(
        f"The converted model could not be written ({error.strerror}); "
        "check the disk and try again."
    )


def _read_json(path: Path) -> dict[str, Any]:
    with contextlib.suppress(OSError, ValueError):
        value = json.loads(path.read_text("utf-8"))
        if isinstance(value, dict):
            return value
    return {}
