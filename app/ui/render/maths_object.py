"""Formulas as characters of a text document, standing exactly on the line."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPainter,
    QPyTextObject,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from app.ui.render.maths import Formula, FormulaKey, FormulaShop

MATHS_OBJECT = QTextFormat.ObjectTypes.UserObject.value + 1
MATHS_KEY = QTextFormat.Property.UserProperty.value + 1
WIDEST = 4000


class FormulaObject(QPyTextObject):
    """Measures and draws formulas inside documents; lives on the GUI thread."""

    def __init__(self, shop: FormulaShop, code_font: QFont, ground: QColor) -> None:
        super().__init__(shop)
        self.shop = shop
        self._font = code_font
        self._ground = ground
        self._images: dict[tuple[FormulaKey, float, str], QImage] = {}

    def format(self, base: QTextCharFormat, tex: str, *, display: bool) -> QTextCharFormat:
        """The format of the character that stands for a formula.

        Qt lets an object reach as far below the line as the letters of its font do: the font is
        chosen so that this is what the formula needs.
        """
        key = FormulaKey(tex, display, base.font().pixelSize())
        made = QTextCharFormat(base)
        made.setObjectType(MATHS_OBJECT)
        made.setProperty(MATHS_KEY, [key.tex, key.display, key.pixels])
        formula = self.shop.get(key)
        if formula is not None and formula.svg:
            made.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignBaseline)
            made.setFont(self._font_of_depth(QFont(base.font()), formula.depth))
        return made

    def _font_of_depth(self, font: QFont, depth: float) -> QFont:
        font.setPixelSize(100)
        share = QFontMetricsF(font).descent() / 100
        font.setPixelSize(max(round(depth / share), 1))
        return font

    def is_set(self, form: QTextFormat) -> bool:
        """Whether the formula of a format is drawn, not shown as source."""
        formula = self.shop.get(_key(form))
        return formula is not None and bool(formula.svg)

    def intrinsicSize(self, doc: QTextDocument, pos: int, form: QTextFormat) -> QSizeF:
        """How large a formula is, or its source as long as it is not set."""
        key = _key(form)
        formula = self.shop.get(key)
        if formula is None or not formula.svg:
            metrics = QFontMetricsF(self._font)
            wide = metrics.horizontalAdvance(_line(key.tex)) + 8
            room = doc.textWidth() if doc.textWidth() > 0 else WIDEST
            return QSizeF(min(wide, room), metrics.height())
        room = doc.textWidth() if doc.textWidth() > 0 else formula.width
        return QSizeF(min(formula.width, room), formula.height)

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        doc: QTextDocument,
        pos: int,
        form: QTextFormat,
    ) -> None:
        """Draw a formula in the colour of its text."""
        rect = QRectF(rect)
        key = _key(form)
        formula = self.shop.get(key)
        colour = form.toCharFormat().foreground().color()
        if formula is None or not formula.svg:
            painter.save()
            painter.setFont(self._font)
            painter.setPen(colour)
            painter.fillRect(rect, self._ground)
            painter.drawText(rect.adjusted(4, 0, -4, 0), Qt.AlignmentFlag.AlignLeft, _line(key.tex))
            painter.restore()
            return
        ratio = painter.device().devicePixelRatioF() if painter.device() else 1.0
        image = self._image(key, formula, ratio, colour)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        share = min(rect.width() / max(formula.width, 1.0), 1.0)
        bottom = rect.bottom()
        tall = formula.height * share
        painter.drawImage(QRectF(rect.left(), bottom - tall, formula.width * share, tall), image)
        painter.restore()

    def _image(self, key: FormulaKey, formula: Formula, ratio: float, colour: QColor) -> QImage:
        name = (key, ratio, colour.name())
        image = self._images.get(name)
        if image is None:
            if len(self._images) > 200:
                self._images.clear()
            image = self._images[name] = _drawn(formula, ratio, colour)
        return image


def _drawn(formula: Formula, ratio: float, colour: QColor) -> QImage:
    width = max(round(formula.width * ratio), 1)
    height = max(round(formula.height * ratio), 1)
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(formula.svg)).render(painter, QRectF(0, 0, width, height))
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(image.rect(), colour)
    painter.end()
    return image


def _key(form: QTextFormat) -> FormulaKey:
    tex, display, pixels = form.property(MATHS_KEY)
    return FormulaKey(str(tex), bool(display), int(pixels))


def _line(tex: str) -> str:
    return " ".join(tex.split())
