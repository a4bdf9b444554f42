"""Conversations to files and from files. The work is done on the store's thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.chat import Chat
from app.chat.export import file_name, to_html, to_markdown, to_own_json, to_text
from app.chat.import_file import read_conversations
from app.chat.interchange import Whole, put_in, take_all, take_out
from app.files import write_atomically
from app.store.store import Store
from app.store.thread import StoreThread

Form = Literal["markdown", "text", "html", "json"]
_ENDINGS: dict[str, Form] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
}


class Exchanging(QObject):
    """Exports and imports. Lives on the GUI thread.

    Attributes:
        told: One sentence on what was done.
        failed: One sentence on why nothing was; what is kept is unchanged.
        imported: The ids of the conversations that came in.
        page_made: The open chat as an HTML page, to be printed.
    """

    told = Signal(str)
    failed = Signal(str)
    imported = Signal(object)
    page_made = Signal(str)

    def __init__(self, store: StoreThread, chat: Chat, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._chat = store, chat

    @Slot(str)
    def export_open(self, path: str) -> None:
        """Write the open chat to a file, in the form that the file's ending names."""
        self.export(self._chat.conversation_id, path)

    def export(self, conversation_id: int, path: str) -> None:
        """Write a chat to a file, in the form that the file's ending names."""
        place = Path(path)
        form = _ENDINGS.get(place.suffix.lower(), "markdown")

        def write(store: Store) -> str:
            write_atomically(place, written(take_out(store, conversation_id), form).encode())
            return self.tr("The chat was exported to {name}.").format(name=place.name)

        self._ask(conversation_id, write)

    @Slot(str)
    def export_all(self, path: str) -> None:
        """Write every chat: into one JSON file, or as Markdown files into a folder."""
        place = Path(path)

        def write(store: Store) -> str:
            wholes = take_all(store)
            if place.is_dir():
                for whole in wholes:
                    write_atomically(free_name(place, whole.title), to_markdown(whole).encode())
            else:
                write_atomically(place, to_own_json(wholes).encode())
            return self.tr("%n chat(s) were exported.", "", len(wholes))

        self._ask(0, write)

    @Slot(str)
    def import_file(self, path: str) -> None:
        """Take in the conversations of a file: our own JSON, or ChatGPT's export."""

        def read(store: Store) -> tuple[tuple[int, ...], int]:
            found = read_conversations(Path(path))
            return tuple(put_in(store, whole) for whole in found.wholes), found.n_damaged

        def then(answer: tuple[tuple[int, ...], int]) -> None:
            ids, n_damaged = answer
            told = self.tr("%n chat(s) were imported.", "", len(ids))
            if n_damaged:
                left = self.tr("%n could not be read and were left out.", "", n_damaged)
                told = f"{told} {left}"
            self.told.emit(told)
            self.imported.emit(ids)
            self._chat.conversations_changed.emit()

        self._store.ask(read, then, failed=self.failed.emit)

    @Slot()
    def make_page(self) -> None:
        """Make an HTML page of the open chat, for printing."""
        conversation_id = self._chat.conversation_id
        self._store.ask_for(
            conversation_id,
            lambda s: to_html(take_out(s, conversation_id)),
            self.page_made.emit,
            failed=self.failed.emit,
        )

    def _ask(self, conversation_id: int, write: Callable[[Store], str]) -> None:
        self._store.ask_for(conversation_id, write, self.told.emit, failed=self.failed.emit)


def written(whole: Whole, form: Form) -> str:
    """Write a conversation in a form."""
    match form:
        case "markdown":
            return to_markdown(whole)
        case "text":
            return to_text(whole)
        case "html":
            return to_html(whole)
        case "json":
            return to_own_json((whole,))


def free_name(folder: Path, title: str) -> Path:
    """Give a name for a Markdown file that is not taken in a folder."""
    name = folder / file_name(title, "md")
    n = 1
    while name.exists():
        n += 1
        name = folder / file_name(f"{title} {n}", "md")
    return name
