"""Settings, paths, logs and the codec below them."""

import json
import logging
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from app.codec import from_json, to_json
from app.files import set_aside, write_atomically
from app.logs import start_logging, stop_logging
from app.paths import find_paths
from app.settings import Settings, SettingsFile
from app.store.rows import ChatSettings
from inference import Constraint, Sampling


@pytest.fixture
def file(tmp_path):
    return SettingsFile(tmp_path / "settings.json")


def test_settings_come_back_as_they_were(file):
    settings = Settings(model="starter", text_size=120, shortcuts={"send": "Ctrl+Return"})
    file.save(settings)
    assert SettingsFile(file.path).load() == (settings, "")


def test_without_a_file_there_are_defaults(file):
    assert file.load() == (Settings(), "")


def test_unknown_keys_are_kept(file):
    file.path.write_text('{"from_the_future": [1], "text_size": 90}')
    settings, _ = file.load()
    file.save(replace(settings, model="x"))
    found = json.loads(file.path.read_text())
    assert found["from_the_future"] == [1]
    assert (found["text_size"], found["model"]) == (90, "x")


def test_a_value_that_does_not_fit_is_the_default(file):
    file.path.write_text('{"text_size": "huge", "appearance": "pink", "offline": true}')
    assert file.load()[0] == Settings(offline=True)


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"{", b"[]", b"\xff"])
def test_an_unreadable_file_is_set_aside(file, content):
    file.path.write_bytes(content)
    settings, notice = file.load()
    assert settings == Settings()
    assert "kept as settings.json.unreadable" in notice
    (aside,) = file.path.parent.glob("*.unreadable-*")
    assert aside.read_bytes() == content


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a"
    write_atomically(path, b"old")
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_setting_aside_never_overwrites(tmp_path):
    for n in range(3):
        path = tmp_path / "a"
        path.write_text(str(n))
        set_aside(path)
    assert sorted(one.read_text() for one in tmp_path.iterdir()) == ["0", "1", "2"]


def test_one_variable_moves_everything(tmp_path):
    paths = find_paths({"CABOCHON_HOME": str(tmp_path)}).make()
    for place in (paths.database, paths.settings, paths.log, paths.models, paths.cache):
        assert tmp_path in place.parents
    assert paths.data.is_dir()


def test_without_it_the_systems_own_folders_are_used():
    paths = find_paths({})
    assert paths.data != paths.cache
    assert "abochon" in str(paths.data)


def test_the_log_has_what_the_app_says(tmp_path):
    handler = start_logging(tmp_path / "a.log")
    logging.getLogger("app.chat").info("%s tokens", 5)
    logging.getLogger("markdown_it").info("a library's chatter")
    stop_logging(handler)
    text = (tmp_path / "a.log").read_text()
    assert "app.chat: 5 tokens" in text
    assert "chatter" not in text


@dataclass
class _Needs:
    number: int


def test_the_codec_keeps_nested_values():
    settings = ChatSettings(
        sampling=Sampling(logit_bias=((1, 2.5),)), constraint=Constraint("regex", "a+"), stop=("x",)
    )
    assert from_json(ChatSettings, json.loads(json.dumps(to_json(settings)))) == settings


@pytest.mark.parametrize("found", [{}, {"number": "5"}, {"number": True}, {"number": 1.5}, None])
def test_a_needed_value_that_is_missing_is_an_error(found):
    with pytest.raises(ValueError, match="number"):
        from_json(_Needs, found)
