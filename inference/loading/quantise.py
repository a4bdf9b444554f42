"""Import a plain model folder: quantise it as MLX conversions are, weight by weight.

The new folder is written beside its place and renamed when it is whole.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import mlx.core as mx
import numpy as np

from inference.errors import InferenceError, ModelFolderError
from inference.loading.cache_folder import STOPPED, disk_error, need_space
from inference.loading.folder import build_network, judge_folder
from inference.loading.safetensors_file import SafetensorsWriter
from inference.loading.weights import Weights, prepare
from inference.types import Loading, ShouldStop

if TYPE_CHECKING:
    from collections.abc import Iterator

Mode = Literal["affine", "mxfp4", "mxfp8", "nvfp4"]
_ONLY = {"mxfp4": (4, 32), "mxfp8": (8, 32), "nvfp4": (4, 16)}  # bits and group of each
_COPIED = (
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"),
    *("generation_config.json", "chat_template.jinja", "chat_template.json"),
)
_WORDS = {mx.float32: "F32", mx.bfloat16: "BF16", mx.float16: "F16", mx.uint32: "U32"}
_WORDS |= {mx.uint8: "U8"}


@dataclass(frozen=True, slots=True)
class Quantisation:
    """How weights are packed.

    Attributes:
        bits: 2, 3, 4, 5, 6 or 8.
        group: 32, 64 or 128 weights share a scale; other modes than affine have one of their own.
    """

    bits: int = 4
    group: int = 64
    mode: Mode = "affine"

    def __post_init__(self) -> None:
        if self.mode != "affine":
            if (self.bits, self.group) != _ONLY[self.mode]:
                bits, group = _ONLY[self.mode]
                raise ModelFolderError(
                    f"{self.mode.upper()} has {bits} bits and groups of {group}; choose those."
                )
            return
        if self.bits not in (2, 3, 4, 5, 6, 8) or self.group not in (32, 64, 128):
            raise ModelFolderError(
                f"Weights cannot be packed into {self.bits} bits in groups of {self.group}; "
                "choose 2, 3, 4, 5, 6 or 8 bits and groups of 32, 64 or 128."
            )


def import_folder(
    source: Path, place: Path, form: Quantisation, should_stop: ShouldStop
) -> Iterator[Loading]:
    """Quantise a plain folder into a new one.

    Args:
        source: A folder whose weights are not quantised yet.
        place: The folder to make; must not exist.
        form: How to pack the weights.
        should_stop: Asked between weights.

    Raises:
        ModelFolderError: The folder is damaged, or quantised already.
        InferenceError: Stopped, or the disk is full. Nothing is left behind.
    """
    judged = judge_folder(source)
    network = build_network(judged)
    weights, quantised = prepare(network, judged.files)
    if quantised:
        raise ModelFolderError("This model is quantised already; open it as it is.")
    if place.exists():
        raise ModelFolderError(f"{place} exists already; choose another name.")
    place.parent.mkdir(parents=True, exist_ok=True)
    need_space(place.parent, judged.n_bytes * form.bits // 12)
    packed = _packed_paths(network, weights, form)
    half = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name}.half."))
    try:
        yield from _write(half / "model.safetensors", weights, packed, form, should_stop)
        told = {"group_size": form.group, "bits": form.bits, "mode": form.mode}
        config = judged.config | {"quantization": told}
        (half / "config.json").write_text(json.dumps(config, indent=1), "utf-8")
        for name in _COPIED:
            if (source / name).is_file():
                shutil.copyfile(source / name, half / name)
        half.rename(place)
    except OSError as error:
        raise disk_error(error) from error
    finally:
        shutil.rmtree(half, ignore_errors=True)


def _packed_paths(network: Any, weights: Weights, form: Quantisation) -> set[str]:  # noqa: ANN401
    """Which modules are quantised: all that can be and whose rows are whole groups."""
    return {
        path
        for path, module in network.named_modules()
        if hasattr(module, "to_quantized")
        and f"{path}.weight" in weights
        and weights[f"{path}.weight"].shape[-1] % form.group == 0
    }


def _write(
    path: Path, weights: Weights, packed: set[str], form: Quantisation, should_stop: ShouldStop
) -> Iterator[Loading]:
    layout: dict[str, tuple[str, tuple[int, ...]]] = {}
    for name, value in weights.items():
        for key, part in _parts(name, value, packed, form).items():  # lazy: shapes only
            layout[key] = (_WORDS[part.dtype], tuple(part.shape))
    total = sum(value.nbytes for value in weights.values()) or 1
    done = 0
    with SafetensorsWriter(path, layout) as file:
        for name in list(weights):
            if should_stop():
                raise InferenceError(STOPPED)
            yield Loading("Quantising the model", done / total)
            value = weights.pop(name)
            for key, part in _parts(name, value, packed, form).items():
                file.write(key, _as_numpy(part))
            done += value.nbytes


def _parts(name: str, value: mx.array, packed: set[str], form: Quantisation) -> Weights:
    path, _, leaf = name.rpartition(".")
    if leaf != "weight" or path not in packed:
        return {name: value}
    parts = mx.quantize(value, group_size=form.group, bits=form.bits, mode=form.mode)
    keys = ("weight", "scales", "biases")[: len(parts)]
    return {f"{path}.{key}": part for key, part in zip(keys, parts, strict=True)}


def _as_numpy(value: mx.array) -> np.ndarray:
    """Give the bits: numpy has no bfloat16."""
    return np.array(value.view(mx.uint16) if value.dtype == mx.bfloat16 else value)
