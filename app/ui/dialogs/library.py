"""Presets and the prompt library: named texts and settings to take, keep and remove."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.ui.parts import label, text_button

VARIABLE = re.compile(r"\{\{\s*([^{}]+?)\s*\}\}")


def variables_of(text: str) -> tuple[str, ...]:
    """The names in `{{name}}`, each once, in order."""
    return tuple(dict.fromkeys(VARIABLE.findall(text)))


def fill_in(text: str, values: Mapping[str, str]) -> str:
    """Put values in the place of their names; a name without a value stays as it is."""
    return VARIABLE.sub(lambda found: values.get(found[1], found[0]), text)


class PresetDialog(QDialog):
    """The presets, to be removed; a preset is made from a chat's settings, in the inspector.

    Attributes:
        removed: A preset, by its name, is not wanted.
    """

    removed = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Presets"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(420, 360)
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Presets"))
        note = label(
            self.tr("A preset keeps the system prompt and the sampling of a chat."),
            "muted",
            wrap=True,
        )
        self.remove = text_button(self.tr("Remove"), "danger")
        self.remove.clicked.connect(self._on_remove)
        close = text_button(self.tr("Close"))
        close.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.addWidget(self.remove)
        row.addStretch(1)
        row.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addWidget(note)
        column.addWidget(self.list, 1)
        column.addLayout(row)

    def show_names(self, names: Sequence[str]) -> None:
        """Show the presets' names."""
        self.list.clear()
        self.list.addItems(list(names))
        self.remove.setEnabled(bool(names))
        self.list.setCurrentRow(0 if names else -1)

    def _on_remove(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self.removed.emit(item.text())


class PromptDialog(QDialog):
    """The prompt library; `{{variables}}` of the chosen prompt are asked for before it is used.

    Attributes:
        saved: Name and text are to be kept. `removed`: a prompt, by its name, is not wanted.
        used: A text, its variables filled in, is to go to the composer.
        used_as_system: The same, to become the system prompt.
    """

    saved = Signal(str, str)
    removed = Signal(str)
    used = Signal(str)
    used_as_system = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Prompts"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(760, 500)
        self._prompts: dict[str, str] = {}
        self._fields: dict[str, QLineEdit] = {}
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Prompts"))
        self.list.setMaximumWidth(230)
        self.name = QLineEdit()
        self.name.setAccessibleName(self.tr("Name"))
        self.name.setPlaceholderText(self.tr("Name"))
        self.text = QPlainTextEdit()
        self.text.setAccessibleName(self.tr("Prompt"))
        self.text.setTabChangesFocus(True)
        self.text.setPlaceholderText(self.tr("Summarise {{text}} in {{number}} sentences."))
        self._values = QFormLayout()
        self.save = text_button(self.tr("Save"))
        self.remove = text_button(self.tr("Remove"), "danger")
        self.as_system = text_button(self.tr("Use as system prompt"))
        self.use = text_button(self.tr("Use in message"), "primary")
        self._lay_out()
        self.list.currentTextChanged.connect(self._on_chosen)
        self.text.textChanged.connect(self._follow)
        self.name.textChanged.connect(self._follow)
        self.save.clicked.connect(self._on_save)
        self.remove.clicked.connect(lambda: self.removed.emit(self.name.text().strip()))
        self.use.clicked.connect(lambda: self._on_use(system=False))
        self.as_system.clicked.connect(lambda: self._on_use(system=True))
        self._follow()

    def show_prompts(self, prompts: Mapping[str, str]) -> None:
        """Show the library: texts by their names."""
        chosen = self.name.text()
        self._prompts = dict(prompts)
        blocked = self.list.blockSignals(True)
        self.list.clear()
        self.list.addItems(list(prompts))
        names = list(prompts)
        self.list.setCurrentRow(names.index(chosen) if chosen in prompts else -1)
        self.list.blockSignals(blocked)
        self._follow()

    def filled(self) -> str:
        """The text with its variables filled in."""
        values = {name: field.text() for name, field in self._fields.items() if field.text()}
        return fill_in(self.text.toPlainText(), values)

    def _lay_out(self) -> None:
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addWidget(self.name)
        right.addWidget(self.text, 1)
        right.addLayout(self._values)
        buttons = QHBoxLayout()
        for button in (self.save, self.remove):
            buttons.addWidget(button)
        buttons.addStretch(1)
        for button in (self.as_system, self.use):
            buttons.addWidget(button)
        right.addLayout(buttons)
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 18, 20, 16)
        row.setSpacing(16)
        row.addWidget(self.list)
        row.addLayout(right, 1)

    def _follow(self) -> None:
        text = bool(self.text.toPlainText().strip())
        name = self.name.text().strip()
        self.save.setEnabled(text and bool(name))
        self.remove.setEnabled(name in self._prompts)
        self.use.setEnabled(text)
        self.as_system.setEnabled(text)
        wanted = variables_of(self.text.toPlainText())
        if tuple(self._fields) != wanted:
            kept = {name: field.text() for name, field in self._fields.items()}
            while self._values.rowCount():
                self._values.removeRow(0)
            self._fields = {}
            for variable in wanted:
                field = QLineEdit(kept.get(variable, ""))
                field.setAccessibleName(variable)
                self._fields[variable] = field
                self._values.addRow(variable, field)

    def _on_chosen(self, name: str) -> None:
        if name in self._prompts:
            self.name.setText(name)
            self.text.setPlainText(self._prompts[name])

    def _on_save(self) -> None:
        self.saved.emit(" ".join(self.name.text().split()), self.text.toPlainText())

    def _on_use(self, *, system: bool) -> None:
        (self.used_as_system if system else self.used).emit(self.filled())
        self.accept()
