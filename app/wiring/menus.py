"""What is reached by menus and keys, and the dialogs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from app.ui.language import languages
from app.ui.printing import write_pdf

if TYPE_CHECKING:
    from app.__main__ import Program


class Menus(QObject):
    """Draws the connections of this side, and answers what needs more than one part of it."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._p = program

    def connect_all(self) -> None:
        """Draw every connection."""
        self._connect_actions()
        self._connect_dialogs()

    def _connect_actions(self) -> None:
        talking, window = self._p.talking, self._p.window
        plan: dict[str, Callable[[], object]] = {
            "new": self._p.chats.new_chat,
            "temporary": self._p.chats.new_temporary_chat,
            "open_model": self._p.dialogs.choose_model_file,
            "settings": self.open_settings,
            "quit": self._p.window.close,
            "import": self._p.dialogs.choose_imports,
            "export": lambda: self.ask_to_export(self._p.chat.conversation_id),
            "export_all": lambda: self.ask_to_export(0),
            "find": self._p.page.find_bar.open_bar,
            "lab": lambda: window.show_page("lab"),
            "inspect": lambda: self._p.inspecting.inspect(talking.last_answer_id()),
            "map": lambda: self._p.dialogs.open_map(talking.branches()),
            "about": lambda: self._p.dialogs.open_about(version("cabochon")),
            "search": self._p.chats.focus_search,
            "copy_last": lambda: QGuiApplication.clipboard().setText(talking.last_answer()),
            "chat": lambda: window.show_page("chat"),
            "models": lambda: window.show_page("models"),
            "sidebar": lambda: self.show_panels(sidebar=not window.panels()[0]),
            "inspector": lambda: self.show_panels(inspector=not window.panels()[1]),
            "larger": lambda: self.zoom(10),
            "smaller": lambda: self.zoom(-10),
            "stop": self._p.chats.on_escape,
            "answer_now": self._p.chat.answer_now,
            "regenerate": talking.regenerate_last,
            "edit_last": self._p.composing.edit_last,
            "branch": talking.branch_last,
            "version_before": lambda: talking.step_version(-1),
            "version_after": lambda: talking.step_version(1),
            "chat_before": lambda: self._p.sidebar.chats.go_to(-1),
            "chat_after": lambda: self._p.sidebar.chats.go_to(1),
            "shortcuts": lambda: self._p.dialogs.open_shortcuts(self._p.settings.shortcuts),
        }
        for name, act in plan.items():
            self._p.actions[name].triggered.connect(act)

    def _connect_dialogs(self) -> None:
        dialogs, listing = self._p.dialogs, self._p.listing
        dialogs.settings_changed.connect(self._p.set_settings)
        dialogs.erase_all_confirmed.connect(listing.erase_everything)
        dialogs.trash_shown.connect(listing.list_trash)
        dialogs.restored.connect(listing.restore)
        dialogs.erased.connect(listing.erase)
        dialogs.trash_emptied.connect(listing.empty_trash)
        dialogs.preset_named.connect(self._p.tuning.save_preset)
        dialogs.preset_removed.connect(self._p.tuning.remove_preset)
        dialogs.prompt_saved.connect(self.on_prompt_saved)
        dialogs.prompt_removed.connect(self.on_prompt_removed)
        dialogs.prompt_used.connect(self._p.chats.on_prompt_chosen)
        dialogs.prompt_used_as_system.connect(self._p.tuning.set_system)
        dialogs.folder_named.connect(listing.move)
        dialogs.tags_named.connect(listing.tag)
        dialogs.model_chosen.connect(self._p.choosing.choose)
        dialogs.requests_wanted.connect(self._p.tools.on_requests_wanted)
        dialogs.token_forgotten.connect(self._p.shelf.forget_token)
        dialogs.branch_chosen.connect(self._p.chat.show_message)
        dialogs.imports_chosen.connect(self._p.sharing.take_in)
        dialogs.export_chosen.connect(self._p.sharing.export)
        dialogs.export_all_requested.connect(lambda: self.ask_to_export(0))
        self._p.sharing.done.connect(self._p.page.bars.undo.notice)
        self._p.sharing.failed.connect(self._p.page.bars.error.show_error)
        self._p.sharing.page_made.connect(self.on_page_made)
        self._p.sharing.imported.connect(listing.refresh)

    def on_tags_requested(self, conversation: int) -> None:
        """Ask for the tags of a chat."""
        row = self._p.listing.row(conversation)
        self._p.dialogs.name_tags(conversation, row.tags if row is not None else ())

    def ask_to_export(self, conversation: int) -> None:
        """Ask where a chat is to be written; 0 is all of them."""
        row = self._p.listing.row(conversation)
        title = row.title if row is not None else self._p.listing.title()
        if conversation:
            self._p.dialogs.choose_export(conversation, title)
        else:
            self._p.dialogs.choose_export(0, self.tr("All chats"))

    def on_page_made(self, html: str, path: Path) -> None:
        """Write a chat as PDF."""
        write_pdf(html, path)
        self._p.page.bars.undo.notice(self.tr("Written to {path}.").format(path=path))

    def open_prompts(self) -> None:
        """Show the prompt library."""
        self._p.store.ask(
            lambda s: s.library.prompts(),
            lambda found: self._p.dialogs.open_prompts({one.name: one.text for one in found}),
        )

    def on_prompt_saved(self, name: str, text: str) -> None:
        """Keep a prompt."""
        self._p.store.ask(
            lambda s: s.library.save_prompt(name, text), lambda _: self.show_prompts()
        )

    def on_prompt_removed(self, name: str) -> None:
        """Remove a prompt."""
        self._p.store.ask(lambda s: s.library.remove_prompt(name), lambda _: self.show_prompts())

    def show_prompts(self) -> None:
        """Show what the library holds now."""
        self._p.store.ask(
            lambda s: s.library.prompts(),
            lambda found: self._p.dialogs.show_prompts({one.name: one.text for one in found}),
        )

    def open_settings(self) -> None:
        """Show the settings."""
        self._p.dialogs.open_settings(self._p.settings, languages())

    def zoom(self, percent: int) -> None:
        """Make all text larger or smaller."""
        size = max(70, min(self._p.settings.text_size + percent, 200))
        self._p.set_settings(replace(self._p.settings, text_size=size))

    def show_panels(self, sidebar: bool | None = None, inspector: bool | None = None) -> None:
        """Show or hide the side panels."""
        if sidebar is not None:
            self._p.window.show_sidebar(sidebar)
        if inspector is not None:
            self._p.window.show_inspector(inspector)
        self.on_panels()

    def on_panels(self) -> None:
        """The side panels were shown or hidden."""
        sidebar, inspector = self._p.window.panels()
        self._p.actions["sidebar"].setChecked(sidebar)
        self._p.actions["inspector"].setChecked(inspector)
