"""Open EmbeddingGemma, which turns texts into vectors for search and writes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import mlx.core as mx
import numpy as np

from inference.errors import ModelFolderError
from inference.families import Family, embedding
from inference.loading.folder import (
    JudgedFolder,
    build_network,
    context_tokens,
    describe,
    judge_files,
)
from inference.loading.json_file import read_json
from inference.loading.safetensors_file import read_header
from inference.loading.speech import Speech, bos_name
from inference.loading.weights import Quantised, Weights, fill, on_cpu, prepare
from inference.template import TemplateForm
from inference.tokenizer import Tokenizer
from inference.types import Loading, ModelInfo, Sampling, ShouldStop

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from inference.families.embedding import EmbeddingGemma

BATCH_TOKENS = 8192  # of one call, all texts and what fills them up
MOST_TOKENS = 2048  # of a text: README of google/embeddinggemma-300m
EMBEDDER = Family("EmbeddingGemma", embedding.build)
_DENSE = ("2_Dense", "3_Dense")
# What the model was taught to find before a text: README of google/embeddinggemma-300m.
_BEFORE = {
    "query": "task: search result | query: ",
    "document": "title: none | text: ",
    "similarity": "task: sentence similarity | query: ",
}

TextKind = Literal["query", "document", "similarity"]


@dataclass(frozen=True, slots=True, eq=False)
class TextEmbedder:
    """Turns texts into vectors. It belongs to the thread that opened it.

    Attributes:
        info: What is loaded.
        width: Numbers of a vector.
        most_tokens: Longer texts are cut.
    """

    network: EmbeddingGemma
    tokenizer: Tokenizer
    eos_id: int
    info: ModelInfo
    width: int
    most_tokens: int

    def vectors(self, texts: Sequence[str], kind: TextKind) -> np.ndarray:
        """Give each text a vector of unit length; near ones mean alike.

        Args:
            texts: What to search with, or in.
            kind: A query finds documents; texts of one kind are compared by similarity. Each is
                marked for the model.

        Shapes: (len(texts), width), float32, read-only.
        """
        rows = [self._ids(_BEFORE[kind] + text) for text in texts]
        made = np.zeros((len(rows), self.width), np.float32)
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        while order:
            longest = len(rows[order[-1]])
            batch = [order.pop() for _ in range(min(len(order), max(BATCH_TOKENS // longest, 1)))]
            filled = [rows[i] + [0] * (longest - len(rows[i])) for i in batch]
            lengths = mx.array([len(rows[i]) for i in batch])
            made[batch] = np.array(self.network.vectors(mx.array(filled), lengths))
        made.flags.writeable = False
        return made

    def _ids(self, text: str) -> list[int]:
        inner = self.tokenizer.encode(text)[: self.most_tokens - 2]
        return [self.tokenizer.bos_id, *inner, self.eos_id]


def makes_vectors(source: str) -> bool:
    """Tell whether a source is a folder of a model that makes vectors and writes no text."""
    path = Path(source).expanduser() / "config.json"
    try:
        return path.is_file() and embedding.is_embedder(read_json(path))
    except ModelFolderError:
        return False  # opening it says what is wrong


def open_embedder(source: str, should_stop: ShouldStop) -> Iterator[Loading | TextEmbedder]:
    """Open a folder of EmbeddingGemma on this thread.

    Args:
        source: The folder.
        should_stop: Asked between weights.

    Yields:
        Progress, and at last the embedder.

    Raises:
        ModelFolderError: It is missing, damaged, or no model for vectors.
        InferenceError: Stopped.
    """
    yield Loading("Opening the model", 0.0)
    folder = Path(source).expanduser()
    judged, network, weights, quantised = prepare_embedder(folder)
    tokenizer = Tokenizer.from_file(folder / "tokenizer.json", bos_name(folder))
    eos_id = tokenizer.id_of("<eos>")
    if eos_id is None:
        raise ModelFolderError("The tokenizer has no token '<eos>'; fetch the model again.")
    yield from fill(network, weights, quantised, on_cpu(), should_stop)
    most = min(context_tokens(judged.config), MOST_TOKENS)
    info = describe(judged, source, _speech(folder), network)
    yield TextEmbedder(network, tokenizer, eos_id, info, network.vector_width, most)


def prepare_embedder(
    folder: Path,
) -> tuple[JudgedFolder, EmbeddingGemma, Weights, Quantised]:
    """Judge a folder of EmbeddingGemma; its weights are still lazy.

    Raises:
        ModelFolderError: It is missing, damaged, or no model for vectors.
    """
    config = read_json(folder / "config.json")
    if not embedding.is_embedder(config):
        raise ModelFolderError(
            f"{folder.name!r} is no model for search; choose a folder of EmbeddingGemma."
        )
    dense = [folder / name / "model.safetensors" for name in _DENSE]
    config |= _dense_width(dense)
    judged = judge_files(folder, config, EMBEDDER)
    network = build_network(judged)
    weights, quantised = prepare(network, judged.files, _dense_weights(judged, dense))
    return judged, network, weights, quantised


def _speech(folder: Path) -> Speech:
    nothing: frozenset[int] = frozenset()
    note = "This model makes vectors for search and writes no text."
    name = folder.resolve().name
    return Speech(name, TemplateForm(), nothing, nothing, Sampling(), False, False, note)


def _dense_width(files: list[Path]) -> dict[str, Any]:
    """Read how wide the middle is, where the dense layers lie in files of their own."""
    if not files[0].is_file():
        return {}
    shape = next((entry.shape for entry in read_header(files[0]).values()), ())
    return {"dense_width": shape[0]} if len(shape) == 2 else {}


def _dense_weights(judged: JudgedFolder, files: list[Path]) -> dict[str, mx.array]:
    """Give the dense layers under the network's names; an MLX conversion has them already."""
    if any(name.startswith("dense.") for name in judged.stored):
        return {}
    weights: dict[str, mx.array] = {}
    for i, file in enumerate(files):
        read_header(file)
        loaded = mx.load(str(file))
        assert isinstance(loaded, dict)
        weights |= {f"dense.{i}.{k.removeprefix('linear.')}": v for k, v in loaded.items()}
    return weights
