"""The colours can be read."""

import pytest
from PySide6.QtCore import Qt

from app.ui.theme import DARK, LIGHT, Palette, choose_palette, style_sheet, with_more_contrast


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


PALETTES = [LIGHT, DARK, with_more_contrast(LIGHT), with_more_contrast(DARK)]


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("ink", ["text", "muted", "accent", "link", "error", "warning"])
@pytest.mark.parametrize("paper", ["page", "side", "field"])
def test_every_ink_is_legible_on_every_paper(palette, ink, paper):
    assert contrast(getattr(palette, ink), getattr(palette, paper)) >= 4.5


@pytest.mark.parametrize("palette", PALETTES)
def test_text_is_legible_on_every_tint(palette):
    for tint in ("bubble", "code", "hover", "chosen", "selection", "uncertain", "cached"):
        assert contrast(palette.text, getattr(palette, tint)) >= 7
    assert contrast(palette.muted, palette.bubble) >= 4.5
    assert contrast(palette.on_accent, palette.accent) >= 4.5
    assert contrast(palette.error, palette.error_page) >= 4.5


def test_more_contrast_is_more():
    for palette in (LIGHT, DARK):
        more = with_more_contrast(palette)
        assert contrast(more.muted, more.page) > contrast(palette.muted, palette.page)
        assert contrast(more.border, more.page) >= 3


@pytest.mark.parametrize(
    ("wish", "system", "name"),
    [
        ("auto", Qt.ColorScheme.Dark, "dark"),
        ("auto", Qt.ColorScheme.Light, "light"),
        ("auto", Qt.ColorScheme.Unknown, "light"),
        ("light", Qt.ColorScheme.Dark, "light"),
        ("dark", Qt.ColorScheme.Light, "dark"),
    ],
)
def test_the_wish_wins_over_the_system(wish, system, name):
    assert choose_palette(wish, system, more_contrast=False, text_percent=100).name == name


def test_the_style_sheet_has_no_colour_left_unfilled():
    palette: Palette = choose_palette("dark", Qt.ColorScheme.Unknown, False, 150)
    sheet = style_sheet(palette)
    assert "$" not in sheet
    assert "font-size: 21px" in sheet
