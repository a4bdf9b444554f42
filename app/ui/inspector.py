"""The inspector: system prompt, preset, sampling, and how full the context is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QProgressBar,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.ui.parts import IconButton, label, name_it, restyle, text_button
from inference import Sampling

if TYPE_CHECKING:
    from PySide6.QtGui import QWheelEvent

TYPING_MS = 400
LARGEST_SEED = 2**31 - 1


class Number(QDoubleSpinBox):
    """A number one types or steps; the wheel scrolls the panel, not the number."""

    def __init__(self, name: str, low: float, high: float, step: float, decimals: int) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setRange(low, high)
        self.setSingleStep(step)
        self.setDecimals(decimals)
        self.setKeyboardTracking(False)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFixedWidth(84)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the panel."""
        event.ignore()


class Whole(QSpinBox):
    """A whole number, like `Number`."""

    def __init__(self, name: str, low: int, high: int) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setRange(low, high)
        self.setKeyboardTracking(False)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFixedWidth(84)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the panel."""
        event.ignore()


class SamplingForm(QWidget):
    """How tokens are drawn, and how many at most.

    Attributes:
        sampling_changed: Carries a `Sampling`.
        max_tokens_changed: Carries a number, or None for the model's own limit.
    """

    sampling_changed = Signal(object)
    max_tokens_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sampling = Sampling()
        self._showing = False
        self.temperature = Number(self.tr("Temperature"), 0, 5, 0.1, 2)
        self.top_p = Number(self.tr("Top-p"), 0.01, 1, 0.05, 2)
        self.top_k = Whole(self.tr("Top-k"), 0, 1000)
        self.min_p = Number(self.tr("Min-p"), 0, 1, 0.01, 2)
        self.penalty = Number(self.tr("Repetition penalty"), 0.5, 2, 0.05, 2)
        self.max_tokens = Whole(self.tr("Longest answer"), 0, 1_000_000)
        self.max_tokens.setSpecialValueText(self.tr("Model's"))
        self.seed = Whole(self.tr("Seed"), 0, LARGEST_SEED)
        self.fixed = QCheckBox(self.tr("Fixed seed"))
        self.dice = IconButton("dice", self.tr("Another seed"))
        hints = {
            self.temperature: self.tr("0 always takes the likeliest token; higher is livelier."),
            self.top_p: self.tr("Only the likeliest tokens that together have this probability."),
            self.top_k: self.tr("Only so many of the likeliest tokens; 0 is all of them."),
            self.min_p: self.tr("Only tokens at least this likely, against the likeliest."),
            self.penalty: self.tr("Above 1 the model repeats itself less."),
            self.max_tokens: self.tr("In tokens; 0 takes the model's own limit."),
        }
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(0, 1)
        for line, (field, hint) in enumerate(hints.items()):
            name = label(field.accessibleName())
            name.setBuddy(field)
            name.setToolTip(hint)
            field.setToolTip(hint)
            grid.addWidget(name, line, 0)
            grid.addWidget(field, line, 1, Qt.AlignmentFlag.AlignRight)
        seeds = QHBoxLayout()
        seeds.setSpacing(4)
        seeds.addWidget(self.fixed, 1)
        seeds.addWidget(self.dice)
        seeds.addWidget(self.seed)
        grid.addLayout(seeds, len(hints), 0, 1, 2)
        for number in (self.temperature, self.top_p, self.min_p, self.penalty):
            number.valueChanged.connect(self._on_changed)
        for whole in (self.top_k, self.seed):
            whole.valueChanged.connect(self._on_changed)
        self.fixed.toggled.connect(self._on_changed)
        self.dice.clicked.connect(self._on_dice)
        self.max_tokens.valueChanged.connect(self._on_max_tokens)
        self.show_values(Sampling(), None)

    def show_values(self, sampling: Sampling, max_tokens: int | None) -> None:
        """Show values without telling that they changed."""
        self._showing = True
        self._sampling = sampling
        self.temperature.setValue(sampling.temperature)
        self.top_p.setValue(sampling.top_p)
        self.top_k.setValue(sampling.top_k)
        self.min_p.setValue(sampling.min_p)
        self.penalty.setValue(sampling.repetition_penalty)
        self.fixed.setChecked(sampling.seed is not None)
        self.seed.setEnabled(sampling.seed is not None)
        if sampling.seed is not None:
            self.seed.setValue(sampling.seed % (LARGEST_SEED + 1))
        self.max_tokens.setValue(max_tokens or 0)
        self._showing = False

    def _on_changed(self) -> None:
        self.seed.setEnabled(self.fixed.isChecked())
        if self._showing:
            return
        self._sampling = replace(
            self._sampling,
            temperature=self.temperature.value(),
            top_p=self.top_p.value(),
            top_k=self.top_k.value(),
            min_p=self.min_p.value(),
            repetition_penalty=self.penalty.value(),
            seed=self.seed.value() if self.fixed.isChecked() else None,
        )
        self.sampling_changed.emit(self._sampling)

    def _on_dice(self) -> None:
        # Knuth's multiplier walks through every seed before one comes again.
        value = (self.seed.value() * 1_664_525 + 1_013_904_223) % (LARGEST_SEED + 1)
        self._showing = True
        self.seed.setValue(value)
        self.fixed.setChecked(True)
        self._showing = False
        self._on_changed()

    def _on_max_tokens(self, value: int) -> None:
        if not self._showing:
            self.max_tokens_changed.emit(value or None)


class ContextMeter(QWidget):
    """How much of the model's context the conversation takes, and what will fall out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar.setAccessibleName(self.tr("Context in use"))
        self._text = label("", "small", wrap=True)
        self._warning = label("", "warning", wrap=True)
        self._warning.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self._bar)
        column.addWidget(self._text)
        column.addWidget(self._warning)
        self.show_use(0, 0)

    def show_use(self, used: int, total: int, warning: str = "") -> None:
        """Show tokens used of those that fit; a warning says what the next message costs."""
        share = min(used / total, 1.0) if total else 0.0
        self._bar.setValue(round(share * 1000))
        restyle(self._bar, "level", "high" if share > 0.85 else "low")
        number = QLocale().toString
        if total:
            text = self.tr("{used} of {total} tokens").format(
                used=number(used), total=number(total)
            )
        else:
            text = self.tr("Known when a model is loaded")
        self._text.setText(text)
        self._bar.setAccessibleDescription(text)
        self._warning.setText(warning)
        self._warning.setVisible(bool(warning))


