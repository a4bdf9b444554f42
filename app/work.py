"""What can be asked of the worker and what it tells: plain frozen data, and tickets to stop it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from enum import IntEnum

from inference import GenerationRequest, Pooling, Prompt

# ------------------------------------------------------------------------------- what is asked


@dataclass(frozen=True, slots=True)
class Load:
    """Open a model. Events: `Loading`…, `Loaded`."""

    source: str


@dataclass(frozen=True, slots=True)
class Unload:
    """Give the model's memory back."""


@dataclass(frozen=True, slots=True)
class Generate:
    """Make a reply, by a model that is opened first if another (or none) is loaded.

    Events: (`Loading`…, `Loaded`), `Prefilling`…, `Delta`…, `Finished`.
    """

    request: GenerationRequest
    model: str = ""


@dataclass(frozen=True, slots=True)
class GenerateMany:
    """Make several replies as a batch. Events: (index, event) pairs.

    Attributes:
        stops: One flag for each reply, beside the ticket's own, which stops all.
    """

    requests: tuple[GenerationRequest, ...]
    stops: tuple[threading.Event, ...]
    model: str = ""


@dataclass(frozen=True, slots=True)
class ScoreText:
    """Score a completion. Events: one `Score`."""

    prompt: Prompt
    completion: str
    alternatives: int = 0
    model: str = ""


@dataclass(frozen=True, slots=True)
class Embed:
    """Embed texts. Events: one numpy array (len(texts), width)."""

    texts: tuple[str, ...]
    pooling: Pooling = "mean"


@dataclass(frozen=True, slots=True)
class Render:
    """Show a prompt as the model sees it. Events: one tuple of `RenderedToken`."""

    prompt: Prompt


@dataclass(frozen=True, slots=True)
class Lens:
    """Look into the layers. Events: (position, `LensRow`) pairs."""

    token_ids: tuple[int, ...]
    positions: tuple[int, ...]
    top: int = 5


@dataclass(frozen=True, slots=True)
class Keep:
    """Write snapshots that are worth keeping to the disk. No events."""


@dataclass(frozen=True, slots=True)
class Forget:
    """Remove a conversation's snapshots; "" removes everyone's. No events."""

    conversation: str


@dataclass(frozen=True, slots=True)
class MeasureMemory:
    """Ask for the bytes in use. Events: one dict."""


Work = (
    Load
    | Unload
    | Generate
    | GenerateMany
    | ScoreText
    | Embed
    | Render
    | Lens
    | Keep
    | Forget
    | MeasureMemory
)


class Priority(IntEnum):
    """Who is served first; a chat's own rank depends on whether it is open just then."""

    CHAT = 0
    LAB = 2
    IDLE = 3


# ------------------------------------------------------------------------------- what happens


@dataclass(frozen=True, slots=True)
class Failed:
    """The work ended with an error: one sentence for the user. Nothing follows but `Ended`.

    Attributes:
        kind: The error's class name, such as "PromptTooLongError".
    """

    message: str
    kind: str


@dataclass(frozen=True, slots=True)
class Yielded:
    """Idle work made room and begins again later: what it said so far does not count."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The last thing that happens to every ticket, once.

    Attributes:
        started: The engine was asked; False when it was stopped while it waited.
    """

    started: bool


@dataclass(eq=False, slots=True)
class Ticket:
    """One piece of work on its way. `stop()` is safe from any thread and works at once."""

    id: int
    work: Work
    priority: Priority
    conversation: int
    _flag: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        """End the work at the next chunk or token; what was said stays said."""
        self._flag.set()

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._flag.is_set()
