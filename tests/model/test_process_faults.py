"""Whatever the engine's process does, what is on this side goes on, and nothing is left behind."""

from __future__ import annotations

import logging
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from inference import (
    Delta,
    EngineBusyError,
    EngineLostError,
    EngineProcess,
    Finished,
    InferenceError,
    Patience,
    PromptTooLongError,
)
from inference.echo import EchoScript
from tests.contract import After, ask, end_of, never, said
from tests.processes import exists, is_alive, open_files, wait_until

WISHFUL = "tests.engines:WishfulEngine"
BRISK = Patience(follow_seconds=0.5)
WATCHFUL = Patience(follow_seconds=0.5, silence_seconds=3.0)


@pytest.fixture
def make():
    made = []

    def make_one(script=None, patience=BRISK, factory=WISHFUL, load=True, **more):
        engine = EngineProcess(factory, script or EchoScript(), *more.values(), patience=patience)
        made.append(engine)
        if load:
            list(engine.load("a", never))
        return engine

    yield make_one
    for engine in made:
        engine.close()


def serves(engine) -> bool:
    return end_of(list(engine.generate(ask("hello"), never))).text == "You said: hello"


# --------------------------------------------------------------------------- random moments

PHASES = ("load", "read", "speak", "keep", "unload")
SLOW = EchoScript(
    reply="word " * 40, seconds_per_token=0.001, seconds_per_chunk=0.002, load_seconds=0.02
)


def _live_through(engine, phase: str) -> list:
    """Do one phase of an engine's life; what was said before a loss is kept by who listens."""
    heard: list = []
    try:
        match phase:
            case "load":
                heard.extend(engine.load("a", never))
            case "read" | "speak":
                heard.extend(engine.generate(ask("read this " * 60, max_tokens=40), never))
            case "keep":
                engine.keep(never)
            case "unload":
                engine.unload()
                heard.extend(engine.load("a", never))
    except InferenceError as error:
        heard.append(error)
    return heard


def _next_reply(engine) -> Finished:
    """The reply to the next message; a child that dies at that very moment is told of once."""
    request = ask("hello", max_tokens=3)
    try:
        return end_of(list(engine.generate(request, never)))
    except EngineLostError:
        return end_of(list(engine.generate(request, never)))


def _hurt(pid: int, how: int) -> None:
    if is_alive(pid):
        os.kill(pid, how)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSEGV, signal.SIGSTOP])
def test_the_child_may_die_or_hang_at_any_moment(make, amount, how):
    engine = make(SLOW, WATCHFUL if how == signal.SIGSTOP else BRISK)
    children = set()
    for n in range(amount(34)):
        chance = random.Random(n)
        phase = chance.choice(PHASES)
        pid = engine.process_id
        assert pid is not None
        children.add(pid)
        blow = threading.Timer(chance.uniform(0, 0.06), _hurt, (pid, how))
        blow.start()
        heard = _live_through(engine, phase)
        blow.join()
        if isinstance(heard[-1] if heard else None, EngineLostError):
            assert "safe" in str(heard[-1])
            spoken = [e for e in heard if isinstance(e, Delta)]
            assert said(spoken) == ("word " * 40)[: len(said(spoken))]
        if engine.info is None:
            list(engine.load("a", never))
        assert _next_reply(engine).text == "word word wo"
        children.add(engine.process_id)
    last = engine.process_id
    engine.close()
    assert not any(exists(pid) for pid in children)
    assert last in children


def test_a_child_out_of_memory_is_replaced(make):
    engine = make()
    pid = engine.process_id
    if sys.platform != "linux":
        pytest.skip("the limit is set from outside by Linux alone")
    resource.prlimit(pid, resource.RLIMIT_AS, (800 << 20, 800 << 20))
    with pytest.raises(InferenceError, match="safe"):
        list(engine.generate(ask("eat"), never))
    assert serves(engine)


PARENT = """
import sys
from inference import EngineProcess
from inference.echo import EchoScript
from tests.contract import ask
engine = EngineProcess("inference.echo:EchoEngine", EchoScript(seconds_per_token=0.002))
print(engine.process_id, flush=True)
list(engine.load("a", lambda: False))
while True:
    list(engine.generate(ask("on and on " * 50, max_tokens=50), lambda: False))
"""


