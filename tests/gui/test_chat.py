"""The chat on the echo engine: states, stops, queues, versions, and nothing lost."""

import random
import time

import pytest
from PySide6.QtCore import QThread

from app.chat.states import ChatState
from app.store.store import Store
from inference.echo import EchoScript

LONG = "The quick brown fox jumps over the lazy dog. " * 40


def wait_for(qtbot, desk, state, n_messages=0):
    qtbot.waitUntil(
        lambda: desk.chat.state is state and len(desk.chat.conversation.path()) >= n_messages,
        timeout=10_000,
    )


def reopened(desk):
    """Everything that is kept, read by a fresh store."""
    desk.close()
    store = Store(desk.path)
    store.recover()
    rows = store.conversations.all()
    trees = [store.messages.tree(row.id) for row in rows]
    store.close()
    return [[(node.role, node.text, node.status) for node in tree] for tree in trees]


def test_a_send_is_answered_and_kept(desk, qtbot):
    desk.chat.send("hello")
    wait_for(qtbot, desk, ChatState.READY, 2)
    assert desk.texts() == ["hello", "You said: hello"]
    assert "".join(desk.grown) == "You said: hello"
    assert reopened(desk) == [
        [("user", "hello", "complete"), ("assistant", "You said: hello", "complete")]
    ]


def test_the_states_follow_each_other(make_desk, qtbot):
    desk = make_desk(seconds_per_chunk=0.02, seconds_per_token=0.01, load_seconds=0.05)
    desk.start()
    wait_for(qtbot, desk, ChatState.READY)
    desk.chat.send("hello")
    wait_for(qtbot, desk, ChatState.READY, 2)
    assert desk.states == [
        ChatState.LOADING,
        ChatState.READY,
        ChatState.WAITING,
        ChatState.READING,
        ChatState.SPEAKING,
        ChatState.READY,
    ]


def test_every_slot_runs_on_the_gui_thread(desk, qtbot):
    desk.chat.send("hello")
    wait_for(qtbot, desk, ChatState.READY, 2)
    assert desk.threads == {QThread.currentThread()}


def test_stop_keeps_what_was_said_and_says_so(slow, qtbot):
    slow.chat.send("go")
    qtbot.waitUntil(lambda: len(slow.grown) >= 5, timeout=5_000)
    slow.chat.stop()
    wait_for(qtbot, slow, ChatState.READY, 2)
    said = slow.last()
    assert said.status == "stopped"
    assert said.note.reason == "stopped"
    assert said.text
    assert LONG.startswith(said.text)
    assert len(said.text) < len(LONG)


def test_a_late_stop_does_not_reach_the_next_reply(desk, qtbot):
    desk.chat.send("one")
    wait_for(qtbot, desk, ChatState.READY, 2)
    desk.chat.stop()
    desk.chat.send("two")
    wait_for(qtbot, desk, ChatState.READY, 4)
    assert desk.last().text == "You said: two"
    assert desk.last().status == "complete"


def test_stop_while_reading_takes_the_empty_reply_back(make_desk, qtbot):
    desk = make_desk(seconds_per_chunk=0.02)
    desk.start()
    desk.chat.send("word " * 2_000)
    wait_for(qtbot, desk, ChatState.READING)
    desk.chat.stop()
    wait_for(qtbot, desk, ChatState.READY)
    assert [node.role for node in desk.chat.conversation.path()] == ["user"]
    desk.chat.regenerate(desk.last().id)
    wait_for(qtbot, desk, ChatState.READING)


def test_sends_while_writing_are_answered_one_after_another(make_desk, qtbot):
    desk = make_desk(seconds_per_token=0.005)
    desk.start()
    for word in ("one", "two", "three"):
        desk.chat.send(word)
    wait_for(qtbot, desk, ChatState.READY, 6)
    assert desk.texts()[::2] == ["one", "two", "three"]
    assert desk.texts()[1::2] == ["You said: one", "You said: two", "You said: three"]


def test_stop_twice_gives_the_waiting_sends_back(slow, qtbot):
    slow.chat.send("one")
    wait_for(qtbot, slow, ChatState.SPEAKING)
    slow.chat.send("two")
    slow.chat.send("three")
    qtbot.waitUntil(lambda: len(slow.chat.waiting) == 2, timeout=5_000)
    slow.chat.stop()
    slow.chat.stop()
    wait_for(qtbot, slow, ChatState.READY, 2)
    assert slow.returned == ["two\n\nthree"]
    assert slow.texts()[0] == "one"
    assert len(slow.texts()) == 2


def test_regenerate_keeps_both_versions(desk, qtbot):
    desk.chat.send("hello")
    wait_for(qtbot, desk, ChatState.READY, 2)
    first = desk.last().id
    desk.chat.regenerate(first)
    qtbot.waitUntil(
        lambda: desk.chat.state is ChatState.READY and desk.last().id != first, timeout=5_000
    )
    assert desk.chat.conversation.version(desk.last().id) == (2, 2)
    desk.chat.show_version(desk.last().id, -1)
    assert desk.last().id == first


