"""Look at a model without loading it: what it is, whether it fits, whether it is whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from inference.errors import InferenceError, ModelFolderError
from inference.families import FAMILIES
from inference.loading.cache_folder import STOPPED, remembered_sha256
from inference.loading.convert import Conversion, plan
from inference.loading.embedder import makes_vectors, prepare_embedder
from inference.loading.fit import Needs, fit, needs, working_set_bytes
from inference.loading.folder import (
    JudgedFolder,
    build_network,
    context_tokens,
    folder_needs,
    judge_folder,
    model_path,
    quantisation,
)
from inference.loading.gguf_file import GgufFile
from inference.loading.sizes import judge_sizes
from inference.loading.speech import bos_name, looks_tuned, speech
from inference.loading.starter import STARTER, STARTER_SHA256, starter_parts
from inference.loading.weights import arrays_of, on_cpu, prepare
from inference.tokenizer import Tokenizer
from inference.types import (
    EngineOptions,
    Loading,
    ModelFit,
    ModelSummary,
    ModelVerified,
    ShouldStop,
)

_PARTS = {
    "vision_tower": "the vision tower",
    "vision_embedder": "the vision embedder",
    "multi_modal_projector": "the vision projector",
    "embed_vision": "the vision embedder",
    "audio_tower": "the audio tower",
    "embed_audio": "the audio embedder",
    "mtp": "the heads that predict several tokens",
}
_BLOCK_BYTES = 1 << 22


def summarise_model(source: str) -> ModelSummary:
    """Tell what a model is, from the heads of its files.

    Args:
        source: "starter", a GGUF file, or a model folder.

    Raises:
        ModelFolderError: One sentence that says what is wrong with it.
    """
    summary, _ = _look(source)
    return summary


def fit_model(source: str, context: int | None = None, working_set: int | None = None) -> ModelFit:
    """Tell whether a model fits this device at a context, and the sum.

    Args:
        source: "starter", a GGUF file, or a model folder.
        context: Tokens; None takes the model's own limit.
        working_set: Bytes that the device can hold at once; None asks the device.

    Raises:
        ModelFolderError: One sentence that says what is wrong with the model.
    """
    summary, needed = _look(source)
    return fit(needed, context or summary.context_tokens, working_set or working_set_bytes())


def size_up_model(
    source: str, contexts: Sequence[int], working_set: int | None = None
) -> tuple[ModelSummary, tuple[ModelFit, ...]]:
    """Tell what a model is and whether it fits at several contexts, looking into it once.

    Contexts beyond the model's own limit are left out and that limit comes last. The other
    arguments and what is raised are those of `fit_model`.
    """
    summary, needed = _look(source)
    limit = working_set or working_set_bytes()
    asked = sorted({n for n in contexts if n < summary.context_tokens} | {summary.context_tokens})
    return summary, tuple(fit(needed, n, limit) for n in asked)


def verify_model(
    source: str, options: EngineOptions, should_stop: ShouldStop
) -> Iterator[Loading | ModelVerified]:
    """Read a whole model and tell whether everything is there and as it should be.

    Yields:
        Progress, and at last the finding. A damaged model is a finding, not an error.

    Raises:
        InferenceError: Stopped.
    """
    try:
        summary = summarise_model(source)
        if source == STARTER:
            yield from _verify_starter(options, should_stop)
        elif model_path(source).is_dir():
            yield from _verify_folder(model_path(source), should_stop)
    except ModelFolderError as error:
        yield ModelVerified(None, str(error))
    else:
        yield ModelVerified(summary)


def _verify_starter(options: EngineOptions, should_stop: ShouldStop) -> Iterator[Loading]:
    for event in remembered_sha256(starter_parts(), options.cache_dir, should_stop):
        if isinstance(event, Loading):
            yield event
        elif event != STARTER_SHA256:
            raise ModelFolderError(
                "The starter model is damaged: its SHA-256 is not the one expected; "
                "install the extra `starter` again."
            )


def _verify_folder(folder: Path, should_stop: ShouldStop) -> Iterator[Loading]:
    """Read every byte once, so that a bad disk shows, and the small files in full."""
    if makes_vectors(str(folder)):
        judged, *_ = prepare_embedder(folder)
    else:
        judged = judge_folder(folder)
    speech(judged.config, folder, Tokenizer.from_file(folder / "tokenizer.json", bos_name(folder)))
    total, done = sum(file.stat().st_size for file in judged.files) or 1, 0
    for file in judged.files:
        try:
            with file.open("rb") as opened:
                while block := opened.read(_BLOCK_BYTES):
                    if should_stop():
                        raise InferenceError(STOPPED)
                    done += len(block)
                    yield Loading("Reading the weights", done / total)
        except OSError as error:
            raise ModelFolderError(
                f"{file.name} cannot be read ({error.strerror or error}); fetch the model again."
            ) from error


def _look(source: str) -> tuple[ModelSummary, Needs]:
    if source == STARTER:
        return _look_at_gguf(starter_parts(), source)
    path = model_path(source)
    if path.is_dir():
        return _look_at_folder(path, source)
    if path.is_file():
        return _look_at_gguf([path], source)
    raise ModelFolderError(f"There is no model at {source}; choose another one.")


def _look_at_folder(folder: Path, source: str) -> tuple[ModelSummary, Needs]:
    network: Any
    if makes_vectors(source):
        judged, network, weights, _ = prepare_embedder(folder)
    else:
        judged = judge_folder(folder)
        network = build_network(judged)
        weights, _ = prepare(network, judged.files)
    needed = folder_needs(judged, network, weights)
    summary = ModelSummary(
        source=source,
        name=folder.resolve().name,
        family=judged.family.title,
        quantisation=quantisation(judged),
        disk_bytes=judged.n_bytes,
        weights_bytes=needed.weights_bytes,
        context_tokens=context_tokens(judged.config),
        is_base=not looks_tuned(judged.config, folder),
        skipped=_skipped(judged),
    )
    return summary, needed


def _skipped(judged: JudgedFolder) -> tuple[str, ...]:
    words = {word for name in judged.stored for word in name.split(".")}
    return tuple(sorted({_PARTS[word] for word in words & _PARTS.keys()}))


def _look_at_gguf(parts: list[Path], source: str) -> tuple[ModelSummary, Needs]:
    gguf = GgufFile(parts)
    conversion = plan(gguf)
    config = conversion.config
    judge_sizes(config)
    network = FAMILIES[config["model_type"]].build(config)
    network.sanitize({"lm_head.weight": 0} if "lm_head.weight" in conversion.pieces else {})
    held = _gguf_bytes(conversion, network)
    needed = needs(config, network.layout, held, 4)
    inexact = ", ".join(conversion.inexact)
    summary = ModelSummary(
        source=source,
        name=gguf.text("general.name") or parts[0].stem,
        family=FAMILIES[config["model_type"]].title,
        quantisation=config["gguf"]["file_type"],
        disk_bytes=gguf.n_bytes,
        weights_bytes=held,
        context_tokens=config["max_position_embeddings"],
        is_base=not looks_tuned(config, parts[0].with_suffix("")),
        inexact=f"Weights of the type {inexact} become 8 bit." if inexact else "",
    )
    return summary, needed


def _gguf_bytes(conversion: Conversion, network: Any) -> int:  # noqa: ANN401  (mlx-lm's classes)
    if on_cpu():
        return 4 * sum(array.size for array in arrays_of(network))
    return conversion.stored_bytes
