"""Conversations, folders, tags, drafts and the trash."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable
from typing import Any

from app.codec import from_json, to_json
from app.store.messages import Messages
from app.store.rows import (
    Attachment,
    ChatSettings,
    ConversationRow,
    Folder,
    OpenedConversation,
    TitleBy,
    WaitingRow,
)
from app.store.transaction import transaction
from app.store.wiping import Wiping

TRASH_DAYS = 30
_COLUMNS = "id, title, title_by, created_at, updated_at, pinned, unseen, folder_id, deleted_at"


class Conversations:
    """The list of conversations and all that belongs to one as a whole."""

    def __init__(self, db: sqlite3.Connection, messages: Messages, wiping: Wiping) -> None:
        self._db = db
        self._messages = messages
        self._wiping = wiping

    # ------------------------------------------------------------------------------ the list

    def all(self, *, trash: bool = False) -> tuple[ConversationRow, ...]:
        """Give every conversation (or those in the trash), the latest first."""
        where = "deleted_at IS NOT NULL" if trash else "deleted_at IS NULL"
        rows = self._db.execute(
            f"SELECT {_COLUMNS} FROM conversation WHERE {where} ORDER BY updated_at DESC, id DESC"
        ).fetchall()
        tags: dict[int, list[str]] = {}
        for conversation_id, name in self._db.execute(
            "SELECT conversation_id, name FROM conversation_tag "
            "JOIN tag ON tag.id = tag_id ORDER BY name"
        ):
            tags.setdefault(conversation_id, []).append(name)
        return tuple(_row(row, tuple(tags.get(row[0], ()))) for row in rows)

    def get(self, conversation_id: int) -> ConversationRow:
        """Give one conversation.

        Raises:
            KeyError: There is none of that id.
        """
        row = self._db.execute(
            f"SELECT {_COLUMNS} FROM conversation WHERE id=?",
            (conversation_id,),
        ).fetchone()
        if row is None:
            raise KeyError(conversation_id)
        names = self._db.execute(
            "SELECT name FROM conversation_tag JOIN tag ON tag.id = tag_id "
            "WHERE conversation_id=? ORDER BY name",
            (conversation_id,),
        )
        return _row(row, tuple(name for (name,) in names))

    def create(
        self, settings: ChatSettings | None = None, title: str = "", folder_id: int | None = None
    ) -> ConversationRow:
        """Begin a conversation."""
        now = time.time()
        new_id = self._db.execute(
            "INSERT INTO conversation(title, title_by, created_at, updated_at, settings, folder_id)"
            " VALUES (?,?,?,?,?,?)",
            (
                title,
                "user" if title else "",
                now,
                now,
                _dump(to_json(settings or ChatSettings())),
                folder_id,
            ),
        ).lastrowid
        assert new_id is not None
        return self.get(new_id)

    def open(self, conversation_id: int) -> OpenedConversation:
        """Give all of a conversation, and call it seen.

        Raises:
            KeyError: There is none of that id.
        """
        row = self.get(conversation_id)
        self._db.execute("UPDATE conversation SET unseen=0 WHERE id=?", (conversation_id,))
        leaf, settings, draft, view = self._db.execute(
            "SELECT active_leaf, settings, draft, view FROM conversation WHERE id=?",
            (conversation_id,),
        ).fetchone()
        return OpenedConversation(
            row,
            self._messages.tree(conversation_id),
            leaf,
            from_json(ChatSettings, _load(settings)),
            draft,
            _load(view),
            self.waiting(conversation_id),
        )

    # ------------------------------------------------------------------------------ its parts

    def settings(self, conversation_id: int) -> ChatSettings:
        """Give how a conversation is answered."""
        (found,) = self._db.execute(
            "SELECT settings FROM conversation WHERE id=?", (conversation_id,)
        ).fetchone()
        return from_json(ChatSettings, _load(found))

    def active_leaf(self, conversation_id: int) -> int | None:
        """Give the last message of the visible path.

        Raises:
            KeyError: There is no conversation of that id.
        """
        row = self._db.execute(
            "SELECT active_leaf FROM conversation WHERE id=?", (conversation_id,)
        ).fetchone()
        if row is None:
            raise KeyError(conversation_id)
        leaf: int | None = row[0]
        return leaf

    def set_settings(self, conversation_id: int, settings: ChatSettings) -> None:
        """Keep how a conversation is answered."""
        self._set(conversation_id, "settings", _dump(to_json(settings)))

    def rename(self, conversation_id: int, title: str, by: TitleBy = "user") -> None:
        """Change the title; the model's title never replaces the user's."""
        self._db.execute(
            "UPDATE conversation SET title=?, title_by=? "
            "WHERE id=? AND (? = 'user' OR title_by <> 'user')",
            (title.strip(), by, conversation_id, by),
        )

    def set_draft(self, conversation_id: int, text: str) -> None:
        """Keep what stands in the composer."""
        self._set(conversation_id, "draft", text)

    def set_view(self, conversation_id: int, view: dict[str, object]) -> None:
        """Keep the window's own: the scroll place and the like."""
        self._set(conversation_id, "view", _dump(view))

    def pin(self, conversation_id: int, pinned: bool) -> None:
        """Pin or unpin."""
        self._set(conversation_id, "pinned", int(pinned))

    def set_times(self, conversation_id: int, created_at: float, updated_at: float) -> None:
        """Keep when an imported conversation was begun and last changed."""
        self._db.execute(
            "UPDATE conversation SET created_at=?, updated_at=? WHERE id=?",
            (created_at, updated_at, conversation_id),
        )

    def set_unseen(self, conversation_id: int) -> None:
        """Mark that an answer came while the conversation was not shown."""
        self._set(conversation_id, "unseen", 1)

    def _set(self, conversation_id: int, column: str, value: object) -> None:
        self._db.execute(
            f"UPDATE conversation SET {column}=? WHERE id=?",
            (value, conversation_id),
        )

    # ------------------------------------------------------------------------------ waiting sends

    def waiting(self, conversation_id: int) -> tuple[WaitingRow, ...]:
        """Give the sends that wait, first come first."""
        rows = self._db.execute(
            "SELECT id, content, attachments FROM waiting WHERE conversation_id=? ORDER BY id",
            (conversation_id,),
        )
        return tuple(
            WaitingRow(
                i, text, tuple(from_json(Attachment, one) for one in json.loads(attachments))
            )
            for i, text, attachments in rows
        )

    def with_waiting(self) -> tuple[int, ...]:
        """Give the conversations in which a send waits."""
        rows = self._db.execute("SELECT DISTINCT conversation_id FROM waiting ORDER BY id")
        return tuple(i for (i,) in rows)

    def add_waiting(
        self, conversation_id: int, text: str, attachments: tuple[Attachment, ...] = ()
    ) -> WaitingRow:
        """Keep a send until the reply before it has ended."""
        with transaction(self._db, durable=True):
            new_id = self._db.execute(
                "INSERT INTO waiting(conversation_id, content, attachments) VALUES (?,?,?)",
                (conversation_id, text, _dump([to_json(one) for one in attachments])),
            ).lastrowid
        assert new_id is not None
        return WaitingRow(new_id, text, attachments)

    def remove_waiting(self, waiting_id: int) -> None:
        """Forget a waiting send: it was sent, or the user took it back."""
        self._db.execute("DELETE FROM waiting WHERE id=?", (waiting_id,))

    # ------------------------------------------------------------------------------ order

    def folders(self) -> tuple[Folder, ...]:
        """Give the folders by name."""
        rows = self._db.execute("SELECT id, name FROM folder ORDER BY name COLLATE NOCASE, id")
        return tuple(Folder(*row) for row in rows)

    def add_folder(self, name: str) -> Folder:
        """Make a folder."""
        new_id = self._db.execute("INSERT INTO folder(name) VALUES (?)", (name,)).lastrowid
        assert new_id is not None
        return Folder(new_id, name)

    def rename_folder(self, folder_id: int, name: str) -> None:
        """Rename a folder."""
        self._db.execute("UPDATE folder SET name=? WHERE id=?", (name, folder_id))

    def remove_folder(self, folder_id: int) -> None:
        """Remove a folder; its conversations stay, outside of any."""
        self._db.execute("DELETE FROM folder WHERE id=?", (folder_id,))

    def move(self, conversation_id: int, folder_id: int | None) -> None:
        """Put a conversation into a folder, or out of any."""
        self._set(conversation_id, "folder_id", folder_id)

    def set_tags(self, conversation_id: int, names: Iterable[str]) -> None:
        """Give a conversation exactly these tags; tags without a conversation vanish."""
        wanted = sorted({name.strip() for name in names if name.strip()})
        with transaction(self._db):
            self._db.execute(
                "DELETE FROM conversation_tag WHERE conversation_id=?", (conversation_id,)
            )
            for name in wanted:
                self._db.execute("INSERT OR IGNORE INTO tag(name) VALUES (?)", (name,))
                self._db.execute(
                    "INSERT INTO conversation_tag SELECT ?, id FROM tag WHERE name=?",
                    (conversation_id, name),
                )
            self._db.execute(
                "DELETE FROM tag WHERE id NOT IN (SELECT tag_id FROM conversation_tag)"
            )

    def tags(self) -> tuple[str, ...]:
        """Give every tag in use."""
        return tuple(name for (name,) in self._db.execute("SELECT name FROM tag ORDER BY name"))

    # ------------------------------------------------------------------------------ the trash

    def trash(self, conversation_id: int) -> None:
        """Move to the trash, from where `restore` brings it back within 30 days."""
        self._set(conversation_id, "deleted_at", time.time())

    def restore(self, conversation_id: int) -> None:
        """Bring back from the trash."""
        self._set(conversation_id, "deleted_at", None)

    def empty_trash(self, older_than_days: float = 0.0) -> tuple[int, ...]:
        """Remove for good what lies in the trash, texts and run records too.

        The last of their words leave the search index with `Wiping`, a step at a time.

        Returns:
            The ids that are gone, so that the engine may forget their prefixes.
        """
        before = time.time() - older_than_days * 86_400
        with transaction(self._db):
            gone = self._db.execute(
                "SELECT id FROM conversation WHERE deleted_at <= ?", (before,)
            ).fetchall()
            self._db.execute("DELETE FROM conversation WHERE deleted_at <= ?", (before,))
            messages = self._db.execute("DELETE FROM message WHERE deleted_at <= ?", (before,))
            self._db.execute("DELETE FROM experiment WHERE deleted_at <= ?", (before,))
            if gone or messages.rowcount:
                self._wiping.want()
        return tuple(i for (i,) in gone)

    def erase(self, conversation_id: int) -> None:
        """Remove one conversation for good."""
        self._db.execute("DELETE FROM conversation WHERE id=?", (conversation_id,))


def _row(row: tuple[Any, ...], tags: tuple[str, ...]) -> ConversationRow:
    i, title, by, created, updated, pinned, unseen, folder, deleted = row  # Any: SQLite's values
    return ConversationRow(
        i, title, by, created, updated, bool(pinned), bool(unseen), folder, tags, deleted
    )


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _load(text: str) -> dict[str, object]:
    found = json.loads(text)
    return found if isinstance(found, dict) else {}
