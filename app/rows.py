"""The rows of the sidebar as plain data, and how they fall into sections by pin, folder and age."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

Activity = Literal["", "writing", "waiting", "unseen"]
Age = Literal["today", "week", "older"]


@dataclass(frozen=True, slots=True)
class ChatRow:
    """One conversation in the sidebar.

    Attributes:
        updated_at: Seconds since the epoch.
        activity: "unseen" is an answer that was finished while another chat was open.
    """

    id: int
    title: str
    updated_at: float
    pinned: bool = False
    folder: str = ""
    tags: tuple[str, ...] = ()
    activity: Activity = ""


@dataclass(frozen=True, slots=True)
class SearchRow:
    """One place where a search found something.

    Attributes:
        message: 0 where the title was found.
        snippet: A few words around the find, without marks.
    """

    conversation: int
    message: int
    title: str
    snippet: str


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under one heading; `folder` names a folder, `age` and `pinned` the other kinds."""

    rows: tuple[ChatRow, ...]
    pinned: bool = False
    folder: str = ""
    age: Age | None = None


def age_of(updated_at: float, today: date) -> Age:
    """How long ago something was changed, in the local calendar."""
    day = datetime.fromtimestamp(updated_at).astimezone().date()
    if day >= today:
        return "today"
    return "week" if day > today - timedelta(days=7) else "older"


def into_sections(
    rows: Sequence[ChatRow], today: date, folders: Sequence[str] = ()
) -> tuple[Section, ...]:
    """Sort rows into pinned, folders by name (the empty ones too), and by age; newest first."""
    newest = sorted(rows, key=lambda row: row.updated_at, reverse=True)
    sections = [Section(tuple(row for row in newest if row.pinned), pinned=True)]
    loose = [row for row in newest if not row.pinned]
    names = sorted({*folders, *(row.folder for row in loose if row.folder)}, key=str.casefold)
    sections += [Section(tuple(r for r in loose if r.folder == n), folder=n) for n in names]
    ages: tuple[Age, ...] = ("today", "week", "older")
    for age in ages:
        found = (r for r in loose if not r.folder and age_of(r.updated_at, today) == age)
        sections.append(Section(tuple(found), age=age))
    return tuple(section for section in sections if section.rows or section.folder)


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One token of an answer, and how likely the model found it (0 to 1)."""

    text: str
    chance: float


@dataclass(frozen=True, slots=True)
class PromptPiece:
    """One token of a prompt as the model sees it.

    Attributes:
        special: A control token. `cached`: it was kept and is not read again.
        message: Which message it belongs to, counted from 0; -1 is the template's own.
    """

    text: str
    token_id: int
    special: bool
    cached: bool
    message: int


@dataclass(frozen=True, slots=True)
class LayerGuesses:
    """What a layer would say next: pairs of text and probability, the likeliest first."""

    layer: int
    guesses: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class BranchRow:
    """One message of the branch map; parents come before children.

    Attributes:
        parent: The message before it; 0 for the first.
        n_versions: How many messages follow the same parent, this one among them.
        shown: It is on the visible path.
    """

    id: int
    parent: int
    speaker: str
    text: str
    n_versions: int
    shown: bool
