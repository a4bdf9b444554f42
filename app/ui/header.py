"""The line across the top: pages, the chat's title, the model, and the two side panels."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QMenu, QToolButton, QWidget

from app.ui.parts import IconButton, ShortLabel


class Header(QWidget):
    """The top of the window's middle.

    Attributes:
        page_chosen: "chat", "lab" or "models".
        model_chosen: A model, by its source. `open_model_requested`: one is to be opened.
        sidebar_toggled: The sidebar is to be shown or hidden; `inspector_toggled`: the inspector.
    """

    page_chosen = Signal(str)
    model_chosen = Signal(str)
    open_model_requested = Signal()
    unload_requested = Signal()
    sidebar_toggled = Signal(bool)
    inspector_toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title, self._page = "", "chat"
        self.sidebar = IconButton("sidebar", self.tr("Sidebar"))
        self.inspector = IconButton("inspector", self.tr("Inspector"))
        for button in (self.sidebar, self.inspector):
            button.setCheckable(True)
        self.sidebar.clicked.connect(self.sidebar_toggled)
        self.inspector.clicked.connect(self.inspector_toggled)
        self.title = ShortLabel("heading")
        self.model = QToolButton()
        self.model.setProperty("role", "text")
        self.model.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.model.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._models = QMenu(self)
        self.model.setMenu(self._models)
        self._pages = QButtonGroup(self)
        self._tabs: dict[str, QToolButton] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 8, 10, 8)
        row.setSpacing(4)
        row.addWidget(self.sidebar)
        row.addSpacing(4)
        names = {"chat": self.tr("Chat"), "lab": self.tr("Lab"), "models": self.tr("Models")}
        for page, name in names.items():
            row.addWidget(self._tab(page, name))
        row.addSpacing(10)
        row.addWidget(self.title, 1)
        row.addWidget(self.model)
        row.addWidget(self.inspector)
        self.show_model("", "")
        self.show_models([], "")

    def show_pages(self, pages: Sequence[str]) -> None:
        """Show the tabs of the pages that there are; a lone page needs no tab."""
        for page, tab in self._tabs.items():
            tab.setVisible(page in pages and len(pages) > 1)

    def show_page(self, page: str) -> None:
        """Mark the page that is open."""
        if page in self._tabs:
            self._tabs[page].setChecked(True)
        self._page = page
        self.inspector.setVisible(page == "chat")
        self._show_title()

    def show_title(self, title: str) -> None:
        """Show the open chat's title."""
        self._title = title
        self._show_title()

    def _show_title(self) -> None:
        self.title.show_text(self._title if self._page == "chat" else "")

    def show_model(self, name: str, detail: str) -> None:
        """Show the model in use: its name and, as a hint, what is known of it."""
        shown = name or self.tr("No model")
        self.model.setText(f"{shown}  ▾")
        self.model.setAccessibleName(self.tr("Model: {name}").format(name=shown))
        self.model.setToolTip(detail or shown)

    def show_models(self, models: Sequence[tuple[str, str]], current: str) -> None:
        """Offer models: pairs of source and name."""
        self._models.clear()
        for source, name in models:
            action = QAction(name, self._models)
            action.setCheckable(True)
            action.setChecked(source == current)
            action.triggered.connect(lambda _=False, s=source: self.model_chosen.emit(s))
            self._models.addAction(action)
        if models:
            self._models.addSeparator()
        opened = self._models.addAction(self.tr("Open a model…"))
        opened.triggered.connect(self.open_model_requested)
        if current:
            let_go = self._models.addAction(self.tr("Unload the model"))
            let_go.triggered.connect(self.unload_requested)

    def show_panels(self, sidebar: bool, inspector: bool) -> None:
        """Mark which side panels are open."""
        self.sidebar.setChecked(sidebar)
        self.inspector.setChecked(inspector)

    def _tab(self, page: str, name: str) -> QToolButton:
        tab = QToolButton()
        tab.setText(name)
        tab.setCheckable(True)
        tab.setProperty("role", "tab")
        tab.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        tab.setAccessibleName(name)
        tab.clicked.connect(lambda: self.page_chosen.emit(page))
        self._pages.addButton(tab)
        self._tabs[page] = tab
        return tab
