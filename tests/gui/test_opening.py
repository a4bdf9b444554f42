"""Files and links that the system asks the program to open."""

import subprocess
import sys

import pytest
from PySide6.QtCore import QUrl

from app.opening import LONGEST_PROMPT, Opening


@pytest.fixture
def asked(qapp):
    opening, told = Opening(), []
    for kind in ("model", "file", "prompt"):
        signal = getattr(opening, f"{kind}_asked")
        signal.connect(lambda value, kind=kind: told.append((kind, value)))
    return lambda url: (opening.open(QUrl(url)), told)[1]


def test_the_application_hears_the_system():
    code = (
        "from PySide6.QtCore import QUrl; from PySide6.QtGui import QFileOpenEvent\n"
        "from app.opening import Application\n"
        "app = Application([]); app.asked_to_open.connect(lambda url: print(url.toString()))\n"
        "app.sendEvent(app, QFileOpenEvent(QUrl('cabochon://new?prompt=hi')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "cabochon://new?prompt=hi"


def test_a_gguf_file_is_a_model(asked):
    assert asked("file:///models/Gemma%203.GGUF") == [("model", "/models/Gemma 3.GGUF")]


def test_any_other_file_is_a_file(asked):
    assert asked("file:///chats/export.json") == [("file", "/chats/export.json")]


def test_a_link_fills_the_composer(asked):
    assert asked("cabochon://new?prompt=Say%20%22hi%22%20%26%20go") == [
        ("prompt", 'Say "hi" & go')
    ]  # fmt: skip


@pytest.mark.parametrize(
    "url",
    ["cabochon://run?prompt=x", "cabochon://new", "https://example.org/new?prompt=x", "cabochon:"],
)
def test_a_link_that_means_nothing_is_left_alone(asked, url):
    assert asked(url) == []


def test_a_link_cannot_bring_a_text_without_end(asked):
    told = asked("cabochon://new?prompt=" + "x" * (LONGEST_PROMPT * 2))
    assert len(told[0][1]) == LONGEST_PROMPT
