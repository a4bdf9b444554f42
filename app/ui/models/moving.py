"""The models on their way, each with its progress and what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.models.rows import TransferRow
from app.ui.models.cards import TransferCard
from app.ui.models.token import TokenDialog


class TransferList(QWidget):
    """Cards that change in place while their models come.

    Attributes:
        fetch_requested: A model is to go on. `pause_requested`, `discard_requested`: as they say.
        token_given: The repository, and the access token that was pasted.
    """

    fetch_requested = Signal(str)
    pause_requested = Signal(str)
    discard_requested = Signal(str)
    token_given = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cards: dict[str, TransferCard] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self.hide()

    def show_transfers(self, rows: Sequence[TransferRow]) -> None:
        """Show the models on their way; cards that stay are changed in place."""
        wanted = {row.repository: row for row in rows}
        for name in [name for name in self._cards if name not in wanted]:
            card = self._cards.pop(name)
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        for name, row in wanted.items():
            if name in self._cards:
                self._cards[name].show_row(row)
            else:
                self._cards[name] = TransferCard(row)
                self._cards[name].asked.connect(self._on_asked)
                self._column.addWidget(self._cards[name])
        self.setVisible(bool(wanted))

    def names(self) -> list[str]:
        """The repositories that are shown."""
        return list(self._cards)

    def card(self, repository: str) -> TransferCard:
        """The card of a model on its way."""
        return self._cards[repository]

    def _on_asked(self, verb: str, repository: str) -> None:
        match verb:
            case "pause":
                self.pause_requested.emit(repository)
            case "go on":
                self.fetch_requested.emit(repository)
            case "discard":
                self.discard_requested.emit(repository)
            case "licence":
                QDesktopServices.openUrl(QUrl(self._cards[repository].row.licence_url))
            case _:
                dialog = TokenDialog(repository, self)
                dialog.given.connect(lambda token: self.token_given.emit(repository, token))
                dialog.open()
