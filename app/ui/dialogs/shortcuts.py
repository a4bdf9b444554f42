"""The sheet of all shortcuts, and the page of the settings that rebinds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QKeySequenceEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.ui.actions import Command, conflicts
from app.ui.parts import label, text_button


class ShortcutSheet(QDialog):
    """Every command that has keys, in two columns."""

    def __init__(
        self, commands: Sequence[Command], keys: Mapping[str, str], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Shortcuts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        grid = QGridLayout()
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(8)
        shown = [command for command in commands if keys.get(command.name)]
        half = (len(shown) + 1) // 2
        for at, command in enumerate(shown):
            column = 0 if at < half else 3
            text = QKeySequence(keys[command.name]).toString(QKeySequence.SequenceFormat.NativeText)
            grid.addWidget(label(command.text.replace("…", "")), at % half, column)
            grid.addWidget(label(text, "muted"), at % half, column + 1)
        grid.setColumnMinimumWidth(2, 28)
        close = text_button(self.tr("Close"))
        close.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(close)
        column_of_all = QVBoxLayout(self)
        column_of_all.setContentsMargins(24, 22, 24, 18)
        column_of_all.setSpacing(18)
        column_of_all.addWidget(label(self.tr("Shortcuts"), "heading"))
        column_of_all.addLayout(grid)
        column_of_all.addLayout(row)


class ShortcutPage(QWidget):
    """Rebinds the commands; two with the same keys are told apart in words.

    Attributes:
        changed: Carries the keys that are not the default ones, by command.
    """

    changed = Signal(object)

    def __init__(self, commands: Sequence[Command], chosen: Mapping[str, str]) -> None:
        super().__init__()
        self._commands = tuple(commands)
        self._texts = {command.name: command.text.replace("…", "") for command in commands}
        self._fields: dict[str, QKeySequenceEdit] = {}
        self._notes = {command.name: label("", "warning") for command in commands}
        grid = QGridLayout()
        grid.setContentsMargins(2, 2, 12, 2)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(0, 1)
        for line, command in enumerate(commands):
            field = QKeySequenceEdit(QKeySequence(chosen.get(command.name, command.keys)))
            field.setMaximumSequenceLength(1)
            field.setClearButtonEnabled(True)
            field.setFixedWidth(150)
            field.setAccessibleName(self._texts[command.name])
            for inner in field.findChildren(QWidget):
                inner.setAccessibleName(self._texts[command.name])
            field.editingFinished.connect(self._on_edited)
            field.keySequenceChanged.connect(self._on_edited)
            self._fields[command.name] = field
            grid.addWidget(label(self._texts[command.name]), line, 0)
            grid.addWidget(self._notes[command.name], line, 1)
            grid.addWidget(field, line, 2)
        inside = QWidget()
        inside.setLayout(grid)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setAccessibleName(self.tr("Shortcuts"))
        scroll.setWidget(inside)
        reset = text_button(self.tr("Restore the default shortcuts"), "link")
        reset.clicked.connect(self._on_reset)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(scroll, 1)
        column.addWidget(reset, 0, Qt.AlignmentFlag.AlignLeading)
        self._mark()

    def keys(self) -> dict[str, str]:
        """The keys of every command as they stand in the fields."""
        portable = QKeySequence.SequenceFormat.PortableText
        return {
            name: field.keySequence().toString(portable) for name, field in self._fields.items()
        }

    def _mark(self) -> None:
        taken = conflicts(self.keys())
        for name, note in self._notes.items():
            other = self._texts.get(taken.get(name, ""), "")
            note.setText(self.tr("taken by “{name}”").format(name=other) if other else "")

    def _on_edited(self) -> None:
        self._mark()
        keys = self.keys()
        other = {c.name: keys[c.name] for c in self._commands if keys[c.name] != c.keys}
        self.changed.emit(other)

    def _on_reset(self) -> None:
        for command in self._commands:
            field = self._fields[command.name]
            blocked = field.blockSignals(True)
            field.setKeySequence(QKeySequence(command.keys))
            field.blockSignals(blocked)
        self._on_edited()
