"""The cards of the page: a model here, a model to be had, a model on its way."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.models.rows import FitRow, ModelRow, OfferRow, TransferRow
from app.sizes import as_size
from app.ui.models.words import say_fit, say_place, say_transfer, say_used
from app.ui.parts import label, text_button

STEPS = 1_000


class Card(QFrame):
    """A name, lines below it, and buttons at the right."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setAccessibleName(name)
        self.title = label(name, "heading", wrap=True)
        self.verdict = label("", "small")
        self.details = label("", "small", wrap=True)
        self.remark = label("", "small", wrap=True)
        self.buttons = QHBoxLayout()
        self.buttons.setSpacing(6)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.verdict)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addLayout(self.buttons)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(16, 12, 16, 12)
        self.column.setSpacing(6)
        self.column.addLayout(head)
        self.column.addWidget(self.details)
        self.column.addWidget(self.remark)
        self.column.addLayout(foot)

    def show_fit(self, fit: FitRow | None) -> None:
        """Show whether it fits, with the sum as the hint and for those who cannot see colours."""
        word, role = say_fit(fit)
        self.verdict.setText(word)
        self.verdict.setProperty("role", role)
        self.verdict.style().unpolish(self.verdict)
        self.verdict.style().polish(self.verdict)
        sentence = fit.sentence if fit else ""
        self.verdict.setToolTip(sentence)
        self.verdict.setAccessibleDescription(sentence)

    def show_remark(self, text: str, role: str = "small") -> None:
        """Show a line of its own, or none."""
        self.remark.setText(text)
        self.remark.setProperty("role", role)
        self.remark.setVisible(bool(text))


class ModelCard(Card):
    """A model on this machine.

    Attributes:
        asked: What is to be done, "load", "unload", "verify", "reveal" or "delete", and the source.
    """

    asked = Signal(str, str)

    def __init__(self, row: ModelRow, context_tokens: int, parent: QWidget | None = None) -> None:
        super().__init__(row.name, parent)
        self.row = row
        parts = [row.family, row.quantisation]
        if row.context_tokens:
            parts.append(self.tr("{n} tokens of context").format(n=f"{row.context_tokens:,}"))
        if row.disk_bytes:
            parts.append(self.tr("{size} on disk").format(size=as_size(row.disk_bytes)))
        parts += [say_place(row.place), say_used(row.used_at)]
        self.details.setText(" · ".join(filter(None, parts)))
        fit = row.fit_at(context_tokens)
        self.show_fit(fit)
        if row.problem:
            self.show_remark(self.tr("Damaged: {why}").format(why=row.problem), "error")
        else:
            sentence = fit.sentence if fit and fit.verdict != "fits" else ""
            self.show_remark(row.busy or row.remark or sentence)
        verb = self.tr("Unload") if row.is_loaded else self.tr("Load")
        self._add("unload" if row.is_loaded else "load", verb, "" if row.is_loaded else "primary")
        self._add("verify", self.tr("Verify"))
        if row.place != "starter":
            self._add("reveal", self.tr("Reveal"))
        if row.place == "app":
            self._add("delete", self.tr("Delete…"), "danger")
        too_big = fit is not None and row.fits[0].verdict == "too big"
        self.button("load").setEnabled(not (row.busy or row.problem or too_big))

    def _add(self, verb: str, name: str, role: str = "") -> None:
        button = text_button(name, role)
        button.setObjectName(verb if verb != "unload" else "load")
        button.setAccessibleName(f"{name}: {self.row.name}")
        button.setEnabled(not self.row.busy)
        button.clicked.connect(lambda: self.asked.emit(verb, self.row.source))
        self.buttons.addWidget(button)

    def button(self, verb: str) -> QWidget:
        """The button for a verb; "load" is also that for unloading."""
        found: QWidget | None = self.findChild(QWidget, verb)
        assert found is not None
        return found


class OfferCard(Card):
    """A model to be had.

    Attributes:
        wanted: It is to be fetched, by its repository.
    """

    wanted = Signal(str)

    def __init__(self, row: OfferRow, context_tokens: int, parent: QWidget | None = None) -> None:
        super().__init__(row.name, parent)
        self.row = row
        fit = row.fit_at(context_tokens)
        self.show_fit(fit)
        parts = [
            row.family,
            row.quantisation,
            self.tr("about {size}").format(size=as_size(row.size_bytes)),
            self.tr("from {n} GB of memory").format(n=row.minimum_memory_gb),
            row.repository,
        ]
        self.details.setText(" · ".join(parts))
        remark = row.note if fit.verdict == "fits" else f"{row.note} {fit.sentence}".strip()
        if row.is_recommended:
            remark = self.tr("Recommended for this machine. {note}").format(note=remark)
        self.show_remark(remark)
        licence = label(f'<a href="{row.licence}">{self.tr("Licence")}</a>', "small")
        licence.setTextFormat(licence.textFormat().RichText)
        licence.setOpenExternalLinks(True)
        licence.setToolTip(row.licence)
        self.fetch = text_button(self.tr("Download"), "primary" if row.is_recommended else "")
        self.fetch.setAccessibleName(self.tr("Download {name}").format(name=row.name))
        self.fetch.clicked.connect(lambda: self.wanted.emit(self.row.repository))
        if row.is_here:
            self.fetch.setText(self.tr("On this machine"))
        self.fetch.setEnabled(not row.is_here and fit.verdict != "too big")
        self.buttons.addWidget(licence)
        self.buttons.addWidget(self.fetch)


class TransferCard(Card):
    """A model on its way.

    Attributes:
        asked: "pause", "go on", "discard", "licence" or "token", and the repository.
    """

    asked = Signal(str, str)

    def __init__(self, row: TransferRow, parent: QWidget | None = None) -> None:
        super().__init__(row.repository, parent)
        self.bar = QProgressBar()
        self.bar.setRange(0, STEPS)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(row.repository)
        self.column.insertWidget(1, self.bar)
        self._buttons = {
            "licence": text_button(self.tr("Open the licence page")),
            "token": text_button(self.tr("Paste a token…"), "primary"),
            "pause": text_button(self.tr("Pause")),
            "go on": text_button(self.tr("Go on")),
            "discard": text_button(self.tr("Discard"), "danger"),
        }
        for verb, button in self._buttons.items():
            button.setAccessibleName(f"{button.text()}: {row.repository}")
            button.clicked.connect(lambda _=False, verb=verb: self._ask(verb))
            self.buttons.addWidget(button)
        self.show_row(row)

    def show_row(self, row: TransferRow) -> None:
        """Show how far it is."""
        self.row = row
        share = row.done_bytes / row.total_bytes if row.total_bytes else 0.0
        self.bar.setValue(round(STEPS * share))
        self.details.setText(say_transfer(row))
        self.details.setProperty("role", "error" if row.doing == "failed" else "small")
        self.remark.hide()
        rests = row.doing in ("paused", "failed")
        for verb in ("licence", "token"):
            self._buttons[verb].setVisible(bool(row.licence_url))
        self._buttons["go on"].setVisible(rests and not row.licence_url)
        self._buttons["pause"].setVisible(not rests)

    def _ask(self, verb: str) -> None:
        self.asked.emit(verb, self.row.repository)
