"""Without a screen there is a sentence, not an abort."""

import pytest

from app.screen import why_no_window


def test_no_display_is_said_with_the_other_way_to_chat():
    sentence = why_no_window({}, "linux")
    assert "no screen" in sentence
    assert "cabochon chat" in sentence


def test_a_display_where_nobody_answers_is_said():
    sentence = why_no_window({"DISPLAY": ":4711"}, "linux")
    assert ":4711 cannot be opened" in sentence or "system library" in sentence


@pytest.mark.parametrize("chosen", ["offscreen", "minimal", "vnc:port=5901"])
def test_a_platform_without_a_screen_is_taken(chosen):
    assert why_no_window({"QT_QPA_PLATFORM": chosen}, "linux") == ""


def test_a_wayland_socket_is_taken_if_it_is_there(tmp_path):
    environ = {"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": str(tmp_path)}
    assert why_no_window(environ, "linux") != ""
    (tmp_path / "wayland-0").touch()
    assert why_no_window(environ, "linux") == ""


def test_a_mac_always_has_a_screen():
    assert why_no_window({}, "darwin") == ""
