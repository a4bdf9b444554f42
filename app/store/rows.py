"""What the store gives and takes: plain frozen rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inference import Constraint, ContextPolicy, FinishReason, Role, RunRecord, Sampling

Status = Literal["writing", "complete", "stopped", "interrupted", "failed"]
TitleBy = Literal["", "model", "user"]


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """How a conversation is answered; also what a preset holds.

    Attributes:
        model: The model of this conversation; empty takes the app's default.
        preset: The preset these came from; the window says *modified* when they differ.
        sampling: None takes the model's own recommendation.
        max_tokens: None takes the model's own limit.
        context_tokens: None takes the app's limit.
        raw: Complete the text as it is instead of answering turns.
    """

    system: str = ""
    model: str = ""
    preset: str = ""
    sampling: Sampling | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    context_tokens: int | None = None
    context_policy: ContextPolicy | None = None
    thinking: bool = False
    thinking_tokens: int | None = None
    constraint: Constraint | None = None
    raw: bool = False


@dataclass(frozen=True, slots=True)
class ReplyNote:
    """What is told below a reply.

    Attributes:
        reason: Why it ended; None while it is written or after a failure.
        error: One sentence when it failed.
        prefix_characters: How much of the text was given to it (Continue, a forced token).
    """

    model_name: str = ""
    reason: FinishReason | None = None
    error: str = ""
    prompt_tokens: int = 0
    reused_tokens: int = 0
    generated_tokens: int = 0
    ttft_seconds: float = 0.0
    tokens_per_second: float = 0.0
    seed: int | None = None
    thinking_tokens: int = 0
    thinking_seconds: float = 0.0
    dropped_messages: int = 0
    prefix_characters: int = 0


@dataclass(frozen=True, slots=True)
class Attachment:
    """A text that goes with a message.

    Attributes:
        kind: "text", "code", "csv" or "pdf".
        n_tokens: What it costs; 0 when it was not counted.
        cut: Only its beginning was taken.
    """

    name: str
    kind: str
    text: str
    n_tokens: int = 0
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """One message in the tree of a conversation."""

    id: int
    parent_id: int | None
    role: Role
    text: str
    status: Status = "complete"
    created_at: float = 0.0
    thought: str = ""
    note: ReplyNote = ReplyNote()
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation as the sidebar knows it."""

    id: int
    title: str
    title_by: TitleBy
    created_at: float
    updated_at: float
    pinned: bool = False
    unseen: bool = False
    folder_id: int | None = None
    tags: tuple[str, ...] = ()
    deleted_at: float | None = None


@dataclass(frozen=True, slots=True)
class OpenedConversation:
    """All of a conversation that the window needs to show it.

    Attributes:
        view: The window's own (scroll place and the like).
        waiting: Texts sent while a reply was written, not yet answered.
    """

    row: ConversationRow
    nodes: tuple[Node, ...]
    active_leaf: int | None
    settings: ChatSettings
    draft: str
    view: dict[str, object]
    waiting: tuple[WaitingRow, ...] = ()


@dataclass(frozen=True, slots=True)
class WaitingRow:
    """A send that waits for the reply before it."""

    id: int
    text: str
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of the sidebar."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One place where a search found something.

    Attributes:
        message_id: 0 when it was found in the title.
        spans: Where in the snippet the found words stand: (first, last + 1).
        score: Likeness for a search by meaning, 0 otherwise.
    """

    conversation_id: int
    message_id: int
    title: str
    snippet: str
    spans: tuple[tuple[int, int], ...]
    created_at: float
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Run:
    """A stored run record with the details of its tokens, where they were kept."""

    id: int
    record: RunRecord
    details: tuple[StoredToken, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredToken:
    """One token as it was drawn.

    Attributes:
        n_characters: How many characters of the reply it completed.
        alternatives: Likeliest first: (id, log-probability to half precision).
    """

    token_id: int
    n_characters: int
    logprob: float
    entropy: float
    alternatives: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Preset:
    """Named settings."""

    id: int
    name: str
    settings: ChatSettings


@dataclass(frozen=True, slots=True)
class SavedPrompt:
    """A prompt of the library; `{{name}}` in it is asked for."""

    id: int
    name: str
    text: str
