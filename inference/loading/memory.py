"""Give memory back to the system: what MLX keeps for reuse, and what the C library holds on to."""

from __future__ import annotations

import ctypes
import gc
import sys

import mlx.core as mx


def release_memory() -> None:
    """Return memory that nothing uses any more.

    glibc keeps what was freed in small pieces: after the starter model's load 320 MB, and as much
    again after it is let go. On a Mac the system takes it back by itself.
    """
    gc.collect()
    mx.clear_cache()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)
