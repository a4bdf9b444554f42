"""The worker on the echo engine: the contract of the seam, priorities, yielding, closing."""

import threading

import pytest
from PySide6.QtCore import QObject, QThread, Slot

from app.work import (
    Embed,
    Ended,
    Failed,
    Forget,
    Generate,
    GenerateMany,
    Keep,
    Lens,
    Load,
    MeasureMemory,
    Priority,
    Render,
    ScoreText,
    Unload,
    Yielded,
)
from app.worker import Worker
from inference import (
    ChatPrompt,
    Delta,
    EchoEngine,
    Finished,
    GenerationRequest,
    Loaded,
    Message,
    Prefilling,
    RawPrompt,
)
from inference.echo import EchoScript


class Ear(QObject):
    """Hears everything, on the GUI thread."""

    def __init__(self, worker):
        super().__init__()
        self.heard = []
        self.threads = set()
        worker.happened.connect(self.on_happened)

    @Slot(int, object)
    def on_happened(self, ticket_id, event):
        self.threads.add(QThread.currentThread())
        self.heard.append((ticket_id, event))

    def of(self, ticket):
        return [event for ticket_id, event in self.heard if ticket_id == ticket.id]

    def ended(self, *tickets):
        return all(any(isinstance(e, Ended) for e in self.of(ticket)) for ticket in tickets)

    def order(self):
        return [i for i, event in self.heard if isinstance(event, Ended)]


class Bench:
    def __init__(self, qtbot, engine):
        self.engine = engine
        self.worker = Worker(lambda: engine)
        self.ear = Ear(self.worker)
        self._qtbot = qtbot

    def submit(self, work, priority=Priority.CHAT, conversation=0):
        return self.worker.submit(work, priority, conversation)

    def wait(self, *tickets):
        self._qtbot.waitUntil(lambda: self.ear.ended(*tickets), timeout=10_000)


@pytest.fixture
def make_bench(qtbot):
    benches = []

    def make(engine=None, **script):
        bench = Bench(qtbot, engine or EchoEngine(EchoScript(**script)))
        benches.append(bench)
        bench.worker.start()
        return bench

    yield make
    for bench in benches:
        assert bench.worker.close()


@pytest.fixture
def bench(make_bench):
    return make_bench()


def ask(text="hello", **more):
    return Generate(GenerationRequest(ChatPrompt((Message("user", text),)), **more), "echo")


def test_a_request_ends_exactly_once(bench):
    ticket = bench.submit(ask())
    bench.wait(ticket)
    events = bench.ear.of(ticket)
    kinds = [type(event) for event in events]
    assert kinds.count(Finished) == 1
    assert kinds[-2:] == [Finished, Ended]
    assert kinds.index(Loaded) < kinds.index(Prefilling) < kinds.index(Delta)


def test_the_reply_is_the_deltas_joined(bench):
    ticket = bench.submit(ask())
    bench.wait(ticket)
    events = bench.ear.of(ticket)
    deltas = [event.text for event in events if isinstance(event, Delta)]
    assert all(deltas)
    assert "".join(deltas) == events[-2].text


def test_reading_only_grows_and_reuse_is_constant(make_bench):
    bench = make_bench(seconds_per_chunk=0.001)
    ticket = bench.submit(ask("word " * 200))
    bench.wait(ticket)
    read = [event for event in bench.ear.of(ticket) if isinstance(event, Prefilling)]
    assert [event.done for event in read] == sorted(event.done for event in read)
    assert len({event.reused for event in read}) == 1


def test_a_stop_is_a_normal_end_and_the_next_request_is_served(make_bench, qtbot):
    bench = make_bench(reply="word " * 500, seconds_per_token=0.002)
    first = bench.submit(ask())
    qtbot.waitUntil(lambda: any(isinstance(e, Delta) for e in bench.ear.of(first)), timeout=5_000)
    first.stop()
    second = bench.submit(ask(max_tokens=2))
    bench.wait(first, second)
    assert bench.ear.of(first)[-2].reason == "stopped"
    assert bench.ear.of(second)[-2].reason == "length"


def test_an_error_ends_one_request_alone(make_bench):
    bench = make_bench(fail_after_tokens=1)
    first = bench.submit(ask())
    bench.wait(first)
    failed = bench.ear.of(first)[-2]
    assert failed == Failed("The echo was told to fail; its text so far is kept.", "InferenceError")
    bench.engine.script = EchoScript()
    second = bench.submit(ask())
    bench.wait(second)
    assert isinstance(bench.ear.of(second)[-2], Finished)


class Broken(EchoEngine):
    """Fails in a way that nobody foresaw."""

    def render(self, prompt):
        raise ZeroDivisionError("secret text")


def test_an_unforeseen_error_is_one_sentence_and_the_thread_lives(make_bench, caplog):
    bench = make_bench(Broken())
    first = bench.submit(Render(RawPrompt("x")))
    second = bench.submit(ask())
    bench.wait(first, second)
    failed = bench.ear.of(first)[0]
    assert failed.kind == "ZeroDivisionError"
    assert "secret" not in failed.message
    assert "ZeroDivisionError" in caplog.text
    assert "in render" in caplog.text
    assert "secret" not in caplog.text.replace('ZeroDivisionError("secret text")', "")
    assert isinstance(bench.ear.of(second)[-2], Finished)


