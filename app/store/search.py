"""Full-text search over titles and messages, and the store's side of search by meaning."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Sequence

import numpy as np

from app.store.rows import Hit

# Scripts written without spaces: the index does not know their words.
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
                       r"\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")  # fmt: skip
_BEGIN, _END = "\x01", "\x02"
_AROUND = 40  # characters of a snippet on each side of a hit


def fold(text: str) -> str:
    """Make letters alike that a search should not tell apart: case and accents."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


def index_query(words: Sequence[str]) -> str:
    """Write a query for the index: every word quoted, the last one a beginning."""
    quoted = ['"' + word.replace('"', '""') + '"' for word in words]
    return " ".join(quoted) + " *"


class Search:
    """Finds conversations and messages that are not in the trash."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        db.create_function("fold", 1, fold, deterministic=True)

    def find(self, query: str, limit: int = 50) -> tuple[Hit, ...]:
        """Find titles first, then messages, the newest first."""
        words = [w for w in query.replace("\0", " ").split() if any(map(str.isalnum, w))]
        if not words:
            return ()
        titles = self._titles(words, limit)
        if _UNSPACED.search(query) or max(map(len, words)) < 2:
            return titles + self._scan(words, limit)
        return titles + self._indexed(words, limit)

    def _titles(self, words: Sequence[str], limit: int) -> tuple[Hit, ...]:
        where = " AND ".join("fold(title) LIKE ? ESCAPE '\\'" for _ in words)
        rows = self._db.execute(
            f"SELECT id, title, updated_at FROM conversation WHERE deleted_at IS NULL AND {where} "
            "ORDER BY updated_at DESC LIMIT ?",
            (*(_like(fold(word)) for word in words), limit),
        )
        return tuple(Hit(i, 0, title, title, _spans(title, words), at) for i, title, at in rows)

    def _indexed(self, words: Sequence[str], limit: int) -> tuple[Hit, ...]:
        # By rowid (the newest first): ordering by rank reads every match.
        rows = self._db.execute(
            "SELECT m.conversation_id, m.id, c.title, "
            f"snippet(message_text, 0, '{_BEGIN}', '{_END}', '…', 16), m.created_at "
            "FROM message_text f JOIN message m ON m.id = f.rowid "
            "JOIN conversation c ON c.id = m.conversation_id "
            "WHERE message_text MATCH ? AND c.deleted_at IS NULL AND m.deleted_at IS NULL "
            "ORDER BY f.rowid DESC LIMIT ?",
            (index_query(words), limit),
        )
        return tuple(
            Hit(conversation, message, title, *_unmark(marked), at)
            for conversation, message, title, marked, at in rows
        )

    def _scan(self, words: Sequence[str], limit: int) -> tuple[Hit, ...]:
        where = " AND ".join("m.content LIKE ? ESCAPE '\\'" for _ in words)
        rows = self._db.execute(
            "SELECT m.conversation_id, m.id, c.title, m.content, m.created_at FROM message m "
            "JOIN conversation c ON c.id = m.conversation_id WHERE c.deleted_at IS NULL "
            f"AND m.deleted_at IS NULL AND m.status <> 'writing' AND {where} "
            "ORDER BY m.id DESC LIMIT ?",
            (*map(_like, words), limit),
        )
        return tuple(
            Hit(conversation, message, title, *_cut(text, words), at)
            for conversation, message, title, text, at in rows
        )

    # ------------------------------------------------------------------------------ by meaning

    def without_embedding(self, model: str, limit: int) -> tuple[tuple[int, str], ...]:
        """Give (id, text) of finished messages that this model has not embedded, newest first."""
        rows = self._db.execute(
            "SELECT m.id, m.content FROM message m JOIN conversation c ON c.id = m.conversation_id "
            "LEFT JOIN embedding e ON e.message_id = m.id AND e.model = ? "
            "WHERE e.message_id IS NULL AND m.status <> 'writing' AND m.content <> '' "
            "AND m.deleted_at IS NULL AND c.deleted_at IS NULL ORDER BY m.id DESC LIMIT ?",
            (model, limit),
        )
        return tuple(rows.fetchall())

    def keep_embeddings(self, model: str, ids: Sequence[int], vectors: np.ndarray) -> None:
        """Keep some messages' vectors in half precision. Shapes: vectors (len(ids), width)."""
        self._db.executemany(
            "INSERT OR REPLACE INTO embedding(message_id, model, vector) "
            "SELECT id, ?, ? FROM message WHERE id=?",
            [
                (model, vector.astype("<f2").tobytes(), i)
                for i, vector in zip(ids, vectors, strict=True)
            ],
        )

    def nearest(self, model: str, vector: np.ndarray, limit: int = 20) -> tuple[Hit, ...]:
        """Find the messages nearest in meaning. Shapes: vector (width,), of unit length."""
        ids: list[int] = []
        scores: list[np.ndarray] = []
        rows = self._db.execute("SELECT message_id, vector FROM embedding WHERE model=?", (model,))
        while some := rows.fetchmany(2_000):
            ids += [i for i, _ in some]
            block = np.frombuffer(b"".join(v for _, v in some), "<f2").reshape(len(some), -1)
            scores.append(block.astype(np.float32) @ vector)
        if not ids:
            return ()
        every = np.concatenate(scores)
        hits: list[Hit] = []
        for place in np.argsort(-every):
            row = self._db.execute(
                "SELECT m.conversation_id, m.id, c.title, m.content, m.created_at FROM message m "
                "JOIN conversation c ON c.id = m.conversation_id "
                "WHERE m.id=? AND m.deleted_at IS NULL AND c.deleted_at IS NULL",
                (ids[place],),
            ).fetchone()
            if row:
                conversation, message, title, text, at = row
                short = text[: 2 * _AROUND].replace("\n", " ")
                hits.append(Hit(conversation, message, title, short, (), at, float(every[place])))
            if len(hits) == limit:
                break
        return tuple(hits)

    def forget_embeddings(self) -> None:
        """Remove every vector: the user turned search by meaning off."""
        self._db.execute("DELETE FROM embedding")


def _like(word: str) -> str:
    return "%" + re.sub(r"([\\%_])", r"\\\1", word) + "%"


def _unmark(marked: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Take the marks out of a snippet and tell where they stood."""
    spans: list[tuple[int, int]] = []
    plain = ""
    for i, part in enumerate(marked.replace("\n", " ").split(_BEGIN)):
        found, end, rest = part.partition(_END)
        if i and end:
            spans.append((len(plain), len(plain) + len(found)))
        plain += found + rest
    return plain, tuple(spans)


def _spans(text: str, words: Sequence[str]) -> tuple[tuple[int, int], ...]:
    low = text.casefold()
    if len(low) != len(text):
        return ()
    places = [(low.find(word.casefold()), len(word)) for word in words]
    return tuple(sorted((at, at + length) for at, length in places if at >= 0))


def _cut(text: str, words: Sequence[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Cut a snippet around the first hit."""
    at = max(text.casefold().find(words[0].casefold()), 0)
    first, last = max(at - _AROUND, 0), at + len(words[0]) + _AROUND
    short = text[first:last].replace("\n", " ")
    if first:
        short = "…" + short
    if last < len(text):
        short += "…"
    return short, _spans(short, words)
