"""The page of models: what is on this machine, what can be had, and what is on its way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QSlider,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.models.rows import CONTEXTS, ModelRow, OfferRow
from app.ui.dialogs.ask import ask, choose_folder
from app.ui.models.cards import ModelCard, OfferCard
from app.ui.models.importing import ImportDialog
from app.ui.models.moving import TransferList
from app.ui.parts import label, text_button

DEFAULT_CONTEXT = 8_192


class CardList(QScrollArea):
    """Cards below one another."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside = QWidget()
        self.column = QVBoxLayout(inside)
        self.column.setContentsMargins(0, 8, 8, 8)
        self.column.setSpacing(10)
        self.column.addStretch(1)
        self.setWidget(inside)
        self._shown: list[QWidget] = []

    def show_widgets(self, widgets: Sequence[QWidget]) -> None:
        """Put other widgets in place of those there, without moving the view."""
        at = self.verticalScrollBar().value()
        for old in self._shown:
            self.column.removeWidget(old)
            old.hide()
            old.deleteLater()
        for n, widget in enumerate(widgets):
            self.column.insertWidget(n, widget)
        self._shown = list(widgets)
        self.verticalScrollBar().setValue(at)


class ModelsPage(QWidget):
    """The page.

    Attributes:
        load_requested: A model is to be opened, by its source. `unload_requested`: let go.
        fetch_requested: A repository is to be fetched.
        verify_requested, remove_requested: By the model's source.
        import_requested: A folder is to be copied here, packed into so many bits (0: as it is).
        file_requested, folder_requested: One that lies elsewhere is to be chosen.
    """

    load_requested = Signal(str)
    unload_requested = Signal()
    fetch_requested = Signal(str)
    verify_requested = Signal(str)
    remove_requested = Signal(str)
    import_requested = Signal(str, int)
    file_requested = Signal()
    folder_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self._models: Sequence[ModelRow] = ()
        self._offers: Sequence[OfferRow] = ()
        self.here = CardList(self.tr("Models on this machine"))
        self.more = CardList(self.tr("Models to be had"))
        self.moving = TransferList()
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self._here_tab(), self.tr("On this machine"))
        self.tabs.addTab(self._more_tab(), self.tr("Get more"))
        self.line = label("", "small", wrap=True)
        self.line.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 14, 16, 14)
        column.setSpacing(8)
        column.addLayout(self._context_row())
        column.addWidget(self.moving)
        column.addWidget(self.line)
        column.addWidget(self.tabs, 1)

    # ------------------------------------------------------------------------------ parts

    def _context_row(self) -> QHBoxLayout:
        self.context = QSlider(Qt.Orientation.Horizontal)
        self.context.setRange(0, len(CONTEXTS) - 1)
        self.context.setPageStep(1)
        self.context.setMaximumWidth(260)
        self.context.setAccessibleName(self.tr("Context for the sums"))
        self.context.setValue(CONTEXTS.index(DEFAULT_CONTEXT))
        self._context_text = label("", "small")
        self.context.valueChanged.connect(self._on_context)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(label(self.tr("Context"), "section"))
        row.addWidget(self.context)
        row.addWidget(self._context_text)
        row.addStretch(1)
        self._say_context()
        return row

    def _here_tab(self) -> QWidget:
        file = text_button(self.tr("Open a GGUF file…"))
        folder = text_button(self.tr("Open a model folder…"))
        file.clicked.connect(self.file_requested)
        folder.clicked.connect(self.folder_requested)
        bring = text_button(self.tr("Import a folder…"))
        bring.setToolTip(self.tr("Copy a model here, packed into fewer bits if you like"))
        bring.clicked.connect(self._on_import)
        row = QHBoxLayout()
        row.addWidget(file)
        row.addWidget(folder)
        row.addWidget(bring)
        row.addStretch(1)
        return _tab(row, self.here)

    def _more_tab(self) -> QWidget:
        self.repository = QLineEdit()
        self.repository.setPlaceholderText(self.tr("Paste a repository id: owner/name"))
        self.repository.setAccessibleName(self.tr("Repository id"))
        self.repository.setMaxLength(400)
        self.paste = text_button(self.tr("Download"))
        self.paste.setAccessibleName(self.tr("Download the pasted repository"))
        self.paste.setEnabled(False)
        self.repository.textChanged.connect(
            lambda text: self.paste.setEnabled("/" in text.strip().strip("/"))
        )
        self.repository.returnPressed.connect(self.paste.click)
        self.paste.clicked.connect(self._on_pasted)
        row = QHBoxLayout()
        row.addWidget(self.repository, 1)
        row.addWidget(self.paste)
        return _tab(row, self.more)

    # ------------------------------------------------------------------------------ showing

    def show_models(self, rows: Sequence[ModelRow]) -> None:
        """Show the models on this machine."""
        self._models = rows
        cards: list[QWidget] = []
        for row in rows:
            card = ModelCard(row, self.context_tokens())
            card.asked.connect(self._on_asked)
            cards.append(card)
        if not cards:
            sentence = self.tr("There is no model here yet. “Get more” shows what can be had.")
            cards.append(label(sentence, "muted", wrap=True))
        self.here.show_widgets(cards)

    def show_offers(self, rows: Sequence[OfferRow]) -> None:
        """Show the models to be had."""
        self._offers = rows
        cards: list[QWidget] = []
        for row in rows:
            card = OfferCard(row, self.context_tokens())
            card.wanted.connect(self.fetch_requested)
            cards.append(card)
        self.more.show_widgets(cards)

    def show_line(self, sentence: str, *, is_error: bool = False) -> None:
        """Say one sentence at the top of the page."""
        self.line.setText(sentence)
        self.line.setProperty("role", "error" if is_error else "small")
        self.line.style().unpolish(self.line)
        self.line.style().polish(self.line)
        self.line.setVisible(bool(sentence))

    def show_error(self, sentence: str) -> None:
        """Say what went wrong."""
        self.show_line(sentence, is_error=True)

    def show_more(self) -> None:
        """Open the tab of what can be had."""
        self.tabs.setCurrentIndex(1)

    def context_tokens(self) -> int:
        """The context that the sums are made for."""
        return CONTEXTS[self.context.value()]

    # ------------------------------------------------------------------------------ acts

    def _say_context(self) -> None:
        self._context_text.setText(self.tr("{n} tokens").format(n=f"{self.context_tokens():,}"))

    def _on_context(self) -> None:
        self._say_context()
        self.show_models(self._models)
        self.show_offers(self._offers)

    def _on_import(self) -> None:
        def then(folder: Path) -> None:
            self.ask_how_to_import(folder)

        choose_folder(self, self.tr("Model folder to import"), then)

    def ask_how_to_import(self, folder: Path) -> ImportDialog:
        """Ask into how many bits a model is to be packed."""
        dialog = ImportDialog(folder.name, self)
        dialog.chosen.connect(lambda bits: self.import_requested.emit(str(folder), bits))
        dialog.open()
        return dialog

    def _on_pasted(self) -> None:
        self.fetch_requested.emit(self.repository.text().strip())
        self.repository.clear()

    def _on_asked(self, verb: str, source: str) -> None:
        self.show_line("")
        match verb:
            case "load":
                self.load_requested.emit(source)
            case "unload":
                self.unload_requested.emit()
            case "verify":
                self.verify_requested.emit(source)
            case "reveal":
                path = Path(source)
                folder = path if path.is_dir() else path.parent
                QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
            case _:
                row = next(row for row in self._models if row.source == source)
                sentence = self.tr("Delete {name} from the disk? Chats with it stay.")
                ask(
                    self,
                    sentence.format(name=row.name),
                    self.tr("Delete"),
                    lambda: self.remove_requested.emit(source),
                )


def _tab(row: QHBoxLayout, cards: CardList) -> QWidget:
    tab = QWidget()
    column = QVBoxLayout(tab)
    column.setContentsMargins(0, 10, 0, 0)
    column.addLayout(row)
    column.addWidget(cards, 1)
    return tab
