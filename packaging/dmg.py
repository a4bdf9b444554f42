"""Settings of `dmgbuild`: the app beside a link to Applications. Run on a Mac.

`dmgbuild -s packaging/dmg.py Cabochon dist/Cabochon.dmg`
"""

from __future__ import annotations

application = "dist/Cabochon.app"
format = "ULFO"  # noqa: A001  (dmgbuild reads this name)
files = [application]
symlinks = {"Applications": "/Applications"}
icon = "dist/Cabochon.app/Contents/Resources/Cabochon.icns"
icon_locations = {"Cabochon.app": (140, 160), "Applications": (380, 160)}
window_rect = ((200, 200), (520, 340))
icon_size = 112
