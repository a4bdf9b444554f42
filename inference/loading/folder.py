"""Open a model folder: the hub's layout, plain or MLX, and what GGUF files are converted into.

Everything in the folder is data. Nothing in it is run, and nothing is fetched.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mlx.core as mx

from inference.errors import ModelFolderError
from inference.families import FAMILIES, Family
from inference.families.embedding import is_embedder
from inference.loading.fit import Needs, needs, refuse_too_big, working_set_bytes
from inference.loading.json_file import read_json
from inference.loading.memory import release_memory
from inference.loading.opened import OpenedModel
from inference.loading.safetensors_file import Stored, read_header
from inference.loading.sizes import judge_sizes
from inference.loading.speech import Speech, bos_name, speech
from inference.loading.weights import (
    Weights,
    arrays_of,
    count_parameters,
    fill,
    held_bytes,
    on_cpu,
    prepare,
)
from inference.tokenizer import Tokenizer
from inference.types import EngineOptions, Loading, ModelInfo, ShouldStop

if TYPE_CHECKING:
    from collections.abc import Iterator

INDEX = "model.safetensors.index.json"
USUAL_CONTEXT = 8192  # Gemma 1 and 2
_SAMPLE_BYTES = 1 << 16
_RUNS_CODE = ("model_file", "auto_map", "custom_pipelines")


@dataclass(frozen=True, slots=True)
class JudgedFolder:
    """A model folder whose files were judged; nothing large was read yet."""

    path: Path
    config: dict[str, Any]
    family: Family
    files: tuple[Path, ...]
    stored: dict[str, Stored]

    @property
    def n_bytes(self) -> int:
        """Bytes of all weights as they are stored."""
        return sum(entry.n_bytes for entry in self.stored.values())


def model_path(source: str) -> Path:
    """Give what a source names: a folder, or a file; also the one GGUF file of a folder.

    Other apps keep each GGUF file in a folder of its own, maybe beside its vision part.
    """
    path = Path(source).expanduser()
    if path.is_dir() and not (path / "config.json").exists():
        files = [f for f in path.glob("*.gguf") if not f.name.startswith("mmproj")]
        if len(files) == 1:
            return files[0]
    return path


def judge_folder(folder: Path) -> JudgedFolder:
    """Judge a model folder without reading its weights.

    Raises:
        ModelFolderError: It is missing, incomplete, damaged, no Gemma, or asks to run code.
    """
    if not folder.is_dir():
        raise ModelFolderError(f"There is no model at {folder}; choose another one.")
    if not (folder / "config.json").is_file():
        raise ModelFolderError(
            f"The folder {folder.name!r} has no config.json; choose a model's own folder."
        )
    config = read_json(folder / "config.json")
    model_type = config.get("model_type")
    found = FAMILIES.get(model_type) if isinstance(model_type, str) else None
    if found is None:
        raise ModelFolderError(
            f"This is a {str(model_type)[:60]!r} model, and these can be opened: "
            f"{', '.join(sorted(FAMILIES))}; choose a Gemma model."
        )
    if is_embedder(config):
        raise ModelFolderError(
            "This model makes vectors for search and writes no text; choose a Gemma model."
        )
    return judge_files(folder, config, found)


def judge_files(folder: Path, config: dict[str, Any], found: Family) -> JudgedFolder:
    """Judge the weights' files of a folder whose family is known.

    Raises:
        ModelFolderError: They are incomplete or damaged, or the config asks to run code.
    """
    for key in _RUNS_CODE:
        if config.get(key) is not None:
            raise ModelFolderError(
                f"This model asks to run code from its own folder ({key!r} in config.json), "
                "which is never done; choose another conversion."
            )
    packing = config.get("quantization_config")
    method = packing.get("quant_method") if isinstance(packing, dict) else None
    if method is not None and "quantization" not in config:
        raise ModelFolderError(
            f"This model is packed by {str(method)[:40]!r}, which is not read; "
            "choose its MLX or GGUF conversion."
        )
    files = _weight_files(folder)
    stored: dict[str, Stored] = {}
    for file in files:
        stored |= read_header(file)
    return JudgedFolder(folder, config, found, files, stored)


def _weight_files(folder: Path) -> tuple[Path, ...]:
    index = read_json(folder / INDEX)
    if index:
        places = index.get("weight_map")
        values = list(places.values()) if isinstance(places, dict) else []
        names = {n for n in values if isinstance(n, str) and Path(n).name == n}
        if not names or not all(isinstance(n, str) and n in names for n in values):
            raise ModelFolderError(f"{INDEX} is damaged; fetch the model again.")
        files = tuple(folder / name for name in sorted(names))
    else:
        files = tuple(sorted(folder.glob("model*.safetensors")))
    missing = [file.name for file in files if not file.is_file()]
    if missing or not files:
        raise ModelFolderError(
            f"The folder {folder.name!r} lacks {missing[0] if missing else 'its weights'}; "
            "fetch the model again."
        )
    return files


def open_folder(
    folder: Path, source: str, options: EngineOptions, should_stop: ShouldStop
) -> Iterator[Loading | OpenedModel]:
    """Open a model folder on this thread, which owns the model from then on.

    Args:
        folder: Where the files are.
        source: What the user chose; a converted folder is not what they know it by.
        options: Tells what the device can hold.
        should_stop: Asked between tensors.

    Raises:
        ModelFolderError: One sentence that says what is wrong with the folder.
        DeviceMemoryError: The model is too big for this device; nothing was loaded.
        InferenceError: Stopped.
    """
    yield Loading("Opening the model", 0.0)
    judged = judge_folder(folder)
    tokenizer = Tokenizer.from_file(folder / "tokenizer.json", bos_name(folder))
    words = speech(judged.config, folder, tokenizer)
    network = build_network(judged)
    weights, quantised = prepare(network, judged.files)
    needed = folder_needs(judged, network, weights)
    limit = options.working_set_bytes or working_set_bytes()
    refuse_too_big(needed, context_tokens(judged.config), limit)
    yield from fill(network, weights, quantised, on_cpu(), should_stop)
    release_memory()
    info = describe(judged, source, words, network)
    pad_and_such = words.forbidden_ids | frozenset(
        range(tokenizer.vocabulary_size, info.vocabulary_size)
    )
    yield OpenedModel(
        network=network,
        tokenizer=tokenizer,
        config=judged.config,
        info=info,
        layout=network.layout,
        template=words.template,
        end_ids=words.end_ids,
        forbidden_ids=pad_and_such,
    )


def folder_needs(judged: JudgedFolder, network: Any, weights: Weights) -> Needs:  # noqa: ANN401
    """Work out what memory a folder's model needs on this device."""
    widen = on_cpu()
    held = held_bytes(network, weights, widen)
    wide = widen or any(v.dtype in (mx.float16, mx.float32) for v in weights.values())
    return needs(judged.config, network.layout, held, 4 if wide else 2)


