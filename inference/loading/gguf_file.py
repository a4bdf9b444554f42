"""Read a GGUF file in place: its metadata, and each tensor's raw blocks. Nothing is copied or run.

The file is judged before anything in it is used: counts, lengths, shapes and offsets must fit the
bytes that are there. A file that comes in parts is read as one range of bytes.

Source: the GGUF specification, ggml-org/ggml docs/gguf.md, versions 2 and 3.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

from inference.errors import ModelFolderError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MAX_KEYS = 65_536
MAX_TENSORS = 65_536
MAX_DIMENSIONS = 4  # GGML_MAX_DIMS
MAX_NAME_BYTES = 65_535
STRING, ARRAY = 8, 9
_NUMBERS = {
    0: "u1",
    1: "i1",
    2: "<u2",
    3: "<i2",
    4: "<u4",
    5: "<i4",
    6: "<f4",
    7: "u1",
    10: "<u8",
    11: "<i8",
    12: "<f8",
}

Value = int | float | bool | str | list[str] | np.ndarray


class _EndOfHeadError(Exception):
    """The head goes on behind the bytes at hand."""


@dataclass(frozen=True, slots=True)
class TensorEntry:
    """Where a tensor lies.

    Attributes:
        shape: Slowest axis first, as numpy and MLX count.
        offset: From the start of the file, in bytes.
    """

    name: str
    kind: GGMLQuantizationType
    shape: tuple[int, ...]
    offset: int
    n_bytes: int


class ByteRange:
    """Files read as one range of bytes.

    The head is mapped into memory, where only the pages that are looked at are loaded. What is read
    is read into memory of its own, so that it goes away when it is done with.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = tuple(paths)
        sizes = [_size(path) for path in paths]
        self._starts = [sum(sizes[:i]) for i in range(len(sizes))]
        self._sizes = sizes
        self.size = sum(sizes)

    def read(self, offset: int, n_bytes: int) -> np.ndarray:
        """Give a copy of some bytes."""
        pieces = []
        for path, start, size in zip(self._paths, self._starts, self._sizes, strict=True):
            first, last = max(offset - start, 0), min(offset + n_bytes - start, size)
            if first < last:
                pieces.append(_bytes(path, first, last - first))
        if len(pieces) == 1:
            return pieces[0]
        return np.concatenate(pieces) if pieces else np.empty(0, np.uint8)

    def heads(self) -> Iterator[np.ndarray]:
        """Give ever longer beginnings of the range, the shortest first."""
        yield _map(self._paths[0])
        for end in [*self._starts[2:], self.size]:
            yield self.read(0, end)


def _size(path: Path) -> int:
    try:
        size = path.stat().st_size
    except OSError as error:
        raise _unreadable(path, error) from error
    if size == 0:
        raise ModelFolderError(f"{path.name} is empty; fetch the model again.")
    return size


def _map(path: Path) -> np.ndarray:
    try:
        return np.memmap(path, np.uint8, "r").view(np.ndarray)
    except OSError as error:
        raise _unreadable(path, error) from error


def _bytes(path: Path, offset: int, n_bytes: int) -> np.ndarray:
    try:
        found = np.fromfile(path, np.uint8, n_bytes, offset=offset)
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(found) != n_bytes:
        raise ModelFolderError(f"{path.name} became shorter; fetch the model again.")
    return found


def _unreadable(path: Path, error: OSError) -> ModelFolderError:
    return ModelFolderError(
        f"{path.name} cannot be read ({error.strerror or error}); choose another model."
    )


