"""GGUF to a model folder: weights repacked tensor by tensor, config.json, tokenizer.json.

The folder is laid out as the hub's MLX conversions are, so it is opened on the same path as they.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from gguf.constants import GGMLQuantizationType, LlamaFileType

from inference.errors import InferenceError, ModelFolderError
from inference.loading import gguf_config
from inference.loading.cache_folder import STOPPED
from inference.loading.repack import GROUP, PLAIN, Loss, bits_of, is_exact, repack, widen
from inference.loading.safetensors_file import SafetensorsWriter
from inference.loading.vocabulary import write_tokenizer
from inference.types import Loading, ShouldStop

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from inference.loading.gguf_file import GgufFile, TensorEntry
    from inference.loading.gguf_names import Names, Part
from inference.loading.gguf_names import NAMES

Kind = GGMLQuantizationType
CHUNK_VALUES = 1 << 21  # worked on at a time, so that memory stays bounded
_STORED = {Kind.F16: "F16", Kind.BF16: "BF16"}  # everything else that is plain becomes F32


@dataclass(frozen=True, slots=True)
class Piece:
    """A weight and the tensor of the file that it is in."""

    part: Part
    entry: TensorEntry

    @property
    def shape(self) -> tuple[int, ...]:
        """The weight's shape."""
        shape = self.entry.shape
        if self.part.of == 1:
            return shape
        if self.part.axis == 0:
            return shape[1:]
        return (*shape[:1], shape[1] // self.part.of, *shape[2:])

    @property
    def stored_bytes(self) -> int:
        """Bytes once it is repacked."""
        n = math.prod(self.shape)
        kind = self.entry.kind
        return 4 * n if kind in PLAIN else n * bits_of(kind) // 8 + n // GROUP * 8

    def chunks(self, gguf: GgufFile) -> Iterator[np.ndarray]:
        """Give the weight's blocks, some rows at a time. Shapes: (rows, bytes of a row), uint8."""
        step = max(1, CHUNK_VALUES // self.shape[-1])
        for start, stop in self._row_ranges():
            for first in range(start, stop, step):
                yield gguf.raw(self.entry.name, first, min(step, stop - first))

    def _row_ranges(self) -> list[tuple[int, int]]:
        """Which rows of the file's tensor belong to the weight."""
        part, shape = self.part, self.entry.shape
        before = math.prod(shape[: part.axis])  # how often the cut axis comes round
        rows = math.prod(shape[part.axis : -1])
        own = rows // part.of
        starts = [i * rows + part.index * own for i in range(before)]
        return [(start, start + own) for start in starts]


@dataclass(slots=True)
class Conversion:
    """What is turned into what, known before anything is written.

    Attributes:
        config: The folder's config.json.
        pieces: By the weight's full name.
        losses: Type to how much repacking it lost, filled in as it goes; exact types are left out.
    """

    gguf: GgufFile
    names: Names
    config: dict[str, Any]
    pieces: dict[str, Piece]
    losses: dict[str, Loss] = field(default_factory=dict)

    @property
    def inexact(self) -> tuple[str, ...]:
        """Names of the types that become 8 bit."""
        kinds = {piece.entry.kind for piece in self.pieces.values()}
        return tuple(sorted(kind.name for kind in kinds if not is_exact(kind)))

    @property
    def n_bytes(self) -> int:
        """About how much is written."""
        return self.stored_bytes + (32 << 20)

    @property
    def stored_bytes(self) -> int:
        """Bytes of the converted weights."""
        return sum(piece.stored_bytes for piece in self.pieces.values())


def plan(gguf: GgufFile) -> Conversion:
    """Judge a GGUF file and tell what becomes of it.

    Raises:
        ModelFolderError: It is no Gemma, or a weight is missing or unknown.
    """
    if gguf.number("split.count", 0) > 1:
        raise ModelFolderError(
            "This GGUF file is one of several that make a model; "
            "join them with llama.cpp's gguf-split, or choose a conversion in one file."
        )
    names = NAMES[gguf_config.architecture(gguf)]
    config = gguf_config.config(gguf)
    pieces = {}
    for entry in gguf.tensors.values():
        for part in names.parts(entry.name):
            _judge_cut(part, entry)
            pieces[part.key] = Piece(part, entry)
    embedding = pieces.get(f"{names.prefix}embed_tokens.weight")
    if embedding is None or embedding.shape != (config["vocab_size"], config["hidden_size"]):
        raise ModelFolderError(
            "The GGUF file's token embedding is missing or does not fit its vocabulary; "
            "fetch the model again."
        )
    config["quantization"] = {"group_size": GROUP, "bits": 4} | {
        piece.part.module: {"group_size": GROUP, "bits": bits_of(piece.entry.kind)}
        | ({"mode": "mxfp4"} if piece.entry.kind is Kind.MXFP4 else {})
        for piece in pieces.values()
        if piece.entry.kind not in PLAIN
    }
    config["gguf"] = {
        "name": gguf.text("general.name"),
        "file_type": _file_type(gguf),
        "chat_template": gguf.text("tokenizer.chat_template"),
        "special": _special(gguf),
    }
    return Conversion(gguf, names, config, pieces)


def _judge_cut(part: Part, entry: TensorEntry) -> None:
    axes = len(entry.shape)
    if part.of > 1 and (axes != 3 or entry.shape[part.axis] % part.of):
        raise ModelFolderError(
            f"The GGUF file is damaged: {entry.name[:80]!r} has the shape {entry.shape}; "
            "fetch the model again."
        )
    if part.of == 3 and entry.shape[0] != 3:
        raise ModelFolderError("Gemma 3n with other than 4 streams cannot be read from GGUF.")
    if not part.key.endswith(".weight") and entry.kind not in PLAIN:
        raise ModelFolderError(
            f"The GGUF file is damaged: {entry.name[:80]!r} is quantised; fetch the model again."
        )


def _file_type(gguf: GgufFile) -> str:
    """Give the quantisation's usual name, such as Q4_K_M."""
    number = gguf.metadata.get("general.file_type")
    known = {int(kind): kind.name for kind in LlamaFileType}
    name = known.get(number, "") if isinstance(number, int) else ""
    return name.removeprefix("MOSTLY_").removeprefix("ALL_")


def _special(gguf: GgufFile) -> dict[str, int]:
    """Ids that the file names: bos, eos, eot, padding, unknown."""
    prefix, suffix = "tokenizer.ggml.", "_token_id"
    return {
        key.removeprefix(prefix).removesuffix(suffix): value
        for key, value in gguf.metadata.items()
        if key.startswith(prefix) and key.endswith(suffix) and isinstance(value, int)
    }


def write(conversion: Conversion, folder: Path, should_stop: ShouldStop) -> Iterator[Loading]:
    """Write the folder; asked to stop, it stops between two tensors.

    Raises:
        InferenceError: Stopped.
    """
    yield Loading("Rebuilding the tokenizer", 0.0)
    write_tokenizer(conversion.gguf, folder / "tokenizer.json")
    total = sum(piece.stored_bytes for piece in conversion.pieces.values())
    done = 0
    with SafetensorsWriter(folder / "model.safetensors", _layout(conversion)) as file:
        for piece in conversion.pieces.values():
            if should_stop():
                raise InferenceError(STOPPED)
            yield Loading("Converting the model", done / total)
            _write_piece(conversion, piece, file)
            done += piece.stored_bytes
    config = conversion.config
    config["gguf"]["errors"] = {
        kind: loss.relative for kind, loss in sorted(conversion.losses.items())
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1), "utf-8")


def _layout(conversion: Conversion) -> dict[str, tuple[str, tuple[int, ...]]]:
    layout: dict[str, tuple[str, tuple[int, ...]]] = {}
    for key, piece in conversion.pieces.items():
        kind, module = piece.entry.kind, piece.part.module
        if kind in PLAIN:
            layout[key] = (_plain_dtype(conversion, piece), piece.shape)
            continue
        *rows, columns = piece.shape
        layout[key] = ("U32", (*rows, columns * bits_of(kind) // 32))
        if kind is Kind.MXFP4:
            layout[f"{module}.scales"] = ("U8", (*rows, columns // GROUP))
        else:
            layout[f"{module}.scales"] = ("F32", (*rows, columns // GROUP))
            layout[f"{module}.biases"] = ("F32", (*rows, columns // GROUP))
    return layout


def _plain_dtype(conversion: Conversion, piece: Piece) -> str:
    """A weight that is changed is kept in float32, so that nothing of it is rounded away."""
    changed = conversion.names.offset(piece.part.key) != 0
    return "F32" if changed else _STORED.get(piece.entry.kind, "F32")


def _write_piece(conversion: Conversion, piece: Piece, file: SafetensorsWriter) -> None:
    kind, key, module = piece.entry.kind, piece.part.key, piece.part.module
    offset = np.float32(conversion.names.offset(key))
    as_it_is = kind in PLAIN and _plain_dtype(conversion, piece) != "F32"
    loss = Loss()
    if not is_exact(kind):
        loss = conversion.losses.setdefault(kind.name, loss)
    for raw in piece.chunks(conversion.gguf):
        if as_it_is:
            file.write(key, raw)
        elif kind in PLAIN:
            with np.errstate(invalid="ignore"):
                values = widen(raw, kind) - offset
            file.write(key, values)
        else:
            packed = repack(raw, kind, loss)
            file.write(key, packed.weight)
            file.write(f"{module}.scales", packed.scales)
            if packed.biases is not None:
                file.write(f"{module}.biases", packed.biases)
