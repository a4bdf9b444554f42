"""Safetensors files: judge one before it is mapped, and write one tensor by tensor.

Source: github.com/huggingface/safetensors README, "Format".
"""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from inference.errors import ModelFolderError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType

MAX_HEADER_BYTES = 100_000_000  # the format's own limit
DTYPE_BYTES = {
    "BOOL": 1, "U8": 1, "I8": 1, "F8_E5M2": 1, "F8_E4M3": 1, "F8_E8M0": 1, "U16": 2, "I16": 2,
    "F16": 2, "BF16": 2, "U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stored:
    """A tensor in a safetensors file."""

    dtype: str
    shape: tuple[int, ...]
    n_bytes: int


def read_header(path: Path) -> dict[str, Stored]:
    """Judge a safetensors file and tell what it holds.

    Raises:
        ModelFolderError: It is missing, cut short, or its header does not fit its bytes.
    """
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            (length,) = struct.unpack("<Q", file.read(8).ljust(8, b"\xff"))
            if length > min(MAX_HEADER_BYTES, size - 8):
                raise _damaged(path, "its header is longer than the file")
            header = json.loads(file.read(length))
    except OSError as error:
        raise ModelFolderError(
            f"{path.name} cannot be read ({error.strerror or error}); fetch the model again."
        ) from error
    except (ValueError, RecursionError) as error:
        raise _damaged(path, "its header is no JSON") from error
    if not isinstance(header, dict):
        raise _damaged(path, "its header is no table")
    data = size - 8 - length
    held = {name: _entry(path, e, data) for name, e in header.items() if name != "__metadata__"}
    if sum(entry.n_bytes for entry in held.values()) > data:
        raise _damaged(path, "its tensors overlap")
    return held


def _entry(path: Path, entry: object, data_bytes: int) -> Stored:
    match entry:
        case {"dtype": str(dtype), "shape": list(shape), "data_offsets": [int(start), int(end)]}:
            counts = [n for n in shape if isinstance(n, int) and 0 <= n < 1 << 40]
            if dtype not in DTYPE_BYTES:
                raise _damaged(path, f"it has numbers of the unknown kind {dtype[:20]!r}")
            n_bytes = math.prod(counts) * DTYPE_BYTES[dtype]
            if len(counts) != len(shape) or not 0 <= start <= end <= data_bytes:
                raise _damaged(path, "a tensor ends behind the file's end")
            if end - start != n_bytes:
                raise _damaged(path, "a tensor's shape does not fit its bytes")
            return Stored(dtype, tuple(counts), n_bytes)
        case _:
            raise _damaged(path, "an entry of its header is incomplete")


def _damaged(path: Path, why: str) -> ModelFolderError:
    return ModelFolderError(f"{path.name} is damaged: {why}; fetch the model again.")


class SafetensorsWriter:
    """Writes a file whose tensors are known beforehand, in pieces and in any order."""

    def __init__(self, path: Path, tensors: Mapping[str, tuple[str, tuple[int, ...]]]) -> None:
        """Write the header.

        Args:
            path: The file to make.
            tensors: Name to dtype (the format's word) and shape.
        """
        header: dict[str, Any] = {"__metadata__": {"format": "mlx"}}
        self._at: dict[str, int] = {}
        end = 0
        for name, (dtype, shape) in tensors.items():
            start, end = end, end + math.prod(shape) * DTYPE_BYTES[dtype]
            header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [start, end]}
            self._at[name] = start
        text = json.dumps(header, separators=(",", ":")).encode()
        text = text.ljust(-(-len(text) // 8) * 8)
        self._start = 8 + len(text)
        self._file = path.open("xb")
        self._file.write(struct.pack("<Q", len(text)) + text)
        self._file.truncate(self._start + end)

    def __enter__(self) -> SafetensorsWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def write(self, name: str, values: np.ndarray) -> None:
        """Append values to a tensor."""
        self._file.seek(self._start + self._at[name])
        self._file.write(np.ascontiguousarray(values).data)
        self._at[name] += values.nbytes
