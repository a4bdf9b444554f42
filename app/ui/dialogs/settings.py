"""The settings: every control works at once, and there is nothing to confirm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QSpinBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.ui.dialogs.shortcuts import ShortcutPage
from app.ui.parts import label, name_it, text_button

if TYPE_CHECKING:
    from app.settings import Settings
    from app.ui.actions import Command

GIB = 1024**3


class SettingsDialog(QDialog):
    """Shows the settings and tells each change.

    Attributes:
        changed: Carries the new `Settings`.
        erase_requested: All chats are to be erased; `export_requested`: all are to be written.
        models_folder_requested: Another folder for models is to be chosen.
        log_requested: The requests that left this machine are to be shown.
        token_forgotten: The hub's access token is to be forgotten.
    """

    changed = Signal(object)
    erase_requested = Signal()
    export_requested = Signal()
    log_requested = Signal()
    models_folder_requested = Signal()
    token_forgotten = Signal()

    def __init__(
        self,
        settings: Settings,
        commands: Sequence[Command],
        places: Mapping[str, str],
        languages: Mapping[str, str],
        parent: QWidget,
    ) -> None:
        """Build the pages.

        Args:
            settings: What is so now.
            commands: What can be rebound.
            places: Folders to show, by "data", "cache", "logs".
            languages: Language codes and how each calls itself.
            parent: The window.
        """
        super().__init__(parent)
        self._settings = settings
        self.setWindowTitle(self.tr("Settings"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(620, 520)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        name_it(self.tabs, self.tr("Settings"))
        self.tabs.addTab(self._general(languages), self.tr("General"))
        self.tabs.addTab(self._chats(), self.tr("Chats"))
        self.tabs.addTab(self._engine(), self.tr("Engine"))
        self.tabs.addTab(self._privacy(places), self.tr("Privacy"))
        shortcuts = ShortcutPage(commands, settings.shortcuts)
        shortcuts.changed.connect(lambda keys: self._change(shortcuts=keys))
        self.tabs.addTab(_padded(shortcuts), self.tr("Shortcuts"))
        close = text_button(self.tr("Close"))
        close.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.setContentsMargins(18, 0, 18, 0)
        row.addStretch(1)
        row.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 14)
        column.addWidget(self.tabs, 1)
        column.addLayout(row)

    def settings(self) -> Settings:
        """The settings as they stand."""
        return self._settings

    def _change(self, **values: object) -> None:
        changed = replace(self._settings, **values)  # type: ignore[arg-type]
        if changed != self._settings:
            self._settings = changed
            self.changed.emit(changed)

    # ---------------------------------------------------------------------------- pages

    def _general(self, languages: Mapping[str, str]) -> QWidget:
        now, form = self._settings, _form()
        appearance = {
            "auto": self.tr("As the system"),
            "light": self.tr("Light"),
            "dark": self.tr("Dark"),
        }
        self._choice(form, self.tr("Appearance"), "appearance", appearance, now.appearance)
        self._number(form, self.tr("Text size"), "text_size", now.text_size, (70, 200, 10), " %")
        names = {"": self.tr("As the system"), **languages}
        self._choice(form, self.tr("Language"), "language", names, now.language)
        form.addRow("", label(self.tr("A new language holds from the next start."), "small"))
        self._check(form, self.tr("Increase contrast"), "increase_contrast", now.increase_contrast)
        still = now.reduce_motion is True
        self._check(form, self.tr("Reduce motion"), "reduce_motion", still)
        self._check(
            form,
            self.tr("Ask before quitting while an answer is written"),
            "ask_before_quitting",
            now.ask_before_quitting,
        )
        return _page(form)

    def _chats(self) -> QWidget:
        now, form = self._settings, _form()
        keys = {"return": self.tr("Return"), "ctrl_return": self.tr("Ctrl (⌘) with Return")}
        self._choice(form, self.tr("Send with"), "send_key", keys, now.send_key)
        self._number(
            form,
            self.tr("Paste as an attachment from"),
            "paste_as_attachment",
            now.paste_as_attachment,
            (200, 1_000_000, 200),
            self.tr(" characters"),
        )
        self._check(
            form,
            self.tr("Let the model name chats when it has nothing else to do"),
            "automatic_titles",
            now.automatic_titles,
        )
        self._check(
            form,
            self.tr("Search by meaning too (read in idle time, kept on this machine)"),
            "semantic_search",
            now.semantic_search,
        )
        return _page(form)

    def _engine(self) -> QWidget:
        now, form = self._settings, _form()
        limit = now.context_tokens or 0
        self._optional(
            form, self.tr("Context limit"), "context_tokens", limit, self.tr("Model's"), 1_000_000
        )
        policies = {
            "stop": self.tr("Say so and stop"),
            "oldest": self.tr("Leave out the oldest messages"),
            "rolling": self.tr("Keep the system prompt and roll"),
            "rotate": self.tr("Rotate within the window"),
        }
        self._choice(
            form, self.tr("When it is full"), "context_policy", policies, now.context_policy
        )
        self._number(
            form,
            self.tr("Unload the model after"),
            "unload_after_minutes",
            now.unload_after_minutes,
            (0, 1_440, 5),
            self.tr(" minutes"),
            self.tr("Never"),
        )
        memory = round((now.snapshot_bytes or 0) / GIB)
        field = self._spin(memory, (0, 512, 1), self.tr(" GB"), self.tr("Automatic"))
        field.valueChanged.connect(
            lambda value: self._change(snapshot_bytes=value * GIB if value else None)
        )
        self._row(form, self.tr("Memory for read prompts"), field)
        field = self._spin(
            round(now.snapshot_disk_bytes / GIB), (0, 512, 1), self.tr(" GB"), self.tr("None")
        )
        field.valueChanged.connect(lambda value: self._change(snapshot_disk_bytes=value * GIB))
        self._row(form, self.tr("Disk for read prompts"), field)
        bits = {"": self.tr("As they are"), "8": self.tr("8 bit"), "4": self.tr("4 bit")}
        box = self._box(bits, str(now.kv_bits or ""))
        box.activated.connect(
            lambda at: self._change(kv_bits=int(box.itemData(at)) if box.itemData(at) else None)
        )
        self._row(form, self.tr("Keys and values"), box)
        self._number(
            form,
            self.tr("Alternatives kept with each token"),
            "alternatives",
            now.alternatives,
            (0, 20, 1),
            "",
            self.tr("None"),
        )
        self._check(
            form,
            self.tr("Run the engine in a process of its own (from the next start)"),
            "engine_process",
            now.engine_process,
        )
        return _page(form)

    def _privacy(self, places: Mapping[str, str]) -> QWidget:
        form = _form()
        self._check(
            form,
            self.tr("Offline: never open a connection, downloads included"),
            "offline",
            self._settings.offline,
        )
        text = self.tr(
            "Chats, prompts and answers stay on this machine. Nothing is sent anywhere; "
            "the network is used for model downloads that you start, and for nothing else."
        )
        form.addRow(label(text, "muted", wrap=True))
        names = {
            "data": self.tr("Chats and settings"),
            "cache": self.tr("What can be made again"),
            "logs": self.tr("Log (counts and times, never text)"),
        }
        for place, name in names.items():
            where = label(places.get(place, ""), "small", wrap=True)
            where.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._row(form, name, where)
        connections = text_button(self.tr("Connections…"))
        connections.setToolTip(self.tr("Every request that left this machine"))
        connections.clicked.connect(self.log_requested)
        forget = text_button(self.tr("Forget the access token"))
        forget.setToolTip(self.tr("The hub's token in the system's keychain"))
        forget.clicked.connect(self.token_forgotten)
        form.addRow(_side_by_side(connections, forget))
        folder = label(self._settings.models_folder or places.get("models", ""), "small", wrap=True)
        folder.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._row(form, self.tr("Models"), folder)
        other = text_button(self.tr("Another folder for models…"))
        other.clicked.connect(self.models_folder_requested)
        usual = text_button(self.tr("The usual folder"))
        usual.clicked.connect(lambda: self._change(models_folder=""))
        usual.clicked.connect(lambda: folder.setText(places.get("models", "")))
        form.addRow(_side_by_side(other, usual))
        self.models_folder = folder
        export = text_button(self.tr("Export all chats…"))
        export.clicked.connect(self.export_requested)
        erase = text_button(self.tr("Erase all chats…"), "danger")
        erase.clicked.connect(self.erase_requested)
        form.addRow(_side_by_side(export, erase))
        return _page(form)

    def show_models_folder(self, folder: str) -> None:
        """Take over a folder for models that was chosen."""
        self._change(models_folder=folder)
        self.models_folder.setText(folder)

    # ---------------------------------------------------------------------------- controls

    def _row(self, form: QFormLayout, name: str, field: QWidget) -> None:
        name_it(field, name)
        form.addRow(name, field)

    def _check(self, form: QFormLayout, name: str, key: str, value: bool) -> None:
        box = QCheckBox(name)
        box.setChecked(value)
        box.toggled.connect(lambda on: self._change(**{key: on}))
        form.addRow(box)

    def _box(self, names: Mapping[str, str], value: str) -> QComboBox:
        box = QComboBox()
        for data, name in names.items():
            box.addItem(name, data)
        box.setCurrentIndex(max(box.findData(value), 0))
        return box

    def _choice(
        self, form: QFormLayout, name: str, key: str, names: Mapping[str, str], value: str
    ) -> None:
        box = self._box(names, value)
        box.activated.connect(lambda at: self._change(**{key: box.itemData(at)}))
        self._row(form, name, box)

    def _spin(
        self, value: int, bounds: tuple[int, int, int], suffix: str, special: str = ""
    ) -> QSpinBox:
        low, high, step = bounds
        field = QSpinBox()
        field.setRange(low, high)
        field.setSingleStep(step)
        field.setSuffix(suffix)
        field.setSpecialValueText(special)
        field.setKeyboardTracking(False)
        field.setValue(value)
        field.setMinimumWidth(120)
        return field

    def _number(
        self,
        form: QFormLayout,
        name: str,
        key: str,
        value: int,
        bounds: tuple[int, int, int],
        suffix: str,
        special: str = "",
    ) -> None:
        field = self._spin(value, bounds, suffix, special)
        field.valueChanged.connect(lambda number: self._change(**{key: number}))
        self._row(form, name, field)

    def _optional(
        self, form: QFormLayout, name: str, key: str, value: int, special: str, high: int
    ) -> None:
        field = self._spin(value, (0, high, 1_024), self.tr(" tokens"), special)
        field.valueChanged.connect(lambda number: self._change(**{key: number or None}))
        self._row(form, name, field)


def _form() -> QFormLayout:
    form = QFormLayout()
    form.setContentsMargins(0, 0, 0, 0)
    form.setVerticalSpacing(10)
    form.setHorizontalSpacing(18)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.FieldsStayAtSizeHint)
    form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)
    return form


def _page(form: QFormLayout) -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(22, 18, 22, 12)
    column.addLayout(form)
    column.addStretch(1)
    return page


def _padded(inner: QWidget) -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(20, 16, 12, 8)
    column.addWidget(inner)
    return page


def _side_by_side(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch(1)
    return row
