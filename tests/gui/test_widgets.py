"""The window's widgets tell what the user did and show what they are told."""

import time

import pytest
from PySide6.QtCore import QEvent, QMimeData, Qt, QUrl
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QPushButton

from app.rows import ChatRow, SearchRow
from app.ui.bars import Bars
from app.ui.chat.composer import Composer
from app.ui.chat.page import ChatPage
from app.ui.inspector import Inspector
from app.ui.sidebar import Sidebar
from app.ui.theme import Theme
from app.ui.window import Window
from inference import Sampling


@pytest.fixture
def composer(qtbot):
    made = Composer()
    qtbot.addWidget(made)
    made.resize(500, 200)
    made.show()
    return made


@pytest.fixture
def sidebar(qtbot):
    made = Sidebar()
    qtbot.addWidget(made)
    made.resize(260, 500)
    made.show()
    return made


def compose(editor, preedit, commit=""):
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit)
    QApplication.sendEvent(editor, event)


def test_return_sends_and_shift_return_breaks_the_line(composer, qtbot):
    sent = []
    composer.submitted.connect(sent.append)
    QTest.keyClicks(composer.editor, "one")
    QTest.keyClick(composer.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(composer.editor, "two")
    assert sent == []
    QTest.keyClick(composer.editor, Qt.Key.Key_Return)
    assert sent == ["one\ntwo"]


def test_the_send_key_can_be_ctrl_return(composer):
    sent = []
    composer.submitted.connect(sent.append)
    composer.set_send_key("ctrl_return")
    QTest.keyClicks(composer.editor, "one")
    QTest.keyClick(composer.editor, Qt.Key.Key_Return)
    QTest.keyClicks(composer.editor, "two")
    assert sent == []
    QTest.keyClick(composer.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert sent == ["one\ntwo"]


def test_return_within_a_composition_never_sends(composer):
    sent = []
    composer.submitted.connect(sent.append)
    compose(composer.editor, "한그")
    QTest.keyClick(composer.editor, Qt.Key.Key_Return)
    assert sent == []
    compose(composer.editor, "", "한글")
    QTest.keyClick(composer.editor, Qt.Key.Key_Return)
    assert sent == ["한글"]


def test_undo_within_a_composition_does_nothing(composer):
    QTest.keyClicks(composer.editor, "abc")
    compose(composer.editor, "한")
    QTest.keyClick(composer.editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    compose(composer.editor, "", "한")
    assert composer.text() == "abc한"


def test_nothing_but_space_is_not_sent(composer):
    sent = []
    composer.submitted.connect(sent.append)
    QTest.keyClicks(composer.editor, "   ")
    QTest.keyClick(composer.editor, Qt.Key.Key_Return)
    assert sent == []
    assert not composer.send.isEnabled()


def test_up_in_an_empty_field_edits_the_last_message(composer, qtbot):
    with qtbot.waitSignal(composer.edit_last_requested, timeout=500):
        QTest.keyClick(composer.editor, Qt.Key.Key_Up)
    QTest.keyClicks(composer.editor, "x")
    with qtbot.assertNotEmitted(composer.edit_last_requested):
        QTest.keyClick(composer.editor, Qt.Key.Key_Up)


def test_the_field_grows_to_ten_lines_and_no_further(composer):
    heights = []
    for lines in (1, 2, 5, 10, 11, 40):
        composer.set_text("\n".join("x" * lines))
        heights.append(composer.editor.height())
    assert heights[0] < heights[1] < heights[2] < heights[3]
    assert heights[3] == heights[4] == heights[5]
    assert heights[3] == composer.editor.height_of(10)


def test_a_long_paste_becomes_an_attachment(composer, qtbot):
    carried = QMimeData()
    carried.setText("y" * 2_001)
    with qtbot.waitSignal(composer.long_pasted, timeout=500) as told:
        composer.editor.insertFromMimeData(carried)
    assert told.args == ["y" * 2_001]
    assert composer.text() == ""
    carried.setText("y" * 2_000)
    composer.editor.insertFromMimeData(carried)
    assert composer.text() == "y" * 2_000


def test_dropped_files_are_told(composer, qtbot, tmp_path):
    file = tmp_path / "notes.txt"
    carried = QMimeData()
    carried.setUrls([QUrl.fromLocalFile(str(file))])
    with qtbot.waitSignal(composer.files_given, timeout=500) as told:
        composer.editor.insertFromMimeData(carried)
    assert told.args == [[file]]


def test_the_one_button_stops_while_the_field_is_empty_and_queues_otherwise(composer, qtbot):
    composer.set_busy(True)
    assert composer.send.accessibleName() == "Stop"
    with qtbot.waitSignal(composer.stop_requested, timeout=500):
        composer.send.click()
    composer.set_text("next")
    assert composer.send.accessibleName() == "Send when ready"
    with qtbot.waitSignal(composer.submitted, timeout=500):
        composer.send.click()


def test_an_attachment_alone_can_be_sent_and_taken_off(composer, qtbot):
    composer.add_chip("a", "notes.txt", "12 tokens")
    assert composer.send.isEnabled()
    with qtbot.waitSignal(composer.attachment_removed, timeout=500) as told:
        composer.findChild(type(composer.attach), "", Qt.FindChildOption.FindChildrenRecursively)
        composer._chips["a"].removed.emit("a")
    assert told.args == ["a"]
    composer.remove_chip("a")
    assert not composer.send.isEnabled()


def test_a_draft_is_told_after_a_pause(composer, qtbot):
    with qtbot.waitSignal(composer.draft_changed, timeout=2_000) as told:
        QTest.keyClicks(composer.editor, "draft")
    assert told.args == ["draft"]


ROWS = [
    ChatRow(1, "First", time.time()),
    ChatRow(2, "Second", time.time() - 1, activity="writing"),
    ChatRow(3, "Pinned one", time.time() - 5 * 86_400, pinned=True),
]


def test_backspace_in_the_list_does_nothing_and_ctrl_backspace_trashes(sidebar, qtbot):
    sidebar.show_chats(ROWS, current=1)
    chats = sidebar.chats
    with qtbot.assertNotEmitted(chats.trashed):
        QTest.keyClick(chats, Qt.Key.Key_Backspace)
        QTest.keyClick(chats, Qt.Key.Key_Delete)
    assert [row.id for row in chats.rows()] == [3, 1, 2]
    with qtbot.waitSignal(chats.trashed, timeout=500) as told:
        QTest.keyClick(chats, Qt.Key.Key_Backspace, Qt.KeyboardModifier.ControlModifier)
    assert told.args == [1]


def test_showing_the_list_does_not_choose_a_chat(sidebar, qtbot):
    with qtbot.assertNotEmitted(sidebar.chats.chosen):
        sidebar.show_chats(ROWS, current=2)
    with qtbot.waitSignal(sidebar.chats.chosen, timeout=500) as told:
        QTest.keyClick(sidebar.chats, Qt.Key.Key_Up)
    assert told.args == [1]


def test_a_chat_is_renamed_in_its_row(sidebar, qtbot):
    sidebar.show_chats(ROWS, current=1)
    sidebar.chats.rename_chat(1)
    line = QApplication.focusWidget() or sidebar.chats.findChild(QPlainTextEdit)
    line = next(w for w in sidebar.chats.findChildren(type(sidebar.search).__mro__[1]))
    line.setText("  Another \n name ")
    with qtbot.waitSignal(sidebar.chats.renamed, timeout=500) as told:
        QTest.keyClick(line, Qt.Key.Key_Return)
    assert told.args == [1, "Another name"]


def test_a_search_is_told_and_its_finds_lead_to_messages(sidebar, qtbot):
    sidebar.show_chats(ROWS, current=1)
    with qtbot.waitSignal(sidebar.searched, timeout=2_000) as told:
        QTest.keyClicks(sidebar.search, "fox")
    assert told.args == ["fox"]
    sidebar.show_finds([SearchRow(2, 7, "Second", "…a quick fox…")], "fox")
    with qtbot.waitSignal(sidebar.chats.found, timeout=500) as told:
        QTest.keyClick(sidebar.chats, Qt.Key.Key_Down)
    assert told.args == [2, 7]
    QTest.keyClick(sidebar.search, Qt.Key.Key_Escape)
    assert [row.id for row in sidebar.chats.rows()] == [3, 1, 2]


def test_finds_that_come_late_are_not_shown(sidebar):
    sidebar.show_chats(ROWS, current=1)
    sidebar.show_finds([SearchRow(2, 7, "Second", "x")], "older words")
    assert [row.id for row in sidebar.chats.rows()] == [3, 1, 2]


def test_the_inspector_shows_without_telling_and_tells_what_is_changed(qtbot):
    inspector = Inspector()
    qtbot.addWidget(inspector)
    form = inspector.sampling
    with qtbot.assertNotEmitted(form.sampling_changed):
        form.show_values(Sampling(temperature=0.5, top_k=40, seed=9), 100)
    assert form.seed.value() == 9
    with qtbot.waitSignal(form.sampling_changed, timeout=500) as told:
        form.temperature.setValue(0.7)
    assert told.args[0] == Sampling(temperature=0.7, top_k=40, seed=9)
    with qtbot.waitSignal(form.max_tokens_changed, timeout=500) as told:
        form.max_tokens.setValue(0)
    assert told.args == [None]


def test_fields_that_are_not_shown_keep_their_values(qtbot):
    inspector = Inspector()
    qtbot.addWidget(inspector)
    inspector.sampling.show_values(Sampling(presence_penalty=0.4), None)
    with qtbot.waitSignal(inspector.sampling.sampling_changed, timeout=500) as told:
        inspector.sampling.top_k.setValue(3)
    assert told.args[0] == Sampling(presence_penalty=0.4, top_k=3)


def test_undo_takes_back_once(qtbot):
    bars = Bars()
    qtbot.addWidget(bars)
    bars.show()
    undone = []
    bars.undo.offer("The chat is in the Trash.", lambda: undone.append(1))
    assert bars.undo.isVisible()
    bars.undo.first.click()
    bars.undo.first.click()
    assert undone == [1]
    assert not bars.undo.isVisible()


def test_an_error_is_one_sentence_whose_details_can_be_copied(qtbot):
    bars = Bars()
    qtbot.addWidget(bars)
    bars.show()
    bars.error.show_error("The file is damaged; nothing was changed.", "line 1\nline 2")
    assert bars.error.text() == "The file is damaged; nothing was changed."
    assert bars.error.first not in bars.buttons()
    bars.error.second.click()
    assert QApplication.clipboard().text() == "line 1\nline 2"


@pytest.fixture
def window(qtbot, qapp):
    theme = Theme(qapp)
    page = ChatPage(QPlainTextEdit())
    made = Window(Sidebar(), {"chat": page}, Inspector())
    theme.changed.connect(made.sidebar.set_palette)
    qtbot.addWidget(made)
    yield made, page, theme
    qapp.setStyleSheet("")


def test_the_window_comes_back_where_it_was(window, qtbot):
    made, _, _ = window
    made.resize(900, 700)
    made.show_inspector(False)
    state = made.geometry_state()
    made.resize(1_000, 620)
    made.restore(state)
    assert (made.width(), made.height()) == (900, 700)
    made.restore({"window": "not base64!", "panels": "AAAA"})
    assert made.width() == 900


def test_the_window_is_as_small_as_promised_and_no_text_is_cut(window, qtbot):
    made, page, theme = window
    theme.wish("light", False, 100)
    page.show_welcome()
    made.resize(900, 600)
    made.show()
    qtbot.waitExposed(made)
    assert (made.width(), made.height()) == (900, 600)
    for button in made.findChildren(QPushButton):
        if button.isVisible() and button.text():
            assert button.width() >= button.fontMetrics().horizontalAdvance(button.text())


def test_prompts_of_an_empty_chat_are_told(window, qtbot):
    _made, page, _ = window
    page.show_welcome()
    welcome = page.empty.welcome
    with qtbot.waitSignal(welcome.prompt_chosen, timeout=500) as told:
        welcome.findChildren(QPushButton)[0].click()
    assert "rainbows" in told.args[0]
    welcome.show_model("A base model: it goes on from what you write.", is_base=True)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert len(welcome.findChildren(QPushButton)) == 4


def test_the_status_says_what_is_read_and_written(window):
    _, page, _ = window
    page.status.show_reading(620, 1_000, 161)
    assert page.status.text() == "Reading 62 % · 1000 tokens (161 reused)"
    page.status.show_writing(12, 31.4)
    assert page.status.text() == "Writing · 31 tok/s · 12 tokens"


@pytest.mark.parametrize("appearance", ["light", "dark"])
def test_the_one_button_shows_its_sign_on_its_ground(window, qtbot, appearance):
    made, page, theme = window
    made.show()
    theme.wish(appearance, False, 100)
    page.composer.set_busy(True)
    picture = page.composer.send.grab().toImage()
    ground = picture.pixelColor(picture.width() // 2, 4)
    sign = picture.pixelColor(picture.width() // 2, picture.height() // 2)
    assert abs(ground.lightness() - sign.lightness()) > 80
