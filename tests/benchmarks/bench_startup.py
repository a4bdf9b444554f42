# ruff: noqa: T201  (a table is what this prints)
"""Start-up: from the start of the process to the first painting of the window, without a model.

The second row runs the trimmed packages of the assembled bundle, where `make check-app` laid them
out. Times are the best of some runs; compare them on one machine, do not quote them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUNS = 5
MEASURE = """
import json, os, sys, time
from app.__main__ import Wish, open_window
began = float(os.environ["BEGAN"])
imported = time.time()
def follow(program):
    modules, heavy = len(sys.modules), [n for n in ("mlx.core", "transformers") if n in sys.modules]
    def painted():
        told = [imported - began, time.time() - began, modules, heavy]
        print("TOLD", json.dumps(told), flush=True)
        program.quit()
    program.window.painted.connect(painted)
open_window(Wish("echo", questions=False), follow)
"""


def start(python: list[str], path: list[str]) -> list[float]:
    """Start the window once: seconds to imports, seconds to the window, modules, heavy modules."""
    with tempfile.TemporaryDirectory() as home:
        environ = {
            **os.environ,
            "BEGAN": str(time.time()),
            "CABOCHON_HOME": home,
            "PYTHONPATH": ":".join(path),
            "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen"),
        }
        done = subprocess.run(
            [*python, "-c", MEASURE], env=environ, capture_output=True, text=True, check=True
        )
    line = next(line for line in done.stdout.splitlines() if line.startswith("TOLD"))
    return json.loads(line.removeprefix("TOLD"))


def main() -> None:
    """Print the table."""
    places = [("from the clone", [sys.executable], [str(ROOT)])]
    laid_out = ROOT / "build/overlay/run.json"
    if laid_out.is_file():
        run = json.loads(laid_out.read_text())
        places.append(("from the bundle's packages", run["command"], run["path"]))
    print(f"{'':28} {'imports':>9} {'window':>9} {'modules':>8}  heavy")
    for name, python, path in places:
        runs = [start(python, path) for _ in range(RUNS)]
        imports, window, modules, heavy = min(runs, key=lambda run: run[1])
        print(f"{name:28} {imports:7.2f} s {window:7.2f} s {modules:8}  {heavy or 'none'}")


if __name__ == "__main__":
    main()
