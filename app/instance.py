"""A second start raises the window of the first: a local socket of this user's, no network."""

from __future__ import annotations

import hashlib
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

ANSWER_MS = 1_000


class Instance(QObject):
    """The claim to be the one program that uses a data folder; lives on the GUI thread.

    Attributes:
        asked_to_front: The program was started again.
    """

    asked_to_front = Signal()

    def __init__(self, data: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        digest = hashlib.blake2b(str(data.absolute()).encode(), digest_size=8).hexdigest()
        self._name = f"cabochon-{digest}"
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connected)

    def claim(self) -> bool:
        """Try to be the first.

        Returns:
            Whether this is the first; if not, the first was told to come to the front.
        """
        if self._tell_the_first():
            return False
        if not self._server.listen(self._name):
            QLocalServer.removeServer(self._name)  # left behind by one that was killed
            self._server.listen(self._name)
        return True  # without a socket two windows are better than none

    def release(self) -> None:
        """Give the claim up."""
        self._server.close()

    def _tell_the_first(self) -> bool:
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(ANSWER_MS):
            return False
        socket.disconnectFromServer()
        return True

    def _on_connected(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.disconnectFromServer()
            self.asked_to_front.emit()
