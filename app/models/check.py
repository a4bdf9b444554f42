"""Whether a fetched model is still what was fetched: every file against the list kept beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from app.models.digests import is_whole
from app.models.manifest import read_manifest


@dataclass(frozen=True, slots=True)
class Checked:
    """One file was read.

    Attributes:
        fraction: How much of all bytes were read so far.
    """

    name: str
    is_whole: bool
    fraction: float


def check_files(folder: Path, should_stop: Callable[[], bool]) -> Iterator[Checked]:
    """Read every file of a fetched model and compare it with its digest.

    Gives nothing for a model that was not fetched by this program: there is no list.

    Raises:
        Interrupted: It was stopped.
    """
    manifest = read_manifest(folder)
    files = manifest.files if manifest else []
    total = sum(file.size for file in files) or 1
    done = 0
    for file in files:
        whole = is_whole(folder / file.name, file, should_stop)
        done += file.size
        yield Checked(file.name, whole, done / total)
