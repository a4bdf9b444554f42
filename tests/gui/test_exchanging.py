"""Chats to files and back, by way of the store's thread."""

import json

import pytest

from app.chat.states import ChatState
from app.desk.exchanging import Exchanging


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
def exchanging(desk):
    return Exchanging(desk.store, desk.chat)


@pytest.mark.parametrize(
    ("name", "begin"),
    [("a.md", "# The capital"), ("a.txt", "The capital"), ("a.html", "<!doctype"), ("a.json", "{")],
)
def test_the_ending_chooses_the_form(exchanging, tmp_path, qtbot, name, begin):
    path = tmp_path / name
    with qtbot.waitSignal(exchanging.told, timeout=5_000):
        exchanging.export_open(str(path))
    assert path.read_text().startswith(begin)
    assert "You said: The capital of France?" in path.read_text()


def test_all_chats_go_out_and_come_in(exchanging, desk, tmp_path, qtbot):
    path = tmp_path / "all.json"
    with qtbot.waitSignal(exchanging.told, timeout=5_000):
        exchanging.export_all(str(path))
    with qtbot.waitSignal(exchanging.imported, timeout=5_000) as told:
        exchanging.import_file(str(path))
    desk.chat.open(told.args[0][0])
    qtbot.waitUntil(lambda: desk.chat.conversation_id == told.args[0][0], timeout=5_000)
    assert desk.texts() == ["The capital of France?", "You said: The capital of France?"]
    assert json.loads(path.read_text())["conversations"][0]["messages"][1]["run"]


def test_a_folder_takes_one_file_a_chat(exchanging, tmp_path, qtbot):
    (tmp_path / "The capital of France.md").write_text("mine")
    for _ in range(2):
        with qtbot.waitSignal(exchanging.told, timeout=5_000):
            exchanging.export_all(str(tmp_path))
    names = sorted(one.name for one in tmp_path.glob("*.md"))
    assert names == ["The capital of France 2.md", "The capital of France 3.md",
                     "The capital of France.md"]  # fmt: skip
    assert (tmp_path / "The capital of France.md").read_text() == "mine"


def test_what_cannot_be_written_or_read_is_one_sentence(exchanging, tmp_path, qtbot):
    with qtbot.waitSignal(exchanging.failed, timeout=5_000):
        exchanging.export_open(str(tmp_path / "no" / "folder.md"))
    (tmp_path / "bad.json").write_text("nonsense")
    with qtbot.waitSignal(exchanging.failed, timeout=5_000) as told:
        exchanging.import_file(str(tmp_path / "bad.json"))
    assert "bad.json is not a JSON file" in told.args[0]


def test_a_page_is_made_for_printing(exchanging, qtbot):
    with qtbot.waitSignal(exchanging.page_made, timeout=5_000) as told:
        exchanging.make_page()
    assert "<h1>The capital of France?</h1>" in told.args[0]
