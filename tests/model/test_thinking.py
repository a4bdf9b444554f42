"""Turns, thoughts and ends on tiny models of Gemma 2, 3 and 4."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from inference import (
    ChatPrompt,
    Constraint,
    Delta,
    EngineOptions,
    Finished,
    GemmaEngine,
    GenerationRequest,
    Message,
    RawPrompt,
    Sampling,
)
from tests.model.families import build

HELLO = (Message("user", "the rain"),)
BRIEF = (Message("system", "on the shore"), *HELLO)


@pytest.fixture(scope="module")
def engines():
    made: dict[str, GemmaEngine] = {}

    def get(family: str) -> GemmaEngine:
        if family not in made:
            home = Path(tempfile.mkdtemp())
            made[family] = GemmaEngine(EngineOptions(home / "cache"))
            list(made[family].load(str(build(family, home / "model")), lambda: False))
        made[family].forget("")
        return made[family]

    return get


def ids_of(engine, *names):
    found = [engine._model.tokenizer.id_of(name) for name in names]
    assert None not in found
    return found


def biased(engine, seed=3, temperature=1.0, **names):
    """A sampling in which some control tokens are certain (+) or impossible (-)."""
    words = {"end": "<turn|>", "open": "<|channel>", "close": "<channel|>"}
    controls = {words[n]: b for n, b in names.items()}
    silent = [i for i in range(30) if i not in ids_of(engine, *controls)]
    bias = [(i, -200.0) for i in silent if engine._model.tokenizer.is_special(i)]
    bias += [(ids_of(engine, name)[0], b) for name, b in controls.items()]
    return Sampling(temperature, seed=seed, logit_bias=tuple(bias))


def reply(engine, prompt, sampling, tokens=20, **more):
    *events, last = engine.generate(
        GenerationRequest(prompt, sampling, tokens, **more), lambda: False
    )
    assert isinstance(last, Finished)
    return events, last


@pytest.mark.parametrize("family", ["gemma1", "gemma2", "gemma3", "gemma3n", "gemma4", "recurrent"])
def test_a_system_prompt_is_read_in_every_family(engines, family):
    engine = engines(family)
    _, with_system = reply(engine, ChatPrompt(BRIEF), Sampling(seed=1), 3)
    ids = with_system.record.prompt_ids
    assert ids.count(2) == 1
    assert ids[0] == 2
    assert "on the shore" in engine._model.tokenizer.decode(ids)


@pytest.mark.parametrize("family", ["gemma1", "gemma2", "gemma3", "gemma4", "recurrent"])
def test_raw_text_has_exactly_one_bos(engines, family):
    _, last = reply(engines(family), RawPrompt("the other"), Sampling(seed=1), 2)
    assert last.record.prompt_ids.count(2) == 1
    assert last.record.prompt_ids[0] == 2


@pytest.mark.parametrize(("family", "end"), [("gemma2", "<end_of_turn>"), ("gemma4", "<turn|>")])
def test_a_turns_end_ends_the_reply_and_is_never_shown(engines, family, end):
    engine = engines(family)
    (token,) = ids_of(engine, end)
    _, last = reply(engine, ChatPrompt(HELLO), Sampling(seed=2, logit_bias=((token, 300.0),)))
    assert (last.reason, last.text) == ("end", "")
    assert last.record.generated_tokens == 1
    assert last.record.token_ids == ()


def test_a_thought_is_told_apart_and_left_out_of_the_next_turn(engines):
    engine = engines("gemma4")
    opener, closer = ids_of(engine, "<|channel>", "<channel|>")
    thought = (opener, *engine.tokenize("thought\nhm hm"), closer)
    answer = engine.tokenize("rain")
    prompt = ChatPrompt(HELLO, prefix_ids=thought[:-1], thinking=True)
    events, last = reply(engine, prompt, biased(engine, close=300.0), 1)
    assert last.thought == ""
    assert last.record.token_ids == (closer,)
    own = Message("assistant", "rain", answer, engine.info.fingerprint, thought="hm hm")
    _, second = reply(engine, ChatPrompt((*HELLO, own, *HELLO), thinking=True), biased(engine), 2)
    assert opener not in second.record.prompt_ids
    assert not [e for e in events if isinstance(e, Delta)]


@pytest.mark.parametrize("thinking", [False, True])
@pytest.mark.parametrize("messages", [HELLO, BRIEF])
def test_thinking_on_or_off_with_or_without_a_system_prompt_there_is_an_answer(
    engines, thinking, messages
):
    engine = engines("gemma4")
    (opener,) = ids_of(engine, "<|channel>")
    prompt = ChatPrompt(messages, thinking=thinking)
    _, last = reply(engine, prompt, biased(engine), thinking_tokens=6)
    assert last.text
    think_on = engine._model.tokenizer.id_of("<|think|>")
    assert (think_on in last.record.prompt_ids) == thinking
    primed = last.record.prompt_ids.count(opener)
    assert primed == (0 if thinking else 1)


@pytest.mark.parametrize("budget", [0, 1, 5])
@pytest.mark.parametrize("more", [{}, {"read_back_tokens": 8}])
def test_a_thinking_budget_closes_the_thought(engines, budget, more):
    engine = engines("gemma4")
    opener, closer = ids_of(engine, "<|channel>", "<channel|>")
    prompt = ChatPrompt(HELLO, prefix_ids=(opener, *engine.tokenize("thought\n")), thinking=True)
    sampling = biased(engine, open=-200.0, close=-200.0)
    events, last = reply(engine, prompt, sampling, 20, thinking_tokens=budget, **more)
    ids = last.record.token_ids
    assert ids.index(closer) == budget
    assert last.record.thinking_tokens == budget + 1
    assert last.text
    assert "".join(e.text for e in events if isinstance(e, Delta) and e.kind == "thought") == (
        last.thought
    )


def test_a_budget_in_a_batch_is_each_rows_own(engines):
    engine = engines("gemma4")
    opener, closer = ids_of(engine, "<|channel>", "<channel|>")
    prompt = ChatPrompt(HELLO, prefix_ids=(opener, *engine.tokenize("thought\n")), thinking=True)
    requests = [
        GenerationRequest(
            prompt, biased(engine, seed, open=-200.0, close=-200.0), 14, thinking_tokens=budget
        )
        for seed, budget in ((1, 2), (2, 5), (3, None))
    ]
    ends = {
        i: e for i, e in engine.generate_many(requests, lambda _: False) if isinstance(e, Finished)
    }
    assert ends[0].record.token_ids.index(closer) == 2
    assert ends[1].record.token_ids.index(closer) == 5
    assert closer not in ends[2].record.token_ids
    single = reply(engine, prompt, requests[1].sampling, 14, thinking_tokens=5)[1]
    assert single.record.token_ids == ends[1].record.token_ids


def test_a_constraint_waits_for_the_answer(engines):
    engine = engines("gemma4")
    (opener,) = ids_of(engine, "<|channel>")
    sampling = biased(engine, open=60.0, close=-200.0)
    _, last = reply(
        engine,
        ChatPrompt(HELLO, thinking=True),
        sampling,
        30,
        thinking_tokens=4,
        constraint=Constraint("regex", "(rain|shore){1,3}"),
    )
    assert last.record.token_ids[0] == opener
    assert last.text
    assert set(last.text) <= set("rainshore")


def test_the_second_turn_of_gemma_4_finds_the_first_though_the_primer_is_gone(engines):
    engine = engines("gemma4")
    _, first = reply(engine, ChatPrompt(BRIEF), biased(engine), 6)
    own = Message("assistant", first.text, first.record.answer_ids, engine.info.fingerprint)
    _, second = reply(engine, ChatPrompt((*BRIEF, own, *HELLO)), biased(engine), 3)
    assert second.record.reused_tokens > 20
    marks = engine._model.compose(ChatPrompt(BRIEF)).marks
    assert second.record.reused_tokens >= marks[-2]
