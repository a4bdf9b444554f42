"""A node of the prefix tree: a run of tokens, what is kept of it, and where it branches off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from inference.segments import Group, Segment

TokenArray = np.ndarray  # int32, one dimension


class Node:
    """The tokens [start, stop) after the first `start` tokens of the path to the parent.

    A child may begin inside its parent: then the parent's later tokens are another branch, and
    nothing needs to be copied or cut where two chats part.

    Attributes:
        ends: The lengths in (start, stop] at which a call ended when this run was computed; only
            there may a read be taken up again, so that it makes the same calls as a cold one.
        used: When it was last read from or written, in the tree's own count.
        conversations: Who it belongs to; "" are the chats that are never written to disk.
        name: Its name on disk; empty while it is not there.
        on_disk: What the disk has of it.
    """

    def __init__(
        self,
        parent: Node | None,
        tokens: TokenArray,
        segment: Segment,
        ends: Sequence[int],
    ) -> None:
        self.parent = parent
        self.kv_bits: int | None = None if parent is None else parent.kv_bits
        self.start = segment.start
        self.tokens = tokens
        self.segment = segment
        self.ends = np.asarray(ends, np.int32)
        self.children: list[Node] = []
        self.used = 0
        self.conversations: set[str] = set()
        self.name = ""
        self.on_disk: Segment | None = None

    @classmethod
    def root(cls, kv_bits: int | None = None) -> Node:
        """The node of no tokens."""
        node = cls(None, np.zeros(0, np.int32), Segment(0, 0, ()), [])
        node.kv_bits = kv_bits
        return node

    @property
    def stop(self) -> int:
        """The length of the path with all of this run."""
        return self.start + len(self.tokens)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays and the tokens."""
        return self.segment.nbytes + self.tokens.nbytes + self.ends.nbytes

    def path(self) -> list[Node]:
        """The nodes from the first after the root to this one."""
        found: list[Node] = []
        node: Node | None = self
        while node is not None and node.parent is not None:
            found.append(node)
            node = node.parent
        return found[::-1]

    def below(self) -> Iterator[Node]:
        """This node and all under it, parents first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(node.children)

    def agreed(self, matched_length: int, ends: Sequence[int], since: int) -> int:
        """How far this run was computed by the same calls as another one of the same tokens.

        Args:
            matched_length: How far the tokens are the same.
            ends: The lengths at which the other's calls ended.
            since: How much of the other came from the tree.
        """
        mine = self.ends[self.ends <= matched_length].tolist()
        others = set(ends)
        length = self.start
        for end in mine:
            if end > since and end not in others:
                break
            length = end
        # A call of the other that ended before ours did is a different call.
        ours = set(mine)
        between = [end for end in ends if max(self.start, since) < end < length and end not in ours]
        if between:
            length = max((end for end in mine if end < between[0]), default=self.start)
        return length

    def can_resume(self, at: int, groups: Sequence[Group]) -> bool:
        """Whether all that the tokens after the first `at` can still see is held."""
        return all(self._holds(at, i, group) for i, group in enumerate(groups))

    def _holds(self, at: int, i: int, group: Group) -> bool:
        if group.layout.kind == "full":
            return True
        if group.layout.kind == "recurrent":
            return at == self.stop and self.segment.parts[i] is not None
        lowest = max(0, at - (group.layout.window - 1))
        node: Node | None = self
        while node is not None and at > lowest:
            part = node.segment.parts[i]
            start = max(node.start, lowest)
            if start < at and (part is None or part.first > start):
                return False
            at = min(at, node.start)
            node = node.parent
        return True


def matched(run: TokenArray, ids: TokenArray, at: int) -> int:
    """How many of a run's tokens are those of `ids` from `at` on."""
    n = min(len(run), len(ids) - at)
    differs = run[:n] != ids[at : at + n]
    first = int(differs.argmax()) if n else 0
    return first if n and differs[first] else n
