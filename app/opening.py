"""What the system asks the program to open: a file dropped on its icon, or a `cabochon://` link.

macOS sends these as events to the running program, never as arguments. A link may only fill the
composer: `cabochon://new?prompt=…`. Nothing is sent, and nothing is fetched.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QUrl, QUrlQuery, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

SCHEME = "cabochon"
LONGEST_PROMPT = 20_000  # characters; links are made by others


class Application(QApplication):
    """The application, which hears what the system asks it to open.

    Signals:
        asked_to_open (QUrl): A file or a link.
    """

    asked_to_open = Signal(QUrl)

    def event(self, event: QEvent) -> bool:
        """Take the events that ask to open something."""
        if isinstance(event, QFileOpenEvent):
            self.asked_to_open.emit(event.url())
            return True
        return super().event(event)


class Opening(QObject):
    """Tells what a file or a link means; on the GUI thread.

    Signals:
        model_asked (str): A GGUF file.
        file_asked (str): Any other file.
        prompt_asked (str): A text for the composer of a new chat.
    """

    model_asked = Signal(str)
    file_asked = Signal(str)
    prompt_asked = Signal(str)

    def open(self, url: QUrl) -> None:
        """Open what a URL names; one that means nothing is left alone."""
        path = url.toLocalFile()
        if path.lower().endswith(".gguf"):
            self.model_asked.emit(path)
        elif path:
            self.file_asked.emit(path)
        elif url.scheme() == SCHEME and url.host() == "new":
            fully = QUrl.ComponentFormattingOption.FullyDecoded
            prompt = QUrlQuery(url).queryItemValue("prompt", fully)[:LONGEST_PROMPT]
            if prompt:
                self.prompt_asked.emit(prompt)
