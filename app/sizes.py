"""Bytes and times as people say them."""

from __future__ import annotations


def as_size(n_bytes: int) -> str:
    """Say a number of bytes with three digits: 4.30 GB, a billion bytes each, as in the Finder."""
    size = float(n_bytes)
    for unit in ("bytes", "kB", "MB", "GB"):
        if abs(size) < 999.5 or unit == "GB":
            break
        size /= 1000
    else:
        unit = "GB"
    if unit == "bytes":
        return f"{n_bytes} bytes"
    digits = 0 if abs(size) >= 99.95 else 1 if abs(size) >= 9.995 else 2
    return f"{size:.{digits}f} {unit}"


def as_time(seconds: float) -> str:
    """Say a duration roughly: 40 s, 3 min, 1 h 10 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
