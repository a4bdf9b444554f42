"""The program's icon: the SVG master in `resources` drawn at every size, and an .icns of them all.

Drawing needs the program's own Qt, so this file runs in `.venv` as a script; `icns` runs with the
packaging tools.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from bundle.recipe import ROOT

MASTER = ROOT / "resources/icon.svg"
# the slots of an .icns file: code -> pixels (points of 16 to 512, at one and two pixels each)
SLOTS = {
    "icp4": 16, "ic11": 32, "icp5": 32, "ic12": 64, "ic07": 128,
    "ic13": 256, "ic08": 256, "ic14": 512, "ic09": 512, "ic10": 1024,
}  # fmt: skip


def draw(folder: Path) -> None:
    """Draw the master as PNG files named by their pixels."""
    from PySide6.QtGui import QGuiApplication, QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    application = QGuiApplication.instance() or QGuiApplication([])
    assert application is not None
    folder.mkdir(parents=True, exist_ok=True)
    renderer = QSvgRenderer(str(MASTER))
    for pixels in sorted(set(SLOTS.values())):
        image = QImage(pixels, pixels, QImage.Format.Format_ARGB32)
        image.fill(0)
        painter = QPainter(image)
        renderer.render(painter)
        painter.end()
        image.save(str(folder / f"{pixels}.png"))


def icns(folder: Path, target: Path) -> None:
    """Draw the master in the program's environment and pack every size into one file."""
    import icnsutil

    subprocess.run(
        [ROOT / ".venv/bin/python", "-m", "bundle.icon", folder],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT / "packaging")},
        check=True,
    )
    image = icnsutil.IcnsFile()
    for code, pixels in SLOTS.items():
        image.add_media(code, file=str(folder / f"{pixels}.png"))
    image.write(str(target), toc=True)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
