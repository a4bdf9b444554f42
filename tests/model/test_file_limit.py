"""Importing mlx-lm leaves the process's limit of open files alone."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("limit", [(256, 1024), (1024, 8192)])
def test_the_limit_of_open_files_is_left_alone(limit):
    code = (
        f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, {limit})\n"
        "import inference.mlx_lm_door\n"
        f"print(resource.getrlimit(resource.RLIMIT_NOFILE) == {limit})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.strip() == "True", done.stderr
