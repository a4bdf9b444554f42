"""The system libraries that Qt needs on Linux: which are missing, and how to get them.

As root they come by apt-get; otherwise Debian's packages are unpacked into `.cache/qtlibs`, and
`environment` tells a process to look there. Run as a script, it starts a command that way.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

# library -> Debian package; enough for Qt's offscreen platform (measured on a bare Debian 12)
NEEDED = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libxkbcommon.so.0": "libxkbcommon0",
}
# what a real window under X11 wants besides
WINDOW = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libX11-xcb.so.1": "libx11-xcb1",
}
# the packages above and what they need below the C library, for the private unpacking
UNPACKED = (
    "libglib2.0-0 libegl1 libgl1 libglvnd0 libglx0 libx11-6 libxcb1 libxau6 libxdmcp6 libbsd0 "
    "libmd0 libdbus-1-3 libfontconfig1 fontconfig-config fonts-dejavu-core libfreetype6 "
    "libpng16-16 libbrotli1 libexpat1 libxkbcommon0 xkb-data libsystemd0 libpcre2-8-0 libffi8 "
    "zlib1g"
)
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{folder}/usr/share/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
"""
IMPORT = "import PySide6.QtGui, PySide6.QtWidgets"
ROOT = Path(__file__).resolve().parents[1]


def missing(libraries: dict[str, str]) -> list[str]:
    """List the packages of those libraries that this process cannot load."""
    packages = []
    for library, package in libraries.items():
        try:
            ctypes.CDLL(library)
        except OSError:
            packages.append(package)
    return packages


def environment(root: Path = ROOT) -> dict[str, str]:
    """The process environment, with the unpacked libraries in it where there are some."""
    environ = dict(os.environ)
    folder = root / ".cache/qtlibs"
    if folder.is_dir():
        paths = [str(p) for top in ("usr/lib", "lib") for p in folder.glob(f"{top}/*-linux-gnu")]
        environ["LD_LIBRARY_PATH"] = ":".join([*paths, environ.get("LD_LIBRARY_PATH", "")]).rstrip(
            ":"
        )
        environ.setdefault("FONTCONFIG_FILE", str(folder / "fonts.conf"))
        environ.setdefault("XKB_CONFIG_ROOT", str(folder / "usr/share/X11/xkb"))
    return environ


def work(python: Path, root: Path = ROOT) -> bool:
    """Whether Qt's widgets can be imported."""
    command = [str(python), "-c", IMPORT]
    return not subprocess.run(command, env=environment(root), capture_output=True).returncode


def provide(python: Path, root: Path = ROOT) -> str:
    """Get what Qt misses.

    Returns:
        "" if Qt works now, else the sentence to show.
    """
    if work(python, root):
        return ""
    packages = missing(NEEDED)
    print(f"Qt misses system libraries; their Debian packages: {' '.join(packages)}", flush=True)
    if shutil.which("apt-get") and packages:
        if os.geteuid() == 0:
            install_with_apt(packages)
        if not work(python, root):
            unpack_with_apt(root / ".cache")
    if work(python, root):
        return ""
    return (
        "set-up: the window cannot run yet; everything else can. Install these and run it again: "
        f"apt-get install {' '.join(packages)}"
    )


def provide_screen() -> None:
    """As root, get what drives the real window on a virtual screen; elsewhere its tests tell."""
    packages = [name.lower() for name in ("Xvfb", "xdotool") if shutil.which(name) is None]
    if packages and shutil.which("apt-get") and os.geteuid() == 0:
        install_with_apt([*packages, *missing(WINDOW)])


def install_with_apt(packages: list[str]) -> None:
    """Install packages as root, quietly; what fails is seen by trying Qt again."""
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    apt = ["apt-get", "-qq", "-o", "Acquire::Retries=3"]
    for command in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        subprocess.run([*apt, *command], env=environ, stdout=subprocess.DEVNULL)


def unpack_with_apt(cache: Path) -> None:
    """Download Debian's packages as any user and unpack them below `cache`; root is not needed."""
    apt, debs = cache / "apt", cache / "debs"
    for folder in (apt / "lists/partial", apt / "archives/partial", debs):
        folder.mkdir(parents=True, exist_ok=True)
    places = ["-o", f"Dir::State::Lists={apt}/lists", "-o", f"Dir::Cache={apt}"]
    subprocess.run(["apt-get", "-qq", *places, "update"], check=False)
    for package in UNPACKED.split():
        for name in (package, f"{package}t64"):  # Debian 13 and Ubuntu 24.04 renamed some
            command = ["apt-get", "-qq", *places, "download", name]
            if not subprocess.run(command, cwd=debs, stderr=subprocess.DEVNULL).returncode:
                break
    target = cache / "qtlibs"
    for deb in sorted(debs.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", str(deb), str(target)], check=False)
    if target.is_dir():
        (target / "fonts.conf").write_text(FONTS.format(folder=target), encoding="utf-8")
    shutil.rmtree(debs)
    shutil.rmtree(apt)


def main() -> None:
    """Start the command given, with the unpacked libraries at hand."""
    wanted = missing(WINDOW) if sys.platform == "linux" and os.environ.get("DISPLAY") else []
    if wanted:
        print(f"A window may need more packages: apt-get install {' '.join(wanted)}")
    os.execvpe(sys.argv[1], sys.argv[1:], environment())


if __name__ == "__main__":
    main()