def test_an_edit_starts_a_branch_and_the_old_one_stays(desk, qtbot):
    desk.chat.send("one")
    wait_for(qtbot, desk, ChatState.READY, 2)
    desk.chat.send("two")
    wait_for(qtbot, desk, ChatState.READY, 4)
    first = desk.chat.conversation.path()[0]
    desk.chat.edit(first.id, "uno")
    qtbot.waitUntil(
        lambda: desk.chat.state is ChatState.READY and desk.texts()[0] == "uno", timeout=5_000
    )
    assert desk.texts() == ["uno", "You said: uno"]
    desk.chat.show_version(desk.chat.conversation.path()[0].id, -1)
    assert desk.texts() == ["one", "You said: one", "two", "You said: two"]


def test_continue_begins_with_the_text_that_was_there(slow, qtbot):
    slow.chat.send("go")
    qtbot.waitUntil(lambda: len(slow.grown) >= 5, timeout=5_000)
    slow.chat.stop()
    wait_for(qtbot, slow, ChatState.READY, 2)
    before = slow.last()
    slow.chat.go_on(before.id)
    wait_for(qtbot, slow, ChatState.SPEAKING)
    slow.chat.stop()
    wait_for(qtbot, slow, ChatState.READY, 2)
    after = slow.last()
    assert after.id != before.id
    assert after.text.startswith(before.text)
    assert after.note.prefix_characters == len(before.text)


def test_an_error_keeps_the_text_and_the_next_send_works(make_desk, qtbot):
    desk = make_desk(fail_after_tokens=2)
    desk.start()
    desk.chat.send("hello")
    wait_for(qtbot, desk, ChatState.FAILED, 2)
    assert desk.last().status == "failed"
    assert desk.last().text == "You said"
    assert "told to fail" in desk.chat.status.error
    desk.engine.script = EchoScript()
    desk.chat.send("again")
    wait_for(qtbot, desk, ChatState.READY, 4)
    assert desk.last().text == "You said: again"


def test_a_send_without_a_model_waits_for_one(make_desk, qtbot):
    desk = make_desk()
    desk.start(source="")
    assert desk.chat.state is ChatState.NO_MODEL
    desk.chat.send("hello")
    qtbot.waitUntil(lambda: len(desk.chat.waiting) == 1, timeout=5_000)
    desk.chat.load_model("echo")
    wait_for(qtbot, desk, ChatState.READY, 2)
    assert desk.texts() == ["hello", "You said: hello"]


def test_a_reply_goes_on_while_another_chat_is_open(slow, qtbot):
    slow.chat.send("go")
    wait_for(qtbot, slow, ChatState.SPEAKING)
    first = slow.chat.conversation_id
    slow.chat.open_new()
    assert slow.chat.state is ChatState.READY
    assert slow.chat.replies.conversations() == {first}
    slow.chat.open(first)
    wait_for(qtbot, slow, ChatState.SPEAKING, 2)
    shown = slow.last()
    assert shown.text
    assert LONG.startswith(shown.text)


def test_a_send_in_one_chat_waits_for_another(slow, qtbot):
    slow.chat.send("go")
    wait_for(qtbot, slow, ChatState.SPEAKING)
    slow.chat.open_new()
    slow.chat.send("me too")
    wait_for(qtbot, slow, ChatState.WAITING, 2)
    slow.chat.replies.stop_all()


def test_a_temporary_chat_leaves_no_trace(desk, qtbot):
    desk.chat.open_new(temporary=True)
    desk.chat.send("a secret word")
    wait_for(qtbot, desk, ChatState.READY, 2)
    assert desk.last().text == "You said: a secret word"
    assert reopened(desk) == []
    for file in desk.path.parent.iterdir():
        assert b"secret" not in file.read_bytes()


def test_deleting_a_message_can_be_undone(desk, qtbot):
    desk.chat.send("hello")
    wait_for(qtbot, desk, ChatState.READY, 2)
    reply = desk.last().id
    desk.chat.delete(reply)
    assert desk.texts() == ["hello"]
    desk.chat.undelete(reply)
    qtbot.waitUntil(lambda: len(desk.texts()) == 2, timeout=5_000)


@pytest.mark.parametrize("state", [ChatState.READING, ChatState.SPEAKING])
def test_closing_in_any_state_ends_the_threads_and_keeps_the_text(make_desk, qtbot, state):
    desk = make_desk(reply=LONG, seconds_per_token=0.005, seconds_per_chunk=0.005)
    desk.start()
    desk.chat.send("word " * 500)
    wait_for(qtbot, desk, state)
    assert desk.close()
    (kept,) = reopened(desk)
    assert kept[0] == ("user", "word " * 500, "complete")
    if state is ChatState.SPEAKING:
        assert kept[1][1]
        assert kept[1][2] == "stopped"


