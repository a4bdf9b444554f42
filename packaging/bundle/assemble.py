"""Put the bundle together: packages, the program, Python, launcher, icon, licences."""

from __future__ import annotations

import json
import plistlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bundle import icon, licences, trim, wheels
from bundle.plist import info_plist
from bundle.recipe import PACKAGING, ROOT, Recipe

STAND_IN = "STAND-IN.txt"
BUILD = "build.json"
_STAND_IN_TEXT = """There is no Python in this bundle, so it does not start.

It was assembled where no CPython for macOS could be had, to build and check everything else. Do not
ship it. The release workflow puts a relocatable CPython here.
"""


@dataclass(frozen=True)
class Places:
    """Where the parts of a bundle lie."""

    app: Path
    name: str

    @property
    def contents(self) -> Path:
        """All of the bundle."""
        return self.app / "Contents"

    @property
    def resources(self) -> Path:
        """Everything but the executable and the plist."""
        return self.contents / "Resources"

    @property
    def site(self) -> Path:
        """The packages that the program uses."""
        return self.resources / "site"

    @property
    def program(self) -> Path:
        """The program itself."""
        return self.resources / "app"

    @property
    def python(self) -> Path:
        """CPython, or the text that stands in for it."""
        return self.resources / "python"

    @property
    def licences(self) -> Path:
        """The licences of what ships."""
        return self.resources / "licences"

    @property
    def executable(self) -> Path:
        """What macOS starts."""
        return self.contents / "MacOS" / self.name


def fetch_cpython(recipe: Recipe, work: Path) -> Path | None:
    """Let uv install a relocatable CPython for macOS; None where its host cannot be reached."""
    folder = work / "cpython"
    name = f"cpython-{recipe.python}-macos-aarch64-none"
    done = subprocess.run(
        [str(wheels.UV), "python", "install", "--install-dir", str(folder), "--no-bin", name],
        env={**wheels.environment(recipe.minimum_macos), "UV_PYTHON_DOWNLOADS": "manual"},
        capture_output=True,
        text=True,
        check=False,
    )
    found = sorted(path for path in folder.glob("cpython-*") if not path.is_symlink())
    return found[-1] if done.returncode == 0 and found else None


def place_python(recipe: Recipe, places: Places, cpython: Path | None) -> None:
    """Put CPython into the bundle, or a text that says it is not there."""
    if cpython is None:
        places.python.mkdir(parents=True)
        (places.python / STAND_IN).write_text(_STAND_IN_TEXT, encoding="utf-8")
        return
    unneeded = ("test", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3", "pip", "pip-*")
    unneeded += ("include", "share", "pkgconfig", "*.a", "__pycache__", "_tkinter*", "libtcl*")
    unneeded += ("libtk*", "tcl*", "tk*", "itcl*", "EXTERNALLY-MANAGED", "idle*")
    unneeded += ("pydoc3*", "2to3*", f"python{recipe.python}-config", "python3-config")
    shutil.copytree(cpython, places.python, symlinks=True, ignore=shutil.ignore_patterns(*unneeded))


def compile_launcher(recipe: Recipe, target: Path) -> None:
    """Compile the launcher: with Apple's compiler on a Mac, else with zig's macOS headers."""
    target.parent.mkdir(parents=True)
    if sys.platform == "darwin":
        compiler = ["clang", "-arch", "arm64", f"-mmacosx-version-min={recipe.minimum_macos}"]
    else:
        compiler = [sys.executable, "-m", "ziglang", "cc", "-target", recipe.launcher_target, "-s"]
    define = f'-DPYTHON="{recipe.python}"'
    source = str(PACKAGING / "launcher.c")
    command = [*compiler, "-Os", "-Wall", "-Werror", define, "-o", str(target), source]
    subprocess.run(command, check=True)
    for debug in target.parent.glob("*.pdb"):
        debug.unlink()


def build_wheel(work: Path) -> Path:
    """Build the program's own wheel with the tools of its environment."""
    folder = work / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    command = [
        *(str(wheels.UV), "build", "--wheel", "--quiet", "--no-build-isolation"),
        *("--python", str(ROOT / ".venv/bin/python"), "--out-dir", str(folder), str(ROOT)),
    ]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def compile_bytecode(places: Places, python: Path) -> None:
    """Compile every module to bytecode that Python never compares with its source or rewrites."""
    for folder in (places.program, places.site):
        for stray in list(folder.rglob("__pycache__")):  # some wheels bring another version's
            shutil.rmtree(stray)
        command = [
            *(str(python), "-m", "compileall", "-q", "-j", "0"),
            *("--invalidation-mode", "unchecked-hash", "-s", str(folder), str(folder)),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode and "SyntaxError" not in done.stdout:
            raise SystemExit(f"Bytecode could not be compiled: {done.stdout[-2000:]}")


def choose_python(recipe: Recipe) -> tuple[Recipe, Path]:
    """Find the recipe's Python on this machine, or make a bundle for the Python that runs this.

    Modules can only be compiled by the version that will run them.
    """
    python = wheels.find_python(recipe.python)
    if python is not None:
        return recipe, python
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    return replace(recipe, python=here), Path(sys.executable)


def assemble(recipe: Recipe, places: Places, work: Path) -> Iterator[str]:
    """Build the bundle anew, telling what is done."""
    shutil.rmtree(places.app, ignore_errors=True)
    wanted, (recipe, python) = recipe.python, choose_python(recipe)
    if recipe.python != wanted:
        yield f"There is no Python {wanted} here: this bundle is for {recipe.python}."
    requirements = work / f"requirements-{recipe.platform}.txt"
    wheels.resolve(recipe, recipe.platform, requirements)
    wheels.install(recipe, recipe.platform, requirements, python, places.site)
    yield f"{trim.megabytes(places.site):7.1f} MB  packages as installed"
    for reason, saved in trim.trim(places.site, recipe):
        yield f"{-saved:7.1f} MB  {reason}"
    licences.collect(places.site, places.licences, recipe)
    unpack_program(places, build_wheel(work))
    compile_launcher(recipe, places.executable)
    cpython = fetch_cpython(recipe, work)
    compile_bytecode(places, python)
    place_python(recipe, places, cpython)
    if cpython is not None:
        compile_bytecode_of_python(places)
    icon.icns(work / "icon", places.resources / f"{recipe.name}.icns")
    (places.contents / "PkgInfo").write_text("APPL????", encoding="ascii")
    with (places.contents / "Info.plist").open("wb") as file:
        plistlib.dump(info_plist(recipe), file)
    (places.resources / BUILD).write_text(
        json.dumps({"python": recipe.python, "cpython": cpython.name if cpython else ""})
    )
    yield f"{trim.megabytes(places.app):7.1f} MB  the bundle, with bytecode"
    yield f"CPython: {cpython.name if cpython else 'a stand-in; this bundle cannot start'}"


def unpack_program(places: Places, wheel: Path) -> None:
    """Put the program and its metadata beside the packages it uses."""
    shutil.unpack_archive(wheel, places.program, "zip")
    for record in places.program.glob("*.dist-info/RECORD"):
        record.unlink()


def compile_bytecode_of_python(places: Places) -> None:
    """Compile Python's own library with itself (on a Mac, where it runs)."""
    python = places.python / "bin/python3"
    if sys.platform != "darwin":
        return
    library = next((places.python / "lib").glob("python3.*"))
    command = [str(python), "-m", "compileall", "-q", "-j", "0"]
    command += ["--invalidation-mode", "unchecked-hash", str(library)]
    subprocess.run(command, check=True)
