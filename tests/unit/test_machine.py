"""What is asked of the machine at the start."""

import resource
import subprocess
import sys

import pytest

from app.machine import exclude_from_backup, raise_file_limit, why_not_here


@pytest.mark.parametrize(
    ("system", "machine", "runs"),
    [
        ("darwin", "arm64", True),
        ("darwin", "x86_64", False),
        ("linux", "x86_64", True),
        ("linux", "aarch64", True),
    ],
)
def test_an_intel_mac_gets_a_sentence(system, machine, runs):
    sentence = why_not_here(system, machine)
    assert (sentence == "") is runs
    assert runs or sentence.endswith("Your chats are kept.")


@pytest.mark.parametrize(
    ("before", "wanted", "after"),
    [((256, 8192), 4096, 4096), ((256, 1024), 4096, 1024), ((2048, 8192), 1024, 2048)],
)
def test_the_limit_of_open_files_only_rises(before, wanted, after):
    code = (
        "import resource; from app.machine import raise_file_limit\n"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, {before})\n"
        f"print(raise_file_limit({wanted}), *resource.getrlimit(resource.RLIMIT_NOFILE))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert list(map(int, done.stdout.split())) == [after, after, before[1]]


def test_a_limit_that_is_high_enough_is_left():
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    raise_file_limit(1)
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


def test_models_are_kept_out_of_time_machine_on_a_mac_alone(tmp_path):
    asked = []
    assert not exclude_from_backup(tmp_path, "linux", asked.append)
    assert not exclude_from_backup(tmp_path / "none", "darwin", asked.append)
    assert exclude_from_backup(tmp_path, "darwin", asked.append)
    assert asked == [["/usr/bin/tmutil", "addexclusion", str(tmp_path)]]


def test_a_mac_without_time_machine_goes_on(tmp_path):
    def fail(_):
        raise OSError("no such file")

    assert not exclude_from_backup(tmp_path, "darwin", fail)
