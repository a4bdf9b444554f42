"""The real Gemma 3 270M, read from its GGUF file, says what another reading of the file says."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from inference.loading.starter import starter_parts
from tests.real.reference import Reference

PROMPT = "The capital of France is"


@pytest.fixture(scope="module")
def reference():
    return Reference(starter_parts())


def log_probabilities(opened, ids):
    hidden = opened.network.hidden(mx.array([ids]))
    logits = opened.network.head(hidden[:, -1:])[0, 0]
    return np.array(logits - mx.logsumexp(logits))


def test_the_prompt_has_the_known_ids(starter):
    ids = (starter.tokenizer.bos_id, *starter.tokenizer.encode(PROMPT))
    assert ids == (2, 818, 5279, 529, 7001, 563)


def test_the_likeliest_tokens_are_those_of_an_independent_reading(starter, reference):
    ids = [2, 818, 5279, 529, 7001, 563]
    ours, theirs = log_probabilities(starter, ids), reference.log_probabilities(ids)
    best = np.argsort(-theirs)[:5]
    assert np.argsort(-ours)[:5].tolist() == best.tolist()
    assert np.abs(ours - theirs)[best].max() <= 0.05
    said = {starter.tokenizer.token_text(int(i)) for i in best}
    assert {" the", " a", " Paris"} <= said


def test_the_greedy_tokens_are_those_of_an_independent_reading(starter, reference):
    ids = [2, 818, 5279, 529, 7001, 563]
    for _ in range(8):
        expected = int(reference.log_probabilities(ids).argmax())
        assert int(log_probabilities(starter, ids).argmax()) == expected
        ids.append(expected)


def test_norms_lose_the_one_that_the_file_adds(starter, reference):
    ours = np.array(starter.network.final_norm.weight)
    np.testing.assert_allclose(reference.weights["output_norm.weight"] - ours, 1.0, atol=1e-6)


def test_it_is_known_as_a_base_model(starter):
    info = starter.info
    assert info.is_base
    assert info.reply_style == "transcript"
    assert info.quantisation == "Q4_K_M"
    assert info.n_parameters == 268_098_176
    assert info.context_tokens == 32_768
    assert "base model" in info.note
    assert 1 in starter.end_ids
