"""What the program asks of the machine when it starts.

The right processor, enough open files, and no models in the backups.
"""

from __future__ import annotations

import logging
import resource
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

OPEN_FILES = 4096  # Finder starts programs with a limit of 256
_log = logging.getLogger(__name__)


def why_not_here(system: str, machine: str) -> str:
    """Tell why the engine cannot run here.

    Args:
        system: `sys.platform`.
        machine: `platform.machine()`; under Rosetta it is Intel's.

    Returns:
        One sentence for the user, or "" where it can.
    """
    if system == "darwin" and machine != "arm64":
        return (
            "Cabochon needs a Mac with Apple Silicon, and a Python that is not opened with "
            "Rosetta. Your chats are kept."
        )
    return ""


def raise_file_limit(wanted: int = OPEN_FILES) -> int:
    """Let this process open more files, as far as the system allows.

    Returns:
        How many it may open now.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft == resource.RLIM_INFINITY or soft >= allowed:
        return soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return allowed


def exclude_from_backup(
    folder: Path, system: str, start: Callable[[Sequence[str]], object] = subprocess.Popen
) -> bool:
    """Keep a folder of models out of Time Machine: they are large, and can be fetched again.

    Args:
        folder: Nothing is done until it is there.
        system: `sys.platform`.
        start: Starts a command without waiting for it.

    Returns:
        Whether it was asked for.
    """
    if system != "darwin" or not folder.is_dir():
        return False
    try:
        start(["/usr/bin/tmutil", "addexclusion", str(folder)])
    except OSError as error:
        _log.warning("The models could not be kept out of the backups: %s", error)
        return False
    return True