class Inspector(QWidget):
    """The panel at the end of the window.

    Attributes:
        system_changed: The system prompt was edited; comes after a pause in typing.
        preset_chosen: A preset, by its name. `preset_save_requested`: keep the values as one.
        prompts_requested: The prompt library is wanted.
    """

    system_changed = Signal(str)
    preset_chosen = Signal(str)
    presets_requested = Signal()
    preset_save_requested = Signal()
    prompts_requested = Signal()
    mode_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(250)
        self.system = QPlainTextEdit()
        self.system.setAccessibleName(self.tr("System prompt"))
        self.system.setPlaceholderText(self.tr("How the model should behave in this chat"))
        self.system.setTabChangesFocus(True)
        self.system.setMinimumHeight(84)
        self.system.setMaximumHeight(120)
        self.system.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.presets = QComboBox()
        name_it(self.presets, self.tr("Preset"))
        self.presets.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.modified = label("", "small")
        self.save = text_button(self.tr("Save as preset…"), "link")
        self.manage = text_button(self.tr("Presets…"), "link")
        self.prompts = text_button(self.tr("Prompts…"), "link")
        self.modes = QComboBox()
        name_it(self.modes, self.tr("Mode"))
        self.modes.addItem(self.tr("Chat"), "chat")
        self.modes.addItem(self.tr("Complete the text"), "raw")
        self.sampling = SamplingForm()
        self.context = ContextMeter()
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        name_it(self.tabs, self.tr("Inspector"))
        self._pause = QTimer(self, interval=TYPING_MS, singleShot=True)
        self._lay_out()
        self._connect()

    def add_tab(self, panel: QWidget, name: str) -> None:
        """Put another panel beside the settings of the chat."""
        self.tabs.addTab(panel, name)
        self.tabs.tabBar().setVisible(self.tabs.count() > 1)

    def show_tab(self, panel: QWidget) -> None:
        """Bring a panel to the front."""
        self.tabs.setCurrentWidget(panel)

    def show_system(self, text: str) -> None:
        """Show a system prompt without telling that it changed."""
        self._pause.stop()
        if text != self.system.toPlainText():
            blocked = self.system.blockSignals(True)
            self.system.setPlainText(text)
            self.system.blockSignals(blocked)

    def show_presets(self, names: Sequence[str], current: str, modified: bool) -> None:
        """Show the presets; a changed one says so and stays as it was kept."""
        blocked = self.presets.blockSignals(True)
        self.presets.clear()
        self.presets.addItem(self.tr("No preset"), "")
        for name in names:
            self.presets.addItem(name, name)
        self.presets.setCurrentIndex(max(self.presets.findData(current), 0))
        self.presets.blockSignals(blocked)
        self.modified.setText(self.tr("• modified") if modified and current else "")

    def show_mode(self, mode: str) -> None:
        """Show whether the chat talks or completes text."""
        blocked = self.modes.blockSignals(True)
        self.modes.setCurrentIndex(max(self.modes.findData(mode), 0))
        self.modes.blockSignals(blocked)

    def flush(self) -> None:
        """Tell at once what is still waiting for the pause in typing."""
        if self._pause.isActive():
            self._pause.stop()
            self._on_paused()

    def _lay_out(self) -> None:
        body = QWidget()
        body.setObjectName("inspectorBody")
        column = QVBoxLayout(body)
        column.setContentsMargins(16, 14, 16, 16)
        column.setSpacing(8)
        head = QHBoxLayout()
        head.addWidget(label(self.tr("System prompt"), "section"))
        head.addStretch(1)
        head.addWidget(self.prompts)
        column.addLayout(head)
        column.addWidget(self.system)
        column.addSpacing(8)
        head = QHBoxLayout()
        head.addWidget(label(self.tr("Preset"), "section"))
        head.addStretch(1)
        head.addWidget(self.modified)
        column.addLayout(head)
        column.addWidget(self.presets)
        row = QHBoxLayout()
        row.addWidget(self.save)
        row.addWidget(self.manage)
        row.addStretch(1)
        column.addLayout(row)
        column.addSpacing(8)
        column.addWidget(label(self.tr("Mode"), "section"))
        column.addWidget(self.modes)
        column.addSpacing(8)
        column.addWidget(label(self.tr("Sampling"), "section"))
        column.addWidget(self.sampling)
        column.addSpacing(8)
        column.addWidget(label(self.tr("Context"), "section"))
        column.addWidget(self.context)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setObjectName("inspectorScroll")
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setAccessibleName(self.tr("Inspector"))
        scroll.setWidget(body)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.tabs)
        self.add_tab(scroll, self.tr("Chat"))

    def _connect(self) -> None:
        self.system.textChanged.connect(self._pause.start)
        self._pause.timeout.connect(self._on_paused)
        self.presets.activated.connect(self._on_preset)
        self.modes.activated.connect(self._on_mode)
        self.save.clicked.connect(self.preset_save_requested)
        self.manage.clicked.connect(self.presets_requested)
        self.prompts.clicked.connect(self.prompts_requested)

    def _on_paused(self) -> None:
        self.system_changed.emit(self.system.toPlainText())

    def _on_preset(self, at: int) -> None:
        self.preset_chosen.emit(str(self.presets.itemData(at)))

    def _on_mode(self, at: int) -> None:
        self.mode_changed.emit(str(self.modes.itemData(at)))
