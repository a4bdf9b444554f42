"""Every text of the window is there in every language, with its placeholders."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from app.ui.language import choose_language, languages

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "resources" / "translations"
ROOM = 0.05  # new texts may wait for their translators for a while
TOOLS = Path(sys.executable).parent


def messages(path):
    for context in ET.parse(path).getroot().iter("context"):
        for message in context.iter("message"):
            yield context.findtext("name"), message.findtext("source"), message.find("translation")


def texts_of(translation):
    forms = [form.text or "" for form in translation.iter("numerusform")]
    return forms or [translation.text or ""]


@pytest.mark.parametrize("code", languages())
def test_every_text_is_translated_with_its_placeholders(code):
    for _, source, translation in messages(FOLDER / f"cabochon_{code}.ts"):
        assert translation.get("type") is None, source
        for text in texts_of(translation):
            assert text.strip(), source
            marks = re.compile(r"\{\{?\w*\}?\}|%n")
            assert sorted(marks.findall(text)) == sorted(marks.findall(source)), source


def test_the_files_keep_up_with_the_code(tmp_path):
    fresh = tmp_path / "fresh.ts"
    code = [str(path) for path in (ROOT / "app").rglob("*.py")]
    subprocess.run(
        [str(TOOLS / "pyside6-lupdate"), "-locations", "none", *code, "-ts", str(fresh)],
        check=True,
        capture_output=True,
    )
    wanted = {(context, source) for context, source, _ in messages(fresh)}
    for code in languages():
        known = {(c, s) for c, s, _ in messages(FOLDER / f"cabochon_{code}.ts")}
        missing = wanted - known
        assert len(missing) <= len(wanted) * ROOM, f"run lupdate and translate: {missing}"


def test_the_wish_wins_then_the_system_then_english():
    assert choose_language("ja", "he_IL") == "ja"
    assert choose_language("", "he_IL") == "he"
    assert choose_language("", "fr_FR") == "en"
    assert choose_language("xx", "C") == "en"
