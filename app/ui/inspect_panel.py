"""The panel that shows what is inside an answer: prompt, layers, and whether it repeats."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.rows import LayerGuesses, PromptPiece, TokenRow
from app.ui.parts import label, name_it, text_button
from app.ui.theme import LIGHT, Palette, code_font

MOST_PIECES = 20_000


def visible(text: str) -> str:
    """A token's text with its spaces and line breaks to be seen."""
    return text.replace("\n", "↵").replace("\t", "⇥").replace(" ", "␣") or "∅"


class InspectPanel(QWidget):
    """Shows one answer.

    Attributes:
        layers_requested: The guesses of the layers for a token, by its index.
        verify_requested: The answer is to be made again. `close_requested`: to be closed.
    """

    layers_requested = Signal(int)
    verify_requested = Signal()
    close_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._palette = LIGHT
        self._pieces: tuple[PromptPiece, ...] = ()
        self.about = label(
            self.tr("Choose Inspect on an answer to look inside."), "muted", wrap=True
        )
        self.hint = label(
            self.tr(
                "Tokens that could well have been others are tinted and underlined in the answer; "
                "point at one to see the alternatives, choose one to go on from there."
            ),
            "small",
            wrap=True,
        )
        self.verify = text_button(self.tr("Make it again and compare"))
        self.close_button = text_button(self.tr("Close"), "link")
        self.verdict = label("", wrap=True)
        self.ids = QCheckBox(self.tr("Show token ids"))
        self.prompt = QTextEdit()
        self.prompt.setReadOnly(True)
        self.prompt.setAccessibleName(self.tr("Prompt as the model sees it"))
        self.summary = label("", "small", wrap=True)
        self.tokens = QComboBox()
        name_it(self.tokens, self.tr("Token of the answer"))
        self.look = text_button(self.tr("Look"))
        self.look.setAccessibleName(self.tr("Look into the layers"))
        self.layers = QTableWidget(0, 2)
        self.layers.setAccessibleName(self.tr("Guesses of each layer"))
        self.layers.setHorizontalHeaderLabels([self.tr("Layer"), self.tr("Would say")])
        self.layers.verticalHeader().hide()
        self.layers.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.layers.setShowGrid(False)
        header = self.layers.horizontalHeader()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self._lay_out()
        self.verify.clicked.connect(self.verify_requested)
        self.close_button.clicked.connect(self.close_requested)
        self.ids.toggled.connect(self._draw_prompt)
        self.look.clicked.connect(lambda: self.layers_requested.emit(self.tokens.currentIndex()))
        self.show_closed()

    def set_palette(self, palette: Palette) -> None:
        """Paint in these colours."""
        self._palette = palette
        self.prompt.setFont(code_font(palette.pixels))
        self._draw_prompt()

    def show_answer(self, tokens: Sequence[TokenRow], about: str) -> None:
        """Show an answer's tokens and what it is."""
        self.about.setText(about)
        self.verdict.setText("")
        self.tokens.clear()
        for at, token in enumerate(tokens):
            self.tokens.addItem(f"{at + 1}   {visible(token.text)}   {_percent(token.chance)}")
        self._set_open(True)
        self.look.setEnabled(bool(tokens))
        self.layers.setRowCount(0)

    def show_closed(self) -> None:
        """Nothing is inspected."""
        self.about.setText(self.tr("Choose Inspect on an answer to look inside."))
        self.verdict.setText("")
        self.tokens.clear()
        self.layers.setRowCount(0)
        self.show_prompt(())
        self._set_open(False)

    def show_prompt(self, pieces: Sequence[PromptPiece]) -> None:
        """Show the prompt: control tokens as pills, what was kept on a green ground."""
        self._pieces = tuple(pieces)
        cached = sum(piece.cached for piece in pieces)
        number = QLocale().toString
        self.summary.setText(
            self.tr("{n} tokens, {cached} of them kept").format(
                n=number(len(pieces)), cached=number(cached)
            )
            if pieces
            else ""
        )
        self._draw_prompt()

    def show_layers(self, token: int, rows: Sequence[LayerGuesses]) -> None:
        """Show what each layer would say in the place of a token."""
        if self.tokens.count():
            self.tokens.setCurrentIndex(token)
        self.layers.setRowCount(len(rows))
        for line, row in enumerate(rows):
            said = "   ".join(f"{visible(text)} {_percent(chance)}" for text, chance in row.guesses)
            self.layers.setItem(line, 0, QTableWidgetItem(str(row.layer)))
            self.layers.setItem(line, 1, QTableWidgetItem(said))

    def show_verdict(self, sentence: str) -> None:
        """Show whether the answer repeats."""
        self.verdict.setText(sentence)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self.verify)
        head.addStretch(1)
        head.addWidget(self.close_button)
        row = QHBoxLayout()
        row.addWidget(self.tokens, 1)
        row.addWidget(self.look)
        prompt_head = QHBoxLayout()
        prompt_head.addWidget(label(self.tr("Prompt"), "section"))
        prompt_head.addStretch(1)
        prompt_head.addWidget(self.ids)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(8)
        column.addWidget(self.about)
        column.addWidget(self.hint)
        column.addLayout(head)
        column.addWidget(self.verdict)
        column.addLayout(prompt_head)
        column.addWidget(self.prompt, 3)
        column.addWidget(self.summary)
        column.addWidget(label(self.tr("Layers"), "section"))
        column.addLayout(row)
        column.addWidget(self.layers, 2)

    def _set_open(self, is_open: bool) -> None:
        for widget in (self.hint, self.verify, self.close_button, self.ids, self.tokens, self.look):
            widget.setEnabled(is_open)

    def _draw_prompt(self) -> None:
        self.prompt.clear()
        cursor = QTextCursor(self.prompt.document())
        plain, pill, kept = QTextCharFormat(), QTextCharFormat(), QTextCharFormat()
        pill.setBackground(QColor(self._palette.chosen))
        pill.setForeground(QColor(self._palette.accent))
        kept.setBackground(QColor(self._palette.cached))
        small = QTextCharFormat()
        small.setForeground(QColor(self._palette.muted))
        message = -1
        cursor.beginEditBlock()
        for piece in self._pieces[:MOST_PIECES]:
            if piece.message != message and piece.message >= 0 and message >= 0:
                cursor.insertText("\n", plain)
            message = piece.message if piece.message >= 0 else message
            shape = pill if piece.special else kept if piece.cached else plain
            cursor.insertText(visible(piece.text) if piece.special else piece.text, shape)
            if self.ids.isChecked():
                cursor.insertText(f"[{piece.token_id}]", small)
        cursor.endEditBlock()
        if len(self._pieces) > MOST_PIECES:
            cursor.insertText(" …", small)
        self.prompt.setAlignment(Qt.AlignmentFlag.AlignLeading)


def _percent(chance: float) -> str:
    return f"{chance * 100:.1f} %" if chance < 0.995 else "100 %"