def test_without_a_model_a_request_is_one_sentence(bench):
    ticket = bench.submit(Generate(GenerationRequest(RawPrompt("x"))))
    bench.wait(ticket)
    assert "choose one first" in bench.ear.of(ticket)[0].message


def test_everything_is_heard_on_the_gui_thread(bench):
    bench.wait(bench.submit(ask()))
    assert bench.ear.threads == {QThread.currentThread()}


def test_the_engine_is_made_on_the_inference_thread(qtbot):
    made = []

    def make():
        made.append(threading.current_thread())
        return EchoEngine()

    worker = Worker(make)
    ear = Ear(worker)
    worker.start()
    ticket = worker.submit(ask(), Priority.CHAT)
    qtbot.waitUntil(lambda: ear.ended(ticket), timeout=5_000)
    assert worker.close()
    assert len(made) == 1
    assert made[0] is not threading.current_thread()


def test_the_open_chat_is_served_first(make_bench, qtbot):
    bench = make_bench(seconds_per_token=0.01)
    bench.worker.set_open_conversation(7)
    running = bench.submit(ask("running"), conversation=1)
    qtbot.waitUntil(lambda: bool(bench.ear.of(running)), timeout=5_000)
    idle = bench.submit(ask("idle"), Priority.IDLE)
    lab = bench.submit(ask("lab"), Priority.LAB)
    other = bench.submit(ask("other"), conversation=2)
    opened = bench.submit(ask("open"), conversation=7)
    bench.wait(running, idle, lab, other, opened)
    assert bench.ear.order() == [t.id for t in (running, opened, other, lab, idle)]


def test_idle_work_makes_room_and_is_done_later(make_bench, qtbot):
    bench = make_bench(seconds_per_token=0.01)
    idle = bench.submit(ask("idle " * 20), Priority.IDLE)
    qtbot.waitUntil(lambda: any(isinstance(e, Delta) for e in bench.ear.of(idle)), timeout=5_000)
    chat = bench.submit(ask("chat"))
    bench.wait(idle, chat)
    assert bench.ear.order() == [chat.id, idle.id]
    kinds = [type(event) for event in bench.ear.of(idle)]
    assert Yielded in kinds
    assert bench.ear.of(idle)[-2].text == "You said: " + "idle " * 20
    assert bench.ear.of(idle)[-2].reason == "end"


def test_work_stopped_while_it_waits_never_reaches_the_engine(make_bench):
    bench = make_bench(seconds_per_token=0.01)
    first, second = bench.submit(ask()), bench.submit(ask())
    second.stop()
    bench.wait(first, second)
    assert bench.ear.of(second) == [Ended(started=False)]


def test_every_verb_gives_its_answer(bench):
    load = bench.submit(Load("echo"))
    works = [
        ScoreText(RawPrompt("a"), "bc"),
        Embed(("a", "b")),
        Render(RawPrompt("ab")),
        Lens((97, 98), (0,)),
        MeasureMemory(),
        Keep(),
        Forget(""),
        Unload(),
    ]
    tickets = [bench.submit(work) for work in works]
    bench.wait(load, *tickets)
    events = [bench.ear.of(ticket) for ticket in tickets]
    assert events[0][0].total_logprob == -2
    assert events[1][0].shape == (2, 64)
    assert [token.text for token in events[2][0]] == ["a", "b"]
    assert len(events[3]) == 5
    assert "weights" in events[4][0]
    assert all(one == [Ended(started=True)] for one in events[5:])


def test_a_batch_tells_which_reply_each_event_belongs_to(bench):
    requests = tuple(GenerationRequest(RawPrompt(text)) for text in ("one", "two"))
    stops = (threading.Event(), threading.Event())
    stops[1].set()
    ticket = bench.submit(GenerateMany(requests, stops, "echo"))
    bench.wait(ticket)
    ends = dict(
        event
        for event in bench.ear.of(ticket)
        if isinstance(event, tuple) and isinstance(event[1], Finished)
    )
    assert (ends[0].text, ends[0].reason) == ("one", "end")
    assert ends[1].reason == "stopped"


def test_closing_twice_or_before_the_start_is_harmless(qtbot):
    worker = Worker(EchoEngine)
    assert worker.close()
    worker.start()
    worker.submit(ask(), Priority.CHAT)
    assert worker.close()
    assert worker.close()
    worker.submit(ask(), Priority.CHAT)


def test_quitting_at_any_moment_ends_cleanly(make_bench, amount, qtbot):
    for moment in range(amount(50)):
        engine = EchoEngine(
            EchoScript(reply="word " * 100, seconds_per_token=0.001, load_seconds=0.02)
        )
        bench = make_bench(engine)
        bench.submit(ask("word " * 50))
        bench.submit(ask(), Priority.IDLE)
        qtbot.wait(moment * 3 % 50)
        assert bench.worker.close(5_000)
