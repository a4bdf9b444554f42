"""The ground that the tests stand on holds."""

import os
import socket
import urllib.request
from pathlib import Path

import pytest


def test_no_test_reaches_the_network(refused_connections):
    with pytest.raises(OSError, match="no network"):
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    with pytest.raises(OSError, match="no network"):
        urllib.request.urlopen("http://example.org/", timeout=1)
    assert len(refused_connections) == 2


def test_this_machine_may_talk_to_itself():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=1).close()


def test_the_home_of_the_user_is_out_of_reach():
    assert "cabochon-" in str(Path.home())
    assert os.environ["CABOCHON_HOME"].startswith(str(Path.home()))
