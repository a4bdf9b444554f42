"""Run pytest in the environment. Where Qt cannot start, say so and run the tests without it.

In CI (`CI` is set) a missing Qt is a failure: there every test runs.
"""

from __future__ import annotations

import os
import subprocess
import sys

import qt_libraries
from set_up import PYTHON, ROOT

WITHOUT_QT = [
    *("-p", "no:pytest-qt", "--ignore=tests/gui", "--ignore=tests/window"),
    *("-o", "addopts=--strict-markers --import-mode=importlib -ra"),
    *("-W", "ignore::pytest.PytestConfigWarning"),
]


def main() -> int:
    """Run the tests named on the command line, or all."""
    command = [str(PYTHON), "-m", "pytest", *sys.argv[1:]]
    environ = qt_libraries.environment()
    if os.environ.get("CI"):
        command += ["-p", "no:cacheprovider"]
    if sys.platform == "linux" and not qt_libraries.work(PYTHON):
        packages = " ".join(qt_libraries.missing(qt_libraries.NEEDED))
        print(f"Qt cannot start here (apt-get install {packages}).", flush=True)
        if os.environ.get("CI"):
            return 1
        print("The window's tests are NOT run.", flush=True)
        command += WITHOUT_QT
        environ["CABOCHON_WITHOUT_QT"] = "1"
    elif sys.platform == "linux":
        qt_libraries.provide_screen()
    return subprocess.run(command, cwd=ROOT, env=environ).returncode


if __name__ == "__main__":
    sys.exit(main())
