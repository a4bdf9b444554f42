"""Which program runs the child: the interpreter itself, also where `sys.executable` is not one."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def find_interpreter() -> str:
    """Find the Python that runs this code.

    In the app's bundle a launcher embeds Python and `sys.executable` may name that launcher;
    starting it again would open a second window. The bundle's own interpreter lies in its prefix.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    base = getattr(sys, "_base_executable", None)
    candidates = [
        sys.executable,
        f"{sys.prefix}/bin/python{version}",
        f"{sys.prefix}/bin/python3",
        f"{sys.base_prefix}/bin/python{version}",
        base or "",
    ]
    for candidate in candidates:
        path = Path(candidate)
        if path.name.startswith("python") and path.is_file() and os.access(path, os.X_OK):
            return candidate
    return sys.executable


def child_environment() -> dict[str, str]:
    """This process's environment, with its very import path."""
    path = [str(Path(entry or ".").resolve()) for entry in sys.path]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONUNBUFFERED": "1"}


def child_command(python: str, arguments: list[int]) -> list[str]:
    """The command line that starts the child."""
    flags = ["-P"]  # the folder that we happen to be in is no place to import from
    if sys.dont_write_bytecode:
        flags.append("-B")
    return [python, *flags, "-m", "inference.process.child", *map(str, arguments)]
