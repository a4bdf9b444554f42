"""The wheel: it holds the program's packages and nothing else, and finds its resources."""

import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOOK = """
import json, packaging, packaging.version
from importlib.metadata import entry_points
from importlib.resources import files
import app, inference, resources
print(json.dumps({
    "packaging": str(packaging.version.Version("1.2") < packaging.version.Version("1.10")),
    "icon": files("resources").joinpath("icon.svg").is_file(),
    "style": files("resources").joinpath("style.qss").is_file(),
    "script": [e.value for e in entry_points(group="console_scripts", name="cabochon")],
}))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The project's wheel, built from a copy of its sources without any network."""
    source = tmp_path_factory.mktemp("source")
    for name in ("app", "inference", "resources"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, source / name)
    (source / "packaging").mkdir()  # beside the sources, as in the project
    (source / "packaging/build.py").write_text("")
    (source / "tests").mkdir()
    (source / "tests/test_it.py").write_text("")
    out = tmp_path_factory.mktemp("wheel")
    code = f"from setuptools import build_meta; build_meta.build_wheel({str(out)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=source, check=True, capture_output=True)
    return next(out.glob("cabochon-*.whl"))


def test_the_wheel_holds_the_program_alone(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "app",
        "inference",
        "resources",
    }
    ours = {
        path.relative_to(ROOT).as_posix()
        for room in ("app", "inference", "resources")
        for path in (ROOT / room).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert ours <= set(names)


def test_the_wheel_works_beside_the_library_called_packaging(wheel, tmp_path):
    empty = tmp_path / "empty"
    command = [sys.executable, "-m", "venv", "--without-pip", str(empty)]
    subprocess.run(command, check=True, timeout=120)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(empty)}))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    library = Path(sysconfig.get_path("purelib")) / "packaging"
    shutil.copytree(library, site / "packaging")
    done = subprocess.run(
        [str(empty / "bin/python"), "-I", "-c", LOOK],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "packaging": "True",
        "icon": True,
        "style": True,
        "script": ["app.cli:main"],
    }
