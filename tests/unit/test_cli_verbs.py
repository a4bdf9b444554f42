"""The commands that look into a model, on the echo engine: what they print, what they refuse."""

import io
import json
import sys

import pytest

from app.cli import main


@pytest.fixture(autouse=True)
def _home(cabochon_home):
    pass


def run(*words):
    return main([words[0], "--engine", "echo", *words[1:]])


def test_score_tells_each_token_and_the_sum(capsys):
    assert run("score", "--prompt", "a", "--completion", "bcd") == 0
    out = capsys.readouterr().out
    assert "in all; perplexity" in out
    assert (
        run("score", "--prompt", "a", "--completion", "bcd", "--alternatives", "2", "--json") == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert found["total_logprob"] == -3
    assert len(found["tokens"]) == 3
    assert len(found["tokens"][0]["alternatives"]) == 2


def test_embed_tells_how_alike_texts_are(capsys, monkeypatch, tmp_path):
    assert run("embed", "red fox", "red fox", "blue sky") == 0
    rows = capsys.readouterr().out.splitlines()
    same, other = rows[0].split()[1:3]
    assert same == "1.000"
    assert float(other) < 0.9
    path = tmp_path / "lines"
    path.write_text("one\n\ntwo\n")
    assert run("embed", "--file", str(path), "--pooling", "last", "--json") == 0
    assert len(json.loads(capsys.readouterr().out)["vectors"]) == 2
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert run("embed") == 1
    assert "no text" in capsys.readouterr().err


def test_inspect_shows_the_prompt_the_lens_and_the_stream(capsys):
    words = ("inspect", "--prompt", "abc", "--lens", "--layers", "0,2")
    assert run(*words) == 0
    out = capsys.readouterr().out
    assert "'a'" in out
    assert "layer   0" in out
    assert "not_finite 0" in out
    assert run(*words, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [t["text"] for t in found["tokens"]] == ["a", "b", "c"]
    assert [row["layer"] for row in found["streams"]] == [0, 2]


def test_bench_prints_a_row_for_each_length(capsys):
    assert run("bench", "--lengths", "8", "64", "--max-tokens", "3", "--rows", "2") == 0
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert run("bench", "--lengths", "8", "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["prompt_tokens"] >= 8


def test_generate_takes_every_verb(capsys):
    words = "--draft --draft-tokens 4 --read-back 2 --max-drift 0.5 --thinking-tokens 9"
    words += " --presence-penalty 0.1 --frequency-penalty 0.1 --xtc-probability 0.1"
    words += " --xtc-threshold 0.2 --repetition-window 0 --logit-bias 5=1.5 --logit-bias 6=-1"
    assert run("generate", "--prompt", "x", *words.split()) == 0
    assert capsys.readouterr().out == "You said: x\n"
    assert run("generate", "--token-ids", "97,98", "--prefix-ids", "99") == 0
    assert capsys.readouterr().out == "abc\n"


@pytest.mark.parametrize(
    "words",
    [
        ["score", "--prompt", "x"],
        ["embed", "--pooling", "most", "x"],
        ["inspect", "--prompt", "x", "--layers", "one"],
        ["bench", "--lengths", "0"],
        ["generate", "--token-ids", "a,b"],
        ["generate", "--prompt", "x", "--logit-bias", "5"],
        ["generate", "--prompt", "x", "--draft-tokens", "0"],
    ],
)
def test_bad_arguments_exit_with_2(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "error" in capsys.readouterr().err


def test_what_contradicts_itself_is_one_sentence(capsys):
    assert run("generate", "--token-ids", "97", "--raw") == 1
    assert "Token ids" in capsys.readouterr().err
