"""The line below the composer that says what the machine is doing, and that it is offline."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from app.chat.states import ChatState, ChatStatus
from app.ui.parts import IconButton, ShortLabel, label

PAINT_MS = 100  # the figure of a reply in flight changes at most this often


class StatusLine(QWidget):
    """Says what is done now; it is never asked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ShortLabel("small")
        self._text.setAccessibleName(self.tr("Status"))
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar.setFixedWidth(80)
        self._bar.setAccessibleName(self.tr("Progress"))
        self._bar.hide()
        self.offline = IconButton("offline", self.tr("Offline: nothing leaves this machine"))
        self.offline.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._offline = label(self.tr("Offline"), "small")
        self._waiting = ""
        self._pace = QTimer(self, interval=PAINT_MS, singleShot=True)
        self._pace.timeout.connect(self._on_pace)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 0, 4, 0)
        row.setSpacing(10)
        row.addWidget(self._bar)
        row.addWidget(self._text, 1)
        row.addWidget(self.offline)
        row.addWidget(self._offline)
        self.show_offline(False)

    def text(self) -> str:
        """What the line says."""
        return self._text.whole_text()

    def show_offline(self, offline: bool) -> None:
        """Show the mark that no connection is ever opened."""
        self.offline.setVisible(offline)
        self._offline.setVisible(offline)

    def show_text(self, text: str) -> None:
        """Say something that has no measure; "" says nothing."""
        self._pace.stop()
        self._waiting = ""
        self._bar.hide()
        self._text.show_text(text)

    def show_status(self, status: ChatStatus) -> None:
        """Show the state of the open chat."""
        match status.state:
            case ChatState.LOADING:
                self.show_loading(status.what, status.fraction)
            case ChatState.READING:
                total = status.prompt_tokens
                self.show_reading(round(status.fraction * total), total, status.reused_tokens)
            case ChatState.SPEAKING:
                self.show_writing(status.spoken_tokens, status.tokens_per_second)
            case ChatState.WAITING:
                self.show_text(self.tr("Waiting for the model"))
            case ChatState.NO_MODEL:
                self.show_text(self.tr("No model yet; a message you send waits for it"))
            case ChatState.READY:
                self.show_text(self.tr("Ready"))
            case ChatState.FAILED:
                self.show_text("")

    def show_loading(self, what: str, fraction: float) -> None:
        """A model is being opened: what is done, and how far it is from 0 to 1."""
        self._progress(fraction)
        percent = self._percent(fraction)
        self._text.show_text(self.tr("{what} · {percent}").format(what=what, percent=percent))

    def show_reading(self, done: int, total: int, reused: int) -> None:
        """A prompt is being read, counted in tokens."""
        fraction = done / total if total else 1.0
        self._progress(fraction)
        number = QLocale().toString
        parts = [
            self.tr("Reading {percent}").format(percent=self._percent(fraction)),
            self.tr("{n} tokens").format(n=number(total)),
        ]
        text = " · ".join(parts)
        if reused:
            text += " " + self.tr("({n} reused)").format(n=number(reused))
        self._text.show_text(text)

    def show_thinking(self, tokens: int) -> None:
        """The model thinks."""
        self._later(self.tr("Thinking · {n} tokens").format(n=QLocale().toString(tokens)))

    def show_writing(self, tokens: int, tokens_per_second: float) -> None:
        """The reply is being written."""
        if not tokens_per_second:
            self._later(self.tr("Writing"))
            return
        rate = QLocale().toString(tokens_per_second, "f", 0 if tokens_per_second >= 10 else 1)
        self._later(
            self.tr("Writing · {rate} tok/s · {n} tokens").format(
                rate=rate, n=QLocale().toString(tokens)
            )
        )

    def _percent(self, fraction: float) -> str:
        return f"{QLocale().toString(round(fraction * 100))} %"

    def _progress(self, fraction: float) -> None:
        self._pace.stop()
        self._waiting = ""
        self._bar.setValue(round(fraction * 1000))
        self._bar.show()

    def _later(self, text: str) -> None:
        """Show a figure at once, then at most ten times a second."""
        self._bar.hide()
        self._waiting = text
        if not self._pace.isActive():
            self._on_pace()

    def _on_pace(self) -> None:
        if self._waiting:
            self._text.show_text(self._waiting)
            self._waiting = ""
            self._pace.start()