class _Cursor:
    """Walks through the head of the file."""

    def __init__(self, buffer: np.ndarray) -> None:
        self._buffer = memoryview(buffer.data)
        self.at = 0

    def take(self, n_bytes: int) -> memoryview:
        """Give the next bytes."""
        end = self.at + n_bytes
        if end > len(self._buffer):
            raise _EndOfHeadError
        piece = self._buffer[self.at : end]
        self.at = end
        return piece

    def number(self, kind: str) -> int | float:
        """Give the next number of a numpy kind."""
        width = np.dtype(kind).itemsize
        value: int | float = np.frombuffer(self.take(width), kind)[0].item()
        return value

    def count(self, limit: int, what: str) -> int:
        """Give the next count, which must be sensible."""
        (value,) = struct.unpack("<Q", self.take(8))
        if value > limit:
            raise ModelFolderError(
                f"The GGUF file is damaged: it claims {value:,} {what}; fetch the model again."
            )
        return int(value)

    def text(self) -> str:
        """Give the next string."""
        n_bytes = self.count(len(self._buffer), "bytes in a text")
        return str(self.take(n_bytes), "utf-8")

    def texts(self, n: int) -> list[str]:
        """Give the next strings; the vocabulary is read here, so it is one tight loop."""
        buffer, at, end = self._buffer, self.at, len(self._buffer)
        length = struct.Struct("<Q").unpack_from
        found = []
        for _ in range(n):
            if at + 8 > end:
                raise _EndOfHeadError
            stop = at + 8 + length(buffer, at)[0]
            if stop > end:
                raise _EndOfHeadError
            found.append(str(buffer[at + 8 : stop], "utf-8"))
            at = stop
        self.at = at
        return found

    def value(self) -> Value:
        """Give the next metadata value with its kind before it."""
        kind = int(self.number("<u4"))
        if kind == STRING:
            return self.text()
        if kind != ARRAY:
            number = self.number(_number_kind(kind))
            return bool(number) if kind == 7 else number
        item = int(self.number("<u4"))
        n = self.count(len(self._buffer), "items in a list")
        if item == STRING:
            return self.texts(n)
        numbers = _number_kind(item)
        return np.frombuffer(self.take(n * np.dtype(numbers).itemsize), numbers)


def _number_kind(kind: int) -> str:
    if kind not in _NUMBERS:
        raise ModelFolderError(
            f"The GGUF file is damaged: it has a value of the unknown kind {kind}; "
            "fetch the model again."
        )
    return _NUMBERS[kind]


