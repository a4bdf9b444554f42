"""Fonts, formats and distances of a transcript, made once from a palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pygments.styles import get_style_by_name
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextFormat,
    QTextOption,
)

from app.ui.render.blocks import BOLD, CODE, ITALIC, NOTE, STRIKE, Block, Run
from app.ui.render.maths_object import FormulaObject
from app.ui.theme import Palette, body_font, code_font

if TYPE_CHECKING:
    from app.ui.render.lexing import TokenKind
    from app.ui.render.maths import FormulaShop

HEADINGS = (1.6, 1.35, 1.18, 1.06, 1.0, 1.0)
# Distance between lines, in heights of the letters.
LEADING = 1.68
HEADING_LEADING = 1.35
TABLE_LEADING = 1.45


class Style:
    """Everything that a document needs to know of the appearance; lives on the GUI thread."""

    def __init__(self, palette: Palette, shop: FormulaShop | None = None) -> None:
        self.palette = palette
        self.font = body_font(palette.pixels)
        self.code_font = code_font(palette.pixels)
        self.code_font.setStyleHint(QFont.StyleHint.Monospace)
        self.formulas = (
            FormulaObject(shop, self.code_font, QColor(palette.hover)) if shop is not None else None
        )
        self.small_font = body_font(max(round(palette.pixels * 0.86), 8))
        metrics = QFontMetricsF(self.font)
        code = QFontMetricsF(self.code_font)
        self.indent = round(metrics.horizontalAdvance("0") * 3)
        self.line_height = palette.pixels * LEADING
        self.code_line_height = round(code.height() * 1.3)
        self.code_ascent = code.ascent() + (self.code_line_height - code.height()) / 2
        self.code_character = code.horizontalAdvance("0")
        self.character_width = metrics.averageCharWidth()
        self.option = QTextOption()
        self.option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._code_style = get_style_by_name(palette.code_style)
        self._code_formats: dict[TokenKind, QTextCharFormat | None] = {}
        self.font_only = QTextCharFormat()
        self.font_only.setFont(self.font)
        self._formats: dict[tuple[int, str, str, int], QTextCharFormat] = {}

    def colour(self, name: str) -> QColor:
        """A colour of the palette by its name."""
        return QColor(getattr(self.palette, name))

    def character(self, run: Run, block: Block) -> QTextCharFormat:
        """The format of a run inside a block."""
        quiet = "note" if block.kind == "note" else ("quote" if "q" in block.path else "")
        key = (run.style, run.href, quiet, block.level)
        made = self._formats.get(key)
        if made is None:
            if len(self._formats) > 500:
                self._formats.clear()
            made = self._formats[key] = self._make(run, block, quiet)
        return made

    def _make(self, run: Run, block: Block, quiet: str) -> QTextCharFormat:
        made = QTextCharFormat()
        font = QFont(self.code_font if run.style & CODE else self.font)
        pixels = self.palette.pixels * (HEADINGS[block.level - 1] if block.level else 1.0)
        if quiet == "note":
            pixels *= 0.9
        font.setPixelSize(max(round(pixels * (0.9 if run.style & CODE else 1.0)), 8))
        if block.level:
            font.setWeight(QFont.Weight.DemiBold)
        if run.style & BOLD:
            font.setWeight(QFont.Weight.Bold)
        font.setItalic(bool(run.style & ITALIC))
        font.setStrikeOut(bool(run.style & STRIKE))
        made.setFont(font)
        made.setForeground(self.colour("muted" if quiet else "text"))
        if run.style & CODE:
            made.setBackground(self.colour("hover"))
        if run.style & NOTE:
            made.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignSuperScript)
            made.setForeground(self.colour("link"))
        if run.href:
            made.setAnchor(True)
            made.setAnchorHref(run.href)
            made.setForeground(self.colour("link"))
            made.setFontUnderline(True)
        return made

    def formula(self, run: Run, block: Block) -> QTextCharFormat:
        """The format of the character that stands for a formula."""
        base = self.character(Run("", run.style), block)
        if self.formulas is None:
            return base
        return self.formulas.format(base, run.text, display=run.maths == "display")

    def code_format(self, kind: TokenKind) -> QTextCharFormat | None:
        """The format of a kind of token; none for plain code."""
        if kind not in self._code_formats:
            told = self._code_style.style_for_token(kind)
            made = QTextCharFormat()
            if told["color"]:
                made.setForeground(readable(QColor("#" + told["color"]), self.colour("code")))
            if told["italic"]:
                made.setFontItalic(True)
            self._code_formats[kind] = made if told["color"] or told["italic"] else None
        return self._code_formats[kind]

    def paragraph(self, block: Block, gap: float) -> QTextBlockFormat:
        """The format of a block that follows another at a distance."""
        made = QTextBlockFormat()
        made.setTopMargin(gap)
        made.setIndent(len(block.path) + (1 if block.kind == "note" else 0))
        self.lead(made, block)
        if block.kind == "maths":
            made.setProperty(QTextFormat.Property.BlockAlignment.value, 0x84)  # centre
        return made

    def lead(self, form: QTextBlockFormat, block: Block) -> None:
        """Set the distance between lines; those with a formula are as high as it needs."""
        pixels = self.palette.pixels * (HEADINGS[block.level - 1] if block.level else 1.0)
        leading = HEADING_LEADING if block.level else LEADING
        if block.table is not None:
            leading = TABLE_LEADING
        kind = QTextBlockFormat.LineHeightTypes.MinimumHeight
        form.setLineHeight(pixels * leading, kind.value)

    def gap(self, before: Block | None, block: Block) -> float:
        """The distance above a block, by what stands before it."""
        if before is None or block.continues:
            return 0
        unit = self.palette.pixels
        if block.kind == "heading":
            return round(unit * (1.5 if block.level < 3 else 1.2))
        if before.kind == "heading":
            return round(unit * 0.45)
        if block.kind == "rule" or before.kind == "rule":
            return round(unit * 1.1)
        same_list = "l" in block.path and "l" in before.path
        if same_list and block.marker:
            return round(unit * 0.3)
        if "code" in (block.kind, before.kind) or "table" in (block.kind, before.kind):
            return round(unit * 0.8)
        if block.kind == "note" and before.kind == "note":
            return round(unit * 0.3)
        return round(unit * (0.5 if same_list else 0.85))


def readable(colour: QColor, ground: QColor) -> QColor:
    """The colour, moved away from what is behind it until the contrast is at least 4.5 : 1."""
    dark = _luminance(ground) < 0.2
    for _ in range(20):
        if contrast(colour, ground) >= 4.5:
            break
        colour = colour.lighter(115) if dark else colour.darker(112)
        if dark and colour.value() > 250:
            colour = QColor.fromHsv(
                max(colour.hue(), 0), int(colour.saturation() * 0.8), colour.value()
            )
    return colour


def contrast(a: QColor, b: QColor) -> float:
    """The contrast ratio of two colours, from 1 to 21.

    Source: WCAG 2.2, "contrast ratio".
    """
    light, dark = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: QColor) -> float:
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
