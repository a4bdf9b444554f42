"""The lab's pure parts: grids, inputs, expectations, votes, differences, tables, replays."""

import csv
import io
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.lab.expectations import Expectation, judge, n_alternatives
from app.lab.expectations import problems as expectation_problems
from app.lab.inputs import read_inputs
from app.lab.json_schema import SchemaError, check_text, read_schema
from app.lab.plan import (
    Place,
    Plan,
    Variant,
    batches,
    example,
    places,
    plan_from_text,
    plan_to_text,
    problems,
    prompt_of,
    request_of,
)
from app.lab.replay import compare, replay_request, why_not
from app.lab.results import CellResult
from app.lab.tables import to_csv, to_json_lines, to_markdown
from app.lab.votes import Ballot, Vote, ballots, tally
from app.lab.word_diff import word_diff
from app.store.rows import StoredToken
from app.variables import UnknownVariableError
from inference import ChatPrompt, EchoEngine, GenerationRequest, RawPrompt, Sampling, TokenPrompt

PLAN = Plan(
    (Variant("A", "Say {{word}}"), Variant("B", "{{word}}!", "Be {{mood}}", raw=False)),
    ({"word": "one", "mood": "kind"}, {"word": "two", "mood": "brief"}),
    (1, 2),
)


# ------------------------------------------------------------------------------ plans


def test_a_grid_has_every_cell_once():
    cells = list(places(PLAN))
    assert len(cells) == len(set(cells)) == 8
    assert cells[0] == Place(0, 0, 1)


def test_a_cells_prompt_is_filled_from_its_row():
    prompt = prompt_of(PLAN, Place(1, 1, 1))
    assert isinstance(prompt, ChatPrompt)
    assert [m.text for m in prompt.messages] == ["Be brief", "two!"]
    raw = replace(PLAN, variants=(replace(PLAN.variants[0], raw=True),))
    assert prompt_of(raw, Place(0, 0, 1)) == RawPrompt("Say one")


def test_a_cells_seed_goes_into_its_request():
    request = request_of(PLAN, Place(0, 0, 2), Sampling(temperature=0.5))
    assert request.sampling == Sampling(temperature=0.5, seed=2)


def test_cells_of_one_model_are_one_batch():
    plan = replace(PLAN, variants=(PLAN.variants[0], replace(PLAN.variants[1], model="other")))
    made = list(batches(plan, list(places(plan)), 3))
    assert [(model, len(cells)) for model, cells in made] == [
        ("", 3),
        ("", 1),
        ("other", 3),
        ("other", 1),
    ]


def test_an_unknown_variable_is_told_before_the_run():
    plan = replace(PLAN, inputs=({"word": "x"}, {"mood": "y", "word": "z"}))
    assert problems(plan) == ("B names {{mood}}, which row 1 does not have.",)
    with pytest.raises(UnknownVariableError):
        prompt_of(plan, Place(0, 1, 1))


def test_an_empty_grid_says_what_is_missing():
    assert len(problems(Plan((), ()))) == 2
    assert problems(example()) == ()


def test_a_plan_comes_back_from_its_text():
    assert plan_from_text(plan_to_text(PLAN)) == PLAN


# ------------------------------------------------------------------------------ inputs


def test_a_table_is_read_by_its_head():
    read = read_inputs('word,mood\n"one, two",kind\n\nthree,"a\nb"\n', "x.csv")
    assert read.rows == ({"word": "one, two", "mood": "kind"}, {"word": "three", "mood": "a\nb"})
    assert read.problems == ()


def test_ragged_rows_are_reported_and_the_rest_goes_on():
    read = read_inputs("a,b\n1,2\n3\n4,5,6\n7,8\n", "x.csv")
    assert [row["a"] for row in read.rows] == ["1", "7"]
    assert read.problems == (
        "Line 3 has 1 fields instead of 2 and was left out.",
        "Line 4 has 3 fields instead of 2 and was left out.",
    )


@pytest.mark.parametrize("text", ["", "a,a\n1,2\n", ",\n1,2\n"])
def test_a_table_without_a_head_is_one_sentence(text):
    assert read_inputs(text, "x.csv").problems == (
        "The first row must name the columns, each differently.",
    )


def test_a_broken_quote_is_reported():
    read = read_inputs('a,b\n1,2\n"3,4\n', "x.csv")
    assert len(read.rows) == 1
    assert "cannot be read" in read.problems[0]


def test_json_lines_are_read_and_bad_ones_reported():
    read = read_inputs('{"a": "x", "n": 5}\n[1]\nnonsense\n{"a": "y", "n": null}\n', "x.jsonl")
    assert read.rows == ({"a": "x", "n": "5"}, {"a": "y", "n": "null"})
    assert len(read.problems) == 2


