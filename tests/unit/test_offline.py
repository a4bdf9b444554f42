"""No library below us may look for anything on the network, even with nothing cached."""

import subprocess
import sys

from app.offline import VARIABLES, keep_libraries_offline

PROGRAM = """
import os, sys
from app.{module} import main
try:
    main({words})
except SystemExit:
    pass
assert "huggingface_hub" not in sys.modules
print(",".join(os.environ.get(name, "") for name in {names}))
"""


def test_the_libraries_are_told_to_stay_offline():
    environ = {"HF_HUB_OFFLINE": "0"}
    keep_libraries_offline(environ)
    assert environ == VARIABLES


def test_the_commands_say_so_before_anything_is_imported():
    names = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    program = PROGRAM.format(module="cli", words=["--version"], names=names)
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": ":".join(sys.path), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "1,1"
