"""The console script on the echo engine: what it prints, and its exit codes."""

import io
import json
import signal
import subprocess
import sys

import pytest

from app.cli import main
from app.cli_terms import printable

SCRIPT = [sys.executable, "-c", "import sys; from app.cli import main; sys.exit(main())"]


@pytest.fixture(autouse=True)
def _home(cabochon_home):
    pass


def run(*words):
    return main([words[0], "--engine", "echo", *words[1:]])


def test_generate_prints_the_reply(capsys):
    assert run("generate", "--prompt", "hello") == 0
    assert capsys.readouterr().out == "You said: hello\n"


def test_generate_as_json_has_the_promised_keys(capsys):
    assert run("generate", "--prompt", "hello", "--json", "--seed", "7") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["text"] == "You said: hello"
    assert found["finish_reason"] == "end"
    assert found["seed"] == 7
    promised = {"text", "token_ids", "prompt_tokens", "reused_tokens", "ttft_seconds"}
    assert promised | {"tokens_per_second", "finish_reason", "prompt_ids"} <= set(found)


def test_generate_takes_a_stop_and_a_limit(capsys):
    run("generate", "--prompt", "hello", "--stop", "said")
    run("generate", "--prompt", "hello", "--max-tokens", "1")
    assert capsys.readouterr().out == "You \nYou \n"


def test_a_raw_prompt_is_completed_as_it_is(capsys):
    assert run("generate", "--raw", "--prompt", "abc") == 0
    assert capsys.readouterr().out == "abc\n"


def test_a_prompt_is_read_from_stdin(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("from a pipe"))
    assert run("generate", "--prompt", "-") == 0
    assert capsys.readouterr().out == "You said: from a pipe\n"


@pytest.mark.parametrize(
    "words",
    [
        ["generate"],
        ["generate", "--prompt", "x", "--top-p", "1.5"],
        ["generate", "--prompt", "x", "--max-tokens", "0"],
        ["generate", "--prompt", "x", "--temperature", "warm"],
        ["generate", "--prompt", "x", "--nonsense"],
        ["nonsense"],
    ],
)
def test_bad_arguments_exit_with_2(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "error" in capsys.readouterr().err


def test_a_missing_file_is_one_sentence_and_1(capsys):
    assert run("generate", "--prompt", "x", "--schema", "/no/such/file") == 1
    err = capsys.readouterr().err
    assert err == "cabochon: No such file or directory: /no/such/file.\n"


def test_a_file_that_is_no_text_is_one_sentence_and_1(capsys, tmp_path):
    path = tmp_path / "bytes"
    path.write_bytes(b"\xff\xfe\x00\xd8")
    assert run("generate", "--prompt-file", str(path)) == 1
    assert "not a text file" in capsys.readouterr().err


def test_chat_keeps_the_conversation(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("one\ntwo\n/tokens\n/again\n/quit\nthree\n"))
    assert run("chat") == 0
    out = capsys.readouterr().out
    assert out.count("You said: two") == 2
    assert "reused" in out
    assert "three" not in out


def test_chat_obeys_its_commands(capsys, monkeypatch, tmp_path):
    path = tmp_path / "talk.md"
    words = (
        f"/help\n/nothing\n/temperature hot\n/again\n/seed 3\none \\\nand a half\n/save {path}\n"
    )
    monkeypatch.setattr(sys, "stdin", io.StringIO(words))
    assert run("chat") == 0
    out = capsys.readouterr().out
    assert "/quit" in out
    assert "There is no command /nothing" in out
    assert out.count("That did not work") == 2
    assert (
        path.read_text() == "## You\n\none \nand a half\n\n## Gemma\n\nYou said: one \nand a half\n"
    )


def test_verify_cache_says_identical(capsys):
    assert run("verify-cache", "--max-tokens", "4") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "identical"
    assert len(lines) == 13
    assert run("verify-cache", "--max-tokens", "4", "--json") == 0
    assert json.loads(capsys.readouterr().out)["identical"] is True


def test_a_closed_pipe_is_no_traceback():
    big = "word " * 40_000
    command = [*SCRIPT, "generate", "--engine", "echo", "--prompt", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdin.write(big)
        process.stdin.close()
        process.stdout.read(1)
        process.stdout.close()
        err = process.stderr.read()
    assert process.returncode == 1
    assert err == "cabochon: The output was closed before everything was written.\n"


def test_an_interrupt_stops_the_reply_and_keeps_what_was_said():
    code = (
        "import sys, app.cli, inference\n"
        "from inference.echo import EchoScript\n"
        "script = EchoScript(reply='word ' * 10000, seconds_per_token=0.01)\n"
        "app.cli.make_engine = lambda args: inference.EchoEngine(script)\n"
        "sys.exit(app.cli.main(['generate', '--prompt', 'x']))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    ) as process:
        first = process.stdout.read(4)
        process.send_signal(signal.SIGINT)
        rest, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert (first + rest).startswith(b"word")
    assert len(rest) < 50_000
    assert err == b"cabochon: The reply was stopped; what was said stays said.\n"


def test_a_reply_cannot_command_the_terminal():
    assert printable("a\x1b]0;title\x07b\n\tc\x9b", terminal=True) == "a]0;titleb\n\tc"
    assert printable("a\x1b", terminal=False) == "a\x1b"
