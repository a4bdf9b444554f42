"""Drafted replies are token for token the plain ones, and drafting knows when to rest."""

from __future__ import annotations

import tempfile
from pathlib import Path

import mlx.core as mx
import pytest
from mlx_lm.generate import speculative_generate_step

from inference import (
    Draft,
    EngineOptions,
    Finished,
    GemmaEngine,
    GenerationRequest,
    RawPrompt,
    RequestError,
    Sampling,
)
from inference.draft import FIRST_REST_TOKENS, Pace, PromptLookup
from inference.naive import naive_reply
from tests.model import tiny
from tests.model.families import build
from tests.model.test_guard import Poison

NO_END = ((1, -100.0), (4, -100.0), (5, -100.0))
LIST = RawPrompt("one two three four five six seven. " * 3)


def never(*_):
    return False


def reply(engine, prompt, sampling, tokens=28, **more):
    *_, last = engine.generate(GenerationRequest(prompt, sampling, tokens, **more), never)
    assert isinstance(last, Finished)
    return last


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    return tiny.engine(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def engine(loaded):
    loaded._model.tree.forget("")
    return loaded


@pytest.fixture(scope="module")
def pair():
    """A Gemma 3 engine, and a model of other weights that drafts for it."""
    home = Path(tempfile.mkdtemp())
    made = GemmaEngine(EngineOptions(home / "cache"))
    list(made.load(str(build("gemma3", home / "target")), never))
    return made, str(build("gemma3", home / "draft", seed=1)), str(home / "target")


SAMPLINGS = {
    "greedy": Sampling(temperature=0.0, logit_bias=NO_END),
    "cold": Sampling(temperature=0.3, seed=4, logit_bias=NO_END),
    "sampled": Sampling(seed=7, logit_bias=NO_END),
    "penalised": Sampling(
        seed=2,
        logit_bias=NO_END,
        repetition_penalty=1.2,
        repetition_window=5,
        presence_penalty=0.1,
        frequency_penalty=0.2,
    ),
}


@pytest.mark.parametrize("name", SAMPLINGS)
@pytest.mark.parametrize("most", [3, 16])
def test_looking_up_the_prompt_changes_nothing(engine, name, most):
    plain = reply(engine, LIST, SAMPLINGS[name]).record
    drafted = reply(engine, LIST, SAMPLINGS[name], draft=Draft(max_tokens=most)).record
    assert drafted.token_ids == plain.token_ids
    follow = reply(engine, LIST, SAMPLINGS[name]).record
    assert follow.token_ids == plain.token_ids


def test_a_reply_that_repeats_itself_is_guessed(engine):
    sampling = Sampling(temperature=0.0, logit_bias=((7, 60.0),))
    record = reply(engine, LIST, sampling, draft=Draft()).record
    assert record.draft_accepted > 14
    assert record.draft_accepted <= record.draft_proposed


@pytest.mark.parametrize("name", SAMPLINGS)
def test_a_draft_model_changes_nothing(pair, name):
    engine, draft, itself = pair
    prompt = RawPrompt("the rain on the other shore " * 2)
    plain = reply(engine, prompt, SAMPLINGS[name], 24).record
    for source in (draft, itself):
        drafted = reply(engine, prompt, SAMPLINGS[name], 24, draft=Draft(source, 4)).record
        assert drafted.token_ids == plain.token_ids
    assert drafted.draft_accepted > 0.8 * drafted.draft_proposed > 0


def test_ours_is_right_past_the_window_where_mlx_lms_own_is_wrong(pair):
    """Rejected tokens stay in mlx-lm's rotated caches; ours take them back."""
    engine, draft, _ = pair
    prompt = RawPrompt("a text that is longer than the window of eight " * 2)
    request = GenerationRequest(prompt, SAMPLINGS["greedy"], 24)
    exact = naive_reply(engine._model, request, 24)
    ours = reply(engine, prompt, SAMPLINGS["greedy"], 24, draft=Draft(draft, 3)).record
    assert ours.token_ids == exact
    bias = engine._model
    other = bias.guesser(Draft(draft), Sampling(), 0)._context.network
    target = engine._model.forward._network
    ids = mx.array(engine._model.compose(prompt).ids)
    try:
        theirs = [
            int(token)
            for token, _, _ in speculative_generate_step(
                ids,
                target,
                other,
                num_draft_tokens=3,
                max_tokens=24,
                sampler=lambda x: mx.argmax(x + _bias(x.shape[-1]), axis=-1),
            )
        ]
    except ValueError:
        theirs = []
    assert tuple(theirs) != exact


def _bias(size):
    x = mx.zeros((size,))
    for token, amount in NO_END:
        x[token] = amount
    for token in (0, 2, 3, 6, 7):
        x[token] = -1e9
    return x


def test_a_draft_with_a_stop_a_limit_or_alternatives_changes_nothing(engine):
    sampling = SAMPLINGS["sampled"]
    whole = reply(engine, LIST, sampling)
    stop = whole.text[14:16]
    for more in ({"stop": (stop,)}, {"alternatives": 3}):
        plain = reply(engine, LIST, sampling, **more)
        drafted = reply(engine, LIST, sampling, draft=Draft(), **more)
        assert (drafted.text, drafted.reason) == (plain.text, plain.reason)
        assert drafted.record.answer_ids == plain.record.answer_ids
        assert drafted.record.logprobs == pytest.approx(plain.record.logprobs, abs=1e-4)
    for limit in (1, 2, 5):
        drafted = reply(engine, LIST, sampling, limit, draft=Draft())
        assert drafted.record.token_ids == whole.record.token_ids[:limit]


def test_a_draft_does_not_stand_in_the_way_of_the_cache(engine):
    first = reply(engine, LIST, SAMPLINGS["sampled"], draft=Draft()).record
    more = RawPrompt(LIST.text, first.token_ids)
    second = reply(engine, more, SAMPLINGS["sampled"], draft=Draft()).record
    assert second.reused_tokens >= first.prompt_tokens + len(first.token_ids) - 1


def test_a_fault_under_a_draft_is_repaired(tmp_path):
    engine = tiny.engine(tmp_path, dtype=mx.bfloat16)
    sampling = Sampling(temperature=0.0, logit_bias=((7, 60.0),))
    n_prompt = reply(engine, LIST, sampling, 1).record.prompt_tokens
    with Poison(2, [n_prompt + 12]).into(engine):
        record = reply(engine, LIST, sampling, draft=Draft()).record
    assert record.token_ids == (7,) * 28
    assert [layer for _, layer in record.guard_events] == [2]


def test_a_draft_of_another_vocabulary_is_refused(engine, pair):
    with pytest.raises(RequestError, match=r"draft\.model"):
        reply(engine, LIST, Sampling(), draft=Draft(pair[1]))
    with pytest.raises(RequestError, match=r"draft\.max_tokens"):
        reply(engine, LIST, Sampling(), draft=Draft(max_tokens=0))
    assert reply(engine, LIST, SAMPLINGS["greedy"], 3).record.token_ids


def test_lookup_guesses_what_followed_last_time():
    lookup = PromptLookup()
    assert lookup.guess([1, 2, 3, 4, 5, 1, 2], 3) == [3, 4, 5]
    assert lookup.guess([1, 2, 3, 4, 5, 1, 2, 9, 1, 2], 2) == [9, 1]
    assert lookup.guess([1, 2, 3, 4, 5, 1, 2, 9, 1, 2], 5) == [9, 1, 2, 9, 1]
    assert lookup.guess([7], 3) == []
    assert lookup.guess([1, 2, 3, 4, 5, 1, 2, 9, 1, 2], 0) == []


def test_pace_rests_where_guesses_are_wrong_and_grows_where_they_are_right():
    pace = Pace(most=16, length=4)
    pace.judge(4, 4)
    assert pace.length == 8
    for _ in range(8):
        pace.judge(8, 0)
    assert pace.length == 2
    assert pace.rest >= FIRST_REST_TOKENS
