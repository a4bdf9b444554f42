"""One kept run of tokens as one file: safetensors, with all that must agree in its metadata."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np

from inference.segments import Group, Part, Segment

FORMAT = 1
LARGEST_HEADER_BYTES = 1 << 24
_FRESH = os.O_CREAT | os.O_TRUNC | os.O_WRONLY
NAMES = {
    mx.float32: "F32",
    mx.float16: "F16",
    mx.bfloat16: "BF16",
    mx.uint32: "U32",
    mx.uint8: "U8",
}


class SegmentFileError(Exception):
    """A file is not what it should be.

    Attributes:
        is_damaged: It is one of ours and broken, so that nobody will ever read it.
    """

    def __init__(self, what: str, *, is_damaged: bool) -> None:
        super().__init__(what)
        self.is_damaged = is_damaged


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says of itself.

    Attributes:
        fingerprint: Of the model, the layout of its caches and the grid.
        parent: The name of the file that this run goes on from; empty at the beginning of a chat.
        tokens: The run's tokens.
        ends: Where its calls ended.
        firsts: The first position of each group's rows; None where it has none.
        kv_bits: How the rows of full layers are quantised; None where they are not.
    """

    fingerprint: str
    parent: str
    start: int
    tokens: np.ndarray
    ends: np.ndarray
    firsts: tuple[int | None, ...]
    has_hidden: bool
    kv_bits: int | None = None

    @property
    def name(self) -> str:
        """The chained hash that names the file: it stands for all tokens before it, too."""
        told = [self.fingerprint, self.parent, str(self.start), str(self.kv_bits), str(FORMAT)]
        digest = hashlib.sha256("\n".join(told).encode())
        digest.update(self.tokens.astype("<i4").tobytes() + b"/")
        digest.update(self.ends.astype("<i4").tobytes())
        return digest.hexdigest()[:40]

    @property
    def segment(self) -> Segment:
        """What the file holds, not yet loaded."""
        parts = tuple(None if first is None else Part(first, ()) for first in self.firsts)
        stop = self.start + len(self.tokens)
        return Segment(self.start, stop, parts, None, is_loaded=False, has_hidden=self.has_hidden)

    def fields(self) -> dict[str, str]:
        """As metadata of a safetensors file."""
        return {
            "format": str(FORMAT),
            "fingerprint": self.fingerprint,
            "parent": self.parent,
            "start": str(self.start),
            "tokens": _packed(self.tokens),
            "ends": _packed(self.ends),
            "firsts": json.dumps(self.firsts),
            "has_hidden": str(int(self.has_hidden)),
            "kv_bits": str(self.kv_bits or 0),
        }


