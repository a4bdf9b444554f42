"""A chat as a PDF file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMarginsF, QUrl
from PySide6.QtGui import QPageLayout, QPageSize, QPdfWriter, QTextDocument


class _Document(QTextDocument):
    """A document that fetches nothing."""

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Give nothing: pictures and style sheets of a text are not fetched."""
        return None


def write_pdf(html: str, path: Path) -> None:
    """Write HTML as a PDF file on A4 pages."""
    writer = QPdfWriter(str(path))
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(18, 18, 18, 18), QPageLayout.Unit.Millimeter)
    writer.setResolution(96)
    writer.setCreator("Cabochon")
    document = _Document()
    document.setHtml(html)
    document.setPageSize(writer.pageLayout().paintRectPixels(96).size().toSizeF())
    document.print_(writer)
