"""What the user chose for the whole app: one JSON file, written atomically, unknown keys kept.

There is no global settings object: `__main__` loads a `Settings`, hands its values to whoever needs
them, and saves what changed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from app.codec import from_json, to_json
from app.files import set_aside, write_atomically

Appearance = Literal["auto", "light", "dark"]
SendKey = Literal["return", "ctrl_return"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Every choice, with its default.

    Attributes:
        model: The model for new conversations: "starter", a file or a folder.
        text_size: Percent of the normal size.
        context_tokens: The user's own limit; None takes the model's.
        unload_after_minutes: 0 keeps the model loaded.
        snapshot_bytes: Memory for kept prefixes; None derives it from the machine.
        alternatives: How many likeliest tokens are kept with each token of an answer.
        reduce_motion: None follows the system where it can be asked.
        shortcuts: Action name to key sequence, where it is not the default.
        geometry: The window's saved geometry and splitters, as base64, by name.
        recent_models: Models that were opened, the newest first; the starter is not among them.
        engine_process: The engine runs in a process of its own.
        paste_as_attachment: Pasted text longer than so many characters becomes an attachment.
    """

    model: str = ""
    appearance: Appearance = "auto"
    language: str = ""
    text_size: int = 100
    send_key: SendKey = "return"
    reduce_motion: bool | None = None
    increase_contrast: bool = False
    sidebar_visible: bool = True
    inspector_visible: bool = False
    geometry: dict[str, str] = field(default_factory=dict)
    open_conversation: int = 0
    preset: str = ""
    context_tokens: int | None = None
    context_policy: Literal["stop", "oldest", "rolling", "rotate"] = "stop"
    unload_after_minutes: int = 0
    snapshot_bytes: int | None = None
    snapshot_disk_bytes: int = 2 * 1024**3
    kv_bits: Literal[4, 8] | None = None
    alternatives: int = 10
    engine_process: bool = True
    automatic_titles: bool = True
    semantic_search: bool = False
    paste_as_attachment: int = 2_000
    offline: bool = False
    update_check: bool = False
    models_folder: str = ""
    shortcuts: dict[str, str] = field(default_factory=dict)
    welcomed: bool = False
    ask_before_quitting: bool = True
    recent_models: tuple[str, ...] = ()


class SettingsFile:
    """The settings on disk.

    Keys of the file that this version does not know are written back as they were.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._unknown: dict[str, object] = {}

    def load(self) -> tuple[Settings, str]:
        """Read the settings.

        Returns:
            The settings, and one sentence when the file could not be read and was set aside.
        """
        try:
            found = json.loads(self.path.read_bytes())
        except FileNotFoundError:
            return Settings(), ""
        except (OSError, ValueError):
            found = None
        if not isinstance(found, dict):
            aside = set_aside(self.path)
            return Settings(), (
                "The settings could not be read and start afresh; "
                f"the old file is kept as {aside.name}."
            )
        known = Settings.__dataclass_fields__
        self._unknown = {key: value for key, value in found.items() if key not in known}
        return from_json(Settings, found), ""

    def save(self, settings: Settings) -> None:
        """Write the settings in one step; the old ones stay whole until the new are on the disk."""
        kept = self._unknown | to_json(settings)
        text = json.dumps(kept, ensure_ascii=False, indent=2, sort_keys=True)
        write_atomically(self.path, text.encode() + b"\n")
