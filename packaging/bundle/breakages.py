"""Ways to break a bundle, each with the check that must catch it. They prove the checks.

Each works on a copy whose files are links to the original's, so a file is replaced, never edited.
"""

from __future__ import annotations

import os
import plistlib
import shutil
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bundle.assemble import Places
from bundle.licences import INDEX
from bundle.macho import machos, read_image


@dataclass(frozen=True)
class Breakage:
    """One way to break a bundle, and the check that catches it."""

    what: str
    caught_by: str
    act: Callable[[Places], None]


def copy_bundle(places: Places, target: Path) -> Places:
    """Copy a bundle by links, so that a copy costs no space."""
    shutil.copytree(places.app, target, symlinks=True, copy_function=os.link)
    return Places(target, places.name)


def rewrite(path: Path, data: bytes) -> None:
    """Replace a file that other copies share."""
    mode = path.stat().st_mode if path.exists() else 0o644
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(mode)


def a_library(places: Places) -> Path:
    """Some library of the bundle, the same each time."""
    return next(path for path in machos(places.site) if path.suffix == ".so")


def libmlx(places: Places) -> Path:
    """MLX's library."""
    return next(places.site.rglob("libmlx.dylib"))


def patch(path: Path, at: int, data: bytes) -> None:
    """Replace bytes of a file."""
    old = path.read_bytes()
    rewrite(path, old[:at] + data + old[at + len(data) :])


def other_processor(places: Places) -> None:
    patch(a_library(places), 4, struct.pack("<I", 0x01000007))  # x86_64


def universal(places: Places) -> None:
    path = a_library(places)
    data = path.read_bytes()
    entry = struct.pack(">IIIIIII", 0xCAFEBABE, 1, 0x01000007, 3, 4096, len(data), 12)
    rewrite(path, entry.ljust(4096, b"\0") + data)


def no_kernels(places: Places) -> None:
    libmlx(places).with_name("mlx.metallib").unlink()


def newer_kernels(places: Places) -> None:
    patch(libmlx(places).with_name("mlx.metallib"), 12, bytes([26]))


def second_mlx(places: Places) -> None:
    shutil.copy(libmlx(places), places.site / "libmlx.dylib")


def newer_wheel(places: Places) -> None:
    path = next(places.site.glob("mlx-*.dist-info/WHEEL"))
    rewrite(path, path.read_bytes().replace(b"macosx_14_0", b"macosx_26_0"))


def newer_executable(places: Places) -> None:
    data = places.executable.read_bytes()
    minimum = read_image(data).minimum or (0, 0, 0)
    packed = struct.pack("<I", minimum[0] << 16 | minimum[1] << 8 | minimum[2])
    for size in (24, 32):  # LC_BUILD_VERSION for macOS, with no tool or one named
        command = struct.pack("<III", 0x32, size, 1) + packed
        if command in data:
            patch(places.executable, data.index(command) + 12, struct.pack("<I", 26 << 16))


def newer_symbol(places: Places) -> None:
    path = a_library(places)
    data = path.read_bytes()
    wanted = "_bad_function_call"
    name = next(symbol for symbol in read_image(data).symbols if len(symbol) >= len(wanted))
    at = data.rindex(b"\0" + name.encode() + b"\0") + 1
    patch(path, at, wanted.ljust(len(name), "_").encode())


def missing_library(places: Places) -> None:
    libmlx(places).rename(places.app.parent / "taken.dylib")


def library_from_outside(places: Places) -> None:
    name = b"@rpath/libmlx.dylib\0"
    users = (path for path in machos(places.site) if path.name != "libmlx.dylib")
    path = next(path for path in users if name in path.read_bytes())
    patch(path, path.read_bytes().index(name), b"/opt/m/libmlx.dylib\0")


def link_out(places: Places) -> None:
    (places.resources / "link").symlink_to("/etc/hosts")


def stray_library(places: Places) -> None:
    shutil.copy(a_library(places), places.resources / "stray.dylib")


def edited_module(places: Places) -> None:
    path = places.program / "app/__init__.py"
    rewrite(path, path.read_bytes() + b"\nimport socket\n")


