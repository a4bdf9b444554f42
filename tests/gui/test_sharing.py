"""Chats to files and back, by way of the store's thread."""

import json

import pytest

from app.chat.states import ChatState
from app.desk.sharing import Sharing


@pytest.fixture
def desk(make_desk, qtbot):
    made = make_desk()
    made.start()
    made.chat.send("The capital of France?")
    qtbot.waitUntil(
        lambda: made.chat.state is ChatState.READY and len(made.texts()) == 2, timeout=5_000
    )
    return made


@pytest.fixture
def sharing(desk):
    return Sharing(desk.store, desk.chat)


@pytest.mark.parametrize(
    ("name", "begin"),
    [("a.md", "# The capital"), ("a.txt", "The capital"), ("a.html", "<!doctype"), ("a.json", "{")],
)
def test_the_ending_chooses_the_form(sharing, desk, tmp_path, qtbot, name, begin):
    path = tmp_path / name
    with qtbot.waitSignal(sharing.done, timeout=5_000):
        sharing.export(desk.chat.conversation_id, path)
    assert path.read_text().startswith(begin)
    assert "You said: The capital of France?" in path.read_text()


def test_all_chats_go_out_and_come_in(sharing, desk, tmp_path, qtbot):
    path = tmp_path / "all.json"
    with qtbot.waitSignal(sharing.done, timeout=5_000):
        sharing.export(0, path)
    with qtbot.waitSignal(sharing.imported, timeout=5_000):
        sharing.take_in([path])
    new = desk.store.wait(lambda s: max(row.id for row in s.conversations.all()))
    desk.chat.open(new)
    qtbot.waitUntil(lambda: desk.chat.conversation_id == new, timeout=5_000)
    assert desk.texts() == ["The capital of France?", "You said: The capital of France?"]
    assert json.loads(path.read_text())["conversations"][0]["messages"][1]["run"]


def test_what_cannot_be_written_or_read_is_one_sentence(sharing, desk, tmp_path, qtbot):
    with qtbot.waitSignal(sharing.failed, timeout=5_000):
        sharing.export(desk.chat.conversation_id, tmp_path / "no" / "folder.md")
    (tmp_path / "bad.json").write_text("nonsense")
    with qtbot.waitSignal(sharing.failed, timeout=5_000) as told:
        sharing.take_in([tmp_path / "bad.json"])
    assert "bad.json is not a JSON file" in told.args[0]


def test_a_pdf_is_made_of_a_page(sharing, desk, tmp_path, qtbot):
    with qtbot.waitSignal(sharing.page_made, timeout=5_000) as told:
        sharing.export(desk.chat.conversation_id, tmp_path / "a.pdf")
    assert "<h1>The capital of France?</h1>" in told.args[0]
