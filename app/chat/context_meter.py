"""How full the context is, and what will fall out with the next send. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.store.rows import Node
from inference import ContextPolicy

TURN_TOKENS = 5  # what a template adds around a turn, at most, in Gemma's families
REPLY_TOKENS = 256  # room that a reply should find


@dataclass(frozen=True, slots=True)
class Meter:
    """The context as the next send would find it.

    Attributes:
        used_tokens: What the prompt would have, with what falls out already gone.
        limit_tokens: How many fit.
        falls_out: The messages that would not be read any more, the oldest first.
        fits: The prompt can be read; if not, the send would be refused.
    """

    used_tokens: int
    limit_tokens: int
    falls_out: tuple[int, ...]
    fits: bool

    @property
    def fraction(self) -> float:
        """How full it is, from 0 to 1."""
        return min(self.used_tokens / max(self.limit_tokens, 1), 1.0)

    def sentence(self) -> str:
        """Say what is worth saying before the send; "" when all is well."""
        if not self.fits:
            return (
                f"This needs {self.used_tokens:,} tokens and {self.limit_tokens:,} fit; "
                "shorten it, or choose another context policy."
            )
        n = len(self.falls_out)
        if n:
            return f"The oldest {n} message{'s' if n > 1 else ''} will fall out of the context."
        return ""


def measure(
    path: Sequence[Node],
    counts: Mapping[int, int],
    draft_tokens: int,
    system_tokens: int,
    limit_tokens: int,
    policy: ContextPolicy,
) -> Meter:
    """Foresee the next send.

    Args:
        path: The visible path.
        counts: Tokens of each message by id.
        draft_tokens: Tokens in the composer, attachments included.
        system_tokens: Tokens of the system prompt; it never falls out.
        limit_tokens: How many tokens fit.
        policy: What happens when they do not.
    """
    fixed = draft_tokens + TURN_TOKENS + (system_tokens + TURN_TOKENS if system_tokens else 0)
    costs = [(node.id, counts.get(node.id, 0) + TURN_TOKENS) for node in path]
    used = fixed + sum(cost for _, cost in costs)
    falls: list[int] = []
    if policy != "stop":
        # Turns fall out whole, with the reply that belongs to them.
        room = limit_tokens - min(REPLY_TOKENS, limit_tokens // 4)
        starts = [*(i for i, node in enumerate(path) if node.role == "user" and i), len(path)]
        first = 0
        for start in starts:
            if used <= room:
                break
            falls += [i for i, _ in costs[first:start]]
            used -= sum(cost for _, cost in costs[first:start])
            first = start
    return Meter(used, limit_tokens, tuple(falls), used < limit_tokens)
