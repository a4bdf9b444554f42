"""Text that is out to do harm: shown as text, in time, asking for nothing."""

import random
import time

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QAccessible, QTextDocument
from PySide6.QtWidgets import QWidget

from app.ui.chat import transcript_scroller
from app.ui.chat.transcript import MessageView, Transcript
from app.ui.render.blocks import join_plain

STALL_SECONDS = 0.5  # of this thread's own time; the target is 50 ms

DOCUMENTS = {
    "nested quotes": ">" * 3000 + " x",
    "one long word": "x" * 200_000,
    "one long line of code": "```\n" + "y" * 200_000 + "\n```",
    "many fences": "```\nx\n```\n" * 600,
    "long code": "```python\n" + "def f(x):\n    return x\n" * 8000,
    "wide table": "|" + "a|" * 50 + "\n|" + "-|" * 50 + "\n" + ("|" + "b|" * 50 + "\n") * 40,
    "very wide table": "|"
    + "a|" * 300
    + "\n|"
    + "-|" * 300
    + "\n"
    + ("|" + "b|" * 300 + "\n") * 10,
    "zalgo": ("a" + "\u0301\u0323\u034f" * 40) * 300,
    "half pairs": "\ud800a\udfff" * 2000,
    "zeros": "\x00\x01\x07" * 2000,
    "objects": "\ufffc\ufdd0\ufdd1\u2028\u2029" * 500,
    "bidi": "\u202e\u2066abc\u2069\u202c " * 1000,
    "emoji": "👩‍👩‍👧‍👦 🇯🇵 𠮷 e\u0301 👍🏽 " * 500,
    "cjk": "漢字かな交じり文。" * 2000,
    "arabic": "مرحبا بالعالم " * 2000,
    "maths": "\\(" + "{" * 400 + "x" + "}" * 400 + "\\) " + "\\(\\frac{a}{b}\\) " * 50,
    "links": "[a](http://x/" + "y" * 100_000 + ") " + "[b](http://x) " * 300,
    "stars": "*a_ " * 3000,
    "html": "<marquee><script>alert(1)</script><!-- -->" * 300,
    "footnotes": "[^a] " * 1000 + "\n\n" + "[^a]: x\n" * 300,
}


@pytest.fixture
def transcript(qtbot, request, monkeypatch):
    """A conversation; it may take its time in each turn unless that is what is tested."""
    if "turn" not in request.node.name:
        monkeypatch.setattr(transcript_scroller, "BUDGET_SECONDS", 10.0)
    shown = Transcript()
    qtbot.addWidget(shown)
    shown.resize(800, 600)
    shown.show()
    yield shown
    shown.shut_down()


def text_shown(transcript):
    page = transcript._page
    return "\n".join(
        join_plain(part.document.selected(0, 1 << 30))
        for index in range(len(page.items))
        for part in page.body_of(index).parts
    )


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_turn_is_long_whatever_is_shown(transcript, qtbot, name):
    text = DOCUMENTS[name]
    longest = 0.0

    def turn(act, *args):
        nonlocal longest
        start = time.thread_time()
        act(*args)
        qtbot.wait(0)
        longest = max(longest, time.thread_time() - start)

    transcript.begin(MessageView(2, "assistant", status="writing"))
    head = text[:8000]
    for at in range(0, len(head), 400):
        transcript.grow(2, head[at : at + 400])
        turn(transcript.flush)
    turn(
        transcript.show_messages, [MessageView(3, "assistant", text), MessageView(4, "user", text)]
    )
    bar = transcript.verticalScrollBar()
    for share in (0, 0.3, 0.7, 1):
        turn(bar.setValue, int(bar.maximum() * share))
    assert longest < STALL_SECONDS


def test_tags_are_shown_as_they_are(transcript):
    text = "<marquee>x</marquee><img src=x onerror=alert(1)><!-- -->"
    transcript.show_messages([MessageView(2, "assistant", text)])
    assert text_shown(transcript) == text


def test_what_the_user_typed_is_shown_as_typed(transcript):
    text = "# not a heading\n**not bold** <b>x</b>\n\n- [ ] no list\n"
    transcript.show_messages([MessageView(1, "user", text)])
    assert text_shown(transcript) == text


def test_emoji_and_rare_characters_survive_any_cut(transcript):
    text = "👩‍👩‍👧‍👦 🇯🇵 𠮷 e\u0301 👍🏽"
    transcript.begin(MessageView(2, "assistant", status="writing"))
    for character in text:
        transcript.grow(2, character)
        transcript.flush()
    transcript.finish(MessageView(2, "assistant", text))
    transcript.flush()
    assert text_shown(transcript) == text
    assert "\ufffd" not in text_shown(transcript)


