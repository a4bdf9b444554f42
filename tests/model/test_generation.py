"""One reply on a tiny model: the contract, the cache, stopping, endings."""

import pytest

from inference import (
    ChatPrompt,
    Delta,
    DriftError,
    EngineBusyError,
    Finished,
    GenerationRequest,
    Message,
    Prefilling,
    PromptTooLongError,
    RawPrompt,
    RequestError,
    Sampling,
    TokenPrompt,
)
from inference.naive import naive_reply
from tests.model import tiny

NO_END = ((1, -100.0), (4, -100.0), (5, -100.0))  # tokens that end a reply


def sampled(seed, temperature=1.0, top_k=64, top_p=0.95, **more):
    """A sampling that ends no reply by itself."""
    return Sampling(temperature, top_k, top_p, seed=seed, logit_bias=NO_END, **more)


GREEDY = Sampling(temperature=0.0)
ENDLESS = sampled(2)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    return tiny.engine(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def engine(loaded):
    loaded._model.tree.forget("")
    return loaded


def never():
    return False


def run(engine, request, should_stop=never):
    events = list(engine.generate(request, should_stop))
    assert isinstance(events[-1], Finished)
    return events[-1]


def chat(*texts):
    roles = ("user", "assistant")
    return ChatPrompt(tuple(Message(roles[i % 2], t) for i, t in enumerate(texts)))


def test_events_come_in_order_and_the_reply_is_the_deltas_joined(engine):
    request = GenerationRequest(chat("hello there, how are you"), max_tokens=30)
    events = list(engine.generate(request, never))
    kinds = [type(e) for e in events]
    assert kinds == sorted(kinds, key=[Prefilling, Delta, Finished].index)
    assert kinds.count(Finished) == 1
    done = [e.done for e in events if isinstance(e, Prefilling)]
    assert done == sorted(set(done))
    assert done[-1] == events[-1].record.prompt_tokens
    deltas = [e for e in events if isinstance(e, Delta)]
    assert all(d.text for d in deltas)
    assert "".join(d.text for d in deltas) == events[-1].text


@pytest.mark.parametrize("sampling", [GREEDY, sampled(4), sampled(9, 1.3, 0, 0.9)])
def test_the_reply_is_that_of_rereading_everything_at_each_step(engine, sampling):
    request = GenerationRequest(RawPrompt("the cat sat on the mat"), sampling, max_tokens=40)
    finished = run(engine, request)
    assert finished.record.token_ids == naive_reply(engine._model, request, 40)


def test_the_next_turn_reads_only_what_is_new(engine):
    first = run(engine, GenerationRequest(chat("hello there"), sampled(1), max_tokens=30))
    spoken = first.record.answer_ids
    reply = Message("assistant", first.text, spoken, first.record.model_fingerprint)
    prompt = ChatPrompt((Message("user", "hello there"), reply, Message("user", "and you")))
    warm = run(engine, GenerationRequest(prompt, sampled(2), max_tokens=30))
    assert warm.record.reused_tokens >= first.record.prompt_tokens + len(spoken) - 1
    engine._model.tree.forget("")
    cold = run(engine, GenerationRequest(prompt, sampled(2), max_tokens=30))
    assert cold.record.reused_tokens == 0
    assert cold.record.token_ids == warm.record.token_ids


def test_the_same_prompt_again_gives_the_same_reply_and_reads_nothing(engine):
    request = GenerationRequest(chat("say it again please"), sampled(3), max_tokens=25)
    first, second = run(engine, request), run(engine, request)
    assert first.record.token_ids == second.record.token_ids
    assert second.record.reused_tokens >= second.record.prompt_tokens - 1


@pytest.mark.parametrize("stop_after", [0, 1, 2, 5, 11])
def test_stopping_anywhere_keeps_what_was_said_and_serves_on(engine, stop_after):
    request = GenerationRequest(chat("a longer prompt " * 6), sampled(5), max_tokens=20)
    cold = run(tiny_copy(engine), request)
    asked = iter(range(1000))
    stopped = run(engine, request, lambda: next(asked) >= stop_after)
    assert stopped.reason in {"stopped", cold.reason}
    said = stopped.record.token_ids
    assert cold.record.token_ids[: len(said)] == said
    assert run(engine, request).record.token_ids == cold.record.token_ids


def tiny_copy(engine):
    engine._model.tree.forget("")
    return engine


def test_a_dropped_generator_counts_as_stopped(engine):
    request = GenerationRequest(chat("hello"), sampled(5), max_tokens=20)
    events = engine.generate(request, never)
    next(events)
    next(events)
    events.close()
    assert run(engine, request).text


def test_a_reply_goes_on_from_its_own_tokens_as_if_it_had_not_ended(engine):
    prompt = chat("tell me more")
    whole = run(engine, GenerationRequest(prompt, sampled(8), max_tokens=30))
    part = run(engine, GenerationRequest(prompt, sampled(8), max_tokens=11))
    assert part.reason == "length"
    more = ChatPrompt(prompt.messages, prefix_ids=part.record.token_ids)
    rest = run(engine, GenerationRequest(more, sampled(8), max_tokens=19))
    assert part.record.token_ids + rest.record.token_ids == whole.record.token_ids
    assert rest.record.reused_tokens >= part.record.prompt_tokens


@pytest.mark.parametrize("ahead", [2, 3, 8, 32])
def test_several_tokens_a_read_back_change_nothing(engine, ahead):
    request = GenerationRequest(chat("hello"), sampled(6), max_tokens=37)
    plain = run(engine, request)
    several = run(
        engine,
        GenerationRequest(chat("hello"), sampled(6), max_tokens=37, read_back_tokens=ahead),
    )
    assert several.record.token_ids == plain.record.token_ids
    assert several.text == plain.text
    follow = run(engine, request)
    assert follow.record.token_ids == plain.record.token_ids


def test_a_stop_sequence_ends_the_reply_and_the_context_is_what_was_kept(engine):
    whole = run(engine, GenerationRequest(chat("hello"), sampled(6), max_tokens=40))
    stop = whole.text[10:13]
    cut = run(engine, GenerationRequest(chat("hello"), sampled(6), max_tokens=40, stop=(stop,)))
    assert cut.reason == "stop"
    assert cut.text == whole.text[: whole.text.index(stop)]
    prompt = ChatPrompt(
        (
            Message("user", "hello"),
            Message("assistant", cut.text, cut.record.answer_ids, "tiny"),
            Message("user", "go on"),
        )
    )
    warm = run(engine, GenerationRequest(prompt, GREEDY, max_tokens=10))
    engine._model.tree.forget("")
    assert run(engine, GenerationRequest(prompt, GREEDY, max_tokens=10)).text == warm.text


def test_alternatives_tell_the_text_they_belong_to(engine):
    request = GenerationRequest(chat("hello"), sampled(6), max_tokens=20, alternatives=5)
    events = list(engine.generate(request, never))
    for delta in (e for e in events if isinstance(e, Delta)):
        assert "".join(t.text for t in delta.tokens) == delta.text
        for token in delta.tokens:
            assert len(token.alternatives) == 5
            assert token.entropy > 0
            assert token.logprob <= token.alternatives[0][1] + 1e-6
    plain = run(engine, GenerationRequest(chat("hello"), sampled(6), max_tokens=20))
    assert events[-1].record.token_ids == plain.record.token_ids
    assert len(events[-1].record.logprobs) == len(plain.record.token_ids)


def test_a_second_request_while_one_runs_is_a_clear_error(engine):
    request = GenerationRequest(chat("hello"), max_tokens=5)
    events = engine.generate(request, never)
    next(events)
    with pytest.raises(EngineBusyError):
        next(engine.generate(request, never))
    assert isinstance(list(events)[-1], Finished)


def test_a_prompt_longer_than_the_context_is_refused_with_both_numbers(engine):
    with pytest.raises(PromptTooLongError) as caught:
        run(engine, GenerationRequest(RawPrompt("a" * 600)))
    assert caught.value.prompt_tokens == 601
    assert caught.value.context_tokens == tiny.CONTEXT_TOKENS


def test_a_full_context_ends_the_reply(engine):
    request = GenerationRequest(RawPrompt("a" * 50), ENDLESS, max_tokens=60, context_tokens=64)
    finished = run(engine, request)
    assert finished.reason == "context"
    assert finished.record.prompt_tokens + finished.record.generated_tokens == 64


def test_no_tokens_may_be_asked_for(engine):
    finished = run(engine, GenerationRequest(RawPrompt("abc"), max_tokens=0))
    assert (finished.reason, finished.text) == ("length", "")


def test_drift_speaks_nothing_and_keeps_the_prefix(engine):
    prompt = RawPrompt("some words to drift from")
    detail = run(engine, GenerationRequest(prompt, GREEDY, max_tokens=1, alternatives=8))
    del detail
    events = list(
        engine.generate(GenerationRequest(prompt, GREEDY, max_tokens=1, alternatives=8), never)
    )
    top = tuple(
        i for i, _ in next(e for e in events if isinstance(e, Delta)).tokens[0].alternatives
    )
    run(engine, GenerationRequest(prompt, GREEDY, max_tokens=1, expected_top_k=top))
    swapped = (top[1], top[0], *top[2:])
    run(
        engine,
        GenerationRequest(prompt, GREEDY, max_tokens=1, expected_top_k=swapped, max_drift=0.25),
    )
    with pytest.raises(DriftError) as caught:
        run(engine, GenerationRequest(prompt, GREEDY, expected_top_k=swapped, max_drift=0.24))
    assert caught.value.actual == top
    assert caught.value.drift == 0.25
    assert run(engine, GenerationRequest(prompt, GREEDY, max_tokens=1)).record.reused_tokens > 20


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"prompt": TokenPrompt((5, 99_999))}, "token_ids"),
        ({"prompt": TokenPrompt((-1,))}, "token_ids"),
        ({"prompt": TokenPrompt(())}, "token_ids"),
        ({"prompt": RawPrompt("")}, "text"),
        ({"prompt": RawPrompt(7)}, "text"),
        ({"prompt": "hello"}, "prompt"),
        ({"prompt": ChatPrompt((Message("wizard", "x"),))}, "role"),
        ({"prompt": ChatPrompt((Message("user", "x"),), prefix_ids=(10**9,))}, "prefix_ids"),
        ({"sampling": Sampling(temperature=float("nan"))}, "temperature"),
        ({"max_tokens": -1}, "max_tokens"),
        ({"max_tokens": 1.5}, "max_tokens"),
        ({"alternatives": 1000}, "alternatives"),
        ({"read_back_tokens": 0}, "read_back_tokens"),
        ({"context_policy": "shrink"}, "context_policy"),
        ({"stop": ("",)}, "stop"),
        ({"stop": ("a",) * 100}, "stop"),
        ({"kv_bits": 3}, "kv_bits"),
        ({"expected_top_k": (99_999,)}, "expected_top_k"),
        ({"max_drift": float("nan")}, "max_drift"),
        ({"context_tokens": 0}, "context_tokens"),
        ({"thinking_tokens": -1}, "thinking_tokens"),
    ],
)
def test_a_bad_argument_is_named_and_the_engine_serves_on(engine, change, name):
    arguments = {"prompt": RawPrompt("abc"), "max_tokens": 3} | change
    with pytest.raises(RequestError, match=name):
        run(engine, GenerationRequest(**arguments))
    assert run(engine, GenerationRequest(RawPrompt("abc"), ENDLESS, max_tokens=3)).text