def edited_code(places: Places) -> None:
    path = a_library(places)
    middle = (read_image(path.read_bytes()).signature or (0, 0))[0] - 1
    patch(path, middle, bytes([path.read_bytes()[middle] ^ 0xFF]))


def unsigned(places: Places) -> None:
    path = a_library(places)
    signature = read_image(path.read_bytes()).signature
    assert signature is not None
    patch(path, signature[0], b"\0\0\0\0")


def soft_runtime(places: Places) -> None:
    data = places.executable.read_bytes()
    at = data.index(struct.pack(">I", 0xFADE0C02)) + 12
    flags = struct.unpack_from(">I", data, at)[0]
    patch(places.executable, at, struct.pack(">I", flags & ~0x10000))


def removed_file(places: Places) -> None:
    (places.program / "app/__init__.py").unlink()


def no_licence(places: Places) -> None:
    path = places.licences / INDEX
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    rewrite(path, "".join(line for line in lines if not line.startswith("mlx ")).encode())


def development_package(places: Places) -> None:
    rewrite(places.site / "pytest-9.0.dist-info/METADATA", b"Name: pytest\nVersion: 9.0\n")


def weights(places: Places) -> None:
    rewrite(places.resources / "models/gemma.gguf", b"GGUF")


def no_bytecode(places: Places) -> None:
    for cache in (places.program / "app/__pycache__").glob("__init__.*.pyc"):
        cache.unlink()


def checked_bytecode(places: Places) -> None:
    cache = next((places.program / "app/__pycache__").glob("__init__.*.pyc"))
    patch(cache, 4, b"\3")


def trimmed_qt_module(places: Places) -> None:
    path = places.program / "app/__init__.py"
    rewrite(path, path.read_bytes() + b"\nfrom PySide6.QtMultimedia import QSoundEffect\n")


def _edit_plist(places: Places, **changes: object) -> None:
    path = places.contents / "Info.plist"
    rewrite(path, plistlib.dumps({**plistlib.loads(path.read_bytes()), **changes}))


def other_version(places: Places) -> None:
    _edit_plist(places, CFBundleShortVersionString="0.0.0")


def no_dark_mode(places: Places) -> None:
    _edit_plist(places, NSRequiresAquaSystemAppearance=True)


def no_icon(places: Places) -> None:
    (places.resources / f"{places.name}.icns").unlink()


def too_large(places: Places) -> None:
    path = places.resources / "large"
    path.touch()
    os.truncate(path, 600_000_000)  # without blocks on disk


BREAKAGES = (
    Breakage("a library for Intel", "architecture", other_processor),
    Breakage("a universal library", "architecture", universal),
    Breakage("no Metal kernels", "mlx", no_kernels),
    Breakage("Metal kernels of a newer macOS", "mlx", newer_kernels),
    Breakage("a second MLX", "mlx", second_mlx),
    Breakage("a wheel for a newer macOS", "system", newer_wheel),
    Breakage("an executable for a newer macOS", "system", newer_executable),
    Breakage("a symbol of a newer macOS", "system", newer_symbol),
    Breakage("a library that is gone", "libraries", missing_library),
    Breakage("a library from outside", "libraries", library_from_outside),
    Breakage("a link out of the bundle", "libraries", link_out),
    Breakage("a stray library", "seal", stray_library),
    Breakage("an edited module", "seal", edited_module),
    Breakage("a file removed", "seal", removed_file),
    Breakage("an edited plist", "seal", other_version),
    Breakage("edited code", "signatures", edited_code),
    Breakage("a library without a signature", "signatures", unsigned),
    Breakage("no hardened runtime", "signatures", soft_runtime),
    Breakage("a licence that is missing", "licences", no_licence),
    Breakage("a development package", "contents", development_package),
    Breakage("model weights", "contents", weights),
    Breakage("a module without bytecode", "contents", no_bytecode),
    Breakage("bytecode that Python would rewrite", "contents", checked_bytecode),
    Breakage("a module that differs from its bytecode", "contents", edited_module),
    Breakage("a Qt module that was trimmed", "qt modules", trimmed_qt_module),
    Breakage("another version", "plist", other_version),
    Breakage("a light-only window", "plist", no_dark_mode),
    Breakage("no icon", "plist", no_icon),
    Breakage("a size over budget", "size", too_large),
)
