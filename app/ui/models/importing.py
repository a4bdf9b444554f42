"""Asks how a model folder is to be brought in: as it is, or packed into fewer bits."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from app.ui.parts import label

BITS = (4, 5, 6, 8, 3, 2)


class ImportDialog(QDialog):
    """One choice.

    Attributes:
        chosen: How many bits; 0 copies the weights as they are.
    """

    chosen = Signal(int)

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Import a model"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(420)
        sentence = self.tr(
            "{name} is copied into the folder for models; the original stays. Weights of 16 bits "
            "can be packed: 4 bits need a quarter of the memory, 8 bits half of it."
        ).format(name=name)
        self.bits = QComboBox()
        self.bits.setAccessibleName(self.tr("Weights"))
        self.bits.addItem(self.tr("As they are"), 0)
        for bits in BITS:
            self.bits.addItem(self.tr("Packed into {n} bits").format(n=bits), bits)
        kinds = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        go = buttons.button(kinds.Ok)
        go.setText(self.tr("Import"))
        go.setProperty("role", "primary")
        buttons.button(kinds.Cancel).setText(self.tr("Cancel"))
        buttons.accepted.connect(self._on_accepted)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 20, 22, 16)
        column.setSpacing(12)
        column.addWidget(label(sentence, "muted", wrap=True))
        column.addWidget(self.bits)
        column.addWidget(buttons)

    def _on_accepted(self) -> None:
        self.chosen.emit(self.bits.currentData())
        self.accept()
