"""The messages of a conversation: a tree in which no version overwrites another."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.codec import from_json, to_json
from app.store.packing import pack_ids, pack_run, unpack_ids
from app.store.rows import Attachment, Node, ReplyNote, Status, StoredToken
from app.store.transaction import transaction
from inference import Message, Role, RunRecord

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def storable(text: str) -> str:
    """Replace what no text file can hold: halves of characters."""
    return _LONE_SURROGATE.sub("\ufffd", text)


class Messages:
    """The tree of messages of every conversation."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    # ------------------------------------------------------------------------------ reading

    def tree(self, conversation_id: int) -> tuple[Node, ...]:
        """Give every message that is not in the trash, parents before children."""
        rows = self._db.execute(
            "SELECT id, parent_id, role, content, status, created_at, thought, note FROM message "
            "WHERE conversation_id=? AND deleted_at IS NULL ORDER BY id",
            (conversation_id,),
        ).fetchall()
        attached: dict[int, list[Attachment]] = {}
        for message_id, *rest in self._db.execute(
            "SELECT a.message_id, a.name, a.kind, a.content, a.n_tokens, a.cut FROM attachment a "
            "JOIN message m ON m.id = a.message_id WHERE m.conversation_id=? ORDER BY a.id",
            (conversation_id,),
        ):
            name, kind, text, n_tokens, cut = rest
            attached.setdefault(message_id, []).append(
                Attachment(name, kind, text, n_tokens, bool(cut))
            )
        return tuple(
            Node(
                i, parent, role, text, status, at, thought, _note(note), tuple(attached.get(i, ()))
            )
            for i, parent, role, text, status, at, thought, note in rows
        )

    def spoken(self, message_ids: Sequence[int]) -> dict[int, tuple[str, tuple[int, ...]]]:
        """Give who spoke which token ids, for the messages where they are known."""
        found: dict[int, tuple[str, tuple[int, ...]]] = {}
        for first in range(0, len(message_ids), 500):
            some = tuple(message_ids[first : first + 500])
            rows = self._db.execute(
                "SELECT id, spoken_by, spoken FROM message "
                f"WHERE id IN ({','.join('?' * len(some))}) AND spoken_by <> ''",
                some,
            )
            found |= {i: (by, unpack_ids(packed)) for i, by, packed in rows}
        return found

    # ------------------------------------------------------------------------------ writing

    def add(
        self,
        conversation_id: int,
        parent_id: int | None,
        role: Role,
        text: str,
        attachments: Iterable[Attachment] = (),
        *,
        show: bool = True,
    ) -> Node:
        """Add a finished message and, if it is to be shown, make it the end of the visible path."""
        now = time.time()
        text = storable(text)
        kept = tuple(attachments)
        with transaction(self._db):
            new_id = self._insert(conversation_id, parent_id, role, text, "complete", now, "{}")
            for one in kept:
                self._db.execute(
                    "INSERT INTO attachment(message_id, name, kind, content, n_tokens, cut) "
                    "VALUES (?,?,?,?,?,?)",
                    (new_id, one.name, one.kind, storable(one.text), one.n_tokens, int(one.cut)),
                )
            if show:
                self.show(conversation_id, new_id)
            self._touch(conversation_id, now)
        return Node(new_id, parent_id, role, text, "complete", now, attachments=kept)

    def begin_reply(
        self, conversation_id: int, parent_id: int | None, prefix: str = "", model_name: str = ""
    ) -> Node:
        """Add a reply that is being written and make it the end of the visible path."""
        now = time.time()
        note = ReplyNote(model_name, prefix_characters=len(prefix))
        with transaction(self._db):
            new_id = self._insert(
                conversation_id, parent_id, "assistant", prefix, "writing", now, _dump(note)
            )
            self.show(conversation_id, new_id)
            self._touch(conversation_id, now)
        return Node(new_id, parent_id, "assistant", prefix, "writing", now, note=note)

    def grow(self, message_id: int, pieces: Sequence[tuple[str, str]]) -> None:
        """Save what a reply has gained: (kind, text) in order, kind "answer" or "thought"."""
        with transaction(self._db):
            self._db.executemany(
                "INSERT INTO growth(message_id, kind, content) VALUES (?,?,?)",
                [(message_id, kind, storable(text)) for kind, text in pieces],
            )

    def finish_reply(
        self,
        node: Node,
        record: RunRecord | None = None,
        details: Sequence[StoredToken] = (),
        spoken: tuple[int, ...] = (),
    ) -> None:
        """Write a reply as it ended, with its run record, in one step.

        Args:
            node: The reply with its last text, thought, status and note.
            record: How it was made.
            details: Its tokens with their alternatives, if they were asked for.
            spoken: The token ids of the whole text, if the model spoke all of it.
        """
        by = record.model_fingerprint if record and spoken else ""
        with transaction(self._db, durable=True):
            self._db.execute(
                "UPDATE message SET content=?, thought=?, status=?, note=?, spoken_by=?, spoken=? "
                "WHERE id=?",
                (
                    storable(node.text),
                    storable(node.thought),
                    node.status,
                    _dump(node.note),
                    by,
                    pack_ids(spoken) if by else b"",
                    node.id,
                ),
            )
            self._db.execute("DELETE FROM growth WHERE message_id=?", (node.id,))
            if record is not None:
                self._db.execute(
                    "INSERT INTO run(message_id, created_at, record) VALUES (?,?,?)",
                    (node.id, record.started_at, pack_run(record, details)),
                )

    def take_back(self, conversation_id: int, node: Node) -> None:
        """Remove a reply that never said a word; its prompt becomes the end of the path again."""
        with transaction(self._db):
            self._db.execute("DELETE FROM growth WHERE message_id=?", (node.id,))
            self._db.execute("DELETE FROM message WHERE id=?", (node.id,))
            self.show(conversation_id, node.parent_id)

    def recover(self) -> int:
        """Mark what was being written when the app ended as interrupted, with the text saved.

        Returns:
            How many replies were interrupted.
        """
        with transaction(self._db):
            rows = self._db.execute(
                "SELECT id, conversation_id, parent_id, role, content, note FROM message "
                "WHERE status='writing'"
            ).fetchall()
            for i, conversation_id, parent, role, content, note in rows:
                grown = self._db.execute(
                    "SELECT kind, content FROM growth WHERE message_id=? ORDER BY id", (i,)
                ).fetchall()
                text = content + "".join(piece for kind, piece in grown if kind == "answer")
                thought = "".join(piece for kind, piece in grown if kind == "thought")
                node = Node(i, parent, role, text, "interrupted", 0.0, thought, _note(note))
                if text or thought:
                    self.finish_reply(node)
                else:
                    self.take_back(conversation_id, node)
            self._db.execute("DELETE FROM growth")
        return len(rows)

    def show(self, conversation_id: int, leaf: int | None) -> None:
        """Choose the visible path by its last message."""
        self._db.execute(
            "UPDATE conversation SET active_leaf=? WHERE id=?", (leaf, conversation_id)
        )

    def delete(self, message_id: int) -> None:
        """Put a message, and with it all that follows it, into the trash."""
        self._db.execute("UPDATE message SET deleted_at=? WHERE id=?", (time.time(), message_id))

    def restore(self, message_id: int) -> None:
        """Bring a deleted message back."""
        self._db.execute("UPDATE message SET deleted_at=NULL WHERE id=?", (message_id,))

    def set_spoken(self, message_id: int, by: str, ids: Sequence[int]) -> None:
        """Keep the token ids of an imported message."""
        self._db.execute(
            "UPDATE message SET spoken_by=?, spoken=? WHERE id=?", (by, pack_ids(ids), message_id)
        )

    def import_tree(
        self, conversation_id: int, nodes: Sequence[Node], active_leaf: int | None
    ) -> dict[int, int]:
        """Add messages made elsewhere, parents before children, in one step.

        Returns:
            The id that each of the given ones got.
        """
        new: dict[int, int] = {}
        with transaction(self._db):
            for node in nodes:
                parent = new[node.parent_id] if node.parent_id is not None else None
                new[node.id] = self._insert(
                    conversation_id,
                    parent,
                    node.role,
                    storable(node.text),
                    node.status,
                    node.created_at,
                    _dump(node.note),
                    storable(node.thought),
                )
                for one in node.attachments:
                    self._db.execute(
                        "INSERT INTO attachment(message_id, name, kind, content, n_tokens, cut) "
                        "VALUES (?,?,?,?,?,?)",
                        (
                            new[node.id],
                            one.name,
                            one.kind,
                            storable(one.text),
                            one.n_tokens,
                            one.cut,
                        ),
                    )
            leaf = new.get(active_leaf) if active_leaf is not None else None
            self.show(conversation_id, leaf or max(new.values(), default=None))
        return new

    def _insert(
        self,
        conversation_id: int,
        parent_id: int | None,
        role: Role,
        text: str,
        status: Status,
        created_at: float,
        note: str,
        thought: str = "",
    ) -> int:
        new_id = self._db.execute(
            "INSERT INTO message(conversation_id, parent_id, role, content, status, created_at, "
            "note, thought) VALUES (?,?,?,?,?,?,?,?)",
            (conversation_id, parent_id, role, text, status, created_at, note, thought),
        ).lastrowid
        assert new_id is not None
        return new_id

    def _touch(self, conversation_id: int, now: float) -> None:
        self._db.execute("UPDATE conversation SET updated_at=? WHERE id=?", (now, conversation_id))


