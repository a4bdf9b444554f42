"""The contract of the seam, C1 to C7, as one suite that every engine runs.

A file of tests subclasses `EngineContract` and says how its engine is made.
"""

from __future__ import annotations

import contextlib
import dataclasses
import pickle
import threading

import pytest

from inference import (
    ChatPrompt,
    Delta,
    Engine,
    Finished,
    GenerationRequest,
    InferenceError,
    Message,
    Prefilling,
    PromptTooLongError,
    RawPrompt,
    RequestError,
    Sampling,
)

MARKERS = ("<start_of_turn>", "<end_of_turn>", "<turn|>", "<|turn>", "<eos>", "<bos>", "<pad>")


def never(*_: int) -> bool:
    return False


class After:
    """A stop flag that goes up once it was asked a number of times."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.asked = 0

    def __call__(self, *_: int) -> bool:
        self.asked += 1
        return self.asked > self.times


def ask(text: str = "Tell me of the sea", seed: int = 7, max_tokens: int = 20, **more):
    prompt = ChatPrompt((Message("user", text),))
    return GenerationRequest(prompt, Sampling(seed=seed), max_tokens, **more)


def said(events, kind: str = "answer") -> str:
    return "".join(e.text for e in events if isinstance(e, Delta) and e.kind == kind)


def end_of(events) -> Finished:
    assert isinstance(events[-1], Finished)
    assert not any(isinstance(e, Finished) for e in events[:-1])
    return events[-1]


def assert_same_reply(one: Finished, other: Finished) -> None:
    assert one.text == other.text
    assert one.thought == other.thought
    assert one.record.token_ids == other.record.token_ids


class EngineContract:
    """What every engine keeps. Nothing here knows which one it is."""

    SOURCE = "anything"

    @classmethod
    def make(cls) -> Engine:
        """Make the engine, with no model loaded yet."""
        raise NotImplementedError

    @pytest.fixture(scope="class")
    @classmethod
    def engine(cls):
        engine = cls.make()
        list(engine.load(cls.SOURCE, never))
        yield engine
        engine.close()

    # ------------------------------------------------------------------------------- C1

    def test_every_request_ends_exactly_once(self, engine):
        for text in ("a", "one two three " * 20):
            end_of(list(engine.generate(ask(text), never)))
        nothing = engine.generate(ask(""), never)
        with contextlib.suppress(RequestError):
            end_of(list(nothing))
        assert next(nothing, None) is None

    def test_every_reply_of_a_batch_ends_exactly_once(self, engine):
        requests = [ask(seed=seed, max_tokens=5 + seed) for seed in range(4)]
        ends = [i for i, e in engine.generate_many(requests, never) if isinstance(e, Finished)]
        assert sorted(ends) == [0, 1, 2, 3]

    def test_an_error_is_raised_and_nothing_follows(self, engine):
        events = engine.generate(ask("far too long " * 20, context_tokens=8), never)
        with pytest.raises(PromptTooLongError) as raised:
            list(events)
        assert raised.value.context_tokens == 8
        assert next(events, None) is None

    # ------------------------------------------------------------------------------- C2

    def test_the_reply_is_the_deltas_joined(self, engine):
        events = list(engine.generate(ask(max_tokens=40), never))
        assert said(events) == end_of(events).text
        assert said(events, "thought") == end_of(events).thought

    def test_a_delta_is_whole_characters_and_never_a_marker(self, engine):
        for seed in range(4):
            deltas = [
                e
                for e in engine.generate(ask("emoji 👩‍👩‍👧 please", seed), never)
                if isinstance(e, Delta)
            ]
            assert deltas
            for delta in deltas:
                assert delta.text
                assert not any(marker in delta.text for marker in MARKERS)
                delta.text.encode()  # a lone surrogate would not encode

    # ------------------------------------------------------------------------------- C3

    def test_reading_only_goes_forward(self, engine):
        events = list(engine.generate(ask("word " * 80, seed=3, max_tokens=2), never))
        reading = [e for e in events if isinstance(e, Prefilling)]
        assert reading
        assert [e.done for e in reading] == sorted({e.done for e in reading})
        assert len({(e.total, e.reused) for e in reading}) == 1
        assert reading[-1].done <= reading[-1].total

    # ------------------------------------------------------------------------------- C4

    def test_the_flag_is_asked_before_every_step(self, engine):
        flag = After(1_000_000)
        events = list(engine.generate(ask(max_tokens=30), flag))
        tokens = [e for e in events if isinstance(e, Delta)]
        chunks = [e for e in events if isinstance(e, Prefilling) and e.done > e.reused]
        assert tokens
        assert flag.asked >= len(chunks) + len(tokens)

    @pytest.mark.parametrize("times", [0, 1, 2, 3, 4, 5])
    def test_a_stop_is_a_normal_end_and_what_was_said_stays(self, engine, times):
        request = ask("and so on " * 30, seed=times, max_tokens=10_000)
        events = list(engine.generate(request, After(times)))
        assert end_of(events).reason == "stopped"
        assert end_of(events).text == said(events)

    def test_stopping_one_reply_leaves_the_others(self, engine):
        requests = [ask(seed=seed, max_tokens=12) for seed in range(3)]
        stopped = [0]

        def should_stop(index: int) -> bool:
            return index in stopped

        ends = {
            i: e for i, e in engine.generate_many(requests, should_stop) if isinstance(e, Finished)
        }
        assert ends[0].reason == "stopped"
        alone = end_of(list(engine.generate(requests[2], never)))
        assert ends[2].text == alone.text

    # ------------------------------------------------------------------------------- C5

    def test_after_any_end_the_next_request_is_served(self, engine):
        request = ask("what do you see", seed=11)
        expected = end_of(list(engine.generate(request, never)))
        list(engine.generate(ask("something else", seed=1), After(2)))
        assert_same_reply(end_of(list(engine.generate(request, never))), expected)
        with pytest.raises(InferenceError):
            list(engine.generate(ask("long " * 40, context_tokens=8), never))
        assert_same_reply(end_of(list(engine.generate(request, never))), expected)
        dropped = engine.generate(ask("a third thing " * 9, seed=2, max_tokens=500), never)
        next(dropped)
        dropped.close()
        assert_same_reply(end_of(list(engine.generate(request, never))), expected)

    # ------------------------------------------------------------------------------- C6

    def test_what_crosses_is_immutable_and_picklable(self, engine):
        for event in engine.generate(ask(alternatives=3, max_tokens=6), never):
            assert pickle.loads(pickle.dumps(event)) == event
            field = dataclasses.fields(event)[0].name
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(event, field, None)
        assert pickle.loads(pickle.dumps(engine.info)) == engine.info

    def test_arrays_that_cross_are_read_only(self, engine):
        vectors = engine.embed(("one", "two"))
        assert vectors.shape[0] == 2
        assert not vectors.flags.writeable
        for state in engine.taps(engine.tokenize("abc"), (0, 1)):
            assert not state.values.flags.writeable

    # ------------------------------------------------------------------------------- C7

    def test_the_same_seed_gives_the_same_reply_warm_or_cold(self, engine):
        for seed in (5, 6):
            request = ask("once upon a time " * 6, seed=seed)
            engine.forget("")
            cold = end_of(list(engine.generate(request, never)))
            warm = end_of(list(engine.generate(request, never)))
            assert_same_reply(cold, warm)

    def test_the_same_seed_gives_the_same_reply_single_or_batched(self, engine):
        requests = [ask("the same beginning", seed=seed) for seed in range(4)]
        batched = {
            i: e for i, e in engine.generate_many(requests, never) if isinstance(e, Finished)
        }
        for i, request in enumerate(requests):
            assert_same_reply(batched[i], end_of(list(engine.generate(request, never))))

    def test_the_seed_that_was_chosen_is_told_and_gives_the_reply_again(self, engine):
        first = end_of(list(engine.generate(ask(seed=None), never)))
        again = end_of(list(engine.generate(ask(seed=first.record.seed), never)))
        assert_same_reply(first, again)

    # ------------------------------------------------------------------------------- the rest

    def test_tokens_are_counted_from_another_thread_while_it_speaks(self, engine):
        counts = []
        asker = threading.Thread(target=lambda: counts.append(engine.count_tokens("some words")))
        for n, _ in enumerate(engine.generate(ask(max_tokens=30), never)):
            if n == 1:
                asker.start()
        asker.join(20)
        assert counts == [engine.count_tokens("some words")]
        assert counts[0] > 0

    def test_a_token_has_a_text(self, engine):
        ids = engine.tokenize("abc")
        assert "".join(engine.token_text(i) for i in ids).replace("▁", " ").strip() == "abc"

    def test_a_text_is_scored(self, engine):
        score = engine.score(RawPrompt("one two"), " three", 2)
        assert score.total_logprob < 0
        assert score.tokens

    def test_the_prompt_is_shown_as_the_model_sees_it(self, engine):
        shown = engine.render(ChatPrompt((Message("user", "hello"),)))
        assert any(token.message == 0 for token in shown)

    def test_the_lens_tells_of_every_place(self, engine):
        ids = engine.tokenize("abcd")
        rows = list(engine.lens(ids, (0, 2), 2, never))
        assert {position for position, _ in rows} == {0, 2}

    def test_memory_is_told_by_name(self, engine):
        names = {"weights", "snapshots", "snapshots_disk", "snapshot_budget", "active", "peak"}
        assert set(engine.memory()) >= names

    def test_unloading_and_loading_again_serves_as_before(self, engine):
        expected = end_of(list(engine.generate(ask(), never)))
        engine.keep(never)
        engine.unload()
        assert engine.info is None
        list(engine.load(self.SOURCE, never))
        assert_same_reply(end_of(list(engine.generate(ask(), never))), expected)

    def test_a_load_that_is_stopped_raises_and_the_next_one_works(self, engine):
        with pytest.raises(InferenceError, match="stopped"):
            list(engine.load(self.SOURCE, After(0)))
        list(engine.load(self.SOURCE, never))
        end_of(list(engine.generate(ask(), never)))
