"""The sends of the open chat that wait for the reply before them. Lives on the GUI thread."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.store.rows import Attachment, WaitingRow
from app.store.store import Store
from app.store.thread import StoreThread


class Waiting(QObject):
    """First come, first served; each is in the store from the moment it waits.

    Signals:
        changed (object): The rows.
        returned (str): Texts that go back to the composer.
    """

    changed = Signal(object)
    returned = Signal(str)

    def __init__(self, store: StoreThread, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[WaitingRow, ...] = ()
        self._store = store
        self._id = 0

    def show(self, conversation_id: int, rows: tuple[WaitingRow, ...]) -> None:
        """Take the rows of the chat that was opened."""
        self._id = conversation_id
        self._set(rows)

    def add(
        self,
        conversation_id: int,
        text: str,
        attachments: tuple[Attachment, ...],
        then: Callable[[], None],
    ) -> None:
        """Let a send wait; `then` is called once it is stored."""

        def stored(row: WaitingRow) -> None:
            if conversation_id == self._id:
                self._set((*self.rows, row))
            then()

        self._store.ask_for(
            conversation_id,
            lambda s: s.conversations.add_waiting(conversation_id, text, attachments),
            stored,
        )

    def drop_first(self) -> None:
        """Let go of the first row: it is being sent."""
        self._set(self.rows[1:])

    def take_back(self, waiting_id: int) -> None:
        """Give one back to the composer."""
        self._give_back(tuple(row for row in self.rows if row.id == waiting_id))

    def take_all_back(self) -> None:
        """Give all back to the composer."""
        self._give_back(self.rows)

    def _give_back(self, rows: tuple[WaitingRow, ...]) -> None:
        if not rows:
            return

        def remove(store: Store) -> None:
            for row in rows:
                store.conversations.remove_waiting(row.id)

        self._store.ask_for(self._id, remove)
        self._set(tuple(row for row in self.rows if row not in rows))
        self.returned.emit("\n\n".join(row.text for row in rows))

    def _set(self, rows: tuple[WaitingRow, ...]) -> None:
        self.rows = rows
        self.changed.emit(rows)
