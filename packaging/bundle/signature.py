"""Verify code signatures and a bundle's seal by their hashes, without Apple's tools.

This proves that nothing was changed since signing; who signed, and whether Apple trusts them, only
a Mac can tell. Source: <kern/cs_blobs.h> of xnu, and Apple's technical note TN2206 for the seal.
"""

from __future__ import annotations

import hashlib
import plistlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bundle.macho import Image, read_image

RUNTIME = 0x10000  # the hardened runtime's flag
_SUPERBLOB, _DIRECTORY, _ENTITLEMENTS = 0xFADE0CC0, 0xFADE0C02, 0xFADE7171
_HASHES = {1: "sha1", 2: "sha256"}
_PLIST_SLOT, _SEAL_SLOT = 1, 3


@dataclass
class CodeDirectory:
    """The hashes of one image.

    Attributes:
        pages: A digest for each page of code.
        special: Digests of what belongs to the image, by slot number.
    """

    flags: int
    algorithm: str
    page_bytes: int
    code_bytes: int
    pages: list[bytes]
    special: dict[int, bytes] = field(default_factory=dict)


@dataclass
class Signature:
    """What a code signature holds: its directories (one for each hash) and entitlements."""

    directories: list[CodeDirectory]
    entitlements: dict[str, object]


def read_signature(data: bytes, image: Image) -> Signature | None:
    """Read an image's signature; None if it has none or cannot be read."""
    if image.signature is None:
        return None
    at, size = image.signature
    blob = data[at : at + size]
    if len(blob) < 12 or struct.unpack_from(">I", blob)[0] != _SUPERBLOB:
        return None
    signature = Signature([], {})
    for i in range(struct.unpack_from(">I", blob, 8)[0]):
        start = struct.unpack_from(">II", blob, 12 + 8 * i)[1]
        magic, length = struct.unpack_from(">II", blob, start)
        part = blob[start : start + length]
        if magic == _DIRECTORY:
            signature.directories.append(_directory(part))
        elif magic == _ENTITLEMENTS:
            signature.entitlements = plistlib.loads(part[8:])
    return signature


def _directory(blob: bytes) -> CodeDirectory:
    flags, hashes, _, n_special, n_pages, limit = struct.unpack_from(">6I", blob, 12)
    width, kind, _, page = struct.unpack_from(">4B", blob, 36)

    def digest(slot: int) -> bytes:
        return blob[hashes + slot * width : hashes + (slot + 1) * width]

    return CodeDirectory(
        flags,
        _HASHES.get(kind, ""),
        1 << page,
        limit,
        [digest(i) for i in range(n_pages)],
        {slot: digest(-slot) for slot in range(1, n_special + 1)},
    )


def code_faults(path: Path) -> Iterator[str]:
    """Say what is wrong with the signature of a thin Mach-O file."""
    data = path.read_bytes()
    image = read_image(data)
    signature = read_signature(data, image)
    if signature is None or not signature.directories:
        yield "is not signed"
        return
    for directory in signature.directories:
        if not directory.algorithm:
            yield "is signed with an unknown hash"
            continue
        size, end = directory.page_bytes, directory.code_bytes
        pages = [data[at : min(at + size, end)] for at in range(0, end, size)]
        digests = [hashlib.new(directory.algorithm, page).digest() for page in pages]
        if digests != directory.pages:
            yield "was changed after it was signed"
            return


def seal_faults(app: Path, executable: Path) -> Iterator[str]:
    """Say which files of a bundle were changed, added or removed since it was sealed."""
    contents = app / "Contents"
    sealed = contents / "_CodeSignature/CodeResources"
    if not sealed.is_file():
        yield "the bundle is not sealed"
        return
    seal = plistlib.loads(sealed.read_bytes())["files2"]
    left = set(seal)
    own = {contents / "Info.plist", contents / "PkgInfo", executable}
    for path in sorted(contents.rglob("*")):
        link = path.is_symlink()
        if path in own or sealed.parent in path.parents or (path.is_dir() and not link):
            continue
        name = path.relative_to(contents).as_posix()
        if name not in seal:
            if link or path.is_file():
                yield f"{name} was added after sealing"
            continue
        left.discard(name)
        if link:
            same = seal[name].get("symlink") == str(path.readlink())
        else:
            same = seal[name].get("hash2") == hashlib.sha256(path.read_bytes()).digest()
        if not same:
            yield f"{name} was changed after sealing"
    yield from (f"{name} is sealed and missing" for name in sorted(left))
    yield from _own_faults(contents, sealed, executable)


def _own_faults(contents: Path, sealed: Path, executable: Path) -> Iterator[str]:
    """The executable's own signature covers the plist and the seal."""
    data = executable.read_bytes()
    signature = read_signature(data, read_image(data))
    if signature is None:
        return  # told by the check of each Mach-O file
    for directory in signature.directories:
        for slot, path in ((_PLIST_SLOT, contents / "Info.plist"), (_SEAL_SLOT, sealed)):
            digest = hashlib.new(directory.algorithm, path.read_bytes()).digest()
            if directory.special.get(slot) != digest:
                yield f"{path.name} is not the one that was signed"


def runtime_faults(executable: Path, entitlements: dict[str, object]) -> Iterator[str]:
    """Say what the executable lacks of the hardened runtime, or asks beyond its entitlements."""
    data = executable.read_bytes()
    signature = read_signature(data, read_image(data))
    if signature is None:
        return
    if not all(directory.flags & RUNTIME for directory in signature.directories):
        yield "the executable has no hardened runtime"
    if signature.entitlements != entitlements:
        yield f"the executable asks for {sorted(signature.entitlements)}"
