"""Sign a bundle from the inside out, and pack it.

Without an identity the signature is ad hoc, which arm64 code needs to run at all, and is made on
any system. With one it is made by Apple's `codesign` on a Mac, for notarisation.
"""

from __future__ import annotations

import stat
import subprocess
import zipfile
from pathlib import Path

from bundle.macho import machos
from bundle.recipe import PACKAGING

ENTITLEMENTS = PACKAGING / "entitlements.plist"


def sign(app: Path, executable: Path, identity: str = "") -> int:
    """Sign every Mach-O file on its own, then seal the bundle.

    Args:
        app: The bundle.
        executable: What macOS starts; it is signed with the bundle.
        identity: A "Developer ID Application" in the keychain; empty signs ad hoc.

    Returns:
        How many files were signed.
    """
    nested = [path for path in machos(app) if path != executable]
    if identity:
        apple = ["codesign", "--force", "--timestamp", "--options", "runtime", "--sign", identity]
        for start in range(0, len(nested), 50):
            subprocess.run([*apple, *map(str, nested[start : start + 50])], check=True)
        subprocess.run([*apple, "--entitlements", str(ENTITLEMENTS), str(app)], check=True)
        return len(nested) + 1
    import apple_platform

    for path in nested:
        apple_platform.sign(path, code_signature_flags=["runtime"])
    apple_platform.sign(
        app,
        code_signature_flags=["runtime"],
        entitlements_xml_file=ENTITLEMENTS,
        shallow=True,
    )
    return len(nested) + 1


def pack(app: Path, target: Path) -> float:
    """Write a zip that Finder unpacks to the same bundle, links and modes included.

    Returns:
        Its size in megabytes.
    """
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path in sorted(app.rglob("*")):
            name = path.relative_to(app.parent).as_posix()
            if path.is_symlink():
                entry = zipfile.ZipInfo(name)
                entry.create_system = 3  # Unix: the mode below counts
                entry.external_attr = (stat.S_IFLNK | 0o755) << 16
                archive.writestr(entry, str(path.readlink()))
            elif path.is_file():
                archive.write(path, name)
    return target.stat().st_size / 1e6
