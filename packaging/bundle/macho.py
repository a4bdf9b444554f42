"""Read Mach-O files: what they are for, what they load, what they want of the system.

Source: <mach-o/loader.h>, <mach-o/nlist.h> and <mach-o/fat.h> of Apple's cctools. Only what the
checks need is read, so that they run with the standard library alone.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ARM64 = 0x0100000C
EXECUTE, DYLIB, BUNDLE = 2, 6, 8

_THIN = b"\xcf\xfa\xed\xfe"
_FAT = {b"\xca\xfe\xba\xbe": ">IIIII", b"\xca\xfe\xba\xbf": ">IIQQII"}
_LOADS = {0xC: False, 0x80000018: True, 0x8000001F: False, 0x20: False, 0x80000023: False}
_ID, _RPATH, _BUILD, _MINIMUM, _SIGNATURE, _SYMTAB = 0xD, 0x8000001C, 0x32, 0x24, 0x1D, 0x2
_TYPE_MASK, _EXTERNAL, _DEBUG, _WEAK = 0x0E, 0x01, 0xE0, 0x40


class NotMachOError(ValueError):
    """The bytes are no Mach-O file that can be read."""


@dataclass(frozen=True)
class Load:
    """A library that an image loads; a weak one may be missing."""

    name: str
    weak: bool


@dataclass
class Image:
    """One Mach-O image.

    Attributes:
        kind: EXECUTE, DYLIB or BUNDLE.
        minimum: The oldest macOS that it says it runs on; None if it says nothing.
        symbols: Names strongly imported from other images.
        signature: Offset and size of its code signature in the image; None if unsigned.
    """

    cpu: int
    kind: int
    own_name: str = ""
    loads: list[Load] = field(default_factory=list)
    rpaths: list[str] = field(default_factory=list)
    minimum: tuple[int, ...] | None = None
    symbols: list[str] = field(default_factory=list)
    signature: tuple[int, int] | None = None


def is_macho(path: Path) -> bool:
    """Whether a file begins like a Mach-O file (and not like a Java class)."""
    with path.open("rb") as file:
        start = file.read(8)
    if start[:4] in _FAT:
        return len(start) == 8 and struct.unpack(">I", start[4:])[0] <= 20
    return start[:4] == _THIN or start[:4] == b"\xce\xfa\xed\xfe"


def machos(folder: Path) -> list[Path]:
    """List the Mach-O files below a folder, links left out."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sorted(path for path in files if is_macho(path))


def slices(data: bytes) -> list[tuple[int, bytes]]:
    """Cut a file into its images: (cpu, bytes) of each."""
    layout = _FAT.get(data[:4])
    if layout is None:
        if data[:4] != _THIN:
            raise NotMachOError("not a 64-bit Mach-O file")
        return [(struct.unpack_from("<I", data, 4)[0], data)]
    count, width = struct.unpack_from(">I", data, 4)[0], struct.calcsize(layout)
    entries = [struct.unpack_from(layout, data, 8 + i * width) for i in range(count)]
    return [(entry[0], data[entry[2] : entry[2] + entry[3]]) for entry in entries]


def thin(path: Path) -> int:
    """Keep only the arm64 image of a universal file, its own signature with it.

    Returns:
        The bytes saved.

    Raises:
        NotMachOError: There is no arm64 image; the file is as it was.
    """
    data = path.read_bytes()
    if data[:4] not in _FAT:
        return 0
    kept = dict(slices(data)).get(ARM64)
    if kept is None:
        raise NotMachOError(f"{path} has no arm64 image")
    path.write_bytes(kept)  # keeps the file's mode
    return len(data) - len(kept)


def read_image(data: bytes) -> Image:
    """Read one image's header and load commands."""
    if data[:4] != _THIN:
        raise NotMachOError("not a 64-bit Mach-O image")
    _, cpu, _, kind, n_commands, _, _, _ = struct.unpack_from("<8I", data)
    image = Image(cpu, kind)
    at = 32
    for _ in range(n_commands):
        command, size = struct.unpack_from("<II", data, at)
        body = data[at : at + size]
        if command in _LOADS:
            image.loads.append(Load(_text(body), _LOADS[command]))
        elif command == _ID:
            image.own_name = _text(body)
        elif command == _RPATH:
            image.rpaths.append(_text(body))
        elif command in (_BUILD, _MINIMUM):
            packed = struct.unpack_from("<I", body, 12 if command == _BUILD else 8)[0]
            image.minimum = (packed >> 16, packed >> 8 & 0xFF, packed & 0xFF)
        elif command == _SIGNATURE:
            image.signature = struct.unpack_from("<II", body, 8)
        elif command == _SYMTAB:
            image.symbols.extend(_imported(data, *struct.unpack_from("<IIII", body, 8)))
        at += size
    return image


def _text(body: bytes) -> str:
    """The string of a load command, which says itself where it begins."""
    start = struct.unpack_from("<I", body, 8)[0]
    return body[start:].split(b"\0", 1)[0].decode()


def _imported(data: bytes, at: int, count: int, texts: int, size: int) -> Iterator[str]:
    """Names of the undefined symbols that must be there."""
    strings = data[texts : texts + size]
    for name, kind, _, description, _ in struct.iter_unpack("<IBBHQ", data[at : at + count * 16]):
        undefined = kind & _EXTERNAL and not kind & (_TYPE_MASK | _DEBUG)
        if undefined and not description & _WEAK:
            yield strings[name : strings.index(b"\0", name)].decode()
