"""The window lives, whatever the engine's process does."""

from __future__ import annotations

import os
import random
import signal
import time

import pytest
from PySide6.QtCore import QTimer

from app.chat.states import ChatState
from app.worker import Worker
from inference import EngineProcess, Patience
from inference.echo import EchoScript
from tests.gui.conftest import LONG, Desk
from tests.processes import exists, wait_until

WAIT_MS = 30_000
SCRIPT = EchoScript(reply=LONG, seconds_per_token=0.003, seconds_per_chunk=0.003, load_seconds=0.02)


class ProcessDesk(Desk):
    """A chat whose engine is a process; the last one made is `process`."""

    def __init__(self, path):
        super().__init__(path, SCRIPT)
        self.processes = []
        self.worker = Worker(self.make_engine)
        self.chat = type(self.chat)(self.store, self.worker, self.chat_settings())
        self.chat.state_changed.connect(self.on_state)
        self.chat.grew.connect(self.on_grew)
        self.longest_gap = 0.0
        self._before = time.perf_counter()
        self._ticker = QTimer(interval=4)
        self._ticker.timeout.connect(self.on_tick)
        self._ticker.start()

    @staticmethod
    def chat_settings():
        from app.settings import Settings

        return Settings(automatic_titles=False)

    def make_engine(self):
        patience = Patience(follow_seconds=0.5, silence_seconds=3.0)
        engine = EngineProcess("inference.echo:EchoEngine", SCRIPT, patience=patience)
        self.processes.append(engine)
        return engine

    def on_tick(self):
        now = time.perf_counter()
        self.longest_gap = max(self.longest_gap, now - self._before)
        self._before = now

    @property
    def child(self):
        return self.processes[-1].process_id if self.processes else None


@pytest.fixture
def desk(tmp_path, qtbot):
    desk = ProcessDesk(tmp_path / "chats.sqlite3")
    yield desk
    desk._ticker.stop()
    child = desk.child
    assert desk.close()
    assert child is None or not exists(child)


def ready(qtbot, desk):
    qtbot.waitUntil(lambda: desk.chat.state is ChatState.READY, timeout=WAIT_MS)


def test_a_reply_comes_from_the_process_and_is_complete(desk, qtbot):
    desk.start()
    ready(qtbot, desk)
    desk.chat.send("hello")
    qtbot.waitUntil(lambda: desk.chat.state is ChatState.SPEAKING, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: desk.last().status == "complete", timeout=WAIT_MS)
    assert desk.last().text == LONG


def test_a_crash_keeps_the_text_so_far_and_the_next_message_works(desk, qtbot):
    desk.start()
    ready(qtbot, desk)
    desk.chat.send("hello")
    qtbot.waitUntil(lambda: len(desk.grown) >= 5, timeout=WAIT_MS)
    os.kill(desk.child, signal.SIGSEGV)
    qtbot.waitUntil(lambda: not desk.chat.state.busy, timeout=WAIT_MS)
    lost = desk.last()
    assert lost.text
    assert LONG.startswith(lost.text)
    assert lost.status not in ("complete", "streaming")
    assert "safe" in desk.chat.status.error
    desk.chat.send("again")
    qtbot.waitUntil(lambda: desk.last().text == LONG, timeout=WAIT_MS)
    assert desk.texts()[1] == lost.text


def test_a_hanging_process_is_stopped_and_replaced(desk, qtbot):
    desk.start()
    ready(qtbot, desk)
    desk.chat.send("hello")
    qtbot.waitUntil(lambda: len(desk.grown) >= 5, timeout=WAIT_MS)
    hung = desk.child
    os.kill(hung, signal.SIGSTOP)
    desk.chat.stop()
    qtbot.waitUntil(lambda: not desk.chat.state.busy, timeout=5_000)
    assert desk.last().status == "stopped"
    assert wait_until(lambda: not exists(hung))
    desk.chat.send("again")
    qtbot.waitUntil(lambda: desk.last().text == LONG, timeout=WAIT_MS)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSEGV, signal.SIGSTOP])
def test_the_window_never_waits_for_a_process_that_dies(desk, qtbot, amount, how):
    desk.start()
    ready(qtbot, desk)
    for n in range(amount(10)):
        child = desk.child
        desk.chat.send("hello " * 40)
        qtbot.wait(random.Random(n).randint(0, 120))
        if child is not None and exists(child):
            os.kill(child, how)
        qtbot.waitUntil(lambda: not desk.chat.state.busy, timeout=WAIT_MS)
        desk.chat.send("again")
        qtbot.waitUntil(lambda: desk.last().text == LONG, timeout=WAIT_MS)
    assert desk.longest_gap < 2.0  # far more than is wanted, on a machine that may be busy


def test_quitting_while_the_process_hangs_takes_no_time(desk, qtbot):
    desk.start()
    ready(qtbot, desk)
    desk.chat.send("hello")
    qtbot.waitUntil(lambda: len(desk.grown) >= 3, timeout=WAIT_MS)
    child = desk.child
    os.kill(child, signal.SIGSTOP)
    start = time.monotonic()
    assert desk.close()
    assert time.monotonic() - start < 10  # ten times what is wanted
    assert not exists(child)
