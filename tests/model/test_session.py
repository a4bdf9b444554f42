"""The low level: feeding, going back, forking, vectors in place of tokens, taps on the way."""

from __future__ import annotations

import tempfile
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from inference import (
    EngineOptions,
    Finished,
    GemmaEngine,
    GenerationRequest,
    PromptTooLongError,
    RequestError,
    Sampling,
    TokenPrompt,
)
from tests.model import tiny
from tests.model.families import FAMILY_NAMES, build

IDS = [2, *((5 * i * i + 3 * i) % 230 + 30 for i in range(25))]


@pytest.fixture(scope="module")
def engines():
    made: dict[str, GemmaEngine] = {}

    def get(family: str) -> GemmaEngine:
        if family not in made:
            home = Path(tempfile.mkdtemp())
            made[family] = GemmaEngine(EngineOptions(home / "cache"))
            list(made[family].load(str(build(family, home / "model")), lambda: False))
        return made[family]

    return get


@pytest.fixture
def engine(engines):
    return engines("gemma3")


def plain(engine, ids):
    model = engine._model
    states = model.forward.hidden(mx.array([list(ids)]))
    return np.array(model.forward.head(states)[0, -1, : model.vocabulary.size])


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_feeding_in_any_pieces_gives_the_logits_of_one_pass(engines, family):
    session = engines(family).session()
    session.advance(*IDS[:11])
    session.feed(IDS[11:13])
    logits = session.feed(IDS[13:])
    np.testing.assert_allclose(logits, plain(engines(family), IDS), atol=1e-3)
    assert session.tokens == tuple(IDS)
    np.testing.assert_array_equal(session.logits(), logits)
    assert not logits.flags.writeable


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_the_embeddings_of_ids_are_the_ids(engines, family):
    engine = engines(family)
    by_ids, by_vectors = engine.session(), engine.session()
    by_ids.advance(*IDS[:9])
    by_vectors.advance(*IDS[:9])
    vectors = by_vectors.embed_tokens(IDS[9:])
    before = vectors.copy()
    logits = by_vectors.feed_embeddings(vectors, IDS[9:])
    np.testing.assert_allclose(logits, by_ids.feed(IDS[9:]), atol=1e-3)
    np.testing.assert_array_equal(vectors, before)
    sampling = Sampling(seed=4)
    assert list(by_vectors.speak(sampling, 5)) == list(by_ids.speak(sampling, 5))


def test_a_bias_bars_what_it_bars(engine):
    session = engine.session()
    session.advance(2, 40)
    vectors = session.embed_tokens(IDS[2:8])
    zero = np.zeros((1, 6, 6), np.float32)
    barred = zero.copy()
    barred[:, -1, 1] = -1e9
    per_head = np.repeat(barred, 4, axis=0)
    plain_logits = session.fork().feed_embeddings(vectors)
    np.testing.assert_allclose(
        session.fork().feed_embeddings(vectors, bias=zero), plain_logits, atol=1e-4
    )
    once = session.fork().feed_embeddings(vectors, bias=barred)
    assert abs(once - plain_logits).max() > 1e-3
    each = session.fork().feed_embeddings(vectors, bias=per_head)
    np.testing.assert_allclose(each, once, atol=1e-4)
    assert engine._model.forward.attention_bias is None


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"vectors": np.zeros((3, 5), np.float32)}, "vectors"),
        ({"vectors": np.zeros((0, 64), np.float32)}, "vectors"),
        ({"vectors": np.zeros((3, 64), np.float32), "token_ids": [1, 2]}, "token_ids"),
        ({"vectors": np.zeros((3, 64), np.float32), "bias": np.zeros((1, 2, 3))}, "bias"),
    ],
)
def test_a_wrong_shape_is_named(engine, arguments, name):
    with pytest.raises(RequestError, match=name):
        engine.session().feed_embeddings(**arguments)


def test_ids_are_asked_for_where_layers_have_embeddings_of_their_own(engines):
    session = engines("gemma3n").session()
    with pytest.raises(RequestError, match="token_ids"):
        session.feed_embeddings(session.embed_tokens([40, 41]))


def test_speaking_is_what_the_engine_says(engine):
    session = engine.session()
    session.advance(*IDS)
    sampling = Sampling(seed=11, presence_penalty=0.3, repetition_penalty=1.2)
    spoken = list(session.speak(sampling, 12))
    request = GenerationRequest(TokenPrompt(tuple(IDS)), sampling, 12)
    *_, last = engine.generate(request, lambda: False)
    assert isinstance(last, Finished)
    ends = engine._model.speaker.end_ids
    assert [t for t in spoken if t not in ends] == list(last.record.token_ids)


def test_forks_and_snapshots_go_their_own_way(engine):
    session = engine.session()
    session.advance(*IDS[:20])
    snapshot = session.snapshot()
    other = session.fork()
    first = session.feed(IDS[20:])
    other.advance(44, 45)
    again = engine.session(snapshot)
    assert again.tokens == snapshot.tokens == tuple(IDS[:20])
    np.testing.assert_array_equal(again.feed(IDS[20:]), first)
    np.testing.assert_allclose(other.feed([46]), plain(engine, [*IDS[:20], 44, 45, 46]), atol=1e-3)


def test_steps_can_be_taken_back(engine):
    session = engine.session()
    first = session.feed(IDS)
    session.advance(44, 45, 46)
    session.rollback(3)
    np.testing.assert_allclose(session.logits(), first, atol=1e-3)
    with pytest.raises(RequestError, match="n is"):
        session.rollback(10_000)


def test_a_state_is_the_hidden_one_of_the_final_norm(engine):
    states = np.array(engine._model.forward.hidden(mx.array([IDS]))[0])
    session = engine.session()
    np.testing.assert_allclose(session.embedding(IDS[:9]), states[8], atol=1e-3)
    np.testing.assert_allclose(session.embedding(IDS[9:10]), states[9], atol=1e-3)


def test_the_stream_is_heard_while_reading_and_at_each_step(engine):
    session = engine.session()
    session.advance(*IDS[:5])
    session.listen([3, 1, 3])
    session.advance(*IDS[5:9])
    session.advance(IDS[9])
    taken = session.take_hidden()
    assert [(s.layer, s.first_position, len(s.values)) for s in taken] == [(1, 5, 5), (3, 5, 5)]
    whole = engine.taps(IDS[:10], [1, 3])
    for state, all_of_it in zip(taken, whole, strict=True):
        np.testing.assert_allclose(state.values, all_of_it.values[5:], atol=1e-3)
    assert session.take_hidden() == ()
    session.listen([])
    session.advance(IDS[10])
    assert session.take_hidden() == ()


@pytest.mark.parametrize("tokens", [[], [-1], [10**6], [2.5], [True]])
def test_what_is_no_token_never_reaches_the_device(engine, tokens):
    session = engine.session()
    with pytest.raises(RequestError, match="tokens"):
        session.feed(tokens)
    with pytest.raises(RequestError, match="tokens"):
        session.logits()
    assert session.feed([2]).shape == (engine.info.vocabulary_size,)


def test_a_session_has_the_models_limit(tmp_path):
    session = tiny.engine(tmp_path).session()
    session.advance(*[7] * tiny.CONTEXT_TOKENS)
    with pytest.raises(PromptTooLongError):
        session.advance(7)
    with pytest.raises(RequestError, match="temperature"):
        session.sample(Sampling(temperature=float("nan")))
