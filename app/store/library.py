"""Presets (settings with a name) and the prompt library."""

from __future__ import annotations

import json
import sqlite3

from app.codec import from_json, to_json
from app.store.rows import ChatSettings, Preset, SavedPrompt


class Library:
    """Named settings and named prompts. Saving under a name that exists replaces that one."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def presets(self) -> tuple[Preset, ...]:
        """Give the presets by name."""
        rows = self._db.execute("SELECT id, name, settings FROM preset ORDER BY name")
        return tuple(
            Preset(i, name, from_json(ChatSettings, json.loads(found))) for i, name, found in rows
        )

    def save_preset(self, name: str, settings: ChatSettings) -> None:
        """Keep settings under a name."""
        self._db.execute(
            "INSERT INTO preset(name, settings) VALUES (?,?) "
            "ON CONFLICT(name) DO UPDATE SET settings=excluded.settings",
            (name, json.dumps(to_json(settings), ensure_ascii=False)),
        )

    def remove_preset(self, name: str) -> None:
        """Forget a preset; conversations made from it keep their settings."""
        self._db.execute("DELETE FROM preset WHERE name=?", (name,))

    def prompts(self) -> tuple[SavedPrompt, ...]:
        """Give the library by name."""
        rows = self._db.execute("SELECT id, name, content FROM saved_prompt ORDER BY name")
        return tuple(SavedPrompt(*row) for row in rows)

    def save_prompt(self, name: str, text: str) -> None:
        """Keep a prompt under a name."""
        self._db.execute(
            "INSERT INTO saved_prompt(name, content) VALUES (?,?) "
            "ON CONFLICT(name) DO UPDATE SET content=excluded.content",
            (name, text),
        )

    def remove_prompt(self, name: str) -> None:
        """Forget a prompt."""
        self._db.execute("DELETE FROM saved_prompt WHERE name=?", (name,))