def write(path: Path, header: Header, segment: Segment) -> int:
    """Write a file that its owner alone can read; give its bytes.

    Raises:
        OSError: The disk is full or does not let us; nothing is left behind.
    """
    arrays = _named(segment)
    fields = header.fields()
    fields["digest"] = _digest(fields, arrays)
    head: dict[str, Any] = {"__metadata__": fields}
    at = 0
    for name, array in arrays.items():
        place = [at, at + array.nbytes]
        head[name] = {
            "dtype": NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": place,
        }
        at += array.nbytes
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    draft = path.with_name(f".{path.stem}.{os.getpid()}.tmp")
    try:
        with os.fdopen(os.open(draft, _FRESH, 0o600), "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for array in arrays.values():
                file.write(_bytes(array))
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    return 8 + len(text) + at


def read_header(path: Path) -> Header:
    """Read what a file says of itself, and no rows.

    Raises:
        SegmentFileError: It is damaged, foreign or from a later version.
        OSError: It cannot be read.
    """
    return _header(_fields(path))


def load(path: Path, groups: Sequence[Group], expected: Header) -> Segment:
    """Read a file's rows, checking everything.

    Raises:
        SegmentFileError: It is damaged, or is not what is expected.
        OSError: It cannot be read.
    """
    fields = _fields(path)
    header = _header(fields)
    if header.name != expected.name or header.firsts != expected.firsts:
        raise SegmentFileError("it holds another run", is_damaged=False)
    try:
        loaded = mx.load(str(path), format="safetensors")
        assert isinstance(loaded, dict)
        mx.eval(loaded)
    except (RuntimeError, ValueError) as error:
        raise SegmentFileError("its rows cannot be read", is_damaged=True) from error
    segment = _segment(header, loaded, groups)
    digest = fields.pop("digest", "")
    if digest != _digest(fields, _named(segment)):
        raise SegmentFileError("its checksum differs", is_damaged=True)
    return segment


def _fields(path: Path) -> dict[str, str]:
    with path.open("rb") as file:
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
        if not 2 <= length <= LARGEST_HEADER_BYTES:
            raise SegmentFileError("it has no header", is_damaged=True)
        text = file.read(length)
    try:
        fields = {str(key): str(it) for key, it in json.loads(text)["__metadata__"].items()}
        version = int(fields["format"])
    except (ValueError, KeyError, TypeError, AttributeError, UnicodeDecodeError) as error:
        raise SegmentFileError("its header is damaged", is_damaged=True) from error
    if version != FORMAT:
        raise SegmentFileError(f"it has format {version}", is_damaged=False)
    return fields


def _header(fields: dict[str, str]) -> Header:
    try:
        firsts = [None if it is None else int(it) for it in json.loads(fields["firsts"])]
        return Header(
            fields["fingerprint"],
            fields["parent"],
            int(fields["start"]),
            _unpacked(fields["tokens"]),
            _unpacked(fields["ends"]),
            tuple(firsts),
            fields["has_hidden"] == "1",
            int(fields["kv_bits"]) or None,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise SegmentFileError("its header is damaged", is_damaged=True) from error


def _segment(header: Header, loaded: dict[str, mx.array], groups: Sequence[Group]) -> Segment:
    """Put the arrays in their places and check that they fit the model."""
    empty = header.segment
    parts: list[Part | None] = []
    for i, (group, part) in enumerate(zip(groups, empty.parts, strict=False)):
        arrays: list[mx.array] = []
        while part is not None and (array := loaded.get(f"{i}.{len(arrays)}")) is not None:
            layers, rows = array.shape[0], array.shape[-2] if array.ndim > 2 else 0
            is_rows = group.layout.kind != "recurrent"
            if layers != len(group.layers) or (is_rows and rows != empty.stop - part.first):
                raise SegmentFileError("its sizes differ", is_damaged=True)
            arrays.append(array)
        if part is not None and not arrays:
            raise SegmentFileError("rows are missing", is_damaged=True)
        parts.append(None if part is None else Part(part.first, tuple(arrays)))
    hidden = loaded.get("hidden") if header.has_hidden else None
    if len(parts) != len(groups) or (header.has_hidden and hidden is None):
        raise SegmentFileError("rows are missing", is_damaged=True)
    return Segment(empty.start, empty.stop, tuple(parts), hidden, has_hidden=header.has_hidden)


def _named(segment: Segment) -> dict[str, mx.array]:
    named = {
        f"{i}.{j}": array
        for i, part in enumerate(segment.parts)
        if part is not None
        for j, array in enumerate(part.arrays)
    }
    return named if segment.hidden is None else {**named, "hidden": segment.hidden}


def _digest(fields: dict[str, str], arrays: dict[str, mx.array]) -> str:
    digest = hashlib.sha256(json.dumps(fields, sort_keys=True).encode())
    for name, array in arrays.items():
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(_bytes(array))
    return digest.hexdigest()


def _bytes(array: mx.array) -> memoryview:
    """An evaluated array's bytes; numpy knows no bfloat16."""
    plain = array.view(mx.uint16) if array.dtype == mx.bfloat16 else array
    return np.ascontiguousarray(np.array(plain, copy=False)).view(np.uint8).data


def _packed(numbers: np.ndarray) -> str:
    return base64.b64encode(numbers.astype("<i4").tobytes()).decode()


def _unpacked(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text, validate=True), "<i4").astype(np.int32)


def names_in(folder: Path) -> Iterator[Path]:
    """The files of a folder that are named as ours are."""
    for path in sorted(folder.glob("*.safetensors")):
        if len(path.stem) == 40 and not set(path.stem) - set("0123456789abcdef"):
            yield path
