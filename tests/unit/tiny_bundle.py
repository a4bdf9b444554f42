"""A whole bundle in miniature, made of hand-written Mach-O files with real signatures and a real
seal, so that the checks of `packaging/bundle` run without a Mac and without any tool."""

import hashlib
import json
import plistlib
import py_compile
import struct
from dataclasses import replace

from bundle.assemble import BUILD, STAND_IN, Places
from bundle.licences import INDEX
from bundle.macho import ARM64, BUNDLE, DYLIB, EXECUTE
from bundle.plist import info_plist
from bundle.recipe import load_recipe
from bundle.sign import ENTITLEMENTS

RECIPE = replace(load_recipe(), budget_disk_megabytes=100)
PAGE = 4096


def text_command(command, text, header=12, fields=b""):
    """A load command that ends in a string."""
    body = struct.pack("<I", header) + fields + text.encode() + b"\0"
    body += b"\0" * (-(8 + len(body)) % 8)
    return struct.pack("<II", command, 8 + len(body)) + body


def macho(kind, *, own_name="", loads=(), rpaths=(), symbols=(), minimum=(14, 0), special=None):
    """A Mach-O file for arm64, signed ad hoc with the hardened runtime."""
    dylib = struct.pack("<III", 0, 0, 0)
    commands = [struct.pack("<IIIIII", 0x32, 24, 1, minimum[0] << 16 | minimum[1] << 8, 0, 0)]
    if own_name:
        commands.append(text_command(0xD, own_name, 24, dylib))
    commands += [text_command(0xC, name, 24, dylib) for name in loads]
    commands += [text_command(0x8000001C, path) for path in rpaths]
    strings, entries = b"\0", b""
    for symbol in symbols:
        entries += struct.pack("<IBBHQ", len(strings), 0x01, 0, 0, 0)
        strings += symbol.encode() + b"\0"
    size = 32 + sum(map(len, commands)) + 24 + 16
    commands.append(
        struct.pack("<IIIIII", 2, 24, size, len(symbols), size + len(entries), len(strings))
    )
    end = size + len(entries) + len(strings) + 64  # some code to be hashed
    commands.append(struct.pack("<IIII", 0x1D, 16, end, 4096))
    header = struct.pack(
        "<8I", 0xFEEDFACF, ARM64, 0, kind, len(commands), sum(map(len, commands)), 0, 0
    )
    code = (header + b"".join(commands) + entries + strings).ljust(end, b"\x1f")
    return code + signature(code, special or {}).ljust(4096, b"\0")


def signature(code, special):
    """An ad-hoc signature: special maps slots to what they cover; entitlements come with slot 5."""
    pages = [hashlib.sha256(code[at : at + PAGE]).digest() for at in range(0, len(code), PAGE)]
    slots = [
        hashlib.sha256(special[n]).digest() if n in special else bytes(32) for n in (5, 4, 3, 2, 1)
    ]
    hashes = 44 + len(b"tiny\0") + 32 * len(slots)
    length = hashes + 32 * len(pages)
    directory = struct.pack(
        ">9I4BI", 0xFADE0C02, length, 0x20001, 0x10002, hashes, 44, len(slots), len(pages),
        len(code), 32, 2, 0, PAGE.bit_length() - 1, 0,
    ) + b"tiny\0" + b"".join(slots) + b"".join(pages)  # fmt: skip
    blobs = [(0, directory)]
    if 5 in special:
        blobs.append((5, special[5]))
    at = 12 + 8 * len(blobs)
    index, body = b"", b""
    for kind, blob in blobs:
        index += struct.pack(">II", kind, at + len(body))
        body += blob
    return struct.pack(">III", 0xFADE0CC0, at + len(body), len(blobs)) + index + body


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def distribution(places, name, tag="py3-none-any"):
    info = places.site / f"{name}-1.0.dist-info"
    write(info / "METADATA", f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\nLicense: MIT\n")
    write(info / "WHEEL", f"Wheel-Version: 1.0\nTag: {tag}\n")
    write(places.licences / name / "LICENSE", "MIT")
    with (places.licences / INDEX).open("a") as index:
        index.write(f"{name} 1.0: MIT\n")


def module(path, text=""):
    write(path, text)
    py_compile.compile(
        str(path), doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )


def make_bundle(folder):
    """A bundle that every check finds in order."""
    places = Places(folder / "Cabochon.app", "Cabochon")
    write(places.licences / "Cabochon.txt", "Apache")
    distribution(places, "mlx", "cp312-cp312-macosx_14_0_arm64")
    distribution(places, "PySide6_Essentials", "cp310-abi3-macosx_13_0_universal2")
    lib = places.site / "mlx/lib"
    write(lib / "libmlx.dylib", macho(DYLIB, own_name="@rpath/libmlx.dylib"))
    write(lib / "mlx.metallib", b"MTLB".ljust(12, b"\0") + bytes([14]) + bytes(99))
    core = macho(
        BUNDLE,
        loads=["@rpath/libmlx.dylib", "/usr/lib/libSystem.B.dylib"],
        rpaths=["@loader_path/lib"],
        symbols=["_a_symbol_with_a_long_name", "_malloc"],
    )
    write(places.site / "mlx/core.cpython-312-darwin.so", core)
    module(places.site / "mlx/nn.py", "import mlx.core\n")
    module(places.program / "app/__init__.py", "from PySide6.QtCore import Qt\n")
    write(places.python / STAND_IN, "none")
    write(places.resources / BUILD, json.dumps({"python": "3.12", "cpython": ""}))
    write(places.resources / "Cabochon.icns", b"icns")
    (places.resources / "latest").symlink_to("app")
    write(places.contents / "PkgInfo", "APPL????")
    plist = plistlib.dumps(info_plist(RECIPE))
    write(places.contents / "Info.plist", plist)
    seal = seal_of(places)
    write(places.contents / "_CodeSignature/CodeResources", seal)
    wanted = ENTITLEMENTS.read_bytes()
    entitlements = struct.pack(">II", 0xFADE7171, 8 + len(wanted)) + wanted
    write(
        places.executable,
        macho(
            EXECUTE,
            loads=["/usr/lib/libSystem.B.dylib"],
            special={1: plist, 3: seal, 5: entitlements},
        ),
    ).chmod(0o755)
    return places


def seal_of(places):
    files = {}
    for path in sorted(places.resources.rglob("*")):
        name = path.relative_to(places.contents).as_posix()
        if path.is_symlink():
            files[name] = {"symlink": str(path.readlink())}
        elif path.is_file():
            files[name] = {"hash2": hashlib.sha256(path.read_bytes()).digest()}
    return plistlib.dumps({"files2": files})
