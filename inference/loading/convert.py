"""GGUF to a model folder: weights repacked tensor by tensor, config.json, tokenizer.json.

The folder is laid out as the hub's MLX conversions are, so it is opened on the same path as they.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from gguf.constants import GGMLQuantizationType, LlamaFileType

from inference.errors import InferenceError, ModelFolderError
from inference.loading import gguf_gemma
from inference.loading.cache_folder import STOPPED
from inference.loading.repack import GROUP, PLAIN, Loss, bits_of, is_exact, repack, widen
from inference.loading.safetensors_file import SafetensorsWriter
from inference.loading.vocabulary import tokenizer_json
from inference.types import Loading, ShouldStop

if TYPE_CHECKING:
    from inference.loading.gguf_file import GgufFile, TensorEntry

Kind = GGMLQuantizationType
_STORED = {Kind.F16: "F16", Kind.BF16: "BF16"}  # everything else that is plain becomes F32


@dataclass(slots=True)
class Conversion:
    """What is turned into what, known before anything is written.

    Attributes:
        config: The folder's config.json.
        tensors: The hub's name of each weight, without `.weight`, to its place in the file.
        losses: Type to how much repacking it lost, filled in as it goes; exact types are left out.
    """

    gguf: GgufFile
    arch: str
    config: dict[str, Any]
    tensors: dict[str, TensorEntry]
    losses: dict[str, Loss] = field(default_factory=dict)

    @property
    def inexact(self) -> tuple[str, ...]:
        """Names of the types that become 8 bit."""
        kinds = {entry.kind for entry in self.tensors.values()}
        return tuple(sorted(kind.name for kind in kinds if not is_exact(kind)))

    @property
    def n_bytes(self) -> int:
        """About how much is written."""
        return self.stored_bytes + (32 << 20)

    @property
    def stored_bytes(self) -> int:
        """Bytes of the converted weights."""
        return sum(_stored_bytes(entry) for entry in self.tensors.values())


def plan(gguf: GgufFile) -> Conversion:
    """Judge a GGUF file and tell what becomes of it.

    Raises:
        ModelFolderError: It is no Gemma, or a weight is missing or unknown.
    """
    arch = gguf_gemma.architecture(gguf)
    config = gguf_gemma.config(gguf)
    tensors = {}
    for entry in gguf.tensors.values():
        name = gguf_gemma.weight_name(arch, entry.name)
        if name is not None:
            tensors[name] = entry
    embedding = tensors.get("model.embed_tokens")
    if embedding is None or embedding.shape != (config["vocab_size"], config["hidden_size"]):
        raise ModelFolderError(
            "The GGUF file's token embedding is missing or does not fit its vocabulary; "
            "fetch the model again."
        )
    config["quantization"] = {"group_size": GROUP, "bits": 4} | {
        name: {"group_size": GROUP, "bits": bits_of(entry.kind)}
        | ({"mode": "mxfp4"} if entry.kind is Kind.MXFP4 else {})
        for name, entry in tensors.items()
        if entry.kind not in PLAIN
    }
    config["gguf"] = {
        "name": gguf.text("general.name"),
        "file_type": _file_type(gguf),
        "chat_template": gguf.text("tokenizer.chat_template"),
        "special": _special(gguf),
    }
    return Conversion(gguf, arch, config, tensors)


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
    tokenizer = tokenizer_json(conversion.gguf)
    text = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
    (folder / "tokenizer.json").write_text(text, "utf-8")
    del tokenizer, text
    total = sum(entry.n_bytes for entry in conversion.tensors.values())
    done = 0
    layout = _layout(conversion)
    with SafetensorsWriter(folder / "model.safetensors", layout) as file:
        for name, entry in conversion.tensors.items():
            if should_stop():
                raise InferenceError(STOPPED)
            yield Loading("Converting the model", done / total)
            _write_tensor(conversion, name, entry, file)
            done += entry.n_bytes
    config = conversion.config
    config["gguf"]["errors"] = {
        kind: loss.relative for kind, loss in sorted(conversion.losses.items())
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1), "utf-8")


def _layout(conversion: Conversion) -> dict[str, tuple[str, tuple[int, ...]]]:
    layout: dict[str, tuple[str, tuple[int, ...]]] = {}
    for name, entry in conversion.tensors.items():
        if entry.kind in PLAIN:
            layout[f"{name}.weight"] = (_plain_dtype(conversion, name, entry), entry.shape)
            continue
        *rows, columns = entry.shape
        layout[f"{name}.weight"] = ("U32", (*rows, columns * bits_of(entry.kind) // 32))
        if entry.kind is Kind.MXFP4:
            layout[f"{name}.scales"] = ("U8", (*rows, columns // GROUP))
        else:
            layout[f"{name}.scales"] = ("F32", (*rows, columns // GROUP))
            layout[f"{name}.biases"] = ("F32", (*rows, columns // GROUP))
    return layout


def _plain_dtype(conversion: Conversion, name: str, entry: TensorEntry) -> str:
    """A weight that is changed is kept in float32, so that nothing of it is rounded away."""
    changed = gguf_gemma.norm_offset(conversion.arch, name) != 0
    return "F32" if changed else _STORED.get(entry.kind, "F32")


def _stored_bytes(entry: TensorEntry) -> int:
    n = int(np.prod(entry.shape, dtype=np.int64))
    return 4 * n if entry.kind in PLAIN else n * bits_of(entry.kind) // 8 + n // GROUP * 8


def _write_tensor(
    conversion: Conversion, name: str, entry: TensorEntry, file: SafetensorsWriter
) -> None:
    raw = conversion.gguf.raw(entry.name)
    offset = gguf_gemma.norm_offset(conversion.arch, name)
    if _plain_dtype(conversion, name, entry) != "F32" and entry.kind in PLAIN:
        file.write(f"{name}.weight", raw)
    elif entry.kind in PLAIN:
        values = widen(raw, entry.kind)
        file.write(f"{name}.weight", values - np.float32(offset) if offset else values)
    else:
        loss = Loss()
        if not is_exact(entry.kind):
            loss = conversion.losses.setdefault(entry.kind.name, loss)
        for piece in repack(raw, entry.kind, loss):
            file.write(f"{name}.weight", piece.weight)
            file.write(f"{name}.scales", piece.scales)
            if piece.biases is not None:
                file.write(f"{name}.biases", piece.biases)
