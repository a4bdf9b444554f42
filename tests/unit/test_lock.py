"""The lock names packages and hashes, and nothing about the machine that wrote it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = [
    p for p in (ROOT / "requirements.lock", ROOT / "packaging/requirements.lock") if p.exists()
]
PLACES = re.compile(r"https?://|file:|^-|index-url|find-links|[ =@]/\w+/| @ ", re.MULTILINE)
ENTRY = re.compile(r"^[a-z0-9][a-z0-9.-]*==[^ ]+( ; .+)? \\$")


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.parent.name)
def test_the_lock_names_no_index_host_or_local_path(lock):
    assert PLACES.findall(lock.read_text()) == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.parent.name)
def test_every_locked_package_has_a_version_and_a_hash(lock):
    lines = [line for line in lock.read_text().splitlines() if not line.lstrip().startswith("#")]
    starts = [i for i, line in enumerate(lines) if not line.startswith(" ")]
    assert starts
    for i in starts:
        assert ENTRY.match(lines[i]), lines[i]
        assert lines[i + 1].startswith("    --hash=sha256:")


@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://mirror.example/simple",
        "x==1 \\\n    --find-links /home/me/wheels",
        "x @ file:///tmp/x.whl",
    ],
)
def test_a_place_in_a_lock_would_be_found(line):
    assert PLACES.search(line)
