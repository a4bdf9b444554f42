"""What the window is told about a chat: its state, its status line."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ChatState(Enum):
    """The state of the open chat; buttons follow it and nothing else.

    NO_MODEL  no model is chosen: sends wait
    LOADING   the model is being opened: sends wait
    READY     a send is answered at once
    WAITING   a send waits until the engine is free
    READING   the prompt is being read
    SPEAKING  the reply is being written
    FAILED    the last reply or the loading failed; a send tries again
    """

    NO_MODEL = "no model"
    LOADING = "loading"
    READY = "ready"
    WAITING = "waiting"
    READING = "reading"
    SPEAKING = "speaking"
    FAILED = "failed"

    @property
    def busy(self) -> bool:
        """A reply is on its way: Stop is offered."""
        return self in (ChatState.WAITING, ChatState.READING, ChatState.SPEAKING)


@dataclass(frozen=True, slots=True)
class ChatStatus:
    """The status line of the open chat.

    Attributes:
        what: What is being loaded, while LOADING.
        fraction: How far loading or reading is, 0 to 1.
        prompt_tokens: Tokens of the prompt; `reused_tokens` of them are not read again.
        error: One sentence, while FAILED.
    """

    state: ChatState
    what: str = ""
    fraction: float = 0.0
    prompt_tokens: int = 0
    reused_tokens: int = 0
    spoken_tokens: int = 0
    tokens_per_second: float = 0.0
    error: str = ""
