"""The chat over an engine in its own process that is killed: the text stays, the next works."""

import os
import signal

import pytest

from app.chat.states import ChatState
from inference import EngineProcess
from inference.echo import EchoScript


@pytest.fixture
def desk(make_desk, qtbot):
    script = EchoScript(reply="word " * 400, seconds_per_token=0.003)
    made = make_desk(EngineProcess("inference.echo:EchoEngine", script))
    made.start()
    qtbot.waitUntil(lambda: made.chat.state is ChatState.READY, timeout=30_000)
    return made


def test_a_killed_engine_fails_one_reply_and_keeps_its_text(desk, qtbot):
    desk.chat.send("go")
    qtbot.waitUntil(lambda: len(desk.grown) > 5, timeout=20_000)
    os.kill(desk.engine.process_id, signal.SIGKILL)
    qtbot.waitUntil(lambda: desk.chat.state is ChatState.FAILED, timeout=20_000)
    failed = desk.last()
    assert failed.status == "failed"
    assert failed.text.startswith("word word")
    assert desk.chat.status.error.endswith(".")
    desk.chat.send("again")
    qtbot.waitUntil(lambda: desk.chat.state is ChatState.SPEAKING, timeout=30_000)
    desk.chat.stop()
    qtbot.waitUntil(lambda: desk.chat.state is ChatState.READY, timeout=20_000)
    assert [node.status for node in desk.chat.conversation.path()][2:] == ["complete", "stopped"]


def test_closing_while_it_writes_leaves_no_process(desk, qtbot):
    desk.chat.send("go")
    qtbot.waitUntil(lambda: len(desk.grown) > 5, timeout=20_000)
    child = desk.engine.process_id
    assert desk.close()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
