"""Asks for the hub's access token; it is shown as dots and kept nowhere here."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QVBoxLayout, QWidget

from app.ui.parts import label


class TokenDialog(QDialog):
    """A line for the token.

    Attributes:
        given: The token that was pasted.
    """

    given = Signal(str)

    def __init__(self, repository: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Access token"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(420)
        sentence = self.tr(
            "{name} asks for an accepted licence. Accept it on its page, make an access token "
            "that may read in the settings of your account there, and paste it here. It is kept "
            "in the system's keychain and sent to the hub alone."
        ).format(name=repository)
        self.line = QLineEdit()
        self.line.setEchoMode(QLineEdit.EchoMode.Password)
        self.line.setAccessibleName(self.tr("Access token"))
        self.line.setPlaceholderText("hf_…")
        kinds = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        self.go = buttons.button(kinds.Ok)
        self.go.setText(self.tr("Use it"))
        self.go.setProperty("role", "primary")
        self.go.setEnabled(False)
        buttons.button(kinds.Cancel).setText(self.tr("Cancel"))
        self.line.textChanged.connect(lambda text: self.go.setEnabled(bool(text.strip())))
        buttons.accepted.connect(self._on_accepted)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 20, 22, 16)
        column.setSpacing(12)
        column.addWidget(label(sentence, "muted", wrap=True))
        column.addWidget(self.line)
        column.addWidget(buttons)

    def _on_accepted(self) -> None:
        self.given.emit(self.line.text().strip())
        self.line.clear()
        self.accept()
