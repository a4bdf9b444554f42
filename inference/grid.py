"""Where a prompt is cut into the calls that read it, so that warm and cold reads are the same.

The rounding of a call depends on its shape. A fixed grid that starts anew at each mark (a place
where a chat comes back to) makes the same calls whether the beginning was read now or long ago.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Grid:
    """How prompts are cut.

    Attributes:
        step: Tokens of a call, at most.
        segment: Tokens of a kept run, at most; a multiple of `step`.
    """

    step: int
    segment: int

    @classmethod
    def of(cls, step: int, window: int) -> Grid:
        """The grid of a step: kept runs of 1k to 2k tokens, so that half of the rows of window
        layers are kept where windows are short.
        """  # noqa: D205
        wanted = min(max(1024, 2 * window), 2048)
        return cls(step, max(step, wanted // step * step))

    def calls(self, start: int, stop: int, marks: Sequence[int]) -> list[tuple[int, int, bool]]:
        """Cut [start, stop) into calls.

        Args:
            start: How far the prompt is held already.
            stop: The prompt's length.
            marks: Places, in any order, where a call must end; those outside are harmless.

        Returns:
            The first token and the end of each call, and whether a kept run ends there.
        """
        made: list[tuple[int, int, bool]] = []
        at = start
        edges = sorted({0, stop, *(mark for mark in marks if 0 < mark < stop)})
        for left, right in pairwise(edges):
            while at < right:
                # Cells are counted from the mark, also where reading begins inside of one.
                end = min(left + ((at - left) // self.step + 1) * self.step, right)
                made.append((at, end, end == right or (end - left) % self.segment == 0))
                at = end
        return made
