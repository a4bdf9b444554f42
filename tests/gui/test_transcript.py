"""The conversation on screen: streaming, scrolling, acting, selecting."""

import math
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox, QToolButton

from app.ui.chat import transcript_scroller
from app.ui.chat.transcript import MessageView, Transcript
from app.ui.theme import DARK, LIGHT
from inference import TokenDetail

ROOT = Path(__file__).parents[2]
ANSWER = """Here is **bold** text.

- one
- two

```python
print("hello")
```

| a | b |
|---|---|
| 1 | 2 |
"""


@pytest.fixture
def transcript(qtbot, monkeypatch):
    """A conversation that is given all the time it needs in each turn."""
    monkeypatch.setattr(transcript_scroller, "BUDGET_SECONDS", 10.0)
    shown = Transcript()
    qtbot.addWidget(shown)
    shown.resize(800, 600)
    shown.show()
    qtbot.waitExposed(shown)
    yield shown
    shown.shut_down()


def talk(count, length=300):
    return [
        MessageView(i, "user" if i % 2 else "assistant", f"Message {i}. " + "word " * (length // 5))
        for i in range(1, count + 1)
    ]


def parts(transcript, message_id):
    page = transcript._page
    entry = page.entries[message_id]
    return [part for item in entry.items for part in page.body_of(page.index_of(item)).parts]


def shown_blocks(transcript, message_id):
    return [b for part in parts(transcript, message_id) for b in part.document.selected(0, 1 << 30)]


def stream(transcript, text, size=7, message_id=2):
    transcript.begin(MessageView(message_id, "assistant", status="writing"))
    for at in range(0, len(text), size):
        transcript.grow(message_id, text[at : at + size])
        transcript.flush()
    transcript.finish(MessageView(message_id, "assistant", text))
    transcript.flush()


def button(transcript, name):
    found = [
        b
        for b in transcript.findChildren(QToolButton)
        if b.accessibleName() == name and b.isVisible()
    ]
    return found[0] if found else None


def test_a_streamed_answer_looks_like_the_same_answer_opened_later(transcript):
    stream(transcript, ANSWER * 5)
    streamed = shown_blocks(transcript, 2)
    height = transcript._page.heights.total
    transcript.show_messages([])
    transcript.show_messages([MessageView(2, "assistant", ANSWER * 5)])
    assert shown_blocks(transcript, 2) == streamed
    assert transcript._page.heights.total == height


def test_text_is_painted_by_turns_of_a_bounded_size(transcript):
    transcript.begin(MessageView(2, "assistant", status="writing"))
    transcript.grow(2, "word " * 2000)
    transcript.flush()
    assert len(transcript._page.entries[2].view.text) == 1000


def test_what_was_grown_arrives_by_itself(transcript, qtbot):
    transcript.begin(MessageView(2, "assistant", status="writing"))
    for piece in ANSWER:
        transcript.grow(2, piece)
    transcript.finish(MessageView(2, "assistant", ANSWER))
    qtbot.waitUntil(lambda: transcript._page.entries[2].view.status == "complete", timeout=5000)
    assert transcript._page.entries[2].view.text == ANSWER


def test_the_view_follows_what_is_written(transcript):
    transcript.show_messages(talk(10))
    stream(transcript, "line\n\n" * 50, message_id=11)
    bar = transcript.verticalScrollBar()
    assert bar.value() == bar.maximum()


def test_scrolling_up_is_not_undone_by_new_text(transcript):
    transcript.show_messages(talk(20))
    transcript.verticalScrollBar().setValue(300)
    before = transcript.place()
    stream(transcript, "line\n\n" * 50, message_id=21)
    assert transcript.place() == before
    assert transcript.verticalScrollBar().value() == 300


def test_latest_appears_when_scrolled_up_and_leads_to_the_end(transcript, qtbot):
    transcript.show_messages(talk(20))
    assert button(transcript, "Go to the latest message") is None
    transcript.verticalScrollBar().setValue(0)
    qtbot.mouseClick(button(transcript, "Go to the latest message"), Qt.MouseButton.LeftButton)
    bar = transcript.verticalScrollBar()
    assert bar.value() == bar.maximum()


def test_what_is_read_stays_in_sight_when_the_width_changes(transcript, qtbot):
    transcript.show_messages(talk(40, 900))
    transcript.jump_to(20)
    transcript.resize(500, 600)
    qtbot.wait(20)
    assert transcript.place()[0] == 20


def test_a_conversation_shown_again_keeps_its_place(transcript):
    messages = talk(40)
    transcript.show_messages(messages)
    transcript.jump_to(20)
    transcript.show_messages(messages[:-1])
    assert transcript.place() == (20, 0)


def test_the_place_can_be_kept_and_found_again(transcript):
    transcript.show_messages(talk(40))
    transcript.jump_to(20)
    transcript.scroll_by(37)
    place = transcript.place()
    transcript.show_latest()
    assert transcript.place() is None
    transcript.restore_place(place)
    assert transcript.place() == place


@pytest.mark.parametrize(
    ("name", "signal"),
    [
        ("Edit", "edit_requested"),
        ("Regenerate", "regenerate_requested"),
        ("Continue", "continue_requested"),
        ("Branch from here", "branch_requested"),
        ("Inspect tokens", "inspect_requested"),
        ("Delete", "delete_requested"),
    ],
)
def test_each_action_of_an_answer_asks_for_it(transcript, qtbot, name, signal):
    transcript.show_messages([MessageView(2, "assistant", "Hello")])
    transcript.step_message(1)
    with qtbot.waitSignal(getattr(transcript, signal), timeout=2000) as asked:
        qtbot.mouseClick(button(transcript, name), Qt.MouseButton.LeftButton)
    assert asked.args == [2]


def test_the_version_switcher_asks_for_the_next_version(transcript, qtbot):
    transcript.show_messages([MessageView(2, "assistant", "Hello", version=1, versions=3)])
    with qtbot.waitSignal(transcript.version_requested, timeout=2000) as asked:
        qtbot.mouseClick(button(transcript, "Next version"), Qt.MouseButton.LeftButton)
    assert asked.args == [2, 2]
    assert not button(transcript, "Previous version").isEnabled()


def test_the_actions_are_in_the_context_menu_too(transcript):
    transcript.show_messages([MessageView(2, "assistant", "Hello", footer="31 tok/s")])
    names = [action.text() for action in transcript.menu_for(2).actions()]
    assert [name for name in names if name] == [
        "Copy",
        "Copy as Markdown",
        "Edit",
        "Regenerate",
        "Continue",
        "Branch from here",
        "Inspect tokens",
        "Delete",
        "Show figures",
        "Select all",
    ]


def test_the_figures_are_shown_on_demand(transcript, qtbot):
    transcript.show_messages([MessageView(2, "assistant", "Hello", footer="31 tok/s")])
    foot = transcript._stage.foot(2)
    assert not foot._figures.isVisible()
    transcript._on_acted(2, "details")
    assert foot._figures.isVisible()
    assert foot._figures.text() == "31 tok/s"


def test_copying_an_answer_gives_text_html_and_no_thought(transcript):
    transcript.show_messages([MessageView(2, "assistant", ANSWER, thought="secret plan")])
    transcript.copy_message(2)
    mime = QGuiApplication.clipboard().mimeData()
    assert mime.text() == 'Here is bold text.\n\n• one\n• two\n\nprint("hello")\n\na\tb\n1\t2'
    assert "<strong>bold</strong>" in mime.html()
    assert "<li>one</li>" in mime.html()
    assert "secret" not in mime.text() + mime.html()


def test_copying_as_markdown_gives_the_source(transcript):
    transcript.show_messages([MessageView(2, "assistant", ANSWER)])
    transcript.copy_message(2, markdown=True)
    assert QGuiApplication.clipboard().text() == ANSWER


def test_copying_code_gives_the_code_alone(transcript, qtbot):
    code = "def f():\n\treturn '\u202e'\n\n\nf()"
    transcript.show_messages([MessageView(2, "assistant", f"Look:\n\n```python\n{code}\n```\n")])
    qtbot.mouseClick(button(transcript, "Copy code"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == code


def test_everything_can_be_selected_and_copied(transcript):
    messages = talk(60, 100)
    transcript.show_messages(messages)
    transcript.select_all()
    transcript.copy_selection()
    expected = "\n\n".join(" ".join(m.text.split()) for m in messages)
    assert " ".join(QGuiApplication.clipboard().text().split()) == " ".join(expected.split())


def test_a_selection_drawn_across_messages_is_copied_from_both(transcript):
    transcript.show_messages(
        [MessageView(1, "user", "first words"), MessageView(2, "assistant", "last")]
    )
    rows = [(row, box) for _, row, box in transcript._scroller.rows() if row.part is not None]
    begin, end = rows[0][1], rows[-1][1]
    pointer = transcript._pointer
    pointer.press(QPointF(begin.left() + 1, begin.center().y()), "character", None)
    pointer.move(QPointF(end.right() - 2, end.center().y()))
    pointer.release(QPointF(end.right() - 2, end.center().y()))
    transcript.copy_selection()
    assert QGuiApplication.clipboard().text() == "first words\n\nlast"


def test_a_part_of_a_selection_copies_as_the_markdown_of_its_blocks(transcript):
    transcript.show_messages([MessageView(2, "assistant", ANSWER)])
    transcript.select_all()
    transcript.copy_selection_as_markdown()
    assert QGuiApplication.clipboard().text() == ANSWER.strip("\n")


def test_a_link_is_opened_only_after_its_address_was_shown(qtbot, monkeypatch):
    monkeypatch.setattr(transcript_scroller, "BUDGET_SECONDS", 10.0)
    opened = []
    shown = Transcript(LIGHT, None, opened.append)
    qtbot.addWidget(shown)
    shown.resize(800, 600)
    shown.show()
    shown.show_messages([MessageView(2, "assistant", "[text](https://example.com/a?b)")])
    _, _, box = next(r for r in shown._scroller.rows() if r[1].part is not None)
    place = QPoint(int(box.left()) + 6, int(box.center().y()))
    qtbot.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=place)
    box = shown.window().findChild(QMessageBox)
    assert "https://example.com/a?b" in box.informativeText()
    assert opened == []
    next(b for b in box.buttons() if "Open" in b.text()).click()
    assert opened == ["https://example.com/a?b"]
    shown.shut_down()


def test_a_thought_is_folded_and_can_be_unfolded(transcript, qtbot):
    transcript.show_messages(
        [
            MessageView(
                2, "assistant", "Yes.", thought="Let me see.", thought_seconds=4, thought_tokens=120
            )
        ]
    )
    folded = button(transcript, "Thought for 4 s · 120 tokens, folded")
    qtbot.mouseClick(folded, Qt.MouseButton.LeftButton)
    assert button(transcript, "Thought for 4 s · 120 tokens, shown") is not None
    assert any(row.quiet for _, row, _ in transcript._scroller.rows())


def test_find_counts_and_goes_from_match_to_match(transcript, qtbot):
    messages = [replace(m, text=m.text + (" Needle" if m.id % 10 == 0 else "")) for m in talk(100)]
    transcript.show_messages(messages)
    transcript.jump_to(45)
    assert transcript.find_text("needle") == 10
    with qtbot.waitSignal(transcript.found, timeout=2000) as found:
        transcript.find_next()
    assert found.args == [5, 10]
    assert any(
        transcript._page.items[index].entry.view.id == 50
        for index, _, _ in transcript._scroller.rows()
    )


def test_a_new_palette_keeps_the_place(transcript):
    transcript.show_messages(talk(40))
    transcript.jump_to(20)
    transcript.on_theme_changed(replace(DARK, pixels=18))
    assert transcript.place()[0] == 20


def test_a_palette_changed_while_writing_loses_nothing(transcript):
    transcript.begin(MessageView(2, "assistant", status="writing"))
    transcript.grow(2, ANSWER)
    transcript.flush()
    transcript.on_theme_changed(DARK)
    transcript.grow(2, "\nThe end.")
    transcript.finish(MessageView(2, "assistant", ANSWER + "\nThe end."))
    transcript.flush()
    assert shown_blocks(transcript, 2)[-1].runs[0].text == "The end."


def test_an_error_is_told_below_the_text_that_is_kept(transcript):
    transcript.begin(MessageView(2, "assistant", status="writing"))
    transcript.grow(2, "So far")
    transcript.finish(MessageView(2, "assistant", "So far", status="failed", error="It broke."))
    transcript.flush()
    assert [row.text for _, row, _ in transcript._scroller.rows() if row.kind == "notice"] == [
        "It broke."
    ]
    assert shown_blocks(transcript, 2)[0].runs[0].text == "So far"


def test_the_cost_of_a_flush_does_not_grow_with_the_answer(transcript):
    text = ("Some **words** and `code` here. " * 12 + "\n\n- a\n- b\n\n```py\nx = 1\n```\n\n") * 60
    transcript.begin(MessageView(2, "assistant", status="writing"))
    costs = []
    for at in range(0, len(text), 60):
        transcript.grow(2, text[at : at + 60])
        start = time.thread_time()
        transcript.flush()
        costs.append(time.thread_time() - start)
    tenth = len(costs) // 10
    first, last = sorted(costs[:tenth]), sorted(costs[-tenth:])
    assert last[tenth // 2] < 3 * first[tenth // 2]


def test_what_does_not_fit_into_a_turn_follows_by_itself(transcript, qtbot, monkeypatch):
    monkeypatch.setattr(transcript_scroller, "BUDGET_SECONDS", 0.0)
    transcript.show_messages(talk(40, 100))
    page = transcript._page

    def everything_in_sight_is_ready():
        top = transcript._scroller.top
        return all(page.is_ready(index) for index, _ in page.between(top, top + 600))

    qtbot.waitUntil(everything_in_sight_is_ready, timeout=5000)


def test_only_what_is_in_sight_has_widgets(transcript):
    transcript.show_messages(talk(2000))
    assert len(transcript._stage._shown) < 60


def test_a_formula_is_source_first_and_a_drawing_soon(transcript, qtbot):
    transcript.show_messages([MessageView(2, "assistant", "Now \\(x^2\\) it is.")])
    document = parts(transcript, 2)[0].document
    formulas = document.style.formulas

    def is_set():
        cursor = document.rich._cursor(5)
        return formulas.is_set(cursor.charFormat())

    qtbot.waitUntil(is_set, timeout=20_000)
    assert shown_blocks(transcript, 2)[0].runs[1].text == "x^2"
    transcript.copy_message(2)
    assert QGuiApplication.clipboard().text() == "Now x^2 it is."


def test_a_formula_too_deep_to_be_set_stays_source(transcript):
    deep = "\\sqrt{" * 12 + "x" + "}" * 12
    transcript.show_messages([MessageView(2, "assistant", f"\\({deep}\\)")])
    assert not transcript._shop.is_waiting
    transcript.grab()


def test_a_dollar_is_a_dollar(transcript):
    transcript.show_messages([MessageView(2, "assistant", "It costs $5, not $10.")])
    assert not any(run.maths for run in shown_blocks(transcript, 2)[0].runs)


def token(text, probability, *others):
    chosen = (ord(text[0]), math.log(probability))
    return TokenDetail(chosen[0], text, chosen[1], 0.5, (chosen, *others))


def test_uncertain_tokens_are_marked_and_offer_others(transcript, qtbot):
    transcript.show_messages([MessageView(2, "assistant", "A **bold** guess.")])
    details = (
        token("A", 0.99),
        token(" **", 0.99),
        token("bold", 0.3, (7, math.log(0.2))),
        token("**", 0.99),
        token(" guess", 0.7, (8, math.log(0.2))),
        token(".", 0.99),
    )
    transcript.set_token_details(2, details, lambda token_id: f"t{token_id}")
    part = parts(transcript, 2)[0]
    marks = transcript._inspector.marks(2, part)
    assert [part.document.raw()[m.begin : m.end] for m in marks] == ["bold", " guess"]
    assert all(mark.underlined for mark in marks)
    transcript._inspector.step(1)
    rows = [b for b in transcript._inspector._card._buttons if not b.isHidden()]
    assert [row.text() for row in rows] == ["bold", "t7"]
    with qtbot.waitSignal(transcript.alternative_chosen, timeout=2000) as chosen:
        qtbot.mouseClick(rows[1], Qt.MouseButton.LeftButton)
    assert chosen.args == [2, 2, 7]


def test_what_is_typed_from_right_to_left_stands_in_its_bubble(transcript):
    transcript.show_messages([MessageView(1, "user", "שלום")])
    _, row, box = next(r for r in transcript._scroller.rows() if r[1].part is not None)
    document = row.part.document.rich.document
    line = document.begin().layout().lineAt(0)
    assert line.naturalTextRect().right() <= box.width()


def test_columns_are_not_narrower_than_their_words(transcript):
    head = "| Parameters | Quantisation | Context | Licence | Memory | Speed | Notes about it |\n"
    text = (
        head
        + "|---|---|---|---|---|---|---|\n"
        + "| 270M | q4 | 32k | Gemma | 1 GB | 9 | words " * 1
        + "|\n"
    )
    transcript.show_messages([MessageView(2, "assistant", text)])
    table = parts(transcript, 2)[0].document
    for column in range(6):
        block = table._table.cellAt(0, column).firstCursorPosition().block()
        assert block.layout().lineCount() == 1


def test_a_thought_that_grows_is_told_and_then_summed_up(transcript):
    transcript.begin(MessageView(2, "assistant", status="writing"))
    transcript.grow(2, "Let me ", "thought")
    transcript.grow(2, "see.", "thought")
    transcript.flush()
    assert button(transcript, "Thinking, folded") is not None
    transcript._on_unfolded(2)
    transcript.grow(2, " Yes.", "thought")
    transcript.grow(2, "Answer.")
    transcript.flush()
    quiet = [row.part for _, row, _ in transcript._scroller.rows() if row.quiet]
    assert quiet[0].document.raw() == "Let me see. Yes."
    transcript.finish(
        MessageView(2, "assistant", "Answer.", thought="Let me see. Yes.", thought_seconds=3.0)
    )
    transcript.flush()
    assert button(transcript, "Thought for 3 s, shown") is not None
    assert shown_blocks(transcript, 2)[0].runs[0].text == "Answer."


def test_a_program_that_has_copied_ends_well():
    program = (
        "from PySide6.QtWidgets import QApplication\n"
        "from app.ui.chat.transcript import MessageView, Transcript\n"
        "app = QApplication([])\n"
        "shown = Transcript()\n"
        "shown.show_messages([MessageView(2, 'assistant', '**bold**')])\n"
        "shown.copy_message(2)\n"
        "shown.shut_down()\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, timeout=120, check=False)
    assert ended.returncode == 0
