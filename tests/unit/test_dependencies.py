"""What the program imports is what `pyproject.toml` names."""

import ast
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = "=<>![; "


def declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["starter"]]
    names = set()
    for entry in wanted:
        end = min((entry.index(c) for c in NAMES if c in entry), default=len(entry))
        names.add(entry[:end].lower())
    return names


def imported():
    """Every module of the product's imports that is neither ours nor the standard library's."""
    ours = {"app", "inference", "resources", "_typeshed"} | set(sys.stdlib_module_names)
    for room in ("app", "inference"):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                names = []
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    names = [node.module]
                for name in names:
                    if name.split(".")[0] not in ours:
                        yield name.split(".")[0], path.relative_to(ROOT).as_posix()


def test_every_library_that_is_imported_is_declared():
    homes = packages_distributions()
    # shiboken6 comes with PySide6 and is versioned with it
    wanted = declared() | {"shiboken6"}
    undeclared = {
        (module, file)
        for module, file in imported()
        if not wanted & {home.lower().replace("_", "-") for home in homes.get(module, [])}
    }
    assert undeclared == set()


@pytest.mark.parametrize("name", ["numpy", "mlx-lm", "pyside6-essentials"])
def test_names_are_read_without_their_versions(name):
    assert name in declared()
