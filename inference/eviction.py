"""In which order the prefix tree lets go of what it keeps."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from inference.node import Node
    from inference.segments import Group

Loss = Literal["thin", "drop"]


def losses(
    nodes: Sequence[Node],
    groups: Sequence[Group],
    open_path: Collection[Node],
    spared: Collection[Node],
) -> Iterator[tuple[Loss, Node]]:
    """What to let go of next, the least loss first. Asked again after each loss was taken.

    Old chats lose what only a resume in their middle needs (rows of window layers), then their
    ends, leaf by leaf. The open chat comes last.

    Args:
        nodes: All nodes of the tree, parents before children.
        groups: The groups of the layers.
        open_path: The nodes of the chat that was used last.
        spared: Nodes that must stay as they are.
    """
    others = [node for node in nodes if node not in open_path and node not in spared]
    mine = [node for node in nodes if node in open_path and node not in spared]
    for chosen in (others, mine):
        nearest = _nearest_leaves(nodes)
        yield from (("thin", node) for node in _thinnable(chosen, groups, nearest))
        # A parent was used no earlier than its children, so they come first here.
        for node in sorted(chosen, key=lambda node: (node.used, -node.start)):
            if node.segment.is_loaded and not any(c.segment.is_loaded for c in node.children):
                yield "drop", node


def _thinnable(
    nodes: Sequence[Node], groups: Sequence[Group], nearest: dict[Node, int]
) -> Iterator[Node]:
    window = max((group.layout.window for group in groups), default=0)
    for node in sorted(nodes, key=lambda node: (node.used, node.start)):
        # The rows that a leaf below still looks into are what its chat goes on with.
        is_needed = any(nearest[child] - (window - 1) < child.start for child in node.children)
        is_whole = node.segment.is_loaded and not node.segment.is_thin(groups)
        if node.children and is_whole and not is_needed:
            yield node


def _nearest_leaves(nodes: Sequence[Node]) -> dict[Node, int]:
    """For each node the length of the shortest path that ends below it."""
    nearest: dict[Node, int] = {}
    for node in reversed(nodes):
        nearest[node] = min((nearest[child] for child in node.children), default=node.stop)
    return nearest
