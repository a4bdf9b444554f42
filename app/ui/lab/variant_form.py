"""The form that changes one variant of the lab."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.lab.plan import Variant
from app.ui.inspector import Number, Whole
from app.ui.parts import label, text_button
from inference import Sampling


class VariantForm(QWidget):
    """Name, system prompt, template and sampling of a column.

    Attributes:
        changed: Carries the new `Variant`. `removed`: the column is not wanted.
        copied: Another column like this one is wanted.
    """

    changed = Signal(object)
    removed = Signal()
    copied = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._variant = Variant("")
        self._showing = False
        self.name = QLineEdit()
        self.system = QPlainTextEdit()
        self.template = QPlainTextEdit()
        self.temperature = Number(self.tr("Temperature"), 0, 5, 0.1, 2)
        self.max_tokens = Whole(self.tr("Longest answer"), 1, 100_000)
        self.raw = QCheckBox(self.tr("Complete the text"))
        self.remove = text_button(self.tr("Remove"), "danger")
        self.copy = text_button(self.tr("Copy as another"))
        for field, name, hint in (
            (self.name, self.tr("Name"), ""),
            (self.system, self.tr("System prompt"), self.tr("None")),
            (self.template, self.tr("Template"), self.tr("Explain {{topic}} in one sentence.")),
        ):
            field.setAccessibleName(name)
            field.setPlaceholderText(hint)
        for text in (self.system, self.template):
            text.setTabChangesFocus(True)
            text.setMaximumHeight(64)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setVerticalSpacing(6)
        form.addRow(self.tr("Name"), self.name)
        form.addRow(self.tr("System prompt"), self.system)
        form.addRow(self.tr("Template"), self.template)
        form.addRow(self.tr("Temperature"), self.temperature)
        form.addRow(self.tr("Longest answer"), self.max_tokens)
        form.addRow(self.raw)
        buttons = QHBoxLayout()
        buttons.addWidget(self.copy)
        buttons.addWidget(self.remove)
        buttons.addStretch(1)
        inside = QWidget()
        scroll = QScrollArea()
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setAccessibleName(self.tr("Variant"))
        scroll.setWidget(inside)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(scroll)
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 12, 0)
        column.addWidget(label(self.tr("Variant"), "section"))
        column.addLayout(form)
        column.addLayout(buttons)
        column.addStretch(1)
        self.name.textEdited.connect(self._on_edited)
        self.system.textChanged.connect(self._on_edited)
        self.template.textChanged.connect(self._on_edited)
        self.temperature.valueChanged.connect(self._on_edited)
        self.max_tokens.valueChanged.connect(self._on_edited)
        self.raw.toggled.connect(self._on_edited)
        self.remove.clicked.connect(self.removed)
        self.copy.clicked.connect(self.copied)

    def show_variant(self, variant: Variant) -> None:
        """Show a variant without telling that it changed."""
        if variant == self._variant:
            return
        self._showing = True
        self._variant = variant
        self.name.setText(variant.name)
        self.system.setPlainText(variant.system)
        self.template.setPlainText(variant.template)
        self.temperature.setValue((variant.sampling or Sampling()).temperature)
        self.max_tokens.setValue(variant.max_tokens or 256)
        self.raw.setChecked(variant.raw)
        self._showing = False

    def focus_name(self) -> None:
        """Put the keyboard into the name."""
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)
        self.name.selectAll()

    def _on_edited(self) -> None:
        if self._showing:
            return
        sampling = replace(
            self._variant.sampling or Sampling(), temperature=self.temperature.value()
        )
        self._variant = replace(
            self._variant,
            name=self.name.text(),
            system=self.system.toPlainText(),
            template=self.template.toPlainText(),
            sampling=sampling,
            max_tokens=self.max_tokens.value(),
            raw=self.raw.isChecked(),
        )
        self.changed.emit(self._variant)
