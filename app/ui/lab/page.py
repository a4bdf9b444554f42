"""The grid of the Prompt Lab: it shows a plan and its results, and tells what is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QMenu,
    QSpinBox,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QTextBrowser,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.lab.plan import Place, Plan, Variant
from app.lab.word_diff import word_diff
from app.ui.lab.variant_form import VariantForm
from app.ui.parts import label, name_it, text_button
from app.ui.theme import LIGHT, Palette

ROW_LINES = 6


class LabPage(QWidget):
    """One experiment.

    Attributes:
        plan_changed: Carries the new `Plan`.
        run_requested: All cells are wanted. `stop_requested`: none any more.
        column_stopped: A column is not wanted any more. `cell_stopped`: a `Place`.
        inputs_pasted: Text that holds rows. `inputs_requested`: a file of rows is to be chosen.
        export_requested: The results are to be written.
        open_requested: A cell is to become a chat; carries its `Place`.
        vote_requested: A blind vote is wanted.
    """

    plan_changed = Signal(object)
    run_requested = Signal()
    stop_requested = Signal()
    column_stopped = Signal(int)
    cell_stopped = Signal(object)
    inputs_pasted = Signal(str)
    inputs_requested = Signal()
    export_requested = Signal()
    open_requested = Signal(object)
    vote_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._palette: Palette = LIGHT
        self._plan = Plan((), ())
        self._texts: dict[Place, str] = {}
        self._details: dict[Place, str] = {}
        self._pinned: Place | None = None
        self._column = 0
        self.run = text_button(self.tr("Run"), "primary")
        self.stop = text_button(self.tr("Stop"))
        self.stop_column = text_button(self.tr("Stop column"))
        self.seeds = QSpinBox()
        self.seeds.setRange(1, 32)
        self.seeds.setAccessibleName(self.tr("Seeds"))
        self.seeds.setFixedWidth(54)
        self.add_input = text_button(self.tr("Add input"))
        self.more = QToolButton()
        self.more.setText(self.tr("More") + "  ▾")
        self.more.setAccessibleName(self.tr("More"))
        self.more.setProperty("role", "text")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        self.open_inputs = menu.addAction(self.tr("Open inputs…"))
        self.paste_inputs = menu.addAction(self.tr("Paste inputs"))
        self.vote = menu.addAction(self.tr("Blind vote…"))
        self.export = menu.addAction(self.tr("Export…"))
        self.more.setMenu(menu)
        self.status = label("", "small")
        self.score = QLineEdit()
        self.score.setAccessibleName(self.tr("Answer to score"))
        self.score.setPlaceholderText(
            self.tr("Score mode: the answer you wish for, instead of writing new ones")
        )
        self.schema = QLineEdit()
        self.schema.setAccessibleName(self.tr("JSON schema"))
        self.schema.setPlaceholderText(self.tr("JSON schema that every answer is checked against"))
        self.grid = QTableWidget()
        self.grid.setAccessibleName(self.tr("Results"))
        self.grid.setWordWrap(True)
        self.grid.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        self.grid.verticalHeader().hide()
        self.form = VariantForm()
        self.cell = QTextBrowser()
        self.cell.setAccessibleName(self.tr("Answer of the chosen cell"))
        self.cell.setOpenLinks(False)
        self.which = QComboBox()
        name_it(self.which, self.tr("Seed"))
        self.pin = text_button(self.tr("Pin"))
        self.open_chat = text_button(self.tr("Open as chat"))
        self.stop_cell = text_button(self.tr("Stop"))
        self._lay_out()
        self._connect()
        self.show_running(False)

    # ------------------------------------------------------------------------------ showing

    def set_palette(self, palette: Palette) -> None:
        """Paint in these colours."""
        self._palette = palette
        self._fit_rows()
        self._show_cell()

    def show_plan(self, plan: Plan) -> None:
        """Show a plan; results of cells that it still has stay."""
        self._plan = plan
        self._column = min(self._column, max(len(plan.variants) - 1, 0))
        self._fill()
        if plan.variants:
            self.form.show_variant(plan.variants[self._column])
        for field, text in ((self.score, plan.completion), (self.schema, plan.schema)):
            if field.text() != text:
                field.setText(text)
        blocked = self.seeds.blockSignals(True)
        self.seeds.setValue(len(plan.seeds))
        self.seeds.blockSignals(blocked)

    def clear_results(self) -> None:
        """Forget every result shown."""
        self._texts.clear()
        self._details.clear()
        self._pinned = None
        self._fill()

    def begin(self, place: Place) -> None:
        """A cell is being read."""
        self._details[place] = self.tr("reading…")
        self._draw(place)

    def grow(self, place: Place, text: str) -> None:
        """A cell has more of its reply."""
        self._texts[place] = self._texts.get(place, "") + text
        self._details[place] = self.tr("writing…")
        self._draw(place)

    def finish(self, place: Place, text: str, detail: str) -> None:
        """A cell is done: its reply, and a line of figures."""
        self._texts[place], self._details[place] = text, detail
        self._draw(place)

    def show_running(self, running: bool) -> None:
        """Offer to run, or to stop."""
        self.run.setEnabled(not running)
        for button in (self.stop, self.stop_column, self.stop_cell):
            button.setEnabled(running)

    def show_status(self, sentence: str) -> None:
        """Say one sentence."""
        self.status.setText(sentence)

    # ------------------------------------------------------------------------------ layout

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setSpacing(8)
        for button in (self.run, self.stop, self.stop_column):
            bar.addWidget(button)
        bar.addSpacing(8)
        bar.addWidget(label(self.tr("Seeds")))
        bar.addWidget(self.seeds)
        bar.addSpacing(8)
        bar.addWidget(self.add_input)
        bar.addWidget(self.more)
        bar.addStretch(1)
        modes = QHBoxLayout()
        modes.setSpacing(8)
        modes.addWidget(self.score, 1)
        modes.addWidget(self.schema, 1)
        actions = QHBoxLayout()
        for widget in (self.which, self.pin, self.open_chat, self.stop_cell):
            actions.addWidget(widget)
        actions.addStretch(1)
        answer = QWidget()
        answer_column = QVBoxLayout(answer)
        answer_column.setContentsMargins(12, 0, 0, 0)
        answer_column.addWidget(label(self.tr("Answer"), "section"))
        answer_column.addWidget(self.cell, 1)
        answer_column.addLayout(actions)
        below = QSplitter(Qt.Orientation.Horizontal)
        below.addWidget(self.form)
        below.addWidget(answer)
        below.setChildrenCollapsible(False)
        below.setHandleWidth(1)
        whole = QSplitter(Qt.Orientation.Vertical)
        whole.setHandleWidth(13)
        whole.addWidget(self.grid)
        whole.addWidget(below)
        whole.setSizes([420, 240])
        whole.setChildrenCollapsible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 10)
        column.setSpacing(10)
        column.addLayout(bar)
        column.addLayout(modes)
        column.addWidget(whole, 1)
        column.addWidget(self.status)

    def _connect(self) -> None:
        self.run.clicked.connect(self.run_requested)
        self.stop.clicked.connect(self.stop_requested)
        self.stop_column.clicked.connect(lambda: self.column_stopped.emit(self._column))
        self.seeds.valueChanged.connect(self._on_seeds)
        self.add_input.clicked.connect(self._on_add_input)
        self.open_inputs.triggered.connect(self.inputs_requested)
        self.paste_inputs.triggered.connect(self._on_paste_inputs)
        self.export.triggered.connect(self.export_requested)
        self.vote.triggered.connect(self.vote_requested)
        self.score.editingFinished.connect(self._on_modes)
        self.schema.editingFinished.connect(self._on_modes)
        self.form.changed.connect(self._on_variant)
        self.form.removed.connect(self._on_remove_variant)
        self.form.copied.connect(self._on_copy_variant)
        self.grid.currentCellChanged.connect(self._on_cell)
        self.grid.itemChanged.connect(self._on_item_changed)
        self.grid.horizontalHeader().sectionClicked.connect(self._on_header)
        self.which.activated.connect(self._show_cell)
        self.pin.clicked.connect(self._on_pin)
        self.open_chat.clicked.connect(self._on_open)
        self.stop_cell.clicked.connect(self._on_stop_cell)

    # ------------------------------------------------------------------------------ the grid

    def _names(self) -> list[str]:
        """The variables of the rows, in the order they were met."""
        return list(dict.fromkeys(name for row in self._plan.inputs for name in row))

    def _fill(self) -> None:
        names, plan = self._names() or ["input"], self._plan
        blocked = self.grid.blockSignals(True)
        self.grid.setColumnCount(len(names) + len(plan.variants))
        self.grid.setRowCount(len(plan.inputs))
        heads = [f"{{{{{name}}}}}" for name in names]
        self.grid.setHorizontalHeaderLabels([*heads, *(v.name for v in plan.variants)])
        for line, row in enumerate(plan.inputs):
            for at, name in enumerate(names):
                item = QTableWidgetItem(row.get(name, ""))
                item.setTextAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)
                self.grid.setItem(line, at, item)
            for column in range(len(plan.variants)):
                item = QTableWidgetItem()
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
                item.setTextAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeading)
                self.grid.setItem(line, len(names) + column, item)
        self.grid.blockSignals(blocked)
        header = self.grid.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self._fit_rows()
        for line in range(len(plan.inputs)):
            for column in range(len(plan.variants)):
                self._draw(Place(line, column, plan.seeds[0] if plan.seeds else 1))

    def _fit_rows(self) -> None:
        height = round(self._palette.pixels * 1.35 * ROW_LINES) + 12
        self.grid.verticalHeader().setDefaultSectionSize(height)

    def _draw(self, place: Place) -> None:
        item = self.grid.item(place.row, len(self._names() or ["input"]) + place.column)
        if item is None:
            return
        parts: list[str] = []
        for seed in self._plan.seeds:
            one = Place(place.row, place.column, seed)
            text, detail = self._texts.get(one, ""), self._details.get(one, "")
            if text or detail:
                head = f"[{seed}] " if len(self._plan.seeds) > 1 else ""
                parts.append(f"{head}{' '.join(text.split())[:400]}\n{detail}".strip())
        blocked = self.grid.blockSignals(True)
        item.setText("\n".join(parts))
        self.grid.blockSignals(blocked)
        if self._current() == place:
            self._show_cell()

    def _current(self) -> Place | None:
        column = self.grid.currentColumn() - len(self._names() or ["input"])
        if self.grid.currentRow() < 0 or column < 0 or not self._plan.seeds:
            return None
        seed = self.which.currentData()
        return Place(self.grid.currentRow(), column, seed or self._plan.seeds[0])

    def _on_cell(self, row: int, column: int, _row_before: int, _column_before: int) -> None:
        variant = column - len(self._names() or ["input"])
        if 0 <= variant < len(self._plan.variants):
            self._column = variant
            self.form.show_variant(self._plan.variants[variant])
        chosen = self.which.currentData()
        self.which.clear()
        for seed in self._plan.seeds:
            self.which.addItem(self.tr("Seed {n}").format(n=seed), seed)
        self.which.setCurrentIndex(max(self.which.findData(chosen), 0))
        self._show_cell()

    def _on_header(self, section: int) -> None:
        variant = section - len(self._names() or ["input"])
        if 0 <= variant < len(self._plan.variants):
            self._column = variant
            self.form.show_variant(self._plan.variants[variant])

    def _show_cell(self) -> None:
        place = self._current()
        for button in (self.pin, self.open_chat):
            button.setEnabled(place is not None and place in self._texts)
        self.cell.clear()
        if place is None:
            return
        cursor = self.cell.textCursor()
        shape = cursor.charFormat()
        text = self._texts.get(place, "")
        if self._pinned is None or self._pinned == place:
            cursor.insertText(text, shape)
            return
        for change, words in word_diff(self._texts.get(self._pinned, ""), text):
            marked = cursor.charFormat()
            marked.setFontUnderline(change == "added")
            marked.setFontStrikeOut(change == "removed")
            ground = {"added": self._palette.cached, "removed": self._palette.error_page}
            if change in ground:
                marked.setBackground(QColor(ground[change]))
            else:
                marked.clearBackground()
            cursor.insertText(words, marked)

    # ------------------------------------------------------------------------------ changing

    def _set(self, plan: Plan) -> None:
        self._plan = plan
        self.plan_changed.emit(plan)

    def _on_seeds(self, n: int) -> None:
        self._set(replace(self._plan, seeds=tuple(range(1, n + 1))))
        self._fill()

    def _on_modes(self) -> None:
        changed = replace(self._plan, completion=self.score.text(), schema=self.schema.text())
        if changed != self._plan:
            self._set(changed)

    def _on_add_input(self) -> None:
        names = self._names() or ["input"]
        self._set(replace(self._plan, inputs=(*self._plan.inputs, dict.fromkeys(names, ""))))
        self._fill()
        self.grid.setCurrentCell(len(self._plan.inputs) - 1, 0)
        self.grid.edit(self.grid.currentIndex())

    def _on_paste_inputs(self) -> None:
        self.inputs_pasted.emit(QGuiApplication.clipboard().text())

    def _on_item_changed(self, item: QTableWidgetItem) -> None:
        names = self._names() or ["input"]
        if item.column() < len(names):
            rows = [dict(row) for row in self._plan.inputs]
            rows[item.row()][names[item.column()]] = item.text()
            self._set(replace(self._plan, inputs=tuple(rows)))

    def _on_variant(self, variant: Variant) -> None:
        if not self._plan.variants:
            return
        variants = list(self._plan.variants)
        variants[self._column] = variant
        self._set(replace(self._plan, variants=tuple(variants)))
        head = self.grid.horizontalHeaderItem(len(self._names() or ["input"]) + self._column)
        if head is not None:
            head.setText(variant.name)

    def _on_copy_variant(self) -> None:
        like = self._plan.variants[self._column] if self._plan.variants else Variant("")
        name = self.tr("Variant {n}").format(n=len(self._plan.variants) + 1)
        self._set(replace(self._plan, variants=(*self._plan.variants, replace(like, name=name))))
        self._column = len(self._plan.variants) - 1
        self._fill()
        self.form.show_variant(self._plan.variants[self._column])
        self.form.focus_name()

    def _on_remove_variant(self) -> None:
        if not self._plan.variants:
            return
        variants = list(self._plan.variants)
        del variants[self._column]
        self._texts = _without_column(self._texts, self._column)
        self._details = _without_column(self._details, self._column)
        self._pinned = None
        self._set(replace(self._plan, variants=tuple(variants)))
        self.show_plan(self._plan)

    def _on_pin(self) -> None:
        self._pinned = self._current()
        self._show_cell()
        self.show_status(self.tr("Other answers are compared with the pinned one, word by word."))

    def _on_open(self) -> None:
        place = self._current()
        if place is not None:
            self.open_requested.emit(place)

    def _on_stop_cell(self) -> None:
        place = self._current()
        if place is not None:
            self.cell_stopped.emit(place)

    def results(self) -> Sequence[Place]:
        """The cells that have a result."""
        return tuple(self._texts)


def _without_column(cells: dict[Place, str], column: int) -> dict[Place, str]:
    """Take a column out; those after it move up."""
    kept: dict[Place, str] = {}
    for place, text in cells.items():
        if place.column < column:
            kept[place] = text
        elif place.column > column:
            kept[replace(place, column=place.column - 1)] = text
    return kept