def test_the_child_ends_with_a_parent_that_is_killed(amount):
    for n in range(amount(50)):
        parent = subprocess.Popen(
            [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
        )
        child = int(parent.stdout.readline())
        time.sleep(random.Random(n).uniform(0, 0.4))
        parent.kill()
        parent.wait()
        parent.stdout.close()
        assert wait_until(lambda child=child: not is_alive(child), 20)


def test_the_child_ends_with_a_parent_that_ends_without_closing_it():
    program = PARENT.replace("while True:", "if True:")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert wait_until(lambda: not is_alive(int(done.stdout)), 20)
    assert done.stderr == ""


# --------------------------------------------------------------------------- crashes


def test_a_crash_ends_the_reply_with_one_sentence_and_the_next_request_works(make):
    engine = make()
    info = engine.info
    with pytest.raises(EngineLostError, match="while reading the prompt"):
        list(engine.generate(ask("crash"), never))
    assert engine.info == info
    assert serves(engine)


def test_three_crashes_in_a_row_are_enough(make):
    engine = make()
    for _ in range(3):
        with pytest.raises(EngineLostError):
            list(engine.generate(ask("crash"), never))
    with pytest.raises(InferenceError, match=r"3 times in a row with Echo.*reading the prompt"):
        list(engine.generate(ask("hello"), never))
    list(engine.load("a", never))
    assert serves(engine)


def test_a_reply_between_crashes_starts_the_count_anew(make):
    engine = make()
    for _ in range(4):
        with pytest.raises(EngineLostError):
            list(engine.generate(ask("crash"), never))
        assert serves(engine)


def test_a_model_that_crashes_at_load_is_refused_when_asked_again_and_again(make):
    engine = make(load=False)
    for _ in range(3):
        with pytest.raises(EngineLostError, match="opening the model"):
            list(engine.load("crash", never))
    list(engine.load("a", never))
    assert serves(engine)


def test_a_child_that_died_idle_is_started_again_unseen(make):
    engine = make()
    pid = engine.process_id
    os.kill(pid, signal.SIGKILL)
    assert wait_until(lambda: not exists(pid))
    assert wait_until(lambda: engine.process_id is None)
    assert serves(engine)


def test_an_engine_that_cannot_be_made_says_so(make):
    engine = EngineProcess("tests.engines:broken_factory")
    with pytest.raises(InferenceError, match="OSError"):
        list(engine.load("a", never))
    engine.close()


def test_an_interpreter_that_is_not_there_says_so():
    with pytest.raises(InferenceError, match="could not be started"):
        EngineProcess(WISHFUL, python="/no/such/python")


# --------------------------------------------------------------------------- stops


@pytest.mark.parametrize("wish", ["sleep deeply", "hold the lock"])
def test_a_stop_is_felt_while_the_child_is_deep_in_a_kernel(make, wish):
    engine = make()
    pid = engine.process_id
    start = time.monotonic()
    flag = After(1)
    events = list(engine.generate(ask(wish), flag))
    assert end_of(events).reason == "stopped"
    assert time.monotonic() - start < 5  # ten times what is wanted, and less than the kernel takes
    assert wait_until(lambda: not exists(pid))  # it did not follow, and was replaced
    assert serves(engine)


def test_replacing_a_child_after_a_stop_is_no_crash(make):
    engine = make()
    for _ in range(4):
        list(engine.generate(ask("sleep deeply"), After(1)))
    assert serves(engine)


def test_a_stop_ends_with_the_engines_own_record_where_it_follows(make):
    engine = make(EchoScript(reply="word " * 400, seconds_per_token=0.001))
    end = end_of(list(engine.generate(ask(max_tokens=10_000), After(30))))
    assert end.reason == "stopped"
    assert "".join(map(chr, end.record.answer_ids)) == end.text


def test_a_request_after_a_stop_hears_nothing_of_the_one_before(make):
    engine = make(EchoScript(seconds_per_chunk=0.4), patience=Patience(stop_seconds=0.05))
    list(engine.generate(ask("before " * 9), After(0)))
    events = list(engine.generate(ask("after"), never))
    assert said(events) == "You said: after"
    assert end_of(events).reason == "end"


def test_a_late_stop_does_not_reach_the_next_reply(make):
    engine = make()
    for n in range(20):
        list(engine.generate(ask("one"), After(n)))
        assert serves(engine)


def test_a_stop_while_the_model_is_opened_again_ends_the_reply(make):
    engine = make(EchoScript(load_seconds=1.0))
    pid = engine.process_id
    os.kill(pid, signal.SIGKILL)
    assert wait_until(lambda: engine.process_id is None)
    end = end_of(list(engine.generate(ask("hello"), After(3))))
    assert (end.reason, end.text) == ("stopped", "")
    assert serves(engine)


# --------------------------------------------------------------------------- the end


@pytest.mark.parametrize("wish", ["hello", "sleep deeply", "hold the lock"])
def test_closing_waits_for_nobody(make, wish):
    engine = make()
    pid = engine.process_id
    reply = engine.generate(ask(wish), never)
    next(reply)
    start = time.monotonic()
    engine.close()
    assert time.monotonic() - start < 10  # ten times what is wanted
    assert not exists(pid)


def test_a_reply_that_outlives_its_engine_ends(make):
    engine = make(EchoScript(reply="word " * 400, seconds_per_token=0.01))
    reply = engine.generate(ask(max_tokens=None), never)
    next(reply)
    before = open_files()
    engine.close()
    with pytest.raises(EngineLostError):
        list(reply)
    engine.close()
    assert open_files() < before


def test_an_idle_engine_is_closed_tidily(make, tmp_path):
    mark = tmp_path / "mark"
    engine = make(mark=str(mark))
    engine.close()
    assert mark.read_text() == "closed"
    engine.close()


def test_loading_and_unloading_leaves_nothing_behind(make, amount):
    engine = make()
    engine.unload()
    before = (open_files(), threading.active_count())
    for _ in range(amount(20)):
        list(engine.load("a", never))
        pid = engine.process_id
        engine.unload()
        assert not exists(pid)
        assert (open_files(), threading.active_count()) == before


def test_unloading_without_a_model_and_asking_without_one_are_plain(make):
    engine = make(load=False)
    engine.unload()
    engine.unload()
    assert set(engine.memory().values()) == {0}
    engine.keep(never)
    with pytest.raises(InferenceError, match="No model"):
        engine.count_tokens("a")


def test_a_second_request_is_refused_and_the_first_goes_on(make):
    engine = make(EchoScript(reply="word " * 20))
    first = engine.generate(ask(max_tokens=None), never)
    begun = next(first)
    with pytest.raises(EngineBusyError):
        list(engine.generate(ask("another"), never))
    with pytest.raises(EngineBusyError):
        engine.embed(["another"])
    with pytest.raises(EngineBusyError):
        list(engine.load("b", never))
    with pytest.raises(EngineBusyError):
        engine.unload()
    assert said([begun, *first]) == "word " * 20
    assert end_of(list(engine.generate(ask("another", max_tokens=1), never))).text == "word"


# --------------------------------------------------------------------------- what crosses


def test_errors_keep_their_type_and_values(make):
    engine = make()
    with pytest.raises(PromptTooLongError) as raised:
        list(engine.generate(ask("hello there", context_tokens=4), never))
    assert (raised.value.prompt_tokens, raised.value.context_tokens) == (11, 4)


def test_an_unexpected_error_becomes_one_sentence_and_its_traceback_is_logged(make, caplog):
    engine = make()
    with caplog.at_level(logging.WARNING), pytest.raises(InferenceError, match="ValueError"):
        list(engine.generate(ask("marzipan"), never))
    assert wait_until(lambda: "ValueError" in caplog.text)
    assert "in generate" in caplog.text
    assert "marzipan" not in caplog.text  # the error's own words may quote the user


def test_the_childs_log_is_the_parents(make, caplog):
    engine = make()
    with caplog.at_level(logging.WARNING):
        list(engine.generate(ask("log"), never))
        assert wait_until(lambda: "A line of 3 characters" in caplog.text)
    assert "tests.engines" in {record.name for record in caplog.records}


def test_no_message_text_reaches_the_log_even_in_a_crash(make, caplog):
    engine = make(EchoScript(reply="marzipan " * 50))
    with caplog.at_level(logging.DEBUG):
        events = engine.generate(ask("marzipan " * 30), never)
        next(events)
        os.kill(engine.process_id, signal.SIGSEGV)
        with pytest.raises(EngineLostError):
            list(events)
    assert "SIGSEGV" in caplog.text
    assert "marzipan" not in caplog.text


def test_large_things_cross_whole(make):
    text = "a long text with ümlauts " * 16_000
    engine = make(EchoScript(token_characters=50_000))
    end = end_of(list(engine.generate(ask(text, max_tokens=None), never)))
    assert end.text == f"You said: {text}"
    assert engine.embed(["a word"] * 20_000).shape == (20_000, 64)
    assert engine.count_tokens(text) == -(-len(text) // 4)


def test_a_slow_listener_slows_the_engine_down(make):
    engine = make(EchoScript(reply="x" * 5_000, token_characters=1))
    events = engine.generate(ask(max_tokens=None), never)
    next(events)
    time.sleep(0.5)
    assert engine._keeper._calls_ended == 1  # the load alone: the reply waits for us
    assert isinstance(list(events)[-1], Finished)


def test_many_threads_may_ask_while_it_speaks(make):
    engine = make(EchoScript(reply="word " * 300, seconds_per_token=0.001))
    counted: list[int] = []

    def count():
        counted.extend(engine.count_tokens("abcd" * n) - n for n in range(30))

    askers = [threading.Thread(target=count) for _ in range(4)]
    for asker in askers:
        asker.start()
    assert said(list(engine.generate(ask(max_tokens=None), never))) == "word " * 300
    for asker in askers:
        asker.join(20)
    assert counted == [0] * 120


def test_askers_are_refused_when_the_child_is_gone(make):
    engine = make()
    os.kill(engine.process_id, signal.SIGKILL)
    assert wait_until(lambda: engine.process_id is None)
    with pytest.raises(EngineLostError):
        engine.count_tokens("abc")
