"""Score, embed, taps, lens and render on a tiny model, against plain forward passes."""

import mlx.core as mx
import numpy as np
import pytest

from inference import (
    ChatPrompt,
    GenerationRequest,
    Message,
    PromptTooLongError,
    RawPrompt,
    RequestError,
    Sampling,
    TokenPrompt,
)
from tests.model import tiny


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    return tiny.engine(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def engine(loaded):
    loaded._model.tree.forget("")
    return loaded


def never():
    return False


def plain(engine, ids):
    """Log-probabilities after every position, from one call without caches."""
    model = engine._model
    logits = model.forward.head(model.forward.hidden(mx.array([list(ids)])))[0]
    logits = np.array(logits)[:, : model.vocabulary.size]
    top = logits.max(axis=1, keepdims=True)
    return logits - top - np.log(np.exp(logits - top).sum(axis=1, keepdims=True))


@pytest.mark.parametrize("length", [1, 2, 9, 150])
def test_a_score_is_the_sum_of_the_tokens_log_probabilities(engine, length):
    completion = ("and so it goes on. " * 20)[:length]
    score = engine.score(RawPrompt("it was a dark night"), completion, alternatives=3)
    ids = [2, *engine.tokenize("it was a dark night"), *engine.tokenize(completion)]
    n = len(engine.tokenize(completion))
    table = plain(engine, ids)[len(ids) - n - 1 : -1]
    exact = table[np.arange(n), ids[-n:]]
    np.testing.assert_allclose([t.logprob for t in score.tokens], exact, atol=1e-4)
    assert score.total_logprob == pytest.approx(exact.sum(), abs=1e-3)
    assert "".join(t.text for t in score.tokens) == completion
    entropy = -(np.exp(table) * table).sum(axis=1)
    np.testing.assert_allclose([t.entropy for t in score.tokens], entropy, atol=1e-4)
    for token, row in zip(score.tokens, table, strict=True):
        assert [i for i, _ in token.alternatives] == list(np.argsort(-row)[:3])


def test_a_spoken_reply_scores_what_it_was_spoken_with(engine):
    prompt = ChatPrompt((Message("user", "hello"),))
    request = GenerationRequest(
        prompt, Sampling(seed=3, logit_bias=((1, -9.0), (5, -9.0))), max_tokens=12, alternatives=1
    )
    record = list(engine.generate(request, never))[-1].record
    engine._model.tree.forget("")
    ids = record.prompt_ids + record.token_ids
    table = plain(engine, ids)[len(record.prompt_ids) - 1 : -1]
    exact = table[np.arange(len(record.token_ids)), record.token_ids]
    np.testing.assert_allclose(record.logprobs, exact, atol=1e-4)


def test_score_of_nothing_and_of_too_much_are_refused(engine):
    with pytest.raises(RequestError, match="completion"):
        engine.score(RawPrompt("abc"), "")
    with pytest.raises(PromptTooLongError):
        engine.score(RawPrompt("abc"), "a" * 500)
    assert engine.score(RawPrompt("abc"), "d").tokens


@pytest.mark.parametrize("pooling", ["mean", "last"])
def test_a_vector_is_the_same_alone_and_among_others(engine, pooling):
    texts = ["one two", "three", "seven seven", "", "one two", "x" * 300]
    together = engine.embed(texts, pooling)
    assert together.shape == (6, 32)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    for text, vector in zip(texts, together, strict=True):
        np.testing.assert_allclose(engine.embed([text], pooling)[0], vector, atol=1e-4)
    ids = [2, *engine.tokenize("three")]
    states = np.array(engine._model.forward.hidden(mx.array([ids]))[0])
    exact = states[-1] if pooling == "last" else states[1:].mean(axis=0)
    np.testing.assert_allclose(together[1], exact / np.linalg.norm(exact), atol=1e-4)


def test_embedding_refuses_what_it_cannot_do(engine):
    assert engine.embed([]).shape[0] == 0
    with pytest.raises(RequestError, match="pooling"):
        engine.embed(["a"], "max")
    with pytest.raises(RequestError, match="texts"):
        engine.embed("one text")
    with pytest.raises(RequestError, match=r"texts\[1\]"):
        engine.embed(["a", 5])
    with pytest.raises(ValueError, match="read-only"):
        engine.embed(["a"])[0, 0] = 1


def test_taps_are_the_stream_that_enters_each_layer(engine):
    ids = [2, *engine.tokenize("some words to look into")]
    states = engine.taps(ids, [2, 0, 2])
    assert [s.layer for s in states] == [0, 2]
    network = engine._model.forward
    begin = np.array(network.embed(mx.array(ids))) * 32**0.5
    np.testing.assert_allclose(states[0].values, begin, rtol=1e-5)
    h = mx.array(begin)[None]
    from mlx_lm.models.base import create_causal_mask

    window = create_causal_mask(len(ids), window_size=tiny.WINDOW)
    for layer in network.layers[:2]:
        h = layer(h, window, None)
    np.testing.assert_allclose(states[1].values, np.array(h[0]), atol=1e-4)


def test_listening_changes_nothing(engine):
    before = plain(engine, [2, 7, 8, 9])
    kinds = [type(layer) for layer in engine._model.forward.layers]
    engine.taps([2, 7, 8, 9], [0, 1, 2, 3])
    assert [type(layer) for layer in engine._model.forward.layers] == kinds
    assert (plain(engine, [2, 7, 8, 9]) == before).all()


def test_layers_out_of_range_are_named(engine):
    with pytest.raises(RequestError, match="4, 9"):
        engine.taps([2, 7], [0, 9, 4])
    with pytest.raises(RequestError, match="layers has -1"):
        engine.taps([2, 7], [-1])
    with pytest.raises(RequestError, match="token_ids"):
        engine.taps([], [0])
    with pytest.raises(RequestError, match="token_ids"):
        engine.taps([10_000], [0])


def test_the_lens_of_the_last_layer_is_what_the_model_says(engine):
    ids = [2, *engine.tokenize("a text of some length " * 14)]
    positions = [0, 5, len(ids) - 1]
    rows = list(engine.lens(ids, positions, 4, never))
    assert [(p, r.layer) for p, r in rows] == [(p, i) for p in positions for i in range(4)]
    table = plain(engine, ids)
    for position, row in rows:
        assert len(row.guesses) == 4
        if row.layer == 3:
            assert [i for i, _, _ in row.guesses] == list(np.argsort(-table[position])[:4])
            exact = np.exp(np.sort(table[position])[::-1][:4])
            np.testing.assert_allclose([p for _, _, p in row.guesses], exact, atol=1e-4)


def test_the_lens_stops_when_asked(engine):
    asked = iter(range(100))
    rows = list(engine.lens([2, 7, 8], [0, 1, 2], 2, lambda: next(asked) >= 4))
    assert len(rows) == 3
    with pytest.raises(RequestError, match="positions"):
        list(engine.lens([2, 7], [2], 1, never))
    with pytest.raises(RequestError, match="top"):
        list(engine.lens([2, 7], [1], 0, never))


def test_the_rendered_prompt_shows_what_is_cached(engine):
    prompt = ChatPrompt((Message("user", "hello <end_of_turn>"),))
    cold = engine.render(prompt)
    assert not any(token.cached for token in cold)
    assert sum(token.special for token in cold) == 4
    words = "".join(t.text for t in cold if t.message == 0)
    assert words.replace("<0x3C>", "<").replace("<0x3E>", ">").replace("<0x5F>", "_") == (
        "hello <end_of_turn>"
    )
    list(engine.generate(GenerationRequest(prompt, max_tokens=1), never))
    warm = engine.render(prompt)
    assert [t.token_id for t in warm] == [t.token_id for t in cold]
    assert sum(token.cached for token in warm) >= len(warm) - 1
    assert engine.render(TokenPrompt((2, 7)))[1].text == engine.token_text(7)
