"""What the bundle is to be: `bundle.toml` and `pyproject.toml`, read once."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"

Version = tuple[int, ...]


def version_of(text: str) -> Version:
    """Read "14.0" as (14, 0, 0), so that versions compare."""
    parts = [int(part) for part in text.split(".")]
    return tuple(parts + [0] * (3 - len(parts)))


@dataclass(frozen=True)
class Trim:
    """Paths below `site` that go, but for those that stay, and why."""

    reason: str
    paths: tuple[str, ...]
    keep: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recipe:
    """All the data that decides what the bundle is.

    Attributes:
        newer_symbols: Part of a symbol's name, and the macOS that first has it.
        licences: Texts of the project for distributions that carry none.
    """

    name: str
    identifier: str
    url_scheme: str
    copyright: str
    category: str
    python: str
    minimum_macos: str
    platform: str
    launcher_target: str
    budget_disk_megabytes: int
    budget_zip_megabytes: int
    qt_modules: frozenset[str]
    qt_plugins: dict[str, list[str]]
    trims: tuple[Trim, ...]
    forbidden_distributions: tuple[str, ...]
    forbidden_files: tuple[str, ...]
    newer_symbols: dict[str, Version]
    licences: dict[str, list[str]]
    version: str
    summary: str

    @property
    def minimum(self) -> Version:
        """The oldest macOS, as numbers."""
        return version_of(self.minimum_macos)


def load_recipe(path: Path = PACKAGING / "bundle.toml") -> Recipe:
    """Read the recipe that lies in the project."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    qt, forbidden = data.pop("qt"), data.pop("forbidden")
    trims = tuple(
        Trim(t["reason"], tuple(t["paths"]), tuple(t.get("keep", ()))) for t in data.pop("trim")
    )
    symbols = {name: version_of(since) for name, since in data.pop("newer_symbols").items()}
    return Recipe(
        **data,
        qt_modules=frozenset(qt["modules"]),
        qt_plugins=qt["plugins"],
        trims=trims,
        forbidden_distributions=tuple(forbidden["distributions"]),
        forbidden_files=tuple(forbidden["files"]),
        newer_symbols=symbols,
        version=project["version"],
        summary=project["description"],
    )
