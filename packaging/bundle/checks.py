"""What must be true of a bundle: each check reads it and says what is wrong, in sentences.

Nothing here runs the bundle's code; `overlay` runs its Python packages.
"""

from __future__ import annotations

import _imp  # what importlib.util.source_hash calls, with another Python's key
import ast
import os
import plistlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path

from bundle import licences, wheels
from bundle.assemble import STAND_IN, Places
from bundle.macho import ARM64, DYLIB, EXECUTE, Image, NotMachOError, machos, read_image, slices
from bundle.plist import plist_faults
from bundle.recipe import Recipe
from bundle.sign import ENTITLEMENTS
from bundle.signature import code_faults, runtime_faults, seal_faults
from bundle.trim import megabytes

SYSTEM = ("/usr/lib/", "/System/Library/")
_UNCHECKED_HASH = 0b01  # of a .pyc file's flags (PEP 552): never compared with its source


@dataclass
class Bundle:
    """A bundle with its Mach-O files read once.

    Attributes:
        unreadable: Files that begin like Mach-O and are not.
    """

    places: Places
    recipe: Recipe
    images: dict[Path, list[Image]] = field(default_factory=dict)
    unreadable: list[Path] = field(default_factory=list)

    def name(self, path: Path) -> str:
        """A path as it is told: from the bundle's contents on."""
        return path.relative_to(self.places.contents).as_posix()


def read_bundle(places: Places, recipe: Recipe) -> Bundle:
    """Read every Mach-O file of a bundle."""
    bundle = Bundle(places, recipe)
    for path in machos(places.app):
        try:
            cut = slices(path.read_bytes())
            bundle.images[path] = [replace(read_image(data), cpu=cpu) for cpu, data in cut]
        except (NotMachOError, ValueError, IndexError):
            bundle.unreadable.append(path)
    return bundle


def plist(bundle: Bundle) -> Iterator[str]:
    """Info.plist holds what the recipe says, and names files that are there."""
    path = bundle.places.contents / "Info.plist"
    try:
        held = plistlib.loads(path.read_bytes())
    except (OSError, plistlib.InvalidFileException, ValueError):
        yield "Info.plist cannot be read"
        return
    yield from plist_faults(held, bundle.recipe)
    if not bundle.places.executable.is_file():
        yield "the executable is missing"
    elif not os.access(bundle.places.executable, os.X_OK):
        yield "the executable cannot be executed"
    if not (bundle.places.resources / str(held.get("CFBundleIconFile"))).is_file():
        yield "the icon is missing"


def architecture(bundle: Bundle) -> Iterator[str]:
    """Every Mach-O file is for arm64 and nothing else."""
    for path in bundle.unreadable:
        yield f"{bundle.name(path)} cannot be read"
    for path, images in bundle.images.items():
        others = [image.cpu for image in images if image.cpu != ARM64]
        if others:
            yield f"{bundle.name(path)} holds code for another processor ({others[0]:#x})"


def system(bundle: Bundle) -> Iterator[str]:
    """Nothing needs a newer macOS than the bundle declares."""
    for path, images in bundle.images.items():
        for image in images:
            minimum = image.minimum or (0, 0, 0)
            if image.kind == EXECUTE and minimum > bundle.recipe.minimum:
                yield f"{bundle.name(path)} declares macOS {_version(minimum)}"
            for symbol in image.symbols:
                for part, since in bundle.recipe.newer_symbols.items():
                    if part in symbol and since > bundle.recipe.minimum:
                        yield f"{bundle.name(path)} needs {symbol}, of macOS {_version(since)}"
    yield from wheels.too_new(bundle.places.site, bundle.recipe)


def declared_newer(bundle: Bundle) -> list[str]:
    """Libraries that declare a newer macOS: a warning, since macOS loads them all the same."""
    return [
        f"{bundle.name(path)} declares macOS {_version(image.minimum)}"
        for path, images in bundle.images.items()
        for image in images
        if image.kind != EXECUTE and image.minimum and image.minimum > bundle.recipe.minimum
    ]


def _version(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version[:2]))


