"""Everything a person can do by menu or key: names, places in the menus, and the default keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Qt
from PySide6.QtGui import QAction, QKeySequence

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenuBar, QWidget


@dataclass(frozen=True, slots=True)
class Command:
    """One thing to do.

    Attributes:
        name: How the settings file calls it.
        text: How the menu calls it, already translated.
        keys: Its default keys, in Qt's portable words (Ctrl is ⌘ on a Mac); "" for none.
    """

    name: str
    text: str
    keys: str = ""


def commands() -> dict[str, tuple[Command, ...]]:
    """Every command by its menu, in order; a nameless one is a line between them."""
    translate = QCoreApplication.translate
    line = Command("", "")
    return {
        translate("Commands", "&File"): (
            Command("new", translate("Commands", "New chat"), "Ctrl+N"),
            Command("temporary", translate("Commands", "New temporary chat"), "Ctrl+Shift+N"),
            line,
            Command("open_model", translate("Commands", "Open a model…")),
            line,
            Command("import", translate("Commands", "Import chats…")),
            Command("export", translate("Commands", "Export this chat…"), "Ctrl+Shift+E"),
            Command("export_all", translate("Commands", "Export all chats…")),
            line,
            Command("settings", translate("Commands", "Settings…"), "Ctrl+,"),
            Command("quit", translate("Commands", "Quit Cabochon"), "Ctrl+Q"),
        ),
        translate("Commands", "&Edit"): (
            Command("find", translate("Commands", "Find in this chat"), "Ctrl+F"),
            Command("search", translate("Commands", "Search all chats"), "Ctrl+K"),
            line,
            Command("copy_last", translate("Commands", "Copy the last answer"), "Ctrl+Shift+C"),
        ),
        translate("Commands", "&View"): (
            Command("chat", translate("Commands", "Chat"), "Ctrl+1"),
            Command("lab", translate("Commands", "Prompt Lab"), "Ctrl+2"),
            Command("models", translate("Commands", "Models"), "Ctrl+3"),
            line,
            Command("sidebar", translate("Commands", "Sidebar"), "Ctrl+0"),
            Command("inspector", translate("Commands", "Inspector"), "Ctrl+I"),
            line,
            Command("larger", translate("Commands", "Larger text"), "Ctrl++"),
            Command("smaller", translate("Commands", "Smaller text"), "Ctrl+-"),
        ),
        translate("Commands", "&Chat"): (
            Command("stop", translate("Commands", "Stop"), "Esc"),
            Command("answer_now", translate("Commands", "Stop thinking and answer")),
            Command("regenerate", translate("Commands", "Regenerate"), "Ctrl+R"),
            Command("edit_last", translate("Commands", "Edit the last message"), "Ctrl+E"),
            Command("branch", translate("Commands", "Branch from the last answer"), "Ctrl+B"),
            Command("inspect", translate("Commands", "Inspect the last answer"), "Ctrl+Shift+I"),
            Command("map", translate("Commands", "Branch map…"), "Ctrl+M"),
            line,
            Command("version_before", translate("Commands", "Previous version"), "Alt+Left"),
            Command("version_after", translate("Commands", "Next version"), "Alt+Right"),
            Command("chat_before", translate("Commands", "Previous chat"), "Ctrl+["),
            Command("chat_after", translate("Commands", "Next chat"), "Ctrl+]"),
        ),
        translate("Commands", "&Help"): (
            Command("shortcuts", translate("Commands", "All shortcuts"), "Ctrl+/"),
            Command("about", translate("Commands", "About Cabochon")),
        ),
    }


def conflicts(keys: Mapping[str, str]) -> dict[str, str]:
    """Find commands whose keys another one has already: command to that other command."""
    first: dict[str, str] = {}
    found: dict[str, str] = {}
    for name, text in keys.items():
        portable = QKeySequence(text).toString(QKeySequence.SequenceFormat.PortableText)
        if not portable:
            continue
        if portable in first:
            found[name] = first[portable]
        else:
            first[portable] = name
    return found


class Actions(QObject):
    """The commands as actions of a window; `actions[name]` is one of them."""

    def __init__(self, window: QWidget, left_out: Iterable[str] = ()) -> None:
        super().__init__(window)
        self._window = window
        self._left_out = frozenset(left_out)
        self._menus = commands()
        self._actions: dict[str, QAction] = {}
        for command in self.all():
            action = QAction(command.text, window)
            action.setObjectName(command.name)
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            window.addAction(action)
            self._actions[command.name] = action
        roles = {
            "quit": QAction.MenuRole.QuitRole,
            "settings": QAction.MenuRole.PreferencesRole,
            "about": QAction.MenuRole.AboutRole,
        }
        for name, role in roles.items():
            if name in self._actions:
                self._actions[name].setMenuRole(role)
        for name in ("sidebar", "inspector"):
            self._actions[name].setCheckable(True)
        self.rebind({})

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def all(self) -> tuple[Command, ...]:
        """Every command that there is, in the order of the menus."""
        return tuple(
            command
            for menu in self._menus.values()
            for command in menu
            if command.name and command.name not in self._left_out
        )

    def keys(self, chosen: Mapping[str, str]) -> dict[str, str]:
        """The keys of every command: the chosen ones, else the default ones."""
        return {command.name: chosen.get(command.name, command.keys) for command in self.all()}

    def rebind(self, chosen: Mapping[str, str]) -> None:
        """Use other keys for some commands; where two collide, the first in the menus has them."""
        keys = self.keys(chosen)
        taken = conflicts(keys)
        for name, text in keys.items():
            sequence = QKeySequence() if name in taken else QKeySequence(text)
            also = [sequence]
            if name == "larger" and text == "Ctrl++":
                also.append(QKeySequence("Ctrl+="))  # the same key without Shift
            self._actions[name].setShortcuts(also)

    def fill(self, bar: QMenuBar) -> None:
        """Put the commands into a menu bar."""
        for title, menu_commands in self._menus.items():
            menu = bar.addMenu(title)
            menu.setAccessibleName(title.replace("&", ""))
            for command in menu_commands:
                if not command.name:
                    menu.addSeparator()
                elif command.name in self._actions:
                    menu.addAction(self._actions[command.name])
