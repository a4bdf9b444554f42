"""The Python packages of the bundle: those of the lock, as wheels for the oldest macOS we serve.

They are chosen by platform, never by the machine that builds: a Mac with a newer system would
otherwise bring wheels that older ones cannot load.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

from bundle.recipe import ROOT, Recipe, version_of

UV = Path(sys.prefix) / "bin/uv"
LOCK = ROOT / "requirements.lock"
_PIN = re.compile(r"^([a-z0-9][a-z0-9.-]*)==(\S+)")
_MACOS = re.compile(r"macosx_(\d+)_(\d+)_")


def environment(minimum_macos: str) -> dict[str, str]:
    """The environment for uv: wheels for that macOS, and no Python fetched by the way."""
    return {
        **os.environ,
        "MACOSX_DEPLOYMENT_TARGET": minimum_macos,
        "UV_PYTHON_DOWNLOADS": os.environ.get("UV_PYTHON_DOWNLOADS", "never"),
        "UV_LINK_MODE": "copy",
        "UV_SYSTEM_CERTS": "1",  # as pip does: a company's own certificates count
    }


def read_lock(path: Path = LOCK) -> dict[tuple[str, str], str]:
    """Read the lock: (name, version) to its whole entry, hashes and all, markers left out."""
    entries: dict[tuple[str, str], str] = {}
    key = None
    for line in path.read_text(encoding="utf-8").splitlines():
        if pin := _PIN.match(line):
            key = (pin[1], pin[2])
            entries[key] = f"{pin[1]}=={pin[2]} \\\n"
        elif key and line.lstrip().startswith("--hash="):
            entries[key] += line + "\n"
    return entries


def resolve(recipe: Recipe, platform: str, target: Path) -> None:
    """Write the lock's entries that the program needs on a platform, with the lock's hashes.

    Raises:
        SystemExit: A package has no wheel for the platform, or is not in the lock.
    """
    command = [
        *(UV, "pip", "compile", ROOT / "pyproject.toml", "--quiet", "--no-annotate"),
        *("--python-platform", platform, "--python-version", recipe.python),
        *("--only-binary", ":all:", "--no-emit-index-url", "--constraint", LOCK),
    ]
    done = subprocess.run(
        [str(part) for part in command],
        env=environment(recipe.minimum_macos),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"The lock does not resolve for {platform}:\n{done.stderr}")
    locked = read_lock()
    wanted = [(pin[1], pin[2]) for line in done.stdout.splitlines() if (pin := _PIN.match(line))]
    unlocked = [f"{name}=={version}" for name, version in wanted if (name, version) not in locked]
    if unlocked:
        raise SystemExit(f"Not in the lock (run `make lock`): {', '.join(unlocked)}")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(locked[key] for key in wanted), encoding="utf-8")


def install(recipe: Recipe, platform: str, requirements: Path, python: Path, target: Path) -> None:
    """Install wheels for a platform into a folder, by hash."""
    command = [
        *(UV, "pip", "install", "--quiet", "--target", target, "--python", python),
        *("--python-platform", platform, "--python-version", recipe.python),
        *("--only-binary", ":all:", "--no-deps", "--require-hashes", "-r", requirements),
    ]
    subprocess.run(
        [str(part) for part in command], env=environment(recipe.minimum_macos), check=True
    )


def find_python(version: str) -> Path | None:
    """Find a Python of a version on this machine, to compile with."""
    name = f"python{version}"
    candidates = [sys.executable, shutil.which(name), f"/opt/homebrew/bin/{name}"]
    candidates += sorted((Path.home() / ".pyenv/versions").glob(f"{version}.*/bin/{name}"))
    candidates += sorted(
        (Path.home() / ".local/share/uv/python").glob(f"cpython-{version}*/bin/{name}")
    )
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    for candidate in filter(None, candidates):
        try:
            done = subprocess.run(
                [str(candidate), "-c", ask], capture_output=True, text=True, check=False
            )
        except OSError:
            continue
        if done.stdout.strip() == version:
            return Path(candidate)
    return None


def distributions(site: Path) -> list[Distribution]:
    """List what is installed in a folder, by name."""
    found = [PathDistribution(path) for path in site.glob("*.dist-info")]
    return sorted(found, key=lambda distribution: distribution.name.lower())


def too_new(site: Path, recipe: Recipe) -> Iterator[str]:
    """Say which wheels were built for a newer macOS than the bundle declares."""
    for distribution in distributions(site):
        for line in (distribution.read_text("WHEEL") or "").splitlines():
            tag = _MACOS.search(line) if line.startswith("Tag:") else None
            if tag and version_of(f"{tag[1]}.{tag[2]}") > recipe.minimum:
                yield f"{distribution.name} is a wheel for macOS {tag[1]}.{tag[2]}"