def context_tokens(config: dict[str, Any]) -> int:
    """Give the longest context that a model was made for."""
    text = config.get("text_config")
    told = (text if isinstance(text, dict) else config).get("max_position_embeddings")
    return told if isinstance(told, int) and told > 0 else USUAL_CONTEXT


def build_network(judged: JudgedFolder) -> Any:  # noqa: ANN401  (mlx-lm's classes have no types)
    """Make the network that a folder's config describes; its weights are lazy and random.

    Raises:
        ModelFolderError: The config does not describe one.
    """
    judge_sizes(judged.config)
    try:
        return judged.family.build(judged.config)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError) as error:
        why = str(error)
        why = f" ({why})" if why and "\n" not in why and len(why) < 100 else ""
        raise ModelFolderError(
            f"config.json does not describe a {judged.family.title} model{why}; "
            "fetch the model again."
        ) from error


def describe(
    judged: JudgedFolder,
    source: str,
    words: Speech,
    network: Any,  # noqa: ANN401
) -> ModelInfo:
    """Say what was opened."""
    arrays = arrays_of(network)
    dtype = _compute_dtype(arrays)
    return ModelInfo(
        source=source,
        name=words.name,
        fingerprint=_fingerprint(judged, dtype),
        family=judged.family.title,
        quantisation=quantisation(judged),
        dtype=dtype,
        device="CPU" if on_cpu() else str(mx.device_info().get("device_name", "GPU")),
        n_parameters=count_parameters(network),
        weights_bytes=sum(array.nbytes for array in arrays),
        vocabulary_size=network.vocabulary_size,
        context_tokens=context_tokens(judged.config),
        default_max_tokens=256 if words.is_base else 4096,
        default_sampling=words.sampling,
        reply_style=words.template.style,
        is_base=words.is_base,
        can_think=words.can_think,
        note=words.note,
        conversion=_conversion(judged),
    )


def _compute_dtype(arrays: list[mx.array]) -> str:
    """Float32 anywhere makes everything after it float32."""
    found = {str(a.dtype).removeprefix("mlx.core.") for a in arrays}
    return "float32" if "float32" in found else "bfloat16"


def quantisation(judged: JudgedFolder) -> str:
    """Give the usual name of how the weights are stored."""
    gguf = judged.config.get("gguf")
    if isinstance(gguf, dict) and gguf.get("file_type"):
        return str(gguf["file_type"])
    form = judged.config.get("quantization")
    if isinstance(form, dict) and isinstance(form.get("bits"), int):
        mode = form.get("mode", "affine")
        return f"{form['bits']} bit" if mode == "affine" else str(mode)
    kinds = {entry.dtype for entry in judged.stored.values()}
    return "/".join(sorted(kinds)).lower()


def _conversion(judged: JudgedFolder) -> str:
    """Say what was lost when a GGUF file was converted."""
    gguf = judged.config.get("gguf")
    errors = gguf.get("errors") if isinstance(gguf, dict) else None
    if not isinstance(errors, dict) or not errors:
        return ""
    losses = ", ".join(f"{kind} by {error:.2%}" for kind, error in sorted(errors.items()))
    return f"Weights of these types became 8 bit and changed a little: {losses}."


def _fingerprint(judged: JudgedFolder, dtype: str) -> str:
    """Name the weights by their headers and samples of their bytes; the path plays no part."""
    digest = hashlib.sha256(json.dumps([judged.config, dtype], sort_keys=True).encode())
    for file in judged.files:
        size = file.stat().st_size
        with file.open("rb") as opened:
            for at in (0, size // 3, size // 2, max(size - _SAMPLE_BYTES, 0)):
                opened.seek(at)
                digest.update(opened.read(_SAMPLE_BYTES))
        digest.update(str(size).encode())
    return digest.hexdigest()[:32]