def test_a_paste_is_read_by_its_look():
    assert read_inputs("one\n\ntwo").rows == ({"input": "one"}, {"input": "two"})
    assert read_inputs("a;b\n1;2").rows == ({"a": "1", "b": "2"},)
    assert read_inputs('{"a": 1}').rows == ({"a": "1"},)
    assert read_inputs('[{"a": "x"}]', "x.json").rows == ({"a": "x"},)


@given(st.text(), st.sampled_from(["", "x.csv", "x.jsonl", "x.txt"]))
def test_no_text_is_an_error(text, name):
    read_inputs(text, name)


# ------------------------------------------------------------------------------ schemas


SCHEMA = """{"type": "object", "required": ["name"], "additionalProperties": false,
 "properties": {"name": {"type": "string", "minLength": 2, "pattern": "^[A-Z]"},
  "age": {"type": "integer", "minimum": 0},
  "tags": {"type": "array", "items": {"$ref": "#/$defs/t"},
  "uniqueItems": true, "maxItems": 2}, "x": {"anyOf": [{"const": 1}, {"type": "null"}]}},
 "$defs": {"t": {"enum": ["a", "b"]}}}"""


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Ann"}',
        '{"name": "Ann", "age": 3, "tags": ["a", "b"], "x": null}',
        '{"name": "Ann", "age": 3.0, "x": 1}',
    ],
)
def test_what_conforms_has_no_fault(text):
    assert check_text(text, read_schema(SCHEMA)) == ""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("no", "The reply is not JSON."),
        ("[]", "The value must be object."),
        ("{}", "The value lacks “name”."),
        ('{"name": "A"}', "“name” has 1 characters, fewer than 2."),
        ('{"name": "ann"}', "“name” does not match ^[A-Z]."),
        ('{"name": "Ann", "age": -1}', "“age” is too small."),
        ('{"name": "Ann", "age": true}', "“age” must be integer."),
        ('{"name": "Ann", "tags": ["c"]}', 'Item 1 of “tags” must be one of ["a", "b"].'),
        ('{"name": "Ann", "tags": ["a", "a"]}', "“tags” has the same item twice."),
        ('{"name": "Ann", "tags": ["a", "b", "a"]}', "“tags” has the same item twice."),
        ('{"name": "Ann", "x": true}', "“x” fits 0 of the choices of anyOf."),
        ('{"name": "Ann", "more": 1}', "“more” is not allowed here."),
    ],
)
def test_the_first_fault_is_one_sentence(text, fault):
    assert check_text(text, read_schema(SCHEMA)) == fault


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        "5",
        '{"type": "text"}',
        '{"properties": []}',
        '{"anyOf": []}',
        '{"pattern": "("}',
        '{"$ref": "http://example.org/x"}',
        '{"$ref": "#/nowhere"}',
        '{"not": 5}',
    ],
)
def test_what_is_no_schema_is_one_sentence(text):
    with pytest.raises(SchemaError):
        read_schema(text)


def test_a_schema_that_points_at_itself_ends():
    schema = read_schema('{"$ref": "#"}')
    assert check_text("5", schema)


# ------------------------------------------------------------------------------ expectations


def cell(text="", **more):
    return CellResult(Place(0, 0, 1), text, **more)


def verdict(expectation, result):
    engine = EchoEngine()
    (one,) = judge(PLAN, [expectation], result, engine.tokenize, engine.token_text)
    return one.why


@pytest.mark.parametrize(
    ("kind", "value", "good", "bad"),
    [
        ("contains", "Paris", "It is Paris.", "It is Rome."),
        ("matches", r"^\d+$", "42", "forty"),
        ("schema", '{"type": "number"}', "4.5", '"x"'),
        ("max_length", "3", "abc", "abcd"),
        ("exact", "Paris", " Paris\n", "Paris!"),
    ],
)
def test_expectations_hold_or_say_why_not(kind, value, good, bad):
    assert verdict(Expectation(kind, value), cell(good)) == ""
    assert verdict(Expectation(kind, value), cell(bad))


def test_expected_tokens_may_drift_so_far():
    first = StoredToken(97, 1, -0.1, 0.5, ((97, -0.1), (99, -1.0), (98, -2.0)))
    result = cell("a", details=(first,))
    expected = Expectation("top_k", tokens=("a", "b", "c"), max_drift=0.7)
    assert verdict(expected, result) == ""
    told = verdict(replace(expected, max_drift=0.5), result)
    assert told == "The likeliest tokens drifted by 67%; now they are “a”, “c”, “b”."
    assert "2 tokens" in verdict(Expectation("top_k", tokens=("ab",)), result)
    assert verdict(Expectation("top_k", token_ids=(97,)), result) == ""
    assert n_alternatives([expected]) == 3


def test_an_expectation_is_for_its_own_cells():
    engine = EchoEngine()
    for one in (Expectation("exact", "x", row=1), Expectation("exact", "x", variant="B")):
        assert judge(PLAN, [one], cell("y"), engine.tokenize, engine.token_text) == ()