def test_no_resource_is_ever_asked_for(transcript, qtbot, monkeypatch, refused_connections):
    asked = []
    load = QTextDocument.loadResource

    def spy(document, kind, name):
        asked.append(QUrl(name).toString())
        return load(document, kind, name)

    monkeypatch.setattr(QTextDocument, "loadResource", spy)
    text = (
        "![](http://127.0.0.1:9/?q=secret) ![x](file:///etc/passwd) <img src='http://127.0.0.1:9/'>\n\n"
        "[ref]: http://127.0.0.1:9/r\n\n![ref] \\(\\href{http://127.0.0.1:9}{x}\\)"
    )
    transcript.show_messages([MessageView(2, "assistant", text), MessageView(1, "user", text)])
    transcript.grab()
    qtbot.waitUntil(lambda: not transcript._shop.is_waiting, timeout=20_000)
    transcript.grab()
    assert asked == []
    assert refused_connections == []


def test_an_image_is_a_link_with_its_name(transcript):
    transcript.show_messages([MessageView(2, "assistant", "![a cat](https://example.com/cat.png)")])
    assert text_shown(transcript) == "[image: a cat]"


def test_only_web_and_mail_addresses_are_links(transcript):
    for address in (
        "javascript:alert(1)",
        "file:///etc/passwd",
        "smb://x/y",
        "tel:1",
        "//host/x",
        "/x",
    ):
        transcript.show_messages([MessageView(2, "assistant", f"[text]({address})")])
        part = transcript._page.body_of(0).parts[0]
        assert all(not run.href for run in part.document.blocks[0].runs), address


def test_turned_text_cannot_disguise_code_or_a_link(transcript):
    transcript.show_messages(
        [
            MessageView(
                2, "assistant", "[a\u202eb](http://x.com) \u2066c\n\n```\nif x:\u202e # y\n```"
            )
        ]
    )
    prose, code = (part.document for part in transcript._page.body_of(0).parts)
    assert prose.raw() == "ab c"
    assert code.raw() == "if x:[U+202E] # y"
    assert code.source == "if x:\u202e # y"


def test_a_fence_that_arrives_by_character_never_changes_its_kind(transcript):
    text = "Look:\n\n````python title\nprint(1)\n```\nx\n````\n\nDone."
    transcript.begin(MessageView(2, "assistant", status="writing"))
    seen = []
    for character in text:
        transcript.grow(2, character)
        transcript.flush()
        kinds = [part.first.kind for part in transcript._page.items[0].body.parts]
        languages = [part.first.language for part in transcript._page.items[0].body.parts]
        if not seen or seen[-1] != (kinds, languages):
            seen.append((kinds, languages))
    assert [kinds for kinds, _ in seen if kinds] == [
        ["paragraph"],
        ["paragraph", "code"],
        ["paragraph", "code", "paragraph"],
    ]


def test_a_long_answer_with_ten_code_blocks_never_stalls(transcript, qtbot):
    block = "```python\n" + "value = compute(1, 'text')  # note\n" * 20 + "```\n\n"
    text = ("word " * 250 + "\n\n" + block) * 10
    transcript.begin(MessageView(2, "assistant", status="writing"))
    longest = 0.0
    for at in range(0, len(text), 40):
        transcript.grow(2, text[at : at + 40])
        start = time.thread_time()
        transcript.flush()
        qtbot.wait(0)
        longest = max(longest, time.thread_time() - start)
    assert longest < STALL_SECONDS


def test_everything_that_can_be_met_has_a_name(transcript, qtbot):
    transcript.show_messages(
        [
            MessageView(1, "user", "Hello"),
            MessageView(
                2,
                "assistant",
                "Text\n\n```python\n"
                + "x" * 300
                + "\n```\n\n| a | b |\n|--|--|\n| 1 | 2 |\n"
                + "w\n\n" * 60,
                author="Gemma",
                thought="Hm.",
                thought_seconds=2,
                versions=3,
                version=2,
                footer="31 tok/s",
                note="Stopped.",
                error="Broken.",
            ),
        ]
    )
    bar = transcript.verticalScrollBar()
    unnamed = []
    for value in (0, bar.maximum()):
        bar.setValue(value)
        transcript.step_message(0)
        for widget in [transcript, *transcript.findChildren(QWidget)]:
            if not widget.isVisible():
                continue
            interface = QAccessible.queryAccessibleInterface(widget)
            if interface is not None and not interface.text(QAccessible.Text.Name):
                unnamed.append(f"{type(widget).__name__} {widget.objectName()}")
    assert unnamed == []


def test_what_is_in_sight_can_be_read_aloud(transcript):
    transcript.show_messages([MessageView(2, "assistant", "Some **bold** text.")])
    names = [
        QAccessible.queryAccessibleInterface(w).text(QAccessible.Text.Name)
        for w in transcript.findChildren(QWidget)
        if w.isVisible()
    ]
    assert "Answer: Some bold text." in names


def test_random_documents_are_shown_without_a_fault(transcript, qtbot, amount):
    chance = random.Random(5)
    pieces = [*DOCUMENTS.values()]
    for round_ in range(amount(200)):
        text = "\n\n".join(
            piece[(at := chance.randint(0, len(piece) - 1)) : at + 300]
            for piece in chance.sample(pieces, 4)
        )
        transcript.begin(MessageView(round_, "assistant", text))
        transcript.grab()
    assert len(transcript._page.entries) == amount(200)
