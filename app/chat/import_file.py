"""Conversations from a file: our own export, or ChatGPT's (its tree is kept). Pure but for reading.

One damaged conversation does not spoil the others: it is counted and left out.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.chat.export import FORMAT, VERSION
from app.chat.import_chatgpt import read_chatgpt
from app.chat.interchange import Whole
from app.codec import from_json
from app.store.rows import ChatSettings, Node, Run, StoredToken
from inference import RunRecord

MAX_BYTES = 2_000_000_000


class ImportFileError(ValueError):
    """A file holds no conversations that can be read; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What a file held.

    Attributes:
        n_damaged: Conversations that could not be read and were left out.
    """

    wholes: tuple[Whole, ...]
    n_damaged: int = 0


def read_conversations(path: Path) -> Imported:
    """Read a JSON file or ChatGPT's zip.

    Raises:
        ImportFileError: It is of another kind, damaged, or holds nothing.
    """
    try:
        parts = _zip_parts(path) if zipfile.is_zipfile(path) else [path.read_bytes()]
    except (OSError, zipfile.BadZipFile) as error:
        raise ImportFileError(f"{path.name} cannot be read: {error}.") from error
    wholes: list[Whole] = []
    n_damaged = 0
    for part in parts:
        try:
            found = json.loads(part)
        except (ValueError, RecursionError) as error:
            raise ImportFileError(f"{path.name} is not a JSON file of conversations.") from error
        for conversation, read in _split(found, path.name):
            try:
                wholes.append(read(conversation))
            except (ValueError, KeyError, TypeError, AttributeError, IndexError):
                n_damaged += 1
    if not wholes:
        raise ImportFileError(f"{path.name} holds no conversation that can be read.")
    return Imported(tuple(wholes), n_damaged)


def _zip_parts(path: Path) -> list[bytes]:
    with zipfile.ZipFile(path) as archive:
        names = [
            info
            for info in archive.infolist()
            if Path(info.filename).name.startswith("conversations")
            and info.filename.endswith(".json")
        ]
        if not names or sum(info.file_size for info in names) > MAX_BYTES:
            raise ImportFileError(f"{path.name} holds no file of conversations.")
        return [archive.read(info) for info in names]


def _split(found: Any, name: str) -> list[tuple[Any, Any]]:  # noqa: ANN401  (any JSON value)
    """Give each conversation with the function that reads it."""
    if isinstance(found, dict) and found.get("format") == FORMAT:
        if not isinstance(found.get("version"), int) or found["version"] > VERSION:
            raise ImportFileError(f"{name} was written by a newer version; update the app first.")
        return [(one, read_own) for one in found.get("conversations", [])]
    if isinstance(found, dict) and "mapping" in found:
        found = [found]
    if isinstance(found, list) and any(isinstance(x, dict) and "mapping" in x for x in found):
        return [(one, read_chatgpt) for one in found]
    raise ImportFileError(f"{name} is neither an export of Cabochon nor one of ChatGPT.")


def read_own(found: dict[str, Any]) -> Whole:
    """Read one conversation of our own export.

    Raises:
        ValueError: It is damaged.
    """
    nodes: list[Node] = []
    runs: dict[int, Run] = {}
    spoken: dict[int, tuple[str, tuple[int, ...]]] = {}
    known: set[int] = set()
    for message in found["messages"]:
        node = from_json(Node, message)
        if node.id in known or (node.parent_id is not None and node.parent_id not in known):
            raise ValueError("the tree is damaged")
        known.add(node.id)
        nodes.append(replace(node, status="interrupted") if node.status == "writing" else node)
        if "run" in message:
            runs[node.id] = _read_run(message["run"])
        if "spoken" in message:
            one = message["spoken"]
            spoken[node.id] = str(one["by"]), tuple(int(i) for i in one["token_ids"])
    return Whole(
        str(found["title"]),
        float(found["created_at"]),
        float(found["updated_at"]),
        tuple(nodes),
        found.get("active_leaf") if found.get("active_leaf") in known else None,
        from_json(ChatSettings, found.get("settings")),
        tuple(str(tag) for tag in found.get("tags", ())),
        runs,
        spoken,
    )


def _read_run(found: dict[str, Any]) -> Run:
    details = tuple(
        StoredToken(
            int(one["token_id"]),
            int(one["n_characters"]),
            float(one["logprob"]),
            float(one["entropy"]),
            tuple((int(i), float(logprob)) for i, logprob in one["alternatives"]),
        )
        for one in found.get("tokens", ())
    )
    return Run(0, from_json(RunRecord, found["record"]), details)
