"""The card with the tokens that could have stood in a place; choosing one begins a branch there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QVBoxLayout, QWidget

if TYPE_CHECKING:
    from app.ui.chat.transcript_tokens import TokenLayer
    from app.ui.render.style import Style

MOST = 10
WIDTH = 250


class Alternative(QPushButton):
    """One token and how likely it was, as a bar and a number."""

    def __init__(self, parent: QWidget, style: Style) -> None:
        super().__init__(parent)
        self._style = style
        self._probability = 0.0
        self._said = False
        self.setFlat(True)
        self.setFixedHeight(26)
        self.setFont(style.code_font)
        self.setStyleSheet("text-align: left; border: none; background: transparent;")

    def show_token(self, token: int, text: str, logprob: float, *, said: bool) -> None:
        """Show a token; `said` marks the one in the answer."""
        self._probability = math.exp(min(logprob, 0.0))
        self._said = said
        self.setProperty("token", token)
        self.setText(visible(text))
        share = f"{self._probability:.1%}"
        self.setAccessibleName(f"{visible(text)}, {share}{', in the answer' if said else ''}")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bar, the token and its share."""
        painter = QPainter(self)
        style = self._style
        box = QRectF(self.rect()).adjusted(2, 2, -2, -2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.hasFocus() or self.underMouse():
            painter.setBrush(style.colour("hover"))
            painter.drawRoundedRect(box, 5, 5)
        bar = QRectF(box)
        bar.setWidth(max(box.width() * self._probability, 3))
        painter.setBrush(style.colour("chosen" if self._said else "uncertain"))
        painter.drawRoundedRect(bar, 5, 5)
        painter.setPen(style.colour("text"))
        inner = box.adjusted(8, 0, -8, 0)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, self.text())
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(inner, right, f"{self._probability:.1%}")
        painter.end()


class TokenCard(QFrame):
    """Shows the likeliest tokens of one place; lives on the GUI thread.

    Attributes:
        chosen: Message id, index of the token in the answer, and the id chosen instead.
        stepped: The arrow keys ask for the next (1) or previous (-1) uncertain token.
        closed: Escape put it away.
    """

    chosen = Signal(int, int, int)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget, style: Style) -> None:
        super().__init__(parent)
        self.setObjectName("tokens")
        self.setAccessibleName("Alternatives to this token")
        self.setFixedWidth(WIDTH)
        self._viewport = parent
        self._message = self._token = -1
        self._title = QLabel(self)
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(6, 6, 6, 6)
        self._rows.setSpacing(0)
        self._rows.addWidget(self._title)
        self._buttons: list[Alternative] = []
        self.restyle(style)
        self.hide()

    @property
    def token(self) -> tuple[int, int]:
        """Message id and token that are shown."""
        return self._message, self._token

    def restyle(self, style: Style) -> None:
        """Take another palette."""
        for button in self._buttons:
            self._rows.removeWidget(button)
            button.deleteLater()
        self._buttons = []
        for _ in range(MOST):
            button = Alternative(self, style)
            button.clicked.connect(self._on_clicked)
            self._buttons.append(button)
            self._rows.addWidget(button)
        palette = style.palette
        self._title.setFont(style.small_font)
        self._title.setStyleSheet(f"color: {palette.muted}; padding: 2px 8px;")
        self.setStyleSheet(
            f"QFrame#tokens {{ background: {palette.field}; border: 1px solid {palette.border};"
            "border-radius: 9px; }"
        )

    def show_token(self, message_id: int, token: int, layer: TokenLayer, at: QPoint) -> None:
        """Show the alternatives of a token below a point of the parent."""
        detail = layer.details[token]
        self._message, self._token = message_id, token
        share = math.exp(min(detail.logprob, 0.0))
        self._title.setText(f"{visible(detail.text)} · {share:.0%} · entropy {detail.entropy:.2f}")
        rows = list(detail.alternatives[:MOST])
        if all(token_id != detail.token_id for token_id, _ in rows):
            rows = [*rows[: MOST - 1], (detail.token_id, detail.logprob)]
        for i, button in enumerate(self._buttons):
            button.setVisible(i < len(rows))
            if i < len(rows):
                token_id, logprob = rows[i]
                said = token_id == detail.token_id
                text = detail.text if said and detail.text else layer.name_of(token_id)
                button.show_token(token_id, text, logprob, said=said)
        self.adjustSize()
        parent = self._viewport
        x = max(min(at.x(), parent.width() - self.width() - 8), 8)
        below = at.y() + self.height() + 8 <= parent.height()
        self.move(x, at.y() + 4 if below else max(at.y() - self.height() - 26, 4))
        self.show()
        self.raise_()

    def take_focus(self) -> None:
        """Let the arrow keys choose."""
        self._buttons[0].setFocus()

    def _on_clicked(self) -> None:
        sender = self.sender()
        if sender is not None:
            self.hide()
            self.chosen.emit(self._message, self._token, int(sender.property("token")))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go between rows and tokens; Escape closes."""
        key = event.key()
        shown = [button for button in self._buttons if not button.isHidden()]
        at = next((i for i, button in enumerate(shown) if button.hasFocus()), 0)
        if key in {Qt.Key.Key_Down, Qt.Key.Key_Up} and shown:
            step = 1 if key == Qt.Key.Key_Down else -1
            shown[(at + step) % len(shown)].setFocus()
        elif key in {Qt.Key.Key_Left, Qt.Key.Key_Right}:
            self.stepped.emit(1 if key == Qt.Key.Key_Right else -1)
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and shown:
            shown[at].click()
        elif key == Qt.Key.Key_Escape:
            self.hide()
            self.closed.emit()
        else:
            super().keyPressEvent(event)


def visible(text: str) -> str:
    """A token's text with its spaces and line ends made visible."""
    shown = text.replace(" ", "␣").replace("\n", "⏎").replace("\t", "⇥")
    return shown or "(nothing)"
