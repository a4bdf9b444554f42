"""The list of conversations: shown, searched, renamed, filed, thrown away and brought back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.chat import Chat
from app.chat.meaning import MeaningIndex
from app.rows import Activity, ChatRow, SearchRow
from app.store.rows import ConversationRow, Folder, Hit
from app.store.store import Store
from app.store.thread import StoreThread
from app.work import Forget, Priority
from app.worker import Worker

FINDS = 50


class Listing(QObject):
    """Keeps the sidebar true.

    Attributes:
        listed: Rows, names of folders, and the id of the open chat.
        titled: The open chat's title.
        found: What a search found, and what was searched for.
        trash_listed: The rows in the trash, each with the time it was deleted.
        undoable: One sentence on what was done, and the function that takes it back.
    """

    listed = Signal(object, object, int)
    titled = Signal(str)
    found = Signal(object, str)
    trash_listed = Signal(object)
    undoable = Signal(str, object)

    def __init__(
        self,
        store: StoreThread,
        chat: Chat,
        worker: Worker,
        meaning: MeaningIndex,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store, self._chat, self._worker, self._meaning = store, chat, worker, meaning
        self._rows: dict[int, ConversationRow] = {}
        self._folders: tuple[Folder, ...] = ()
        self._writing: set[int] = set()
        self._closed = False
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._ask)

    # ------------------------------------------------------------------------------ the list

    @Slot()
    def refresh(self) -> None:
        """Ask for the list again; several wishes in one turn are one."""
        self._soon.start()

    @Slot(int, bool)
    def on_writing_changed(self, conversation: int, writing: bool) -> None:
        """A reply of a chat began or ended."""
        if writing:
            self._writing.add(conversation)
        else:
            self._writing.discard(conversation)
        self._show()

    @Slot()
    def on_path_changed(self) -> None:
        """Another chat may be open."""
        self._show()

    def title(self) -> str:
        """The title of the open chat."""
        row = self._rows.get(self._chat.conversation_id)
        if self._chat.temporary:
            return self.tr("Temporary chat")
        return row.title if row is not None and row.title else self.tr("New chat")

    def row(self, conversation: int) -> ConversationRow | None:
        """What is known of a chat."""
        return self._rows.get(conversation)

    def close(self) -> None:
        """Ask the store for nothing any more."""
        self._closed = True
        self._soon.stop()

    def _ask(self) -> None:
        if self._closed:
            return

        def read(store: Store) -> tuple[tuple[ConversationRow, ...], tuple[Folder, ...]]:
            return store.conversations.all(), store.conversations.folders()

        self._store.ask(read, self._on_listed)

    def _on_listed(self, answer: tuple[tuple[ConversationRow, ...], tuple[Folder, ...]]) -> None:
        rows, self._folders = answer
        self._rows = {row.id: row for row in rows}
        self._show()

    def _show(self) -> None:
        folders = {folder.id: folder.name for folder in self._folders}
        rows = tuple(self._shown(row, folders) for row in self._rows.values())
        self.listed.emit(rows, tuple(folders.values()), self._chat.conversation_id)
        self.titled.emit(self.title())

    def _shown(self, row: ConversationRow, folders: dict[int, str]) -> ChatRow:
        activity: Activity = ""
        if row.id in self._writing:
            activity = "writing"
        elif row.unseen and row.id != self._chat.conversation_id:
            activity = "unseen"
        folder = folders.get(row.folder_id, "") if row.folder_id is not None else ""
        return ChatRow(row.id, row.title, row.updated_at, row.pinned, folder, row.tags, activity)

    # ------------------------------------------------------------------------------ filing

    @Slot(int, str)
    def rename(self, conversation: int, title: str) -> None:
        """Give a chat another title."""
        self._change(conversation, lambda s: s.conversations.rename(conversation, title))
        row = self._rows.get(conversation)
        if row is not None:
            self._rows[conversation] = replace(row, title=title)
            self._show()

    @Slot(int, bool)
    def pin(self, conversation: int, pinned: bool) -> None:
        """Pin a chat or let it go."""
        self._change(conversation, lambda s: s.conversations.pin(conversation, pinned))

    @Slot(int, str)
    def move(self, conversation: int, folder: str) -> None:
        """Put a chat into a folder, made if need be; "" takes it out."""

        def put(store: Store) -> None:
            known = {one.name: one.id for one in store.conversations.folders()}
            to: int | None = None
            if folder:
                to = known.get(folder) or store.conversations.add_folder(folder).id
            store.conversations.move(conversation, to)

        self._change(conversation, put)

    def tag(self, conversation: int, names: tuple[str, ...]) -> None:
        """Give a chat these tags and no others."""
        self._change(conversation, lambda s: s.conversations.set_tags(conversation, names))

    def _change(self, conversation: int, change: Callable[[Store], object]) -> None:
        self._store.ask_for(conversation, change, lambda _: self.refresh())

    # ------------------------------------------------------------------------------ the trash

    @Slot(int)
    def trash(self, conversation: int) -> None:
        """Put a chat into the trash and offer to bring it back."""
        row = self._rows.get(conversation)
        was_open = conversation == self._chat.conversation_id
        if was_open:
            self._chat.open_new()
        self._chat.replies.stop(conversation)
        self._change(conversation, lambda s: s.conversations.trash(conversation))

        def undo() -> None:
            self.restore(conversation)
            if was_open:
                self._chat.open(conversation)

        title = row.title if row is not None and row.title else self.tr("New chat")
        self.undoable.emit(self.tr("“{title}” is in the Trash.").format(title=title), undo)

    @Slot(int)
    def restore(self, conversation: int) -> None:
        """Bring a chat back from the trash."""
        self._change(conversation, lambda s: s.conversations.restore(conversation))
        self.list_trash()

    @Slot(int)
    def erase(self, conversation: int) -> None:
        """Remove a chat for good, and what the engine kept of it."""
        self._change(conversation, lambda s: s.conversations.erase(conversation))
        self.forget((conversation,))
        self.list_trash()

    @Slot()
    def empty_trash(self) -> None:
        """Remove all that lies in the trash."""
        self._store.ask(lambda s: s.conversations.empty_trash(), self.forget)
        self.list_trash()

    @Slot()
    def erase_everything(self) -> None:
        """Remove every chat, and all that the engine kept."""
        self._chat.replies.stop_all()
        self._chat.open_new()
        self._store.ask(lambda s: s.erase_everything(), lambda _: self.refresh())
        self._worker.submit(Forget(""), Priority.IDLE)

    def forget(self, conversations: tuple[int, ...]) -> None:
        """Let the engine forget chats that are gone."""
        for conversation in conversations:
            self._worker.submit(Forget(str(conversation)), Priority.IDLE)

    @Slot()
    def list_trash(self) -> None:
        """Ask what lies in the trash."""
        self._store.ask(lambda s: s.conversations.all(trash=True), self._on_trash)

    def _on_trash(self, rows: tuple[ConversationRow, ...]) -> None:
        self.trash_listed.emit(
            tuple(ChatRow(row.id, row.title, row.deleted_at or row.updated_at) for row in rows)
        )

    # ------------------------------------------------------------------------------ searching

    @Slot(str)
    def search(self, words: str) -> None:
        """Search titles and messages; "" ends the search."""
        if not words:
            return

        def then(hits: tuple[Hit, ...]) -> None:
            self._on_found(hits, words)
            if self._meaning.ready:
                self._meaning.find(words, lambda more: self._on_found(_joined(hits, more), words))

        self._store.ask(lambda s: s.search.find(words, FINDS), then)

    def _on_found(self, hits: tuple[Hit, ...], words: str) -> None:
        rows = tuple(
            SearchRow(hit.conversation_id, hit.message_id, hit.title, " ".join(hit.snippet.split()))
            for hit in hits
        )
        self.found.emit(rows, words)


def _joined(words: tuple[Hit, ...], meaning: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """What words found, then what was alike and not found yet."""
    known = {(hit.conversation_id, hit.message_id) for hit in words}
    more = (hit for hit in meaning if (hit.conversation_id, hit.message_id) not in known)
    return (*words, *more)
