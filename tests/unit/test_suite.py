"""`cabochon suite run`: it exits 0 when all holds, and 1 with what drifted."""

import json
from pathlib import Path

import pytest

from app.cli import main
from app.lab.expectations import Expectation
from app.lab.plan import Plan, Variant
from app.lab.suite import Suite, SuiteError, read_suite, write_suite
from app.store.store import Store
from inference import Sampling

SUITE = Suite(
    "Greetings",
    Plan(
        (Variant("Plain", "Say {{word}}", sampling=Sampling(temperature=0)),),
        ({"word": "hello"}, {"word": "goodbye"}),
    ),
    (
        Expectation("contains", "Say"),
        Expectation("exact", "You said: Say hello", row=0),
        Expectation("top_k", tokens=("Y", "~"), row=0),
    ),
)


@pytest.fixture
def path(tmp_path, cabochon_home):
    file = tmp_path / "greetings.json"
    file.write_text(write_suite(SUITE))
    return file


def run(path, *words):
    return main(["suite", "--engine", "echo", "run", str(path), *words])


def test_a_suite_comes_back_from_its_text():
    assert read_suite(write_suite(SUITE)) == SUITE


def test_a_suite_that_holds_exits_with_0(path, capsys):
    assert run(path) == 0
    assert capsys.readouterr().out.count("ok") == 2


def test_a_suite_that_drifted_exits_with_1_and_says_where(path, capsys):
    wrong = write_suite(SUITE).replace("You said: Say hello", "Hello!").replace('"~"', '"Z"')
    path.write_text(wrong)
    assert run(path) == 1
    told = capsys.readouterr()
    assert "It is another answer." in told.out
    assert "drifted by 50%; now they are “Y”, “~”" in told.out
    assert told.err == "cabochon: 1 of 2 cells are not as the suite expects.\n"


def test_the_json_form_has_every_cell(path, capsys):
    assert run(path, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["holds"] is True
    assert [one["text"] for one in found["cells"]] == [
        "You said: Say hello",
        "You said: Say goodbye",
    ]


def test_results_are_compared_with_kept_ones(path, tmp_path, capsys):
    kept = tmp_path / "kept.json"
    run(path, "--save", str(kept))
    kept.write_text(kept.read_text().replace("Say goodbye", "Farewell"))
    capsys.readouterr()
    assert run(path, "--against", str(kept)) == 0
    out = capsys.readouterr().out
    assert out.count("(changed)") == 1
    assert "row 2, Plain, seed 1  (changed)" in out


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nonsense", "not JSON"),
        ("{}", "no suite"),
        ('{"format": "cabochon-suite", "version": 9}', "another version"),
        ('{"format": "cabochon-suite", "version": 1, "plan": {}}', "damaged"),
        (write_suite(SUITE).replace("{{word}}", "{{town}}"), "which row 1 and others do not have"),
        (write_suite(SUITE).replace('"row": 0', '"row": 7'), "row 7, which is not there"),
    ],
)
def test_what_is_no_suite_is_one_sentence(path, capsys, text, why):
    with pytest.raises(SuiteError, match=why):
        read_suite(text)
    path.write_text(text)
    assert run(path) == 1
    assert why in capsys.readouterr().err


def test_experiments_and_their_records_are_kept(tmp_path):
    from app.lab.plan import example, plan_from_text, plan_to_text
    from inference import EchoEngine, GenerationRequest, RawPrompt

    store = Store(tmp_path / "chats.sqlite3")
    new = store.experiments.create("Mine", plan_to_text(example()))
    *_, finished = EchoEngine().generate(GenerationRequest(RawPrompt("ab")), lambda: False)
    for text in ("first", "second"):
        cell = store.experiments.add_cell(
            new, (0, 1, 1), text, "", "end", {"error": ""}, (finished.record, ())
        )
    (row,) = store.experiments.all()
    assert plan_from_text(row.plan) == example()
    (kept,) = store.experiments.cells(new)
    assert (kept.text, kept.place) == ("second", (0, 1, 1))
    assert store.experiments.run_of(cell).record == finished.record
    store.experiments.trash(new)
    assert store.experiments.all() == ()
    store.experiments.restore(new)
    store.experiments.save(new, "Ours", row.plan)
    assert store.experiments.all()[0].name == "Ours"
    store.experiments.trash(new)
    store.conversations.empty_trash()
    assert store.experiments.cells(new) == ()
    store.close()


def test_the_documented_suite_can_be_run():
    text = Path("docs/suites.md").read_text("utf-8")
    suite = read_suite(text.split("```json\n")[1].split("```")[0])
    assert len(suite.expectations) == 3
