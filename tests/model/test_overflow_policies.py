"""What happens to a conversation that grows past its limit, through the whole engine."""

from __future__ import annotations

from itertools import pairwise

import pytest

from inference import (
    ChatPrompt,
    Finished,
    GenerationRequest,
    Message,
    Prefilling,
    PromptTooLongError,
    RawPrompt,
    Sampling,
)
from tests.model import tiny

LIMIT = 200


@pytest.fixture
def engine(tmp_path):
    return tiny.engine(tmp_path)


def ask(engine, messages, policy, **more):
    prompt = ChatPrompt(tuple(messages)) if isinstance(messages, list) else messages
    request = GenerationRequest(
        prompt,
        sampling=Sampling(temperature=0, seed=1),
        max_tokens=more.pop("max_tokens", 4),
        context_tokens=LIMIT,
        context_policy=policy,
        **more,
    )
    return list(engine.generate(request, lambda: False))


def spoken(events):
    end = events[-1]
    assert isinstance(end, Finished)
    record = end.record
    return Message("assistant", end.text, record.answer_ids, record.model_fingerprint)


def talk(engine, policy, turns, words=18, **more):
    """Chat on; give each turn's events."""
    messages, told = [Message("system", "be kind")], []
    for turn in range(turns):
        messages.append(Message("user", f"{'abcdefghij'[turn % 10]} " * words))
        told.append(ask(engine, messages, policy, **more))
        messages.append(spoken(told[-1]))
    return told


def test_stop_says_so_and_serves_on(engine):
    with pytest.raises(PromptTooLongError, match="limit is 200"):
        ask(engine, [Message("user", "long " * 100)], "stop")
    assert ask(engine, [Message("user", "short")], "stop")[-1].reason


@pytest.mark.parametrize("policy", ["oldest", "rolling"])
def test_a_chat_past_its_limit_goes_on_and_tells_what_it_left_out(engine, policy):
    told = talk(engine, policy, 12)
    dropped = [events[-1].record.dropped_messages for events in told]
    assert dropped[0] == 0
    assert dropped[-1] > 0
    assert dropped == sorted(dropped)
    assert all(events[-1].record.prompt_tokens <= LIMIT for events in told)
    reading = next(event for event in told[-1] if isinstance(event, Prefilling))
    assert reading.dropped_messages == dropped[-1]


@pytest.mark.parametrize("policy", ["oldest", "rolling"])
def test_past_the_limit_most_turns_still_read_only_what_is_new(engine, policy):
    told = talk(engine, policy, 20, words=4)
    records = [events[-1].record for events in told]
    for before, record in pairwise(records):
        if record.dropped_messages == before.dropped_messages:
            new = record.prompt_tokens - before.prompt_tokens
            assert record.prompt_tokens - record.reused_tokens <= new + 16
    cuts = [record.dropped_messages for record in records]
    assert len(set(cuts)) < len(cuts) * 0.8


def test_rotating_reads_nothing_again_and_says_that_it_is_inexact(engine):
    told = talk(engine, "rotate", 12)
    records = [events[-1].record for events in told]
    assert records[-1].prompt_tokens > LIMIT
    assert "rotated context" in records[-1].inexact
    assert records[0].inexact == ()
    for before, record in pairwise(records):
        new = record.prompt_tokens - before.prompt_tokens
        assert record.prompt_tokens - record.reused_tokens <= new + 16
    assert all(record.dropped_messages == 0 for record in records)


def test_rotating_holds_no_more_rows_than_the_limit(engine):
    talk(engine, "rotate", 12)
    context = engine._model.tree._parked
    full = [cache for cache in context.caches if hasattr(cache, "dropped")]
    assert all(0 < cache.held <= LIMIT for cache in full)
    assert len(context) > LIMIT


def test_a_long_paste_and_a_long_reply_pass_the_limit_by_rotating(engine):
    events = ask(engine, RawPrompt("some words " * 40), "rotate", max_tokens=250)
    assert events[-1].record.prompt_tokens > LIMIT
    assert events[-1].reason in {"length", "end", "loop"}


def test_what_was_rotated_is_never_taken_for_exact(engine):
    messages = [Message("user", "some words " * 30)]
    ask(engine, messages, "rotate")
    fresh = tiny.engine(engine._options.cache_dir / "fresh")
    for one in (engine, fresh):
        one._model.tree.budget = 1 << 40
    request = GenerationRequest(
        ChatPrompt(tuple(messages)), sampling=Sampling(temperature=0, seed=1), max_tokens=8
    )
    warm = list(engine.generate(request, lambda: False))[-1]
    cold = list(fresh.generate(request, lambda: False))[-1]
    assert warm.text == cold.text


def test_quantised_rows_are_told_and_reused(engine):
    messages = [Message("user", "some words to keep")]
    first = ask(engine, messages, "stop", kv_bits=8)[-1]
    again = ask(engine, messages, "stop", kv_bits=8)[-1]
    assert first.record.inexact == ("8-bit keys and values",)
    assert again.record.reused_tokens == first.record.prompt_tokens
    assert ask(engine, messages, "stop")[-1].record.reused_tokens == 0


def test_a_reply_spoken_in_a_batch_is_not_read_again(engine):
    messages = [Message("user", "some words to answer")]
    requests = [
        GenerationRequest(
            ChatPrompt(tuple(messages)), sampling=Sampling(temperature=1, seed=seed), max_tokens=12
        )
        for seed in (1, 2, 3)
    ]
    ends = {
        i: event
        for i, event in engine.generate_many(requests, lambda _i: False)
        if isinstance(event, Finished)
    }
    for end in ends.values():
        reply = Message("assistant", end.text, end.record.answer_ids, "tiny")
        record = ask(engine, [*messages, reply, Message("user", "and")], "stop")[-1].record
        prompt = ends[0].record.prompt_tokens
        assert record.reused_tokens >= prompt + len(end.record.answer_ids) - 1
