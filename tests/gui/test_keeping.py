"""Killed at any moment, nothing sent or said a second ago is lost; and little is written."""

import os
import signal
import subprocess
import sys
import time

import pytest

from app.chat.states import ChatState
from app.store.store import Store

CHILD = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QTimer
from app.chat.chat import Chat
from app.settings import Settings
from app.store.thread import StoreThread
from app.worker import Worker
from inference import EchoEngine
from inference.echo import EchoScript

app = QCoreApplication([])
store = StoreThread(Path(sys.argv[1]))
script = EchoScript(reply="word " * 100_000, seconds_per_token=0.002)
worker = Worker(lambda: EchoEngine(script))
chat = Chat(store, worker, Settings())
store.start()
worker.start()
chat.load_model("echo")

def send():
    chat.send(sys.argv[2])
    print("sent", flush=True)

store.opened.connect(lambda _: QTimer.singleShot(0, send))
app.exec()
"""


def start(path, text):
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path), text], stdout=subprocess.PIPE, text=True
    )


def texts_after_the_kill(path):
    store = Store(path)
    assert store.notice == ""
    store.recover()
    (row,) = store.conversations.all()
    found = [(node.role, node.text, node.status) for node in store.messages.tree(row.id)]
    store.close()
    return found


def test_a_prompt_is_there_after_a_kill_100_ms_after_send(tmp_path, amount):
    for n in range(amount(20)):
        path = tmp_path / f"{n}.sqlite3"
        with start(path, f"prompt {n}") as child:
            assert child.stdout.readline() == "sent\n"
            time.sleep(0.1)
            os.kill(child.pid, signal.SIGKILL)
        found = texts_after_the_kill(path)
        assert found[0] == ("user", f"prompt {n}", "complete")


def test_what_was_said_until_a_second_ago_is_there_after_a_kill(tmp_path):
    path = tmp_path / "chats.sqlite3"
    with start(path, "go") as child:
        assert child.stdout.readline() == "sent\n"
        time.sleep(2.5)
        os.kill(child.pid, signal.SIGKILL)
    _, (role, text, status) = texts_after_the_kill(path)
    assert (role, status) == ("assistant", "interrupted")
    assert text
    assert ("word " * 100_000).startswith(text)


def written_bytes():
    with open("/proc/self/io") as file:  # noqa: PTH123
        return next(int(line.split()[1]) for line in file if line.startswith("wchar"))


@pytest.mark.skipif(sys.platform != "linux", reason="counts by /proc")
def test_a_long_answer_writes_less_than_a_megabyte(make_desk, qtbot):
    desk = make_desk(reply="The quick fox. " * 534, seconds_per_token=0.001)
    desk.start()
    qtbot.waitUntil(lambda: desk.chat.state is ChatState.READY, timeout=5_000)
    before = written_bytes()
    desk.chat.send("go")
    qtbot.waitUntil(
        lambda: desk.chat.state is ChatState.READY and len(desk.texts()) == 2, timeout=30_000
    )
    assert desk.last().note.generated_tokens >= 2_000
    desk.close()
    assert written_bytes() - before < 1_000_000
