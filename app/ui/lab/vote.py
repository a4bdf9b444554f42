"""The blind vote: two answers side by side without names, then the tally."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.lab.votes import Ballot, Standing, Vote
from app.ui.parts import label, text_button


class VoteDialog(QDialog):
    """Asks which of two answers is better, as often as there are pairs.

    Attributes:
        voted: Carries a `Vote`.
    """

    voted = Signal(object)

    def __init__(
        self, ballots: Sequence[Ballot], text_of: Callable[[int, int, int], str], parent: QWidget
    ) -> None:
        """Begin.

        Args:
            ballots: The pairs, in the order they are asked.
            text_of: The answer of a row, column and seed.
            parent: The window.
        """
        super().__init__(parent)
        self.setWindowTitle(self.tr("Blind vote"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(820, 480)
        self._ballots, self._text_of = list(ballots), text_of
        self._at = 0
        self.question = label("", "heading", wrap=True)
        self.left, self.right = QPlainTextEdit(), QPlainTextEdit()
        for text, name in ((self.left, self.tr("Left")), (self.right, self.tr("Right"))):
            text.setReadOnly(True)
            text.setAccessibleName(name)
        self.choose_left = text_button(self.tr("Left is better"))
        self.neither = text_button(self.tr("Neither"))
        self.choose_right = text_button(self.tr("Right is better"))
        self.tally = label("", wrap=True)
        texts = QHBoxLayout()
        texts.addWidget(self.left)
        texts.addWidget(self.right)
        row = QHBoxLayout()
        for button in (self.choose_left, self.neither, self.choose_right):
            row.addWidget(button, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addWidget(self.question)
        column.addLayout(texts, 1)
        column.addLayout(row)
        column.addWidget(self.tally)
        self.choose_left.clicked.connect(lambda: self._vote(self._ballots[self._at].left))
        self.choose_right.clicked.connect(lambda: self._vote(self._ballots[self._at].right))
        self.neither.clicked.connect(lambda: self._vote(None))
        self._ask()

    def show_tally(self, standings: Sequence[Standing], names: Sequence[str]) -> None:
        """Show how the variants did."""
        lines = [
            self.tr("{name}: {wins} won, {losses} lost, {ties} even").format(
                name=names[one.column], wins=one.wins, losses=one.losses, ties=one.ties
            )
            for one in standings
        ]
        self.tally.setText("\n".join(lines) if self._at >= len(self._ballots) else "")

    def _ask(self) -> None:
        done = self._at >= len(self._ballots)
        for button in (self.choose_left, self.neither, self.choose_right):
            button.setEnabled(not done)
        if done:
            self.question.setText(self.tr("That was all."))
            self.left.clear()
            self.right.clear()
            return
        ballot = self._ballots[self._at]
        self.question.setText(
            self.tr("Which answer is better? ({n} of {total})").format(
                n=self._at + 1, total=len(self._ballots)
            )
        )
        self.left.setPlainText(self._text_of(ballot.row, ballot.left, ballot.seed))
        self.right.setPlainText(self._text_of(ballot.row, ballot.right, ballot.seed))

    def _vote(self, winner: int | None) -> None:
        ballot = self._ballots[self._at]
        self._at += 1
        self.voted.emit(Vote(ballot, winner))
        self._ask()