def test_what_was_sent_while_the_model_loads_is_in_the_composer_after_closing(make_desk, qtbot):
    desk = make_desk(load_seconds=0.3)
    desk.start()
    desk.chat.send("an early word")
    wait_for(qtbot, desk, ChatState.LOADING)
    assert desk.close()
    store = Store(desk.path)
    store.recover()
    (row,) = store.conversations.all()
    assert store.conversations.open(row.id).draft == "an early word"
    store.close()


def test_closing_again_does_nothing(desk):
    assert desk.close()
    assert desk.close()


def test_no_word_of_a_chat_is_logged(desk, qtbot, caplog, tmp_path):
    caplog.set_level("DEBUG")
    desk.chat.send("a xylophone, " * 20)
    wait_for(qtbot, desk, ChatState.READY, 2)
    desk.engine.script = EchoScript(fail_after_tokens=1)
    desk.chat.send("xylophone again")
    wait_for(qtbot, desk, ChatState.FAILED, 4)
    assert "xylophone" not in caplog.text


def test_stopping_while_a_long_prompt_is_read_is_quick(make_desk, qtbot):
    desk = make_desk(seconds_per_chunk=0.02)
    desk.start()
    desk.chat.send("word " * 6_000)
    wait_for(qtbot, desk, ChatState.READING)
    begun = time.monotonic()
    desk.chat.stop()
    wait_for(qtbot, desk, ChatState.READY)
    assert time.monotonic() - begun < 3.0
    assert len(desk.chat.conversation.path()) == 1


def test_quitting_at_random_moments_loses_nothing(make_desk, qtbot, amount):
    draw = random.Random(7)
    sent = [f"message {n}" for n in range(amount(20))]
    for text in sent:
        desk = make_desk(reply=LONG, seconds_per_token=0.002, seconds_per_chunk=0.002)
        desk.start()
        desk.chat.send(text)
        qtbot.wait(draw.randrange(150))
        assert desk.close()
    store = Store(desk.path)
    store.recover()
    opened = [store.conversations.open(row.id) for row in store.conversations.all()]
    kept = {one.draft for one in opened} | {node.text for one in opened for node in one.nodes}
    assert set(sent) <= kept
    store.close()


def test_renaming_one_chat_while_another_is_written_keeps_both(slow, qtbot):
    slow.chat.send("other")
    wait_for(qtbot, slow, ChatState.SPEAKING)
    other = slow.chat.conversation_id
    slow.chat.open_new()
    for n in range(20):
        slow.store.ask(lambda s, n=n: s.conversations.rename(other, f"title {n}"))
        slow.chat.replies.save()
    qtbot.waitUntil(lambda: slow.store.wait(lambda s: s.db.in_transaction) is False, timeout=5_000)
    slow.chat.replies.stop_all()
    qtbot.waitUntil(lambda: not slow.chat.replies.conversations(), timeout=5_000)
    opened = slow.store.wait(lambda s: s.conversations.open(other))
    assert opened.row.title == "title 19"
    assert LONG.startswith(opened.nodes[-1].text)


def test_a_first_message_is_sent_though_another_chat_is_opened_at_once(desk, qtbot):
    desk.chat.send("one")
    desk.chat.open_new()
    desk.chat.send("two")
    desk.chat.open_new(temporary=True)
    qtbot.waitUntil(
        lambda: (
            desk.store.wait(lambda s: s.sizes())["message"] == 4
            and not desk.chat.replies.conversations()
        ),
        timeout=10_000,
    )
    assert desk.chat.conversation_id == 0
    assert [[text for _, text, _ in chat] for chat in reopened(desk)] == [
        ["two", "You said: two"],
        ["one", "You said: one"],
    ]


def test_the_draft_of_a_new_chat_comes_back_after_a_restart(make_desk, qtbot):
    desk = make_desk()
    desk.chat.open_new()
    desk.start()
    desk.chat.set_draft("half a tho")
    desk.close()
    again = make_desk()
    again.chat.open_new()
    again.start()
    qtbot.waitUntil(lambda: again.returned == ["half a tho"], timeout=5_000)
    again.chat.open_new(temporary=True)
    again.chat.set_draft("a secret")
    assert again.store.wait(lambda s: s.kept.get("draft of the new chat")) == "half a tho"


def test_answer_now_stops_the_thought_and_answers_beside_it(make_desk, qtbot):
    desk = make_desk(thought="Hmm. " * 400, reply="Paris.", seconds_per_token=0.003)
    desk.start()
    desk.chat.send("The capital?")
    qtbot.waitUntil(lambda: len(desk.grown) > 5, timeout=10_000)
    desk.engine.script = EchoScript(reply="Paris.")
    desk.chat.answer_now()
    qtbot.waitUntil(
        lambda: desk.chat.state is ChatState.READY and desk.texts()[1:] == ["Paris."],
        timeout=10_000,
    )
    assert desk.chat.conversation.version(desk.last().id) == (2, 2)
    desk.chat.show_version(desk.last().id, -1)
    assert desk.last().thought.startswith("Hmm. ")
    desk.chat.answer_now()
    assert desk.chat.state is ChatState.READY
