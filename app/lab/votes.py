"""A blind vote: two replies to one input, side by side, without their names; and the tally."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb


@dataclass(frozen=True, slots=True)
class Ballot:
    """Two cells of one row, in an order that tells nothing.

    Attributes:
        left: Column of the reply shown on the left.
        right: Column of the reply shown on the right.
    """

    row: int
    seed: int
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class Vote:
    """What was preferred: a column, or None for neither."""

    ballot: Ballot
    winner: int | None


@dataclass(frozen=True, slots=True)
class Standing:
    """How a variant did.

    Attributes:
        doubt: How likely so many wins or more are by chance, among the decided votes.
    """

    column: int
    wins: int
    losses: int
    ties: int
    doubt: float


def ballots(
    rows: Sequence[int], seeds: Sequence[int], columns: Sequence[int], shuffle_seed: int
) -> tuple[Ballot, ...]:
    """Make every pair of variants for every input, shuffled, sides drawn by lot."""
    draw = random.Random(shuffle_seed)  # noqa: S311  (a vote, no secret)
    found = []
    for row in rows:
        for seed in seeds:
            for pair in combinations(columns, 2):
                left, right = draw.sample(pair, 2)
                found.append(Ballot(row, seed, left, right))
    draw.shuffle(found)
    return tuple(found)


def tally(votes: Iterable[Vote]) -> tuple[Standing, ...]:
    """Count the votes, the variant with the largest share of wins first."""
    counts: dict[int, list[int]] = {}
    for vote in votes:
        for column in (vote.ballot.left, vote.ballot.right):
            count = counts.setdefault(column, [0, 0, 0])
            place = 2 if vote.winner is None else 0 if vote.winner == column else 1
            count[place] += 1
    standings = [
        Standing(column, wins, losses, ties, _chance(wins, wins + losses))
        for column, (wins, losses, ties) in counts.items()
    ]
    return tuple(sorted(standings, key=lambda s: (-_share(s), s.column)))


def _share(standing: Standing) -> float:
    decided = standing.wins + standing.losses
    return standing.wins / decided if decided else 0.5


def _chance(wins: int, n: int) -> float:
    """How likely a fair coin gives so many wins of n, or more."""
    return float(sum(comb(n, k) for k in range(wins, n + 1)) / 2**n)
