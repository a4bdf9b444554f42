"""Constrained replies conform, and a constraint that cannot be met is refused before a token."""

from __future__ import annotations

import json
import re

import mlx.core as mx
import numpy as np
import pytest

from inference import (
    Constraint,
    Delta,
    Draft,
    Finished,
    GenerationRequest,
    RawPrompt,
    RequestError,
    Sampling,
)
from inference.constraint import expanded
from tests.model import tiny
from tests.model.test_guard import Poison

SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "pattern": "^[a-z]{1,6}$"},
            "age": {"type": "integer", "minimum": 0, "maximum": 99},
            "kind": {"enum": ["cat", "dog"]},
        },
        "required": ["name", "age", "kind"],
        "additionalProperties": False,
    }
)
PROMPT = RawPrompt("a cat: ")


def never(*_):
    return False


def request(kind, text, seed=1, tokens=80, **more):
    return GenerationRequest(
        PROMPT, Sampling(seed=seed), tokens, constraint=Constraint(kind, text), **more
    )


def reply(engine, wanted):
    *_, last = engine.generate(wanted, never)
    assert isinstance(last, Finished)
    return last


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    return tiny.engine(tmp_path_factory.mktemp("cache"), allow_bytes=True)


@pytest.fixture
def engine(loaded):
    loaded._model.tree.forget("")
    return loaded


@pytest.mark.parametrize("seed", range(20))
def test_every_reply_conforms_to_its_schema(engine, seed):
    finished = reply(engine, request("json_schema", SCHEMA, seed))
    assert finished.reason == "end"
    value = json.loads(finished.text)
    assert set(value) == {"name", "age", "kind"}
    assert 0 <= value["age"] <= 99
    assert re.fullmatch("[a-z]{1,6}", value["name"])


@pytest.mark.parametrize("seed", range(4))
def test_a_regex_and_a_grammar_hold(engine, seed):
    assert re.fullmatch("[ab]{3}c+", reply(engine, request("regex", "[ab]{3}c{1,9}", seed)).text)
    lark = 'start: greeting " " name\ngreeting: "hi" | "yo"\nname: /[a-z]{2,4}/'
    assert re.fullmatch("(hi|yo) [a-z]{2,4}", reply(engine, request("grammar", lark, seed)).text)


def test_rows_of_a_batch_keep_to_their_own_constraints(engine):
    requests = [
        request("json_schema", SCHEMA, seed=1),
        request("regex", "[xyz]{5}", seed=2),
        GenerationRequest(PROMPT, Sampling(seed=3), 12),
        request("json_schema", SCHEMA, seed=4),
    ]
    ends = {i: e for i, e in engine.generate_many(requests, never) if isinstance(e, Finished)}
    for i, wanted in enumerate(requests):
        assert ends[i].record.token_ids == reply(engine, wanted).record.token_ids
    json.loads(ends[0].text)
    assert re.fullmatch("[xyz]{5}", ends[1].text)


def test_a_constraint_works_with_the_cache_a_stop_a_draft_and_alternatives(engine):
    plain = reply(engine, request("json_schema", SCHEMA))
    again = reply(engine, request("json_schema", SCHEMA))
    assert again.record.token_ids == plain.record.token_ids
    assert again.record.reused_tokens > 0
    assert reply(engine, request("json_schema", SCHEMA, draft=Draft())).text == plain.text
    assert reply(engine, request("json_schema", SCHEMA, read_back_tokens=4)).text == plain.text
    cut = reply(engine, request("json_schema", SCHEMA, stop=(", ",)))
    assert cut.text == plain.text.split(", ")[0]
    events = list(engine.generate(request("json_schema", SCHEMA, alternatives=2), never))
    assert events[-1].text == plain.text
    assert all(d.tokens for d in events if isinstance(d, Delta))


def test_a_fault_under_a_constraint_is_repaired(tmp_path):
    engine = tiny.engine(tmp_path, allow_bytes=True, dtype=mx.bfloat16)
    n_prompt = reply(engine, request("regex", "[ab]{3}")).record.prompt_tokens
    with Poison(2, [n_prompt + 5]).into(engine):
        finished = reply(engine, request("json_schema", SCHEMA))
    json.loads(finished.text)
    assert finished.record.guard_events == ((6, 2),)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("json_schema", "not json"),
        ("json_schema", '{"type": "wizard"}'),
        ("json_schema", '{"enum": []}'),
        ("json_schema", "false"),
        (
            "json_schema",
            '{"type": "object", "required": ["a"],'
            ' "properties": {"a": {"type": "integer", "minimum": 5, "maximum": 3}}}',
        ),
        ("regex", "[a-z"),
        ("grammar", "start: nothing_like_it"),
        ("prose", "be nice"),
        ("regex", 7),
    ],
)
def test_what_cannot_be_met_is_refused_before_the_first_token(engine, kind, text):
    with pytest.raises(RequestError, match="constraint"):
        next(engine.generate(request(kind, text), never))
    assert reply(engine, request("regex", "[ab]{3}")).text


def test_bits_are_spread_in_their_order():
    words = np.random.default_rng(0).integers(0, 2**32, (2, 3), np.uint32)
    bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, :70]
    assert (np.array(expanded(mx.array(words), 70)) == bits.astype(bool)).all()
