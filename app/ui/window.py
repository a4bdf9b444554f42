"""The window: sidebar, pages and inspector side by side, and where they were left."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QMainWindow, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.ui.header import Header
from app.ui.parts import rule

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QPaintEvent

SIDE, INSPECTOR = 240, 300
MINIMUM = (900, 600)


class Window(QMainWindow):
    """Arranges the panels; it knows what none of them is for.

    Attributes:
        close_requested: A person closes the window; it closes when `may_close` lets it.
        activated: The window came to the front.
        page_shown: Another page is open.
        painted: The window was painted for the first time.
    """

    close_requested = Signal()
    activated = Signal()
    page_shown = Signal(str)
    painted = Signal()

    def __init__(
        self,
        sidebar: QWidget,
        pages: Mapping[str, QWidget],
        inspector: QWidget,
        may_close: Callable[[], bool] = lambda: True,
    ) -> None:
        super().__init__()
        self.setWindowTitle("Cabochon")
        self.setMinimumSize(*MINIMUM)
        self.resize(1180, 780)
        self.sidebar, self.inspector = sidebar, inspector
        self.may_close = may_close
        self._was_painted = False
        self._inspector_wanted = True
        self.header = Header()
        self._names = tuple(pages)
        self._pages = QStackedWidget()
        for page in pages.values():
            self._pages.addWidget(page)
        centre = QWidget()
        centre.setObjectName("centre")
        centre.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(rule())
        column.addWidget(self._pages, 1)
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._split.setHandleWidth(1)
        for widget, stretch in ((sidebar, 0), (centre, 1), (inspector, 0)):
            self._split.addWidget(widget)
            self._split.setStretchFactor(self._split.count() - 1, stretch)
        centre.setMinimumWidth(420)
        self._split.setSizes([SIDE, 1180 - SIDE, INSPECTOR])
        self.setCentralWidget(self._split)
        self.header.sidebar_toggled.connect(self.show_sidebar)
        self.header.inspector_toggled.connect(self.show_inspector)
        self.header.page_chosen.connect(self.show_page)
        self.header.show_pages(self._names)
        self.show_page(self._names[0])
        self._mark_panels()

    def show_page(self, name: str) -> None:
        """Show a page by its name."""
        if name in self._names:
            self._pages.setCurrentIndex(self._names.index(name))
            self.header.show_page(name)
            self._place_inspector()
            self.page_shown.emit(name)

    def page_names(self) -> tuple[str, ...]:
        """The pages that there are."""
        return self._names

    def page(self) -> str:
        """The name of the page that is open."""
        return self._names[self._pages.currentIndex()]

    def show_sidebar(self, shown: bool) -> None:
        """Show the sidebar or hide it."""
        self.sidebar.setVisible(shown)
        self._mark_panels()

    def show_inspector(self, shown: bool) -> None:
        """Show the inspector or hide it; it belongs to the first page and is seen there alone."""
        self._inspector_wanted = shown
        self._place_inspector()
        self._mark_panels()

    def _place_inspector(self) -> None:
        self.inspector.setVisible(self._inspector_wanted and self.page() == self._names[0])

    def panels(self) -> tuple[bool, bool]:
        """Whether the sidebar and the inspector are shown."""
        return not self.sidebar.isHidden(), self._inspector_wanted

    def geometry_state(self) -> dict[str, str]:
        """Where the window and its panels are, to be restored."""
        return {
            "window": _text(self.saveGeometry()),
            "panels": _text(self._split.saveState()),
        }

    def restore(self, state: Mapping[str, str]) -> None:
        """Put the window and its panels where they were; what cannot be read is left out."""
        if found := state.get("window"):
            self.restoreGeometry(_bytes(found))
        if found := state.get("panels"):
            self._split.restoreState(_bytes(found))
        self._mark_panels()

    def to_front(self) -> None:
        """Raise the window; somebody started the program again."""
        if self.isMinimized():
            self.showNormal()
        self.show()
        self.raise_()
        self.activateWindow()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close when it may, and tell."""
        if self.may_close():
            event.accept()
            self.close_requested.emit()
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Tell of the first painting."""
        super().paintEvent(event)
        if not self._was_painted:
            self._was_painted = True
            QTimer.singleShot(0, self.painted.emit)

    def changeEvent(self, event: QEvent) -> None:
        """Tell that the window came to the front."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.activated.emit()

    def _mark_panels(self) -> None:
        self.header.show_panels(*self.panels())


def _text(state: QByteArray) -> str:
    return base64.b64encode(state.data()).decode()


def _bytes(text: str) -> QByteArray:
    try:
        return QByteArray(base64.b64decode(text, validate=True))
    except ValueError:
        return QByteArray()
