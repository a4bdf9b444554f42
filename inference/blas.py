"""A fast BLAS for MLX's CPU build on Linux. On a Mac MLX has Accelerate and nothing is done here.

`make setup` puts the library into the environment (`tools/build_blas.py`). `libmlx.so` takes its
`cblas_*` and LAPACK functions from whatever is loaded globally first, so it must be loaded before
the first `import mlx.core`.
"""

from __future__ import annotations

import ctypes
import logging
import sys
from pathlib import Path

log = logging.getLogger(__name__)

BLAS_LIBRARY = Path("lib/cabochon/libcabochon-blas.so")


def preload_blas() -> bool:
    """Load the environment's fast BLAS; without one MLX works, only slower.

    Call it before `mlx.core` is imported in this process. Calling it again does no harm.

    Returns:
        Whether MLX will find the fast BLAS.
    """
    if sys.platform != "linux":
        log.debug("no BLAS to load: MLX brings its own on %s", sys.platform)
        return False
    library = Path(sys.prefix) / BLAS_LIBRARY
    if not library.is_file():
        log.info("no fast BLAS in this environment; float32 on the CPU will be slow")
        return False
    try:
        ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        log.warning("the fast BLAS cannot be loaded: %s", error)
        return False
    return True
