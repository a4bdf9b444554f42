"""What leaves a conversation that has grown past its limit, before it is sent.

The cut is a function of the conversation alone and moves seldom: it is played through from the
first turn, so that each turn finds the prefix that the turn before it read.

- "stop" drops nothing.
- "oldest" drops whole turns, oldest first, down to three quarters of the limit.
- "rolling" keeps the last half of the limit, cut at a message that a person wrote.
- "rotate" drops nothing here: the context itself lets go of its middle.

The system prompt always stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inference.types import ContextPolicy, Role

OLDEST_TARGET = 0.75
ROLLING_TARGET = 0.5
REPLY_SHARE = 8  # one part in so many of the limit is kept free for the reply


def first_kept(
    policy: ContextPolicy,
    roles: Sequence[Role],
    tokens: Sequence[int],
    limit: int,
    frame_tokens: int = 0,
) -> int:
    """Tell with which message after the system prompt the conversation goes on.

    Args:
        policy: What the user chose.
        roles: Who wrote each message.
        tokens: How many tokens each message takes, its turn markers included.
        limit: How many tokens prompt and reply may have together.
        frame_tokens: Tokens that are there however many messages stay.

    Returns:
        The index of the first message that stays, which a user wrote; the number of leading system
        messages if all stay. The last turn stays even where it is too long by itself.
    """
    n_system = next((i for i, role in enumerate(roles) if role != "system"), len(roles))
    if policy not in ("oldest", "rolling"):
        return n_system
    fixed = frame_tokens + sum(tokens[:n_system])
    room = limit - limit // REPLY_SHARE
    target = int(limit * (OLDEST_TARGET if policy == "oldest" else ROLLING_TARGET))
    starts = [i for i in range(n_system, len(roles)) if roles[i] == "user"]
    first = n_system
    for sent in starts:  # each was once the newest
        end = sent + 1
        if fixed + sum(tokens[first:end]) <= room:
            continue
        later = [start for start in starts if first < start <= sent]
        first = next(
            (start for start in later if fixed + sum(tokens[start:end]) <= target),
            sent,
        )
    return first
