"""What goes on beside the chat: titles, vectors, token counts; none of it in a person's way."""

import pytest

from app.chat.attachments import text_attachment
from app.chat.counting import TokenCounter
from app.chat.meaning import MeaningIndex
from app.chat.states import ChatState
from app.chat.titles import Titler
from inference.echo import EchoScript


@pytest.fixture
def desk(make_desk):
    made = make_desk()
    made.start()
    return made


def answered(desk, qtbot, text, n_messages=2):
    desk.chat.send(text)
    qtbot.waitUntil(
        lambda: (
            desk.chat.state is ChatState.READY and len(desk.chat.conversation.path()) >= n_messages
        ),
        timeout=10_000,
    )


def test_the_model_names_a_chat_when_nobody_did(desk, qtbot):
    answered(desk, qtbot, "How do boats sail?")
    titler = Titler(desk.store, desk.worker)
    titler.on_model_changed(desk.chat.model)
    desk.chat.writing_changed.connect(titler.on_writing_changed)
    desk.engine.script = EchoScript(reply="“Sailing boats”\nand more")
    with qtbot.waitSignal(titler.titled, timeout=10_000):
        desk.chat.writing_changed.emit(desk.chat.conversation_id, False)
    row = desk.store.wait(lambda s: s.conversations.all())[0]
    assert (row.title, row.title_by) == ("Sailing boats", "model")


def test_a_chat_with_the_users_title_is_left_alone(desk, qtbot):
    titler = Titler(desk.store, desk.worker)
    answered(desk, qtbot, "How do boats sail?")
    chat = desk.chat.conversation_id
    desk.store.wait(lambda s: s.conversations.rename(chat, "Mine"))
    titler.on_model_changed(desk.chat.model)
    titler.on_writing_changed(chat, False)
    desk.store.wait(lambda s: None)
    answered(desk, qtbot, "And ships?", 4)
    assert desk.store.wait(lambda s: s.conversations.get(chat)).title == "Mine"


def test_messages_are_embedded_in_idle_time_and_found_by_meaning(desk, qtbot):
    answered(desk, qtbot, "cats purr softly")
    answered(desk, qtbot, "stars shine brightly", 4)
    index = MeaningIndex(desk.store, desk.worker)
    index.on_model_changed(desk.chat.model)
    with qtbot.waitSignal(index.progressed, timeout=10_000):
        index.set_enabled(True)
    found = []
    index.find("shine brightly", found.append)
    qtbot.waitUntil(lambda: bool(found), timeout=5_000)
    assert found[0][0].snippet == "stars shine brightly"
    index.set_enabled(False)
    assert desk.store.wait(lambda s: s.sizes())["embedding"] == 0
    index.find("shine", found.append)
    assert found[-1] == ()


@pytest.fixture
def counter(desk, qtbot):
    made = TokenCounter()
    answered(desk, qtbot, "hello")
    made.set_engine(desk.engine)
    yield made
    made.close()


def test_the_newest_text_is_counted(counter, qtbot):
    counts = []
    counter.counted.connect(counts.append)
    for n in range(200):
        counter.count("x" * n)
    qtbot.waitUntil(lambda: bool(counts), timeout=5_000)
    assert counts == [50]


def test_each_message_of_the_path_is_counted(counter, desk, qtbot):
    with qtbot.waitSignal(counter.path_counted, timeout=5_000) as told:
        counter.count_path(desk.chat.conversation.path())
    assert sorted(told.args[0].values()) == [2, 4]


def test_an_attachment_is_read_counted_and_cut(counter, tmp_path, qtbot):
    path = tmp_path / "a.txt"
    path.write_text("word " * 1_000)
    with qtbot.waitSignal(counter.attached, timeout=5_000) as told:
        counter.attach(path, 100)
    assert told.args[0].cut
    assert told.args[0].n_tokens <= 100
    with qtbot.waitSignal(counter.attached, timeout=5_000) as told:
        counter.attach_text(text_attachment("paste"), 100)
    assert told.args[0].n_tokens == 2


def test_a_picture_is_refused_in_one_sentence(counter, tmp_path, qtbot):
    path = tmp_path / "a.png"
    path.write_bytes(b"\x89PNG")
    with qtbot.waitSignal(counter.refused, timeout=5_000) as told:
        counter.attach(path, 100)
    assert "reads text only" in told.args[0]