def libraries(bundle: Bundle) -> Iterator[str]:
    """Every library that is loaded resolves, inside the bundle; links stay inside too."""
    app = bundle.places.app.resolve()
    for path in sorted(app.rglob("*")):
        if path.is_symlink():
            if path.readlink().is_absolute() or app not in path.resolve().parents:
                yield f"{path.relative_to(app).as_posix()} is a link out of the bundle"
            elif not path.exists():
                yield f"{path.relative_to(app).as_posix()} is a link to nothing"
    stand_in = (bundle.places.python / STAND_IN).is_file()
    seen: set[Path] = set()
    for path, images in bundle.images.items():
        if images[0].kind != DYLIB or "plugins" in path.parts:  # what nothing else loads
            starts = path if images[0].kind == EXECUTE else bundle.places.executable
            yield from _follow(bundle, path, starts, [], seen)
    if not stand_in:
        yield from _python_faults(bundle)


def _python_faults(bundle: Bundle) -> Iterator[str]:
    version = next(bundle.places.python.glob("lib/libpython3.*.dylib"), None)
    if version is None:
        yield "the Python library that the launcher loads is missing"
    if not (bundle.places.python / "bin/python3").exists():
        yield "bin/python3 is missing: the engine's own process starts with it"


def _follow(
    bundle: Bundle, path: Path, executable: Path, above: list[tuple[str, Path]], seen: set[Path]
) -> Iterator[str]:
    """Load an image's libraries as dyld would: its own run paths first, then its loaders'.

    Args:
        bundle: Where the images lie.
        path: The image.
        executable: What the process was started with.
        above: Run paths of the images that led here, and who has them.
        seen: Images that were followed already.
    """
    real = path.resolve()
    if real in seen or path not in bundle.images:
        return
    seen.add(real)
    image = bundle.images[path][0]
    stack = [(rpath, path) for rpath in image.rpaths] + above
    for load in image.loads:
        if load.name.startswith(SYSTEM) or load.name == image.own_name:
            continue
        found = _resolve(load.name, path, executable, stack)
        if found is None:
            if not load.weak:
                yield f"{bundle.name(path)} loads {load.name}, which is not there"
        elif bundle.places.app.resolve() not in found.resolve().parents:
            yield f"{bundle.name(path)} loads {load.name} from outside the bundle"
        else:
            yield from _follow(bundle, _known(bundle, found), executable, stack, seen)


def _known(bundle: Bundle, path: Path) -> Path:
    real = path.resolve()
    return next((known for known in bundle.images if known.resolve() == real), path)


def _resolve(
    name: str, loader: Path, executable: Path, stack: list[tuple[str, Path]]
) -> Path | None:
    def place(text: str, owner: Path) -> Path:
        for variable, folder in (
            ("@loader_path", owner.parent),
            ("@executable_path", executable.parent),
        ):
            if text.startswith(variable):
                return Path(os.path.normpath(f"{folder}{text.removeprefix(variable)}"))
        return Path(text)

    if name.startswith("@rpath/"):
        tries = [place(rpath, owner) / name.removeprefix("@rpath/") for rpath, owner in stack]
    else:
        tries = [place(name, loader)]
    return next((path for path in tries if path.exists()), None)


def mlx(bundle: Bundle) -> Iterator[str]:
    """There is one MLX, with its Metal kernels beside it, built for the declared macOS."""
    found = sorted(bundle.places.app.rglob("libmlx.dylib"))
    if len(found) != 1:
        yield f"there are {len(found)} libmlx.dylib; there must be one"
    for library in found:
        kernels = library.with_name("mlx.metallib")
        if not kernels.is_file():
            yield f"mlx.metallib is missing beside {bundle.name(library)}"
            continue
        with kernels.open("rb") as file:
            start = file.read(16)
        if start[:4] != b"MTLB":
            yield "mlx.metallib is damaged"
        elif start[12] > bundle.recipe.minimum[0]:
            yield f"mlx.metallib is built for macOS {start[12]}"


def signatures(bundle: Bundle) -> Iterator[str]:
    """Every Mach-O file carries a signature that fits its bytes."""
    for path in bundle.images:
        try:
            yield from (f"{bundle.name(path)} {fault}" for fault in code_faults(path))
        except NotMachOError:
            yield f"{bundle.name(path)} is universal and cannot be verified"
    executable = bundle.places.executable
    if executable in bundle.images:
        entitlements = plistlib.loads(ENTITLEMENTS.read_bytes())
        yield from runtime_faults(executable, entitlements)


