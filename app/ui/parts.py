"""Small parts that the whole window is made of: icons, buttons, labels, rules."""

from __future__ import annotations

from importlib.resources import files

from PySide6.QtCore import QByteArray, QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPalette, QPixmap, QResizeEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLabel,
    QPushButton,
    QSizePolicy,
    QTabWidget,
    QToolButton,
    QWidget,
)

ICON_PIXELS = 20


def draw_icon(name: str, colour: QColor, pixels: int = ICON_PIXELS, ratio: float = 2.0) -> QPixmap:
    """Draw one of the icons of `resources` in a colour."""
    source = files("resources").joinpath("icons", f"{name}.svg").read_text(encoding="utf-8")
    picture = QSvgRenderer(QByteArray(source.replace("currentColor", colour.name()).encode()))
    pixmap = QPixmap(round(pixels * ratio), round(pixels * ratio))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    picture.render(painter, QRectF(pixmap.rect()))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def themed_icon(name: str, palette: QPalette, role: QPalette.ColorRole) -> QIcon:
    """An icon in a palette's colour, with a paler one for what is disabled."""
    icon = QIcon(draw_icon(name, palette.color(role)))
    pale = palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)
    icon.addPixmap(draw_icon(name, pale), QIcon.Mode.Disabled)
    return icon


class ShortLabel(QLabel):
    """A line that is shortened to the room it gets; the whole text is its hint."""

    def __init__(self, role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if role:
            self.setProperty("role", role)

    def show_text(self, text: str) -> None:
        """Show a text, shortened if need be."""
        self._whole = text
        self._shorten()

    def whole_text(self) -> str:
        """The text before it was shortened."""
        return self._whole

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten to the new width."""
        super().resizeEvent(event)
        self._shorten()

    def _shorten(self) -> None:
        cut = Qt.TextElideMode.ElideRight
        short = self.fontMetrics().elidedText(self._whole, cut, max(self.width() - 2, 0))
        self.setText(short)
        self.setToolTip(self._whole if short != self._whole else "")


class IconButton(QToolButton):
    """A button with an icon, a name for those who cannot see it, and a hint."""

    def __init__(self, icon: str, name: str, hint: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon_name = icon
        self._role = QPalette.ColorRole.ButtonText
        self.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.name_it(name, hint)
        self.tint()

    def name_it(self, name: str, hint: str = "") -> None:
        """Set what a screen reader says and what the pointer shows."""
        self.setAccessibleName(name)
        self.setToolTip(hint or name)

    def show_icon(self, icon: str) -> None:
        """Show another icon."""
        if icon != self._icon_name:
            self._icon_name = icon
            self.tint()

    def tint(self, role: QPalette.ColorRole | None = None) -> None:
        """Draw the icon in the palette's colour for a role."""
        self._role = role if role is not None else self._role
        # The application's palette: a style sheet puts its own colours into the widget's.
        self.setIcon(themed_icon(self._icon_name, QGuiApplication.palette(), self._role))

    def changeEvent(self, event: QEvent) -> None:
        """Draw the icon anew when the colours change."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.tint()


def text_button(text: str, role: str = "", parent: QWidget | None = None) -> QPushButton:
    """A push button; roles are those of the style sheet."""
    button = QPushButton(text, parent)
    button.setAutoDefault(False)
    if role:
        button.setProperty("role", role)
    return button


def label(text: str = "", role: str = "", *, wrap: bool = False) -> QLabel:
    """A label of plain text; roles are those of the style sheet."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setWordWrap(wrap)
    if role:
        made.setProperty("role", role)
    return made


def name_it(widget: QWidget, name: str) -> None:
    """Set what a screen reader says of a widget, its list or its tabs."""
    widget.setAccessibleName(name)
    if isinstance(widget, QComboBox):
        widget.view().setAccessibleName(name)
    elif isinstance(widget, QTabWidget):
        widget.tabBar().setAccessibleName(name)


def rule() -> QFrame:
    """A thin line across."""
    line = QFrame()
    line.setObjectName("rule")
    return line


def spring() -> QWidget:
    """Room that gives way."""
    room = QWidget()
    room.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    return room


def restyle(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet looks at."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
