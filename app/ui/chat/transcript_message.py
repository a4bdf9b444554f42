"""What a transcript is told of a message: plain, immutable data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MessageRole = Literal["system", "user", "assistant"]
MessageStatus = Literal["complete", "queued", "writing", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class MessageView:
    """One message as it is to be shown.

    Attributes:
        author: Shown above an answer, such as the model's name; empty shows nothing.
        thought: What the model thought before; `thought_seconds` and `thought_tokens` tell its
            cost where known.
        version: Which of its versions this is, counted from 1.
        status: "queued" waits to be sent, "writing" still grows.
        footer: One line of figures, shown on demand.
        error: One sentence on what went wrong; the text that there is stays.
        note: One quiet line below, such as that the context was full.
        attachments: Names of files sent with it.
    """

    id: int
    role: MessageRole
    text: str = ""
    author: str = ""
    thought: str = ""
    thought_seconds: float | None = None
    thought_tokens: int | None = None
    version: int = 1
    versions: int = 1
    status: MessageStatus = "complete"
    footer: str = ""
    error: str = ""
    note: str = ""
    attachments: tuple[str, ...] = ()