def prompt_messages(
    path: Sequence[Node],
    system: str = "",
    spoken: dict[int, tuple[str, tuple[int, ...]]] | None = None,
) -> tuple[Message, ...]:
    """Turn a visible path into what the engine is asked to answer.

    Replies without a word are left out, and two turns of one role in a row become one, since the
    models' templates want the roles to alternate.
    """
    made = [Message("system", system)] if system.strip() else []
    for node in path:
        if node.role == "assistant" and not node.text:
            continue
        by, ids = (spoken or {}).get(node.id, ("", ()))
        message = Message(node.role, full_text(node), ids, by, node.thought)
        if made and made[-1].role == message.role:
            joined = f"{made[-1].text}\n\n{message.text}"
            made[-1] = replace(message, text=joined, token_ids=(), spoken_by="")
        else:
            made.append(message)
    return tuple(made)


def full_text(node: Node) -> str:
    """Give a message's text as the model sees it: its attachments come first, each named."""
    if not node.attachments:
        return node.text
    parts = [
        f"[{one.name}{', beginning only' if one.cut else ''}]\n{one.text}\n[end of {one.name}]"
        for one in node.attachments
    ]
    return "\n\n".join([*parts, node.text])


def _dump(note: ReplyNote) -> str:
    return json.dumps(to_json(note), ensure_ascii=False, separators=(",", ":"))


def _note(text: str) -> ReplyNote:
    return from_json(ReplyNote, json.loads(text)) if text != "{}" else ReplyNote()
