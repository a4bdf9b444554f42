"""What the two processes say to each other; the payloads are the seam's own types.

Five one-way pipes join them, so that nothing waits behind anything slower:

    calls      parent -> child   `Begin`, then one `Call` at a time
    events     child -> parent   batches (lists) of `Happened`, `Returned`, `Raised`
    lifeline   parent -> child   stops, as raw `STOP` records; its end is the parent's end
    questions  parent -> child   `Question`: small things that any thread may ask at any time
    side       child -> parent   `Beat`, `Logged`, `CallEnded`, `Answered`
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

STOP = struct.Struct("<qq")  # number of the call, and which part of it: 0 for the whole, or i + 1


@dataclass(frozen=True, slots=True)
class Begin:
    """Make the engine.

    Attributes:
        factory: "module:name" of what makes it, imported in the child alone.
        level: The parent's logging level.
        beat_seconds: How often the child shows that it lives.
    """

    factory: str
    arguments: tuple[object, ...]
    level: int
    beat_seconds: float


@dataclass(frozen=True, slots=True)
class Call:
    """Use the engine's method `verb`."""

    number: int
    verb: str
    arguments: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Happened:
    """The method yielded an event."""

    number: int
    event: object


@dataclass(frozen=True, slots=True)
class Returned:
    """The method came to its end with a value."""

    number: int
    value: object


@dataclass(frozen=True, slots=True)
class Raised:
    """The method raised; the traceback went to the log."""

    number: int
    error: Exception


@dataclass(frozen=True, slots=True)
class Question:
    """Use a method that is safe from any thread."""

    number: int
    verb: str
    argument: object


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to a question: a value, or the error that it met."""

    number: int
    value: object
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class Beat:
    """The child lives, though its engine may be deep in a kernel."""


@dataclass(frozen=True, slots=True)
class Logged:
    """One line for the parent's log."""

    logger: str
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class CallEnded:
    """The engine is done with a call, whether or not its last events were read yet."""

    number: int


Report = Happened | Returned | Raised
SideReport = Beat | Logged | CallEnded | Answered
