"""The whole engine on the real Gemma 3 270M."""

from __future__ import annotations

from dataclasses import replace

import mlx.core as mx
import numpy as np
import pytest

from inference import (
    ChatPrompt,
    EngineOptions,
    Finished,
    GemmaEngine,
    GenerationRequest,
    Message,
    Prefilling,
    RawPrompt,
    Sampling,
    TokenPrompt,
)
from inference.naive import naive_logits

GREEDY = Sampling(temperature=0.0)
FRANCE = "The capital of France is"
NEAR = 1e-3  # logits; the largest difference that chunk shapes may make in float32


def never(*_: int) -> bool:
    return False


@pytest.fixture(scope="module")
def engine(starter_cache):
    made = GemmaEngine(EngineOptions(starter_cache))
    list(made.load("starter", never))
    yield made
    made.close()


def reply(engine, prompt, sampling=GREEDY, tokens=6, **more):
    *_, last = engine.generate(GenerationRequest(prompt, sampling, tokens, **more), never)
    assert isinstance(last, Finished)
    return last


def assert_same_or_near(engine, prompt_ids, one, other):
    """The same tokens, or a first difference between two candidates that are nearly alike."""
    for i, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            logits = np.array(naive_logits(engine._model, (*prompt_ids, *one[:i])))[0]
            assert abs(logits[a] - logits[b]) <= NEAR, f"token {i}: {a} and {b} are no near tie"
            return
    assert len(one) == len(other)


def test_the_reply_is_the_reference_greedy_one(engine):
    finished = reply(engine, RawPrompt(FRANCE), tokens=8, alternatives=5)
    assert finished.record.prompt_ids == (2, 818, 5279, 529, 7001, 563)
    ids = list(finished.record.prompt_ids)
    spoken = []
    for _ in range(8):
        spoken.append(int(mx.argmax(naive_logits(engine._model, ids), axis=-1).item()))
        ids.append(spoken[-1])
    assert finished.record.token_ids == tuple(spoken)


def test_the_likeliest_words_after_france_are_there(engine):
    events = engine.generate(
        GenerationRequest(RawPrompt(FRANCE), GREEDY, 1, alternatives=10), never
    )
    (token,) = next(e for e in events if hasattr(e, "tokens")).tokens
    words = [engine.token_text(i) for i, _ in token.alternatives]
    assert {" the", " a", " Paris"} <= set(words)
    list(events)


def test_three_turns_past_the_window_read_only_the_newest_and_say_the_same(engine):
    story = "The old lighthouse keeper wrote down the weather, the ships and the birds he saw. "
    turns = [Message("user", story * 31 + "What did the keeper write down?")]
    known = 0
    for question in ("And who wrote it?", "Where did he live?"):
        warm = reply(engine, ChatPrompt(tuple(turns)), tokens=5).record
        assert warm.reused_tokens >= known - 1
        text = engine._model.tokenizer.decode(warm.answer_ids).strip()
        turns.append(Message("assistant", text, warm.answer_ids, engine.info.fingerprint))
        known = warm.prompt_tokens + len(warm.answer_ids)
        more = story * (27 if question.startswith("And") else 1)
        turns.append(Message("user", more + question))
    prompt = ChatPrompt(tuple(turns))
    warm = reply(engine, prompt).record
    assert warm.reused_tokens >= known - 1
    assert warm.prompt_tokens > 1024
    engine.forget("")
    cold = reply(engine, prompt).record
    assert cold.reused_tokens == 0
    assert_same_or_near(engine, cold.prompt_ids, cold.token_ids, warm.token_ids)


def test_a_base_model_answers_in_a_transcript(engine):
    assert engine.info.is_base
    finished = reply(
        engine, ChatPrompt((Message("user", "What is the capital of France?"),)), tokens=40
    )
    assert "Paris" in finished.text
    assert finished.reason == "stop"
    assert "User" not in finished.text


def test_a_seed_gives_its_reply_again_and_rows_of_a_batch_are_single_replies(engine):
    requests = [
        GenerationRequest(RawPrompt("Once upon a time"), Sampling(seed=seed), 4) for seed in (1, 2)
    ]
    ends = {i: e for i, e in engine.generate_many(requests, never) if isinstance(e, Finished)}
    for i, request in enumerate(requests):
        single = reply(engine, request.prompt, request.sampling, 4).record
        again = reply(engine, request.prompt, request.sampling, 4).record
        assert single.token_ids == again.token_ids
        if single.token_ids != ends[i].record.token_ids:  # a near tie of the batch's rounding
            assert single.token_ids[0] == ends[i].record.token_ids[0]


def test_stopping_while_reading_keeps_what_was_read(engine):
    engine.forget("")
    prompt = RawPrompt("word after word " * 360)
    asked = iter(range(100))
    request = GenerationRequest(prompt, GREEDY, 4)
    *read, stopped = engine.generate(request, lambda: next(asked) >= 1)
    assert stopped.reason == "stopped"
    done = max(e.done for e in read if isinstance(e, Prefilling))
    assert 0 < done < stopped.record.prompt_tokens
    again = reply(engine, prompt, tokens=4).record
    assert again.reused_tokens >= done


def test_a_score_is_the_log_likelihood_of_one_pass(engine):
    score = engine.score(RawPrompt(FRANCE), " Paris, a city", alternatives=2)
    ids = (*engine._model.compose(RawPrompt(FRANCE)).ids, *engine.tokenize(" Paris, a city"))
    model = engine._model
    logits = np.array(model.forward.head(model.forward.hidden(mx.array([list(ids)])))[0])
    n = len(score.tokens)
    rows = logits[-n - 1 : -1].astype(np.float64)
    exact = rows[np.arange(n), ids[-n:]] - np.log(np.exp(rows).sum(axis=1))
    np.testing.assert_allclose([t.logprob for t in score.tokens], exact, atol=2e-3)


def test_like_texts_have_like_vectors(engine):
    cat, kitten, tax = engine.embed(
        ["The cat sleeps on the sofa.", "A kitten naps on the couch.", "Taxes are due in April."]
    )
    assert cat @ kitten > cat @ tax


def test_the_last_layers_lens_says_what_the_model_says(engine):
    ids = engine._model.compose(RawPrompt(FRANCE)).ids
    rows = [row for _, row in engine.lens(ids, [len(ids) - 1], 3, never)]
    assert len(rows) == len(engine._model.forward.layers)
    assert rows[-1].guesses[0][0] == reply(engine, RawPrompt(FRANCE), tokens=1).record.token_ids[0]


def test_a_whole_emoji_comes_out_whole(engine):
    text = "👩‍👩‍👧‍👦 🇯🇵 𠮷 e\u0301 👍🏽"
    prompt = TokenPrompt((2, *engine.tokenize(f"{text}\n" * 6)))
    finished = reply(engine, prompt, tokens=10)
    assert "\ufffd" not in finished.text


def test_a_request_can_be_made_again_from_its_record(engine):
    first = reply(engine, RawPrompt("My favourite"), Sampling(), tokens=4).record
    again = reply(engine, TokenPrompt(first.prompt_ids), first.sampling, tokens=4).record
    assert replace(first.sampling, seed=first.seed) == first.sampling
    assert again.token_ids == first.token_ids
