"""The self-test of an installed program tells the truth."""

import os
import subprocess
import sys

import pytest


def self_test(tmp_path, *options, **environ):
    """Run it in a process of its own, without the starter model."""
    code = (
        "import sys; from app.desk import choosing; choosing.has_starter = lambda: False; "
        "from app.cli import main; sys.exit(main(['--self-test', *sys.argv[1:]]))"
    )
    return subprocess.run(
        [sys.executable, "-c", code, *options],
        env={**os.environ, "HOME": str(tmp_path), **environ},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


@pytest.mark.parametrize("place", ["--thread", "--process"])
def test_a_tiny_model_speaks_in_the_real_window(tmp_path, place):
    done = self_test(tmp_path, place)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "of the heavy ones none" in done.stdout  # the window shows before MLX is imported
    assert "a reply of" in done.stdout
    assert "all is well" in done.stdout