class GgufFile:
    """A GGUF file, judged and ready to be read tensor by tensor.

    Attributes:
        metadata: Key to value; lists of numbers are numpy arrays.
        tensors: Name to entry; every entry lies inside the file.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        """Read the head.

        Args:
            paths: The file, or the parts of it in order.

        Raises:
            ModelFolderError: It is missing, truncated, damaged or no GGUF file.
        """
        self._bytes = ByteRange(paths)
        self.n_bytes = self._bytes.size
        for head in self._bytes.heads():
            try:
                self.metadata, entries, end = _read_head(_Cursor(head))
                break
            except _EndOfHeadError:
                continue
            except UnicodeDecodeError as error:
                raise ModelFolderError(
                    "The GGUF file is damaged: a text in it is no UTF-8; fetch the model again."
                ) from error
        else:
            raise ModelFolderError(
                "The GGUF file is damaged or cut short: its head has no end; fetch the model again."
            )
        self.tensors = _place(entries, end, _alignment(self.metadata), self.n_bytes)

    def raw(self, name: str, first: int = 0, n_rows: int | None = None) -> np.ndarray:
        """Give some rows of a tensor's bytes, all from the first by default.

        Shapes: (rows, bytes of a row), uint8; a tensor of one axis has one row.
        """
        entry = self.tensors[name]
        rows = math.prod(entry.shape[:-1])
        row_bytes = entry.n_bytes // rows
        count = rows - first if n_rows is None else n_rows
        found = self._bytes.read(entry.offset + first * row_bytes, count * row_bytes)
        return found.reshape(count, row_bytes)

    def text(self, key: str, default: str = "") -> str:
        """Give a text of the metadata."""
        value = self.metadata.get(key, default)
        return value if isinstance(value, str) else default

    def number(self, key: str, default: float | None = None) -> float:
        """Give a number of the metadata.

        Raises:
            ModelFolderError: It is missing or no number, and there is no default.
        """
        value = self.metadata.get(key, default)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            raise ModelFolderError(
                f"The GGUF file lacks the number {key!r}; fetch another conversion of the model."
            )
        return value

    def texts(self, key: str) -> list[str]:
        """Give a list of texts, empty if there is none."""
        value = self.metadata.get(key)
        return value if isinstance(value, list) else []

    def numbers(self, key: str) -> np.ndarray:
        """Give a list of numbers, empty if there is none."""
        value = self.metadata.get(key)
        return value if isinstance(value, np.ndarray) else np.empty(0)


def _read_head(
    cursor: _Cursor,
) -> tuple[dict[str, Value], list[tuple[str, GGMLQuantizationType, tuple[int, ...], int]], int]:
    if bytes(cursor.take(4)) != b"GGUF":
        raise ModelFolderError("This is not a GGUF file; choose a .gguf model.")
    version = int(cursor.number("<u4"))
    if version not in (2, 3):
        raise ModelFolderError(
            f"This GGUF file has version {version}, and versions 2 and 3 can be read; "
            "fetch a newer conversion of the model."
        )
    n_tensors = cursor.count(MAX_TENSORS, "tensors")
    n_keys = cursor.count(MAX_KEYS, "keys")
    metadata: dict[str, Value] = {}
    for _ in range(n_keys):
        key = cursor.text()
        metadata[key] = cursor.value()
    entries = [_read_entry(cursor) for _ in range(n_tensors)]
    return metadata, entries, cursor.at


def _read_entry(cursor: _Cursor) -> tuple[str, GGMLQuantizationType, tuple[int, ...], int]:
    name = cursor.text()
    n_axes = int(cursor.number("<u4"))
    if not 1 <= n_axes <= MAX_DIMENSIONS:
        raise ModelFolderError(
            f"The GGUF file is damaged: {name[:80]!r} has {n_axes:,} axes; fetch the model again."
        )
    axes = struct.unpack(f"<{n_axes}Q", cursor.take(8 * n_axes))
    kind = int(cursor.number("<u4"))
    (offset,) = struct.unpack("<Q", cursor.take(8))
    try:
        return name, GGMLQuantizationType(kind), axes[::-1], offset
    except ValueError as error:
        raise ModelFolderError(
            f"The tensor {name[:80]!r} has the unknown type {kind}; "
            "fetch another quantisation of the model."
        ) from error


def _alignment(metadata: dict[str, Value]) -> int:
    value = metadata.get("general.alignment", 32)
    if not isinstance(value, int) or not 8 <= value <= 65_536 or value & (value - 1):
        raise ModelFolderError(
            f"The GGUF file is damaged: its alignment is {value!r}; fetch the model again."
        )
    return value


def _place(
    entries: list[tuple[str, GGMLQuantizationType, tuple[int, ...], int]],
    head_end: int,
    alignment: int,
    file_bytes: int,
) -> dict[str, TensorEntry]:
    start = -(-head_end // alignment) * alignment
    placed: dict[str, TensorEntry] = {}
    for name, kind, shape, offset in entries:
        block, block_bytes = GGML_QUANT_SIZES[kind]
        n = math.prod(shape)
        n_bytes = n // block * block_bytes
        if n == 0 or shape[-1] % block or name in placed:
            raise ModelFolderError(
                f"The GGUF file is damaged: {name[:80]!r} has the shape {shape}, which cannot be; "
                "fetch the model again."
            )
        if start + offset + n_bytes > file_bytes:
            raise ModelFolderError(
                f"The GGUF file is cut short: {name[:80]!r} ends behind the file's end; "
                "fetch the model again."
            )
        placed[name] = TensorEntry(name, kind, shape, start + offset, n_bytes)
    return placed