def seal(bundle: Bundle) -> Iterator[str]:
    """No file was changed, added or removed since the bundle was sealed."""
    if bundle.places.executable in bundle.images:
        yield from seal_faults(bundle.places.app, bundle.places.executable)


def contents(bundle: Bundle) -> Iterator[str]:
    """No development or test package is inside, no weights, and every module is compiled."""
    for distribution in wheels.distributions(bundle.places.site):
        name = distribution.name.lower().replace("_", "-")
        if any(fnmatch(name, pattern) for pattern in bundle.recipe.forbidden_distributions):
            yield f"{distribution.name} must not ship"
    for pattern in bundle.recipe.forbidden_files:
        for path in bundle.places.resources.glob(pattern):
            yield f"{bundle.name(path)} must not ship"
    for folder in (bundle.places.program, bundle.places.site):
        yield from (fault for source in folder.rglob("*.py") for fault in _bytecode(bundle, source))


def _bytecode(bundle: Bundle, source: Path) -> Iterator[str]:
    """A module has bytecode that Python takes as it is, so that it writes nothing at run time."""
    caches = list((source.parent / "__pycache__").glob(f"{source.stem}.cpython-*.pyc"))
    if not caches:
        if _compiles(source):
            yield f"{bundle.name(source)} is not compiled"
        return
    for cache in caches:
        with cache.open("rb") as file:
            start = file.read(16)
        if start[4] & 0b11 != _UNCHECKED_HASH:
            yield f"{bundle.name(cache)} would be compared with its source"
        elif start[8:] != _imp.source_hash(_magic(start), source.read_bytes()):
            yield f"{bundle.name(source)} is not what was compiled"


def _magic(start: bytes) -> int:
    """The key of a .pyc file's source hash: the magic number of the Python that compiled it."""
    return int.from_bytes(start[:4], "little")


def _compiles(source: Path) -> bool:
    try:
        ast.parse(source.read_bytes())
    except (SyntaxError, ValueError):
        return False
    return True


def qt_modules(bundle: Bundle) -> Iterator[str]:
    """The Qt modules that the program imports are in the bundle."""
    wanted = {
        f"PySide6.{node.module.removeprefix('PySide6.')}": source
        for source in bundle.places.program.rglob("*.py")
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("PySide6.")
    }
    for module, source in sorted(wanted.items()):
        if module.removeprefix("PySide6.") not in bundle.recipe.qt_modules:
            yield f"{bundle.name(source)} imports {module}, which is trimmed"


def licence_texts(bundle: Bundle) -> Iterator[str]:
    """Everything that ships is in the index of licences, and its texts are there."""
    for name in licences.missing(bundle.places.site, bundle.places.licences):
        yield f"the licence of {name} is missing"
    if not (bundle.places.licences / "Cabochon.txt").is_file():
        yield "the licence of Cabochon is missing"


def size(bundle: Bundle) -> Iterator[str]:
    """The bundle and its zip are within their budgets."""
    disk = megabytes(bundle.places.app) - megabytes(bundle.places.python)
    if disk > bundle.recipe.budget_disk_megabytes:
        yield f"{disk:.0f} MB on disk; the budget is {bundle.recipe.budget_disk_megabytes}"
    for archive in bundle.places.app.parent.glob(f"{bundle.recipe.name}-*.zip"):
        packed = archive.stat().st_size / 1e6
        if (bundle.places.python / STAND_IN).is_file() and packed > (
            bundle.recipe.budget_zip_megabytes
        ):
            yield f"{packed:.0f} MB zipped; the budget is {bundle.recipe.budget_zip_megabytes}"


CHECKS: tuple[tuple[str, Callable[[Bundle], Iterator[str]]], ...] = (
    ("plist", plist),
    ("architecture", architecture),
    ("system", system),
    ("libraries", libraries),
    ("mlx", mlx),
    ("signatures", signatures),
    ("seal", seal),
    ("contents", contents),
    ("qt modules", qt_modules),
    ("licences", licence_texts),
    ("size", size),
)


def faults(bundle: Bundle) -> dict[str, list[str]]:
    """Run every check: name to what it found."""
    return {name: list(check(bundle)) for name, check in CHECKS}
