"""The licences of what ships: every distribution's own texts in one folder, and an index."""

from __future__ import annotations

import shutil
from importlib.metadata import Distribution
from pathlib import Path

from bundle.recipe import ROOT, Recipe
from bundle.wheels import distributions

INDEX = "INDEX.txt"


def licence_of(distribution: Distribution) -> str:
    """The licence that a distribution names: as an expression, a field or a classifier."""
    metadata = distribution.metadata
    named = metadata.get("License-Expression") or metadata.get("License") or ""
    if named and "\n" not in named.strip():
        return named.strip()
    classifiers = [
        line.rsplit(" :: ", 1)[1]
        for line in metadata.get_all("Classifier") or ()
        if line.startswith("License ::")
    ]
    return ", ".join(classifiers) or "see its text"


def texts_of(distribution: Distribution) -> list[Path]:
    """The licence files that a distribution installed."""
    words = ("licen", "copying", "notice", "authors")
    return [
        Path(str(distribution.locate_file(file)))
        for file in distribution.files or ()
        if ".dist-info" in file.parts[0] and any(word in file.name.lower() for word in words)
    ]


def collect(site: Path, target: Path, recipe: Recipe) -> None:
    """Copy every distribution's licence texts below `target` and write the index."""
    target.mkdir(parents=True)
    shutil.copy2(ROOT / "LICENSE", target / "Cabochon.txt")
    index = ["Cabochon: Apache-2.0 (Cabochon.txt)"]
    for distribution in distributions(site):
        folder = target / distribution.name
        texts = texts_of(distribution)
        texts += [ROOT / text for text in recipe.licences.get(distribution.name, ())]
        for text in texts:
            folder.mkdir(exist_ok=True)
            shutil.copy2(text, folder / text.name)
        index.append(f"{distribution.name} {distribution.version}: {licence_of(distribution)}")
    (target / INDEX).write_text("\n".join(index) + "\n", encoding="utf-8")


def missing(site: Path, folder: Path) -> list[str]:
    """List distributions that are not in the index, or without a text."""
    index = folder / INDEX
    listed = index.read_text(encoding="utf-8").splitlines() if index.is_file() else []
    return [
        distribution.name
        for distribution in distributions(site)
        if not any(
            line.startswith(f"{distribution.name} {distribution.version}:") for line in listed
        )
        or not any((folder / distribution.name).glob("*"))
    ]
