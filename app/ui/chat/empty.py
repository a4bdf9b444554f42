"""What a chat shows before its first message: four small prompts, or how to get a model."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.models.rows import ModelRow, OfferRow
from app.sizes import as_size
from app.ui.models.moving import TransferList
from app.ui.parts import draw_icon, label, text_button

MOST_FOUND = 4


def _gem() -> QWidget:
    picture = label()
    picture.setPixmap(draw_icon("cabochon", picture.palette().text().color(), 56))
    picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
    picture.setAccessibleName("Cabochon")
    return picture


def _centred(inner: QWidget, width: int, name: str) -> QWidget:
    inner.setMaximumWidth(width)
    inner.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    outer = QWidget()
    row = QHBoxLayout()
    row.addStretch(1)
    row.addWidget(inner, 20)
    row.addStretch(1)
    column = QVBoxLayout(outer)
    column.setContentsMargins(24, 12, 24, 12)
    column.addStretch(2)
    column.addLayout(row)
    column.addStretch(3)
    scroll = QScrollArea()
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setWidgetResizable(True)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    scroll.setAccessibleName(name)
    scroll.setWidget(outer)
    return scroll


class Suggestion(QPushButton):
    """A button whose text may take several lines."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "suggestion")
        self.setAccessibleName(text)
        self._label = label(text, wrap=True)
        self._label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(14, 10, 14, 10)
        inside.addWidget(self._label)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        """The narrower, the higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """As high as the wrapped text and two lines at least."""
        two = 2 * self._label.fontMetrics().lineSpacing()
        return max(self._label.heightForWidth(width - 28), two) + 22

    def sizeHint(self) -> QSize:
        """Wide enough for a few words a line."""
        return QSize(200, self.heightForWidth(200))

    def minimumSizeHint(self) -> QSize:
        """Two lines."""
        return QSize(120, 2 * self._label.fontMetrics().lineSpacing() + 22)


class Welcome(QWidget):
    """A new chat: a greeting and four small prompts.

    Attributes:
        prompt_chosen: A prompt was chosen; it goes into the composer.
    """

    prompt_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = label(self.tr("What would you like to try?"), "title", wrap=True)
        self._title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._note = label(self.tr("Private: chats stay on this machine."), "muted", wrap=True)
        self._note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._grid = QGridLayout()
        self._grid.setSpacing(10)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(_gem())
        column.addWidget(self._title)
        column.addWidget(self._note)
        column.addSpacing(10)
        column.addLayout(self._grid)
        self._show_prompts(self._for_chat())

    def show_model(self, note: str, is_base: bool) -> None:
        """Say what the model is; a base model gets prompts that it can go on from."""
        self._note.setText(note or self.tr("Private: chats stay on this machine."))
        self._show_prompts(self._for_base() if is_base else self._for_chat())

    def _for_chat(self) -> list[str]:
        return [
            self.tr("Explain how rainbows form, in three sentences."),
            self.tr("Write a short poem about a quiet morning."),
            self.tr("Give me five names for a small bakery."),
            self.tr("Write a Python function that finds prime numbers."),
        ]

    def _for_base(self) -> list[str]:
        return [
            self.tr("What is the capital of France?"),
            self.tr("Name three colours of the rainbow."),
            self.tr("Why is the sky blue?"),
            self.tr("Tell me a short story about a fox."),
        ]

    def _show_prompts(self, prompts: list[str]) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        for at, prompt in enumerate(prompts):
            button = Suggestion(prompt)
            button.clicked.connect(lambda _=False, prompt=prompt: self.prompt_chosen.emit(prompt))
            self._grid.addWidget(button, at // 2, at % 2)


class NoModel(QFrame):
    """There is no model yet: the one to take, those that are here already, and other ways.

    Attributes:
        fetch_requested: A repository is to be fetched. `model_chosen`: a model here, by its source.
        file_requested: A model file is to be chosen. `folder_requested`: a model folder.
        models_requested: The page of models is wanted.
    """

    fetch_requested = Signal(str)
    model_chosen = Signal(str)
    file_requested = Signal()
    folder_requested = Signal()
    models_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        title = label(self.tr("Choose a model to begin"), "heading", wrap=True)
        text = label(
            self.tr(
                "Private: models and chats stay on this machine. You can write your first message "
                "now; it waits for the model."
            ),
            "muted",
            wrap=True,
        )
        self.why = label("", "error", wrap=True)
        self.why.hide()
        self._repository = ""
        self.offer = text_button("", "primary")
        self.offer.clicked.connect(lambda: self.fetch_requested.emit(self._repository))
        self.offer_note = label("", "small", wrap=True)
        self.offer_note.setTextFormat(Qt.TextFormat.RichText)
        self.offer_note.setOpenExternalLinks(True)
        self.offer.hide()
        self.offer_note.hide()
        self.moving = TransferList()
        self._found = QVBoxLayout()
        self._found.setSpacing(8)
        self.file = text_button(self.tr("Open a GGUF file…"))
        self.folder = text_button(self.tr("Open a model folder…"))
        self.models = text_button(self.tr("More models"))
        self.file.clicked.connect(self.file_requested)
        self.folder.clicked.connect(self.folder_requested)
        self.models.clicked.connect(self.models_requested)
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in (self.models, self.file, self.folder):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        parts: tuple[QWidget, ...]
        parts = (title, self.why, text, self.offer, self.offer_note, self.moving)
        for part in parts:
            column.addWidget(part)
        column.addLayout(self._found)
        column.addLayout(row)

    def show_reason(self, sentence: str) -> None:
        """Say why there is none, where something went wrong."""
        self.why.setText(sentence)
        self.why.setVisible(bool(sentence))

    def show_offers(self, rows: Sequence[OfferRow]) -> None:
        """Offer the model that is recommended for this machine."""
        best = next((row for row in rows if row.is_recommended and not row.is_here), None)
        self._repository = best.repository if best else ""
        if best is not None:
            size = as_size(best.size_bytes)
            self.offer.setText(
                self.tr("Download {name} (about {size})").format(name=best.name, size=size)
            )
            note = self.tr("Recommended for this machine. {note}").format(note=best.note)
            licence = self.tr("Licence")
            self.offer_note.setText(f'{note} <a href="{best.licence}">{licence}</a>')
        self.offer.setVisible(best is not None)
        self.offer_note.setVisible(best is not None)

    def show_found(self, rows: Sequence[ModelRow]) -> None:
        """Offer the models that are on this machine already."""
        while (item := self._found.takeAt(0)) is not None:
            old = item.widget()
            if old is not None:
                old.hide()
                old.deleteLater()
        for row in [row for row in rows if not row.problem][:MOST_FOUND]:
            button = text_button(self.tr("Use {name}").format(name=row.name))
            button.setToolTip(row.source)
            button.clicked.connect(lambda _=False, it=row.source: self.model_chosen.emit(it))
            self._found.addWidget(button)


class Empty(QStackedWidget):
    """What stands in the place of an empty transcript."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.welcome = Welcome()
        self.no_model = NoModel()
        self.addWidget(_centred(self.welcome, 640, self.tr("New chat")))
        self.addWidget(_centred(self.no_model, 620, self.tr("No model")))

    def show_welcome(self) -> None:
        """Greet."""
        self.setCurrentIndex(0)

    def show_no_model(self, reason: str = "") -> None:
        """Say how to get a model."""
        self.no_model.show_reason(reason)
        self.setCurrentIndex(1)
