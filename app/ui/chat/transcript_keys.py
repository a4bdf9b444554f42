"""Which key asks for what in a transcript."""

from __future__ import annotations

from typing import Final, Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractSlider

Ask = Literal[
    "copy", "select all", "previous", "next", "end", "escape", "token before", "token after", ""
]

_SLIDER = QAbstractSlider.SliderAction
_SCROLL = {
    Qt.Key.Key_Up: _SLIDER.SliderSingleStepSub,
    Qt.Key.Key_Down: _SLIDER.SliderSingleStepAdd,
    Qt.Key.Key_PageUp: _SLIDER.SliderPageStepSub,
    Qt.Key.Key_PageDown: _SLIDER.SliderPageStepAdd,
    Qt.Key.Key_Space: _SLIDER.SliderPageStepAdd,
    Qt.Key.Key_Home: _SLIDER.SliderToMinimum,
}
_WITH_CONTROL: Final[dict[int, Ask]] = {
    Qt.Key.Key_Up: "previous",
    Qt.Key.Key_Down: "next",
    Qt.Key.Key_End: "end",
}
_ALONE: Final[dict[int, Ask]] = {
    Qt.Key.Key_Left: "token before",
    Qt.Key.Key_Right: "token after",
    Qt.Key.Key_End: "end",
    Qt.Key.Key_Escape: "escape",
}


def scroll_step(event: QKeyEvent) -> QAbstractSlider.SliderAction | None:
    """How a key scrolls, if it does."""
    if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        return None
    if event.key() == Qt.Key.Key_Space and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
        return _SLIDER.SliderPageStepSub
    return _SCROLL.get(Qt.Key(event.key()))


def ask_of(event: QKeyEvent) -> Ask:
    """What else a key asks for; nothing where it is not for the transcript."""
    if event.matches(QKeySequence.StandardKey.Copy):
        return "copy"
    if event.matches(QKeySequence.StandardKey.SelectAll):
        return "select all"
    control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
    if control:
        return _WITH_CONTROL.get(event.key(), "")
    plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return _ALONE.get(event.key(), "") if plain else ""
