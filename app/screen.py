"""Whether there is a screen to open a window on; asked before Qt, which would abort without one."""

from __future__ import annotations

import ctypes
import importlib.util
import re
from collections.abc import Mapping
from pathlib import Path

_TERMINAL = "Chat in the terminal with “cabochon chat” instead."


def why_no_window(environ: Mapping[str, str], platform: str) -> str:
    """Tell why no window can be opened here.

    Args:
        environ: The environment of the process.
        platform: `sys.platform`.

    Returns:
        One sentence for the user, or "" when a window can be opened.
    """
    if platform != "linux":
        return ""
    chosen = environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if chosen and chosen not in {"xcb", "wayland"}:
        return ""
    display, wayland = environ.get("DISPLAY", ""), _wayland_socket(environ)
    if wayland is not None and wayland.exists() and chosen != "xcb":
        return ""
    if not display:
        return f"There is no screen to open a window on. {_TERMINAL}"
    if missing := _missing_library():
        return (
            f"The window needs the system library {missing}, which is not installed; "
            f"the README names the packages. {_TERMINAL}"
        )
    if not _answers(display):
        return f"The screen {display} cannot be opened. {_TERMINAL}"
    return ""


def _wayland_socket(environ: Mapping[str, str]) -> Path | None:
    name = environ.get("WAYLAND_DISPLAY", "")
    return Path(environ.get("XDG_RUNTIME_DIR", "/"), name) if name else None


def _missing_library() -> str:
    """The first library that Qt's X11 plug-in does not find, or ""."""
    spec = importlib.util.find_spec("PySide6")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        plugin = Path(folder, "Qt", "plugins", "platforms", "libqxcb.so")
        if plugin.exists():
            try:
                ctypes.CDLL(str(plugin))
            except OSError as error:
                found = re.match(r"[^:\s]+", str(error))
                return found.group() if found else str(error)
    return ""


def _answers(display: str) -> bool:
    """Whether an X server answers at a display."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True  # nobody can tell; Qt will
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    # A connection that stands is left open: a server whose last client leaves resets itself, and
    # Qt, which comes next, would be turned away meanwhile.
    connection = xcb.xcb_connect(display.encode(), None)
    return not xcb.xcb_connection_has_error(connection)
