"""Take out of the installed packages what the program never uses, as `bundle.toml` lists it."""

from __future__ import annotations

import shutil
from fnmatch import fnmatch
from pathlib import Path

from bundle.macho import ARM64, machos, read_image, slices, thin
from bundle.recipe import Recipe


def megabytes(folder: Path) -> float:
    """What the files below a folder hold, links left out."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files) / 1e6


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def trim(site: Path, recipe: Recipe) -> list[tuple[str, float]]:
    """Apply the trims of the recipe, Qt's modules and thinning.

    Returns:
        What was done, with the megabytes it saved.
    """
    steps = [
        (f"Qt's modules but {', '.join(sorted(recipe.qt_modules))}", trim_qt),
        *((cut.reason, _cutter(cut.paths, cut.keep)) for cut in recipe.trims),
        ("Qt's frameworks that nothing loads", drop_unused_frameworks),
        ("Intel code in universal files", thin_all),
    ]
    saved = []
    size = megabytes(site)
    for reason, step in steps:
        step(site, recipe)
        now = megabytes(site)
        saved.append((reason, size - now))
        size = now
    restore_links(site)
    return saved


def _cutter(paths: tuple[str, ...], keep: tuple[str, ...]):  # noqa: ANN202  (a local function)
    def cut(site: Path, _: Recipe) -> None:
        for pattern in paths:
            for path in sorted(site.glob(pattern)):
                name = path.relative_to(site).as_posix()
                if not any(fnmatch(name, k) or fnmatch(path.name, k) for k in keep):
                    remove(path)

    return cut


def trim_qt(site: Path, recipe: Recipe) -> None:
    """Keep the Qt modules and plugins that the recipe names."""
    qt = site / "PySide6"
    for module in qt.glob("Qt*.abi3.so"):
        if module.name.split(".")[0] not in recipe.qt_modules:
            module.unlink()
    for folder in sorted((qt / "Qt/plugins").glob("*")):
        kept = recipe.qt_plugins.get(folder.name, [])
        for plugin in list(folder.iterdir()):
            if plugin.name not in kept:
                remove(plugin)
        if not any(folder.iterdir()):
            folder.rmdir()


def drop_unused_frameworks(site: Path, recipe: Recipe) -> None:
    """Remove frameworks until every one left is loaded by another image."""
    qt = site / "PySide6"
    while True:
        wanted = set(recipe.qt_modules)
        for path in machos(qt):
            own = next((part for part in path.parts if part.endswith(".framework")), "")
            data = dict(slices(path.read_bytes())).get(ARM64, b"")
            for load in read_image(data).loads if data else ():
                named = [part for part in load.name.split("/") if part.endswith(".framework")]
                if named and named[0] != own:
                    wanted.add(named[0].removesuffix(".framework"))
        unused = [f for f in (qt / "Qt/lib").glob("*.framework") if f.stem not in wanted]
        if not unused:
            return
        for framework in unused:
            remove(framework)


def thin_all(site: Path, _: Recipe) -> None:
    """Keep the arm64 code of every file."""
    for path in machos(site):
        thin(path)


def restore_links(site: Path) -> None:
    """Give frameworks their links back; a wheel cannot hold any."""
    for framework in (site / "PySide6/Qt/lib").glob("*.framework"):
        current = framework / "Versions/Current"
        if not current.is_symlink():
            remove(current)
            current.symlink_to("A")
        for name in (framework.stem, "Resources"):
            link = framework / name
            if not link.is_symlink():
                remove(link)
                link.symlink_to(f"Versions/Current/{name}")
