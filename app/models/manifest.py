"""What a fetched model consists of, kept beside it: for Verify, and to go on after a pause."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from app.codec import from_json
from app.files import write_atomically
from app.models.remote import RemoteFile, RemoteModel

MANIFEST = "cabochon.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """Where a model came from, and its files.

    Attributes:
        etags: What the server called each unfinished file's content.
    """

    repository: str = ""
    revision: str = "main"
    commit: str = ""
    gguf: str = ""
    files: list[RemoteFile] = field(default_factory=list)
    etags: dict[str, str] = field(default_factory=dict)

    @property
    def model(self) -> RemoteModel:
        """The files as the hub described them."""
        return RemoteModel(self.repository, self.commit, tuple(self.files))


def read_manifest(folder: Path) -> Manifest | None:
    """Read a folder's manifest; None when there is none that makes sense."""
    try:
        found = json.loads((folder / MANIFEST).read_bytes())
        files = [RemoteFile(**file) for file in found.pop("files")]
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        return None
    manifest = from_json(Manifest, {**found, "files": []})
    return Manifest(
        manifest.repository,
        manifest.revision,
        manifest.commit,
        manifest.gguf,
        files,
        manifest.etags,
    )


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write it in one step."""
    text = json.dumps(asdict(manifest), indent=1, sort_keys=True)
    write_atomically(folder / MANIFEST, text.encode() + b"\n")
