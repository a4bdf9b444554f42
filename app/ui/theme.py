"""Colours, sizes and the style sheet made from them.

A `Palette` is plain data; `Theme` chooses one from the user's wish and the system's colour scheme,
puts it on the application and tells who paints by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

Appearance = Literal["auto", "light", "dark"]

# Preferred where installed, best first; macOS keeps its own font.
FAMILIES = ("Inter", "Cantarell", "Ubuntu", "Noto Sans", "Noto Sans CJK KR", "DejaVu Sans")
MONOSPACE = ("SF Mono", "Menlo", "JetBrains Mono", "DejaVu Sans Mono", "Noto Sans Mono CJK SC")
BASE_PIXELS = 14


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one appearance, as "#rrggbb", and the text size.

    Attributes:
        page: Behind the transcript. `side` is behind sidebar and inspector.
        muted: Text of lesser weight; at least 4.5:1 on `page` and `side`.
        bubble: Behind what the user wrote.
        hover: Behind what the pointer is over. `chosen` is behind the current row.
        on_accent: Text on `accent`.
        uncertain: Tint behind tokens that could well have been others.
        cached: Tint behind prompt tokens that were not read again.
        code_style: Name of the Pygments style that goes with it.
        pixels: Height of body text.
    """

    name: Literal["light", "dark"]
    page: str
    side: str
    field: str
    border: str
    text: str
    muted: str
    accent: str
    on_accent: str
    link: str
    bubble: str
    code: str
    hover: str
    chosen: str
    selection: str
    error: str
    error_page: str
    warning: str
    uncertain: str
    cached: str
    code_style: str
    pixels: int = BASE_PIXELS

    @property
    def is_dark(self) -> bool:
        """Whether text is lighter than the page."""
        return self.name == "dark"


LIGHT = Palette(
    name="light",
    page="#ffffff",
    side="#f6f6f3",
    field="#ffffff",
    border="#dfded8",
    text="#1c1c1a",
    muted="#65645e",
    accent="#0f6b62",
    on_accent="#ffffff",
    link="#0b5f8a",
    bubble="#eef2f0",
    code="#f6f6f3",
    hover="#ecebe6",
    chosen="#dfe8e5",
    selection="#bfe3dd",
    error="#a8261b",
    error_page="#fcefed",
    warning="#8a5a00",
    uncertain="#fbe3b6",
    cached="#d3eedd",
    code_style="default",
)
DARK = Palette(
    name="dark",
    page="#1b1c1d",
    side="#232425",
    field="#27282a",
    border="#3a3b3d",
    text="#ececea",
    muted="#a5a59f",
    accent="#57c2b4",
    on_accent="#08211e",
    link="#7cc4ee",
    bubble="#2a2f2e",
    code="#242527",
    hover="#2e2f31",
    chosen="#33403d",
    selection="#23524c",
    error="#ff8f85",
    error_page="#3a2422",
    warning="#e7b65a",
    uncertain="#57431c",
    cached="#1f4a37",
    code_style="github-dark",
)


def with_more_contrast(palette: Palette) -> Palette:
    """Push text, lines and accents away from what is behind them."""
    if palette.is_dark:
        return replace(
            palette,
            page="#000000",
            side="#0d0d0d",
            field="#000000",
            border="#8c8c88",
            text="#ffffff",
            muted="#dcdcd8",
            accent="#7fe3d6",
        )
    return replace(
        palette, side="#ffffff", border="#74736d", text="#000000", muted="#3a3935", accent="#004c45"
    )


def choose_palette(
    appearance: Appearance, system: Qt.ColorScheme, more_contrast: bool, text_percent: int
) -> Palette:
    """The palette that the user's wish and the system's scheme ask for."""
    dark = appearance == "dark" or (appearance == "auto" and system == Qt.ColorScheme.Dark)
    palette = DARK if dark else LIGHT
    if more_contrast:
        palette = with_more_contrast(palette)
    return replace(palette, pixels=round(BASE_PIXELS * text_percent / 100))