def test_a_failed_cell_holds_nothing():
    assert (
        verdict(Expectation("max_length", "99"), cell(error="Out of memory.")) == "Out of memory."
    )


@pytest.mark.parametrize(
    "one",
    [
        Expectation("matches", "("),
        Expectation("schema", "no"),
        Expectation("max_length", "many"),
        Expectation("top_k"),
        Expectation("exact", row=9),
        Expectation("exact", variant="Z"),
    ],
)
def test_what_can_never_be_judged_is_told(one):
    assert len(expectation_problems(PLAN, [one])) == 1


# ------------------------------------------------------------------------------ votes and words


def test_every_pair_is_voted_on_once_and_sides_are_drawn():
    made = ballots(range(10), (1,), (0, 1, 2), 5)
    assert len(made) == 30
    assert {frozenset((b.left, b.right)) for b in made} == {
        frozenset(pair) for pair in ((0, 1), (0, 2), (1, 2))
    }
    assert any(b.left > b.right for b in made)
    assert made == ballots(range(10), (1,), (0, 1, 2), 5)


def test_the_tally_counts_wins_losses_and_ties():
    first, second = Ballot(0, 1, 0, 1), Ballot(1, 1, 1, 0)
    votes = [Vote(first, 1), Vote(second, 1), Vote(first, None)]
    best, worst = tally(votes)
    assert (best.column, best.wins, best.losses, best.ties, best.doubt) == (1, 2, 0, 1, 0.25)
    assert (worst.column, worst.losses, worst.doubt) == (0, 2, 1.0)
    assert tally([]) == ()


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_difference_joins_to_both_texts(old, new):
    parts = word_diff(old, new)
    assert "".join(text for change, text in parts if change != "removed") == new
    assert word_diff(new, new) == ((("same", new),) if new else ())


def test_a_difference_is_by_word():
    assert word_diff("the old house", "the new house") == (
        ("same", "the "),
        ("removed", "old"),
        ("added", "new"),
        ("same", " house"),
    )


# ------------------------------------------------------------------------------ tables


RESULTS = (
    cell("a|b\nc", reason="end"),
    replace(cell(error="Broke."), place=Place(1, 1, 1)),
    replace(cell(total_logprob=-1.5), place=Place(0, 1, 1)),
)


def test_a_csv_comes_back(tmp_path):
    rows = list(csv.DictReader(io.StringIO(to_csv(PLAN, RESULTS))))
    assert rows[0]["text"] == "a|b\nc"
    assert rows[0]["input.word"] == "one"
    assert rows[1]["error"] == "Broke."


def test_json_lines_have_one_object_a_cell():
    lines = to_json_lines(PLAN, RESULTS).splitlines()
    assert json.loads(lines[2])["total_logprob"] == -1.5


def test_a_markdown_table_is_not_broken_by_its_cells():
    lines = to_markdown(PLAN, RESULTS).splitlines()
    assert lines[0] == "| Input | A | B |"
    assert lines[2] == "| word: one; mood: kind | a\\|b<br>c | -1.500 |"
    assert lines[3].endswith("|  | *Broke.* |")


# ------------------------------------------------------------------------------ replays


@pytest.fixture
def record():
    *_, finished = EchoEngine().generate(
        GenerationRequest(RawPrompt("abcd"), Sampling(seed=5)), lambda: False
    )
    return finished.record


def test_a_replay_asks_for_the_same_tokens(record):
    request = replay_request(record)
    assert request.prompt == TokenPrompt((97, 98, 99, 100))
    assert request.sampling.seed == 5
    assert request.max_tokens == 4


def test_the_same_tokens_are_identical(record):
    told = compare(record, record)
    assert told.identical
    assert told.sentence() == "Identical: all 4 tokens are the same."


def test_the_first_difference_is_told_with_both_tokens(record):
    details = tuple(StoredToken(i, 1, -0.1, 0.1) for i in record.token_ids)
    again = replace(record, token_ids=(97, 98, 120, 100), device="other")
    told = compare(record, again, details, details[:2])
    assert told.first_difference == 2
    assert told.original == details[2]
    assert told.replayed is None
    assert told.sentence() == "First differs at token 3 (the device changed)."
    assert compare(record, replace(record, token_ids=(97,))).first_difference == 1


def test_a_record_whose_model_is_gone_is_one_sentence(record):
    assert "No model is open" in why_not(record, None)
    engine = EchoEngine()
    list(engine.load("echo", lambda: False))
    assert why_not(record, engine.info) == ""
    assert "not the open model" in why_not(replace(record, model_fingerprint="x"), engine.info)


def test_an_answer_without_tokens_cannot_be_replayed(record):
    with pytest.raises(ValueError, match="no tokens"):
        replay_request(replace(record, token_ids=()))
