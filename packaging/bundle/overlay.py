"""Run the bundle's Python packages on this machine, as far as they are not native.

Every module, data file and bytecode file comes from the bundle, so what was trimmed is missing here
too; native libraries come from the same versions' wheels for this machine.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from bundle import wheels
from bundle.assemble import BUILD, Places
from bundle.macho import is_macho
from bundle.recipe import ROOT, Recipe

BLAS = ROOT / ".venv/lib/cabochon/libcabochon-blas.so"
ALONE = ("-B", "-S", "-s")  # no bytecode, and nothing of this machine's own packages
_NATIVE = (".so", ".dylib")


def overlay(places: Places, recipe: Recipe, work: Path) -> tuple[Path, list[Path]]:
    """Lay the bundle's files over native ones.

    Returns:
        The Python to run, and its search path.
    """
    version = json.loads((places.resources / BUILD).read_text(encoding="utf-8"))["python"]
    recipe = replace(recipe, python=version)
    python = wheels.find_python(version)
    if python is None:
        raise SystemExit(
            f"Python {version} is needed on this machine to run the bundle's packages."
        )
    here = _site_of_this_machine(recipe, python, work)
    mixed = work / "mixed"
    shutil.rmtree(mixed, ignore_errors=True)
    for path in sorted(places.site.rglob("*")):
        if path.is_file() and not path.is_symlink() and not is_macho(path):
            _link(path, mixed / path.relative_to(places.site))
    for path in sorted(here.rglob("*")):
        name = path.relative_to(here)
        top = name.parts[0]
        shipped = (places.site / top).exists() or top.endswith(".libs")
        native = _is_native(path) and shipped
        qt = path.is_file() and name.parts[:2] == ("PySide6", "Qt")
        if (native or qt) and not (mixed / name).exists():
            _link(path, mixed / name)
    path = [places.program, mixed, _starter(work)]
    laid_out = {"command": [str(python), *ALONE], "path": [str(part) for part in path]}
    (work / "run.json").write_text(json.dumps(laid_out), encoding="utf-8")  # for `make bench`
    return python, path


def _is_native(path: Path) -> bool:
    return path.is_file() and (path.suffix in _NATIVE or ".so." in path.name)


def _link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.symlink_to(source)


def _site_of_this_machine(recipe: Recipe, python: Path, work: Path) -> Path:
    """Install the lock's packages for this machine and the bundle's Python, once."""
    if sys.platform == "darwin":
        system = recipe.platform
    else:
        system = f"{platform.machine()}-manylinux_2_36"
    requirements = work / f"requirements-{system}-{recipe.python}.txt"
    wheels.resolve(recipe, system, requirements)
    site, stamp = work / f"site-{system}-{recipe.python}", work / "installed.txt"
    if not (site.is_dir() and stamp.is_file() and stamp.read_text() == requirements.read_text()):
        shutil.rmtree(site, ignore_errors=True)
        wheels.install(recipe, system, requirements, python, site)
        stamp.write_text(requirements.read_text())
    return site


def _starter(work: Path) -> Path:
    """The starter model of the program's environment; a bundle has none of its own."""
    folder = work / "starter"
    shutil.rmtree(folder, ignore_errors=True)
    for path in ROOT.glob(".venv/lib/python3.*/site-packages/gemma3_270m*"):
        _link(path, folder / path.name)
    folder.mkdir(exist_ok=True)
    return folder


def environment(path: list[Path], home: Path) -> dict[str, str]:
    """The environment of a program started from Finder, with the overlay as its search path."""
    environ = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "CABOCHON_HOME": str(home),
        "PYTHONPATH": ":".join(map(str, path)),
        "PYTHONNOUSERSITE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "QT_QPA_PLATFORM": "offscreen",
        "LANG": "C.UTF-8",
        "OPENBLAS_NUM_THREADS": "1",  # two lose to one where a core is busy
    }
    for name in ("LD_LIBRARY_PATH", "FONTCONFIG_FILE", "XKB_CONFIG_ROOT"):
        if name in os.environ:
            environ[name] = os.environ[name]
    if BLAS.is_file():
        environ["LD_PRELOAD"] = str(BLAS)
    return environ


def listing(places: Places) -> dict[str, tuple[int, int]]:
    """Every file of the bundle with its size and time of change."""
    return {
        str(path.relative_to(places.app)): (path.lstat().st_size, path.lstat().st_mtime_ns)
        for path in places.app.rglob("*")
    }


def run_program(places: Places, recipe: Recipe, work: Path) -> tuple[list[str], list[str]]:
    """Run the program's own test from the overlay, with the real model.

    Returns:
        What is wrong, and what the program said.
    """
    python, path = overlay(places, recipe, work)
    before = listing(places)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [str(python), *ALONE, "-m", "app", "--self-test"],
            env=environment(path, Path(home)),
            cwd="/",
            capture_output=True,
            text=True,
            timeout=480,
            check=False,
        )
    said = [*done.stdout.splitlines(), f"{time.monotonic() - began:.1f} s in all"]
    faults = []
    if done.returncode:
        faults.append(f"the self-test ended with status {done.returncode}: {done.stderr[-1500:]}")
    if listing(places) != before:
        faults.append("the program wrote into its bundle")
    return faults, said