def style_sheet(palette: Palette, families: Sequence[str] = FAMILIES) -> str:
    """The application's style sheet in a palette's colours and sizes."""
    text = files("resources").joinpath("style.qss").read_text(encoding="utf-8")
    sizes = {
        "small": round(palette.pixels * 0.86),
        "body": palette.pixels,
        "large": round(palette.pixels * 1.15),
        "title": round(palette.pixels * 1.6),
    }
    names = {name: getattr(palette, name) for name in Palette.__slots__ if name != "pixels"}
    names["families"] = ", ".join(f'"{family}"' for family in families)
    names["icons"] = str(files("resources").joinpath("icons")).replace("\\", "/")
    return Template(text).substitute(
        names | {size: f"{pixels}px" for size, pixels in sizes.items()}
    )


def qt_palette(palette: Palette) -> QPalette:
    """The same colours for what Qt paints by itself."""
    role = QPalette.ColorRole
    colours = {
        role.Window: palette.page,
        role.WindowText: palette.text,
        role.Base: palette.field,
        role.AlternateBase: palette.side,
        role.Text: palette.text,
        role.PlaceholderText: palette.muted,
        role.Button: palette.side,
        role.ButtonText: palette.text,
        role.BrightText: palette.error,
        role.Highlight: palette.selection,
        role.HighlightedText: palette.text,
        role.Link: palette.link,
        role.ToolTipBase: palette.side,
        role.ToolTipText: palette.text,
        role.Mid: palette.border,
        role.Dark: palette.border,
        role.Light: palette.page,
        role.Accent: palette.accent,
    }
    made = QPalette()
    for each, colour in colours.items():
        made.setColor(each, QColor(colour))
    for each in (role.Text, role.WindowText, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, each, QColor(palette.muted))
    return made


def body_font(pixels: int) -> QFont:
    """The font of the window at a height in pixels."""
    font = QFont(QGuiApplication.font())
    installed = set(QFontDatabase.families())
    if found := [family for family in FAMILIES if family in installed]:
        font.setFamilies(found)
    font.setPixelSize(pixels)
    return font


def code_font(pixels: int) -> QFont:
    """The font of code at a body height in pixels."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    installed = set(QFontDatabase.families())
    if found := [family for family in MONOSPACE if family in installed]:
        font.setFamilies(found)
    font.setPixelSize(max(round(pixels * 0.92), 8))
    return font


def system_scheme() -> Qt.ColorScheme:
    """What the system asks for now."""
    return QGuiApplication.styleHints().colorScheme()


class Theme(QObject):
    """Keeps the application in the wished appearance; lives on the GUI thread.

    Attributes:
        changed: The palette in use is another one now.
    """

    changed = Signal(object)  # Palette

    def __init__(
        self,
        app: QApplication,
        scheme: Callable[[], Qt.ColorScheme] = system_scheme,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._app = app
        self._scheme = scheme
        self._appearance: Appearance = "auto"
        self._more_contrast = False
        self._text_percent = 100
        self.palette = LIGHT
        QGuiApplication.styleHints().colorSchemeChanged.connect(self.refresh)

    def wish(self, appearance: Appearance, more_contrast: bool, text_percent: int) -> None:
        """Take the user's wish: appearance, contrast, and text size in percent (50 to 300)."""
        self._appearance = appearance
        self._more_contrast = more_contrast
        self._text_percent = max(50, min(text_percent, 300))
        self.refresh()

    def refresh(self) -> None:
        """Choose the palette anew and put it on the application."""
        chosen = choose_palette(
            self._appearance, self._scheme(), self._more_contrast, self._text_percent
        )
        self.palette = chosen
        font = body_font(chosen.pixels)
        self._app.setFont(font)
        self._app.setPalette(qt_palette(chosen))
        self._app.setStyleSheet(style_sheet(chosen, font.families()))
        self.changed.emit(chosen)
