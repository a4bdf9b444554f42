"""Opening a link: only after a person has seen where it leads."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from app.ui.render.links import safe_address, shown_address


def open_in_browser(address: str) -> None:
    """Hand an address to the system."""
    QDesktopServices.openUrl(QUrl(address))


def ask_to_open(address: str, parent: QWidget, opener: Callable[[str], None]) -> QMessageBox | None:
    """Show an address and open it if that is what the person wants; nothing is opened before."""
    if not safe_address(address):
        return None
    shown = shown_address(address)
    box = QMessageBox(parent)
    box.setOption(QMessageBox.Option.DontUseNativeDialog)
    box.setWindowModality(Qt.WindowModality.WindowModal)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle("Open link")
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText("Open this address outside of the app?")
    box.setInformativeText(shown)
    go = box.addButton("Open", QMessageBox.ButtonRole.AcceptRole)
    copy = box.addButton("Copy address", QMessageBox.ButtonRole.ActionRole)
    box.setDefaultButton(box.addButton("Cancel", QMessageBox.ButtonRole.RejectRole))

    def on_finished() -> None:
        if box.clickedButton() is go:
            opener(address)
        elif box.clickedButton() is copy:
            QApplication.clipboard().setText(shown)

    box.finished.connect(on_finished)
    box.open()
    return box
