"""A conversation as a tree of messages. Pure Python: no window, no file, no engine.

Every edit and every further reply is a new child of the same parent, so no version is ever
overwritten. What is shown and sent is the visible path: from the root to the chosen leaf.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.store.rows import Node


class Conversation:
    """The tree and its visible path.

    Invariant: the leaf, if any, is in the tree, and the path is its ancestors and itself.
    """

    def __init__(self, nodes: Iterable[Node] = (), leaf: int | None = None) -> None:
        self._nodes: dict[int, Node] = {}
        self._children: dict[int | None, list[int]] = {}
        self._leaf: int | None = None
        for node in nodes:
            # A message whose parent lies in the trash is not shown either.
            if node.parent_id is None or node.parent_id in self._nodes:
                self._insert(node)
        if leaf in self._nodes:
            self._leaf = leaf
        elif self._nodes:
            self._leaf = self.newest_leaf(None)

    # ------------------------------------------------------------------------------ reading

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, message_id: object) -> bool:
        return message_id in self._nodes

    @property
    def leaf(self) -> int | None:
        """The last message of the visible path."""
        return self._leaf

    def node(self, message_id: int) -> Node:
        """Give one message.

        Raises:
            KeyError: There is none of that id.
        """
        return self._nodes[message_id]

    def nodes(self) -> tuple[Node, ...]:
        """Give every message, parents before children."""
        return tuple(self._nodes.values())

    def path(self, to: int | None = None) -> tuple[Node, ...]:
        """Give the messages from the root to the leaf, or to another message."""
        at = self._leaf if to is None else to
        found: list[Node] = []
        while at is not None:
            node = self._nodes[at]
            found.append(node)
            at = node.parent_id
        return tuple(reversed(found))

    def children(self, message_id: int | None) -> tuple[int, ...]:
        """Give the messages that follow one directly, the oldest first; `None` gives the roots."""
        return tuple(self._children.get(message_id, ()))

    def version(self, message_id: int) -> tuple[int, int]:
        """Tell which of how many versions a message is, counted from 1."""
        siblings = self._siblings(message_id)
        return siblings.index(message_id) + 1, len(siblings)

    def newest_leaf(self, message_id: int | None) -> int | None:
        """Follow the newest child of each message down to a leaf."""
        at = message_id
        while below := self._children.get(at):
            at = below[-1]
        return at

    def last_of(self, role: str) -> Node | None:
        """Give the last message of a role on the visible path."""
        return next((node for node in reversed(self.path()) if node.role == role), None)

    def n_leaves(self) -> int:
        """Count the ends of the tree."""
        return sum(1 for i in self._nodes if not self._children.get(i))

    def _siblings(self, message_id: int) -> list[int]:
        return self._children[self._nodes[message_id].parent_id]

    # ------------------------------------------------------------------------------ changing

    def add(self, node: Node) -> None:
        """Add a message and make it the end of the visible path."""
        assert node.parent_id is None or node.parent_id in self._nodes
        self._insert(node)
        self._leaf = node.id

    def replace(self, node: Node) -> None:
        """Put a message in the place of its older self (a reply that grew or ended)."""
        assert node.id in self._nodes
        self._nodes[node.id] = node

    def show(self, message_id: int) -> int | None:
        """Make the visible path run through a message, on to the newest leaf below it.

        Returns:
            The leaf.
        """
        self._leaf = self.newest_leaf(message_id)
        return self._leaf

    def show_exactly(self, message_id: int | None) -> None:
        """Make a message the end of the visible path, whatever follows it (Branch)."""
        assert message_id is None or message_id in self._nodes
        self._leaf = message_id

    def show_version(self, message_id: int, step: int) -> int | None:
        """Show the version so many steps after (or before) a message; the ends hold.

        Returns:
            The new leaf.
        """
        siblings = self._siblings(message_id)
        place = min(max(siblings.index(message_id) + step, 0), len(siblings) - 1)
        return self.show(siblings[place])

    def remove(self, message_id: int) -> None:
        """Take a message and all that follows it out of the tree.

        The visible path ends at the nearest sibling's newest leaf, or else at the parent.
        """
        node = self._nodes[message_id]
        on_path = any(one.id == message_id for one in self.path())
        siblings = self._children[node.parent_id]
        place = siblings.index(message_id)
        siblings.remove(message_id)
        for gone in self._below(message_id):
            del self._nodes[gone]
            self._children.pop(gone, None)
        if on_path:
            beside = siblings[max(place - 1, 0)] if siblings else None
            self._leaf = node.parent_id if beside is None else self.newest_leaf(beside)

    def _below(self, message_id: int) -> list[int]:
        found = [message_id]
        for i in found:
            found += self._children.get(i, [])
        return found

    def _insert(self, node: Node) -> None:
        if node.id not in self._nodes:
            self._children.setdefault(node.parent_id, []).append(node.id)
        self._nodes[node.id] = node
