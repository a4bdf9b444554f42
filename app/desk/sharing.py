"""Chats to files and from files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.chat.chat import Chat
from app.chat.export import to_html, to_markdown, to_own_json, to_text
from app.chat.import_file import read_conversations
from app.chat.interchange import Whole, put_in, take_all, take_out
from app.files import write_atomically
from app.store.store import Store
from app.store.thread import StoreThread


def _write(wholes: Sequence[Whole], path: Path) -> None:
    """Write chats in the form that the file's name asks for."""
    makers: dict[str, Callable[[Whole], str]] = {
        ".html": to_html,
        ".htm": to_html,
        ".txt": to_text,
        ".md": to_markdown,
    }
    suffix = path.suffix.lower()
    if suffix == ".json":
        text = to_own_json(wholes)
    elif suffix in (".html", ".htm") and len(wholes) > 1:
        raise ValueError("Several chats go into JSON or Markdown; choose one of these.")
    elif suffix in makers:
        text = "\n\n".join(makers[suffix](whole) for whole in wholes)
    else:
        raise ValueError(f"Chats are not written as {suffix or 'a file without an ending'}.")
    write_atomically(path, text.encode())


class Sharing(QObject):
    """Exports and imports, on the store's thread.

    Attributes:
        done: One sentence. `failed`: one sentence; nothing was changed.
        page_made: A chat as HTML, and the PDF file that is to be made of it.
        imported: Chats were added.
    """

    done = Signal(str)
    failed = Signal(str)
    page_made = Signal(str, object)
    imported = Signal()

    def __init__(self, store: StoreThread, chat: Chat, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store, self._chat = store, chat

    def export(self, conversation: int, path: Path) -> None:
        """Write a chat, or all of them (0), in the form that the file's name asks for."""

        def take(store: Store) -> Sequence[Whole]:
            return (take_out(store, conversation),) if conversation else take_all(store)

        if path.suffix.lower() == ".pdf" and conversation:
            self._store.ask_for(
                conversation,
                lambda s: to_html(take_out(s, conversation)),
                lambda html: self.page_made.emit(html, path),
                failed=self.failed.emit,
            )
            return
        self._store.ask_for(
            conversation,
            lambda s: _write(take(s), path),
            lambda _: self.done.emit(self.tr("Written to {path}.").format(path=path)),
            failed=self.failed.emit,
        )

    def take_in(self, paths: Sequence[Path]) -> None:
        """Add the chats of files; what is there stays."""
        for path in paths:

            def read(store: Store, path: Path = path) -> tuple[int, int]:
                found = read_conversations(path)
                for whole in found.wholes:
                    put_in(store, whole)
                return len(found.wholes), found.n_damaged

            self._store.ask(read, self._on_read, failed=self.failed.emit)

    def _on_read(self, counts: tuple[int, int]) -> None:
        whole, damaged = counts
        sentence = self.tr("%n chat(s) were imported.", "", whole)
        if damaged:
            sentence += " " + self.tr("%n could not be read.", "", damaged)
        self.done.emit(sentence)
        self.imported.emit()
