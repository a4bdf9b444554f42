"""What is fast equals what is plain: every family, batch and feature against the naive path."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from inference import (
    ChatPrompt,
    EngineOptions,
    Finished,
    GemmaEngine,
    GenerationRequest,
    Message,
    RawPrompt,
    Sampling,
)
from inference.naive import naive_reply
from tests.model.families import FAMILY_NAMES, build

N_TOKENS = 11  # so that prompt and reply pass the window by far
WORDS = "the rain in spain falls on the other train "
ENDS = tuple((i, -100.0) for i in range(1, 22))  # control tokens, so that no reply ends by itself


@pytest.fixture(scope="module")
def engines():
    made: dict[str, GemmaEngine] = {}

    def get(family: str) -> GemmaEngine:
        if family not in made:
            home = Path(tempfile.mkdtemp())
            made[family] = GemmaEngine(EngineOptions(home / "cache", snapshot_bytes=64 << 20))
            list(made[family].load(str(build(family, home / "model")), lambda: False))
        made[family].forget("")
        return made[family]

    return get


def sampled(seed: int = 5, **more) -> Sampling:
    return Sampling(**({"seed": seed, "logit_bias": ENDS} | more))


def reply(engine, request):
    *_, last = engine.generate(request, lambda: False)
    assert isinstance(last, Finished)
    return last


def ask(text: str, sampling: Sampling, tokens: int = N_TOKENS, **more) -> GenerationRequest:
    return GenerationRequest(RawPrompt(text), sampling, tokens, **more)


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_a_reply_equals_the_naive_one(engines, family):
    engine = engines(family)
    request = ask(WORDS, sampled())
    assert reply(engine, request).record.token_ids == naive_reply(engine._model, request, N_TOKENS)


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_a_warm_reply_equals_a_cold_one(engines, family):
    engine = engines(family)
    first = ask(WORDS, sampled(), tokens=8)
    begun = reply(engine, first).record
    longer = GenerationRequest(RawPrompt(WORDS, begun.token_ids), sampled(), 8)
    warm = reply(engine, longer).record
    assert warm.reused_tokens >= begun.prompt_tokens
    engine.forget("")
    cold = reply(engine, longer).record
    assert cold.reused_tokens == 0
    assert warm.token_ids == cold.token_ids == naive_reply(engine._model, longer, 8)


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_rows_of_a_batch_equal_single_replies(engines, family):
    engine = engines(family)
    requests = [
        ask(WORDS, sampled(1)),
        ask(WORDS, sampled(2), tokens=9),
        ask(WORDS + "again and", sampled(3, temperature=0.0)),
        ask("spain", sampled(4, repetition_penalty=1.3, presence_penalty=0.2), alternatives=2),
    ]
    ends = {
        i: e for i, e in engine.generate_many(requests, lambda _: False) if isinstance(e, Finished)
    }
    engine.forget("")
    for i, request in enumerate(requests):
        assert ends[i].record.token_ids == reply(engine, request).record.token_ids, i
    assert len(ends[1].record.token_ids) == 9
    assert ends[0].record.prompt_tokens == ends[1].record.reused_tokens


FEATURES = {
    "greedy": {"temperature": 0.0},
    "no candidates": {"top_k": 0, "top_p": 1.0},
    "filters": {"top_k": 20, "top_p": 0.8, "min_p": 0.05, "temperature": 1.4},
    "xtc": {"xtc_probability": 0.7, "xtc_threshold": 0.05},
    "repetition": {"repetition_penalty": 1.5, "repetition_window": 6},
    "frequency": {"frequency_penalty": 0.7, "presence_penalty": 0.3},
}


@pytest.mark.parametrize("name", FEATURES)
@pytest.mark.parametrize("more", [{}, {"read_back_tokens": 4, "alternatives": 3}])
def test_every_feature_equals_the_naive_path(engines, name, more):
    engine = engines("gemma3")
    request = ask(WORDS, sampled(**FEATURES[name]), **more)
    assert reply(engine, request).record.token_ids == naive_reply(engine._model, request, N_TOKENS)


@pytest.mark.parametrize("family", ["gemma2", "gemma3", "gemma4"])
def test_a_second_turn_equals_the_naive_path(engines, family):
    engine = engines(family)
    turns = (Message("user", "the rain"),)
    first = reply(engine, GenerationRequest(ChatPrompt(turns), sampled(), 9))
    own = Message("assistant", first.text, first.record.answer_ids, engine.info.fingerprint)
    prompt = ChatPrompt((*turns, own, Message("user", "and then")))
    request = GenerationRequest(prompt, sampled(), 9)
    second = reply(engine, request).record
    assert second.token_ids == naive_reply(engine._model, request, 9)
    before_header = engine._model.compose(ChatPrompt(turns)).marks[-2]
    assert second.reused_tokens >= before_header > 8
    assert second.prompt_ids.count(2) == 1
