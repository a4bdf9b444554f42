"""Each network says what transformers' PyTorch class says of the same weights.

`reference/make.py` made the numbers.
"""

from __future__ import annotations

import json

import mlx.core as mx
import numpy as np
import pytest

from inference import (
    EngineOptions,
    GemmaEngine,
    GenerationRequest,
    InferenceError,
    RawPrompt,
    summarise_model,
    verify_model,
)
from inference.caches import make_caches
from inference.loading.embedder import TextEmbedder, open_embedder
from tests.model.families import build_embedder, tiny
from tests.model.reference.make import CLASSES, EXPECTED, IDS, LOOKED_AT, SEED, TOKENS


@pytest.fixture(scope="module")
def expected():
    return json.loads(EXPECTED.read_text())


@pytest.mark.parametrize("family", CLASSES)
def test_a_network_says_what_transformers_says(family, expected):
    opened = tiny(family, SEED)
    theirs = np.array(expected[family])
    assert theirs.std() > 0.5
    for caches in (None, make_caches(opened.layout)):
        logits = np.array(opened.network(mx.array([TOKENS]), caches))[0]
        ours = logits[np.ix_(LOOKED_AT, IDS)]
        assert np.abs(ours - theirs).max() < 2e-3


@pytest.fixture(scope="module")
def embedder(tmp_path_factory):
    folder = build_embedder(tmp_path_factory.mktemp("embedder") / "tiny", SEED)
    *_, opened = open_embedder(str(folder), lambda: False)
    assert isinstance(opened, TextEmbedder)
    return opened


def test_vectors_are_those_of_transformers(embedder, expected):
    rows = mx.array([TOKENS, TOKENS[:10] + [0] * (len(TOKENS) - 10)])
    ours = np.array(embedder.network.vectors(rows, mx.array([len(TOKENS), 10])))
    theirs = np.array(expected["embedding"])
    cosines = (ours * theirs).sum(axis=1)
    assert cosines.min() >= 0.9999
    assert np.abs(cosines - 1).max() < 1e-4


def test_texts_are_read_in_any_batch_alike(embedder):
    texts = ["the heat", "a", "what is the capital of france and of spain", ""]
    together = embedder.vectors(texts, "document")
    for text, vector in zip(texts, together, strict=True):
        alone = embedder.vectors([text], "document")[0]
        assert np.abs(alone - vector).max() < 1e-5
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    assert np.abs(embedder.vectors(texts, "query") - together).max() > 1e-3


def test_a_text_that_is_too_long_is_cut(embedder):
    long = embedder.vectors(["the " * 3000], "query")
    assert np.isfinite(long).all()


def test_the_engine_embeds_with_it_and_says_that_it_writes_no_text(tmp_path, embedder):
    folder = build_embedder(tmp_path / "tiny", SEED)
    engine = GemmaEngine(EngineOptions(tmp_path / "cache"))
    *_, loaded = engine.load(str(folder), lambda: False)
    assert loaded.info.family == "EmbeddingGemma"
    texts = ["the heat", "a cat"]
    ours = engine.embed(texts)
    assert np.abs(ours - embedder.vectors(texts, "similarity")).max() < 1e-5
    with pytest.raises(InferenceError, match="writes no text"):
        list(engine.generate(GenerationRequest(RawPrompt("x")), lambda: False))
    assert engine.memory()["weights"] > 0
    assert summarise_model(str(folder)).family == "EmbeddingGemma"
    *_, found = verify_model(str(folder), EngineOptions(tmp_path / "cache"), lambda: False)
    assert found.problem == ""
    engine.unload()
    assert engine.info is None
    engine.close()
