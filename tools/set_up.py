"""Make the environment that the project runs in: `.venv` at the root, all of it from the lock.

Needs nothing but a Python with venv; uses uv where it is on PATH, else pip with hashes. A second
run with the same lock does nothing. Keeps to the syntax of Python 3.8, to be able to say that it
wants a newer one.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import qt_libraries

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin/python"
STAMP = VENV / "lib/cabochon/stamp"
LOCK = ROOT / "requirements.lock"
OLDEST, BELOW = (3, 11), (3, 14)  # as requires-python in pyproject.toml
GLIBC = (2, 35)  # what the wheels of mlx-cpu are built for
VERSION = "import sys; print(*sys.version_info[:2])"


def say(line: str) -> None:
    """Print one line at once."""
    print(line, flush=True)


def give_up(sentence: str) -> None:
    """End with a sentence on standard error."""
    raise SystemExit(f"set-up: {sentence}")


def run(*command: object) -> None:
    """Run a command; end with its own exit status if it fails."""
    done = subprocess.run([str(part) for part in command], cwd=ROOT)
    if done.returncode:
        give_up(f"`{Path(str(command[0])).name}` failed with status {done.returncode} (see above).")


def check_machine() -> None:
    """End with a sentence where MLX has no library for this machine."""
    if sys.platform == "darwin" and platform.machine() != "arm64":
        give_up(
            "this Python runs on Intel or under Rosetta; Cabochon needs Apple Silicon. "
            "Install an arm64 Python and run it again."
        )
    library, version = platform.libc_ver()
    if library == "glibc" and tuple(int(n) for n in version.split(".")[:2]) < GLIBC:
        give_up(
            f"this system has glibc {version}; MLX needs 2.35 or newer "
            "(Debian 12, Ubuntu 22.04 and later have it)."
        )


def fits(python: object) -> bool:
    """Whether a Python is there, works, and has a version we support."""
    try:
        done = subprocess.run([str(python), "-c", VERSION], capture_output=True, text=True)
    except OSError:
        return False
    return not done.returncode and OLDEST <= tuple(map(int, done.stdout.split())) < BELOW


def find_python() -> str:
    """Find a Python to build the environment with; "" lets uv choose one."""
    for candidate in (sys.executable, "python3.12", "python3.13", "python3.11"):
        found = shutil.which(candidate)
        if found and fits(found):
            return found
    if shutil.which("uv"):
        return ""
    give_up(
        f"Python 3.11, 3.12 or 3.13 is needed and this is {platform.python_version()}. "
        "Install one (on a Mac: `brew install python@3.12`), or uv, and run it again."
    )
    return ""


def make_venv(moved: bool) -> None:
    """Make `.venv` unless a working one is there; the scripts of one that was moved do not run."""
    if fits(PYTHON) and not moved:
        return
    if VENV.exists():
        say("The environment in .venv does not run here; making it anew.")
        shutil.rmtree(VENV)
    python, uv = find_python(), shutil.which("uv")
    if uv:
        run(uv, "venv", "--quiet", "--python", python or "3.12", VENV)
        return
    done = subprocess.run([python, "-m", "venv", str(VENV)], capture_output=True, text=True)
    if done.returncode:
        shutil.rmtree(VENV, ignore_errors=True)
        give_up(
            "this Python cannot make environments; on Debian: `apt-get install python3-venv`.\n"
            + done.stdout
            + done.stderr
        )


def install() -> None:
    """Install what the lock names, by hash, and the project itself as it lies here."""
    uv = shutil.which("uv")
    if uv:
        pip = [uv, "pip", "install", "--python", PYTHON, "--quiet", "--compile-bytecode"]
    else:
        pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if subprocess.run([*map(str, pip[:3]), "--version"], capture_output=True).returncode:
            run(PYTHON, "-m", "ensurepip")
    run(*pip, "--require-hashes", "--no-deps", "-r", LOCK)
    run(*pip, "--no-deps", "--no-build-isolation", "--editable", VENV.resolve().parent)


def recipe() -> dict[str, str]:
    """Name all that decides what the environment holds."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("[tool.")[0]
    digest = hashlib.sha256(project.encode())
    for part in (LOCK, ROOT / "tools/build_blas.py"):
        digest.update(part.read_bytes())
    return {"place": str(VENV.resolve()), "recipe": digest.hexdigest()}


def main() -> None:
    """Set up, or see that nothing is to be done."""
    os.environ.setdefault("PIP_ROOT_USER_ACTION", "ignore")
    os.environ.setdefault("UV_SYSTEM_CERTS", "1")
    wanted = recipe()
    made = json.loads(STAMP.read_text()) if STAMP.exists() else wanted
    if STAMP.exists() and made == wanted and PYTHON.exists():
        return
    check_machine()
    make_venv(moved=made["place"] != wanted["place"])
    say("Installing what requirements.lock names (about 0.9 GB with the starter model) ...")
    install()
    if sys.platform == "linux":
        run(PYTHON, ROOT / "tools/build_blas.py")
        complaint = qt_libraries.provide(PYTHON, ROOT)
        if complaint:
            say(complaint)
            return  # no stamp: the next run looks again
    STAMP.parent.mkdir(parents=True, exist_ok=True)
    STAMP.write_text(json.dumps(wanted))
    say("Ready: `make run` opens the window, `make test` runs every test.")


if __name__ == "__main__":
    main()
