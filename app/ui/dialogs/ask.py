"""Small questions: a name, a yes or no, a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.ui.parts import label


def _translated(text: str) -> str:
    return QCoreApplication.translate("Ask", text)


class Question(QDialog):
    """One sentence with a button to go on and one to leave things as they are."""

    def __init__(self, parent: QWidget, sentence: str, yes: str, no: str) -> None:
        super().__init__(parent)
        self.setWindowTitle("Cabochon")
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setMinimumWidth(380)
        self.setAccessibleName(sentence)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 20, 22, 16)
        column.setSpacing(16)
        column.addWidget(label(sentence, wrap=True))
        self.buttons = QDialogButtonBox()
        go = self.buttons.addButton(yes, QDialogButtonBox.ButtonRole.AcceptRole)
        if no:
            stay = self.buttons.addButton(no, QDialogButtonBox.ButtonRole.RejectRole)
            stay.setAutoDefault(False)
        go.setProperty("role", "primary")
        go.setDefault(True)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column.addWidget(self.buttons)


def ask(parent: QWidget, sentence: str, yes: str, then: Callable[[], None]) -> Question:
    """Ask, and do something after a yes; the window goes on meanwhile."""
    question = Question(parent, sentence, yes, _translated("Cancel"))
    question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    question.accepted.connect(then)
    question.open()
    return question


class NameDialog(QDialog):
    """Asks for one line of text."""

    def __init__(self, parent: QWidget, title: str, prompt: str, text: str) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(380)
        self.line = QLineEdit(text)
        self.line.setAccessibleName(prompt)
        self.line.selectAll()
        kinds = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        ok = buttons.button(kinds.Ok)
        ok.setText(_translated("OK"))
        buttons.button(kinds.Cancel).setText(_translated("Cancel"))
        ok.setProperty("role", "primary")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 20, 22, 16)
        column.setSpacing(10)
        column.addWidget(label(prompt, wrap=True))
        column.addWidget(self.line)
        column.addSpacing(6)
        column.addWidget(buttons)


def ask_name(
    parent: QWidget, title: str, prompt: str, text: str, then: Callable[[str], None]
) -> NameDialog:
    """Ask for a line of text and give it, without space around it, to `then`."""
    dialog = NameDialog(parent, title, prompt, text)
    dialog.accepted.connect(lambda: then(" ".join(dialog.line.text().split())))
    dialog.open()
    return dialog


def choose_files(
    parent: QWidget, title: str, kinds: str, then: Callable[[list[Path]], None]
) -> QFileDialog:
    """Ask for files to read; `kinds` are Qt's name filters."""
    dialog = QFileDialog(parent, title, str(Path.home()), kinds)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    return _open(dialog, lambda: then([Path(name) for name in dialog.selectedFiles()]))


def choose_folder(parent: QWidget, title: str, then: Callable[[Path], None]) -> QFileDialog:
    """Ask for a folder."""
    dialog = QFileDialog(parent, title, str(Path.home()))
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    return _open(dialog, lambda: then(Path(dialog.selectedFiles()[0])))


def choose_target(
    parent: QWidget, title: str, name: str, kinds: str, then: Callable[[Path], None]
) -> QFileDialog:
    """Ask where a file is to be written."""
    dialog = QFileDialog(parent, title, str(Path.home()), kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.selectFile(name)
    return _open(dialog, lambda: then(Path(dialog.selectedFiles()[0])))


def _open(dialog: QFileDialog, then: Callable[[], None]) -> QFileDialog:
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.accepted.connect(then)
    dialog.open()
    return dialog
