"""`make catalogue` tells what of the list the hub does not agree with."""

import runpy
from pathlib import Path

import pytest

from app.models import downloads
from app.models.catalogue import read_catalogue
from tests.hub import TestHub

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "check_catalogue.py"))


@pytest.fixture
def hub(monkeypatch):
    hub = TestHub()
    monkeypatch.setitem(downloads.Hub.__init__.__kwdefaults__, "endpoint", hub.address)
    yield hub
    hub.close()


def test_what_is_missing_or_of_another_size_is_told(hub, capsys):
    first = read_catalogue()[0]
    hub.put(first.repository, {"config.json": b"{}", "model.safetensors": b"x" * 500})
    assert TOOL["main"]() == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(read_catalogue())
    assert lines[0].endswith("is 502 bytes")
    assert "has no" in lines[1]


def test_a_machine_without_a_connection_says_so(monkeypatch, capsys):
    monkeypatch.setitem(downloads.Hub.__init__.__kwdefaults__, "endpoint", "http://127.0.0.1:9")
    assert TOOL["main"]() == 2
    assert "cannot be reached" in capsys.readouterr().out
