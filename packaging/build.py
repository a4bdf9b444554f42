"""Build `dist/Cabochon.app`, its zip, checksums and list of components. `make app` runs this."""

from __future__ import annotations

import hashlib
import sys
import time
from pathlib import Path

from bundle.assemble import Places, assemble
from bundle.recipe import ROOT, load_recipe
from bundle.sbom import write_sbom
from bundle.sign import pack, sign

DIST = ROOT / "dist"


def main() -> None:
    """Assemble, sign, pack; an identity to sign with may be given."""
    identity = sys.argv[1] if len(sys.argv) > 1 else ""
    recipe = load_recipe()
    places = Places(DIST / f"{recipe.name}.app", recipe.name)
    began = time.monotonic()

    def tell(line: str) -> None:
        print(f"{time.monotonic() - began:6.1f} s  {line}", flush=True)

    for line in assemble(recipe, places, ROOT / "build/bundle"):
        tell(line)
    components = write_sbom(recipe, places.site, DIST / f"{recipe.name}.cdx.json")
    tell(f"{components} components listed")
    tell(f"{sign(places.app, places.executable, identity)} files signed")
    archive = DIST / f"{recipe.name}-{recipe.version}-arm64.zip"
    tell(f"{pack(places.app, archive):.1f} MB  {archive.name}")
    write_checksums([archive, DIST / f"{recipe.name}.cdx.json"])


def write_checksums(files: list[Path]) -> None:
    """Write SHA256SUMS as `shasum -c` reads it."""
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (DIST / "SHA256SUMS").write_text("".join(lines), encoding="ascii")


if __name__ == "__main__":
    main()
