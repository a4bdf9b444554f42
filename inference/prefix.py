"""The tree of kept prefixes: no token is read twice while there is memory to remember it.

A node owns the keys and values of its own run of tokens alone, so memory is proportional to the
distinct tokens kept, not to turns or branches:

    bytes = sum over nodes of  n * full + min(n, window - 1) * windowed + state

with n the node's tokens, `full` and `windowed` one token's keys and values in all full and all
window layers, and `state` what is kept once a node: a recurrent state, the last hidden state.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from inference.node import Node, TokenArray, matched
from inference.segments import Group, Segment, assemble, groups_of, take

if TYPE_CHECKING:
    from inference.caches import CacheLayout
    from inference.context import Context
    from inference.grid import Grid

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """A node, and how many tokens of the path to it are meant."""

    node: Node
    length: int


class PrefixTree:
    """Kept prefixes of one loaded model, within a budget of bytes.

    Live contexts that the tree made count against the budget as long as they exist. A live context
    never depends on a node: any node may be let go of at any time.

    Attributes:
        budget: Bytes that nodes and live contexts may take together.
        grid: Where prompts are cut.
    """

    def __init__(
        self,
        make_context: Callable[[], Context],
        layout: CacheLayout,
        grid: Grid,
        budget: int,
    ) -> None:
        self.budget = budget
        self.grid = grid
        self.root = Node.root()
        self.groups: tuple[Group, ...] = groups_of(layout)
        self._make_context = make_context
        self._live: weakref.WeakSet[Context] = weakref.WeakSet()
        self._open = self.root
        self._clock = 0
        self._node_bytes = 0

    @property
    def node_bytes(self) -> int:
        """Bytes of all nodes."""
        return self._node_bytes

    @property
    def bytes(self) -> int:
        """Bytes of all nodes and of the live contexts."""
        return self._node_bytes + sum(context.nbytes for context in self._live)

    @property
    def n_nodes(self) -> int:
        """How many nodes there are."""
        return sum(1 for _ in self.root.below()) - 1

    def new_context(self) -> Context:
        """An empty context that counts against the budget."""
        context = self._make_context()
        self.watch(context)
        return context

    def watch(self, context: Context) -> None:
        """Count a context against the budget as long as it lives."""
        self._live.add(context)
        context.grew = self.fit

    def covered(self, ids: Sequence[int]) -> int:
        """How many of the first tokens would not be read again."""
        return self._resume_place(np.asarray(ids, np.int32)).length

    def restore(self, ids: Sequence[int], conversation: str = "", spare: int = 256) -> Context:
        """Make a context that holds the longest kept prefix of `ids`.

        It holds all of them only where the last token's hidden state is kept too, so that there
        always are logits to go on with.

        Args:
            ids: The whole prompt.
            conversation: Whose prompt it is.
            spare: Tokens that the context should have room for beyond the prompt.
        """
        place = self._resume_place(np.asarray(ids, np.int32))
        path = place.node.path()
        self._touch(path, conversation)
        self._open = place.node
        room = len(ids) - place.length + spare
        place = self._affordable(place, room)
        context = self.new_context()
        if place.length == 0:
            return context
        path = place.node.path()
        segments = [node.segment for node in path]
        assemble(context, self.groups, segments, place.length, room)
        context.resume_at(place.node.path_tokens(place.length).tolist())
        if place.length == place.node.stop:
            context.hidden = segments[-1].hidden
        return context

    def read(
        self,
        context: Context,
        ids: Sequence[int],
        marks: Sequence[int] = (),
        conversation: str = "",
    ) -> Iterator[int]:
        """Read the rest of a prompt into a context, keeping what was read.

        Args:
            context: One that `restore` made for the same prompt.
            ids: The whole prompt.
            marks: Lengths that chats come back to: after the system prompt, after each turn before
                the suffix that asks for a reply, after each reply. The prompt's end is one.
            conversation: Whose prompt it is.

        Yields:
            How many tokens of the prompt are held, after each call. A reader that stops here loses
            nothing: what was read is kept.
        """
        at = len(context)
        try:
            for start, stop, is_end in self.grid.calls(at, len(ids), marks):
                context.feed(ids[start:stop], logits=stop == len(ids))
                context.settle()
                if is_end:
                    self.keep(context, conversation)
                at = stop
                yield at
        except GeneratorExit:
            if len(context) == at:
                self.keep(context, conversation)
            raise

    def keep(self, context: Context, conversation: str = "", row: int = 0) -> None:
        """Keep what a context holds, as far as it is not kept yet."""
        ids = np.asarray(context.row_tokens(row), np.int32)
        if not len(ids):
            return
        place = self._kept_place(context, ids)
        self._touch(place.node.path(), conversation)
        if place.length == len(ids):
            self._heal(context, place, row)
        else:
            place = self._grow(context, place, ids, row)
            self._touch(place.node.path(), conversation)
        self._open = place.node
        self.fit()

    def forget(self, conversation: str) -> None:
        """Let go of all that belongs to one conversation alone; "" lets go of everything."""
        if not conversation:
            for node in list(self.root.children):
                self._remove(node)
            return
        for node in list(self.root.below()):
            if conversation in node.conversations:
                node.conversations.discard(conversation)
                if not node.conversations and self._is_in_tree(node):
                    self._remove(node)

    def fit(self) -> None:
        """Let go of what was used longest ago until the budget is kept."""
        self._make_room(0, set())

    # ------------------------------------------------------------------------------ finding

    def _places(self, ids: TokenArray) -> Iterator[Place]:
        """Each node on whose path `ids` begins, and how far it goes along."""
        waiting = [Place(self.root, 0)]
        while waiting:
            place = waiting.pop()
            yield place
            for child in place.node.children:
                if child.start <= place.length:
                    n = matched(child.tokens, ids, child.start)
                    if n:
                        waiting.append(Place(child, child.start + n))

    def _kept_place(self, context: Context, ids: TokenArray) -> Place:
        """How far a context's tokens are kept already, computed by the same calls.

        Rows of other calls would differ in rounding: a context restored from a mixture of both
        would not be what the live one was, bit for bit.
        """
        best = Place(self.root, 0)
        for place in self._places(ids):
            ends = context.call_ends(place.node.start, place.length)
            length = place.node.agreed(place.length, ends, context.resumed_at)
            if length > best.length:
                best = Place(place.node, length)
        return best

    def _resume_place(self, ids: TokenArray) -> Place:
        """The place with the most tokens that can be resumed."""
        best = Place(self.root, 0)
        for place in self._places(ids):
            length = self._resume_length(place, len(ids))
            if length > best.length:
                best = Place(place.node, length)
        return best

    def _resume_length(self, place: Place, limit: int) -> int:
        node, most = place.node, place.length
        if most == limit and (node.segment.hidden is None or node.stop != limit):
            most = limit - 1
        ends = node.ends[node.ends <= most]
        if not len(ends):
            return 0
        length = int(ends[-1])
        return length if node.can_resume(length, self.groups) else 0

    # ------------------------------------------------------------------------------ growing

    def _grow(self, context: Context, place: Place, ids: TokenArray, row: int) -> Place:
        """Add a node for what follows a place."""
        start, stop = place.length, len(ids)
        segment = take(context, self.groups, row, start, stop)
        node = Node(place.node, ids[start:].copy(), segment, context.call_ends(start, stop))
        self._make_room(node.nbytes, set(place.node.path()))
        if self.bytes + node.nbytes > self.budget or not self._is_in_tree(place.node):
            return place
        place.node.children.append(node)
        self._node_bytes += node.nbytes
        return Place(node, stop)

    def _heal(self, context: Context, place: Place, row: int) -> None:
        """Give a node back the rows of window layers that it had to let go of."""
        node = place.node
        if node.stop != place.length:
            return
        lacks_hidden = node.segment.hidden is None and context.hidden is not None
        if node.segment.is_thin(self.groups) or lacks_hidden:
            before = node.nbytes
            node.segment = take(context, self.groups, row, node.start, node.stop)
            node.is_saved = False
            self._node_bytes += node.nbytes - before

    # --------------------------------------------------------------------------- letting go

    def _touch(self, path: Sequence[Node], conversation: str) -> None:
        self._clock += 1
        for node in path:
            node.used = self._clock
            node.conversations.add(conversation)

    def _affordable(self, place: Place, room: int) -> Place:
        """The deepest resumable place on a path whose copy fits beside the path itself."""
        while place.length:
            path = place.node.path()
            need = self._copy_bytes([node.segment for node in path], place.length, room)
            self._make_room(need, set(path))
            if self.bytes + need <= self.budget:
                return place
            place = self._shallower(place)
        return place

    def _shallower(self, place: Place) -> Place:
        """The next resumable place up the path; what is below it is let go of."""
        node = place.node
        while node.parent is not None:
            length, parent = node.start, node.parent
            if not node.children:
                self._remove(node)
            node = parent
            if node.parent is not None and node.can_resume(length, self.groups):
                return Place(node, length)
        return Place(self.root, 0)

    def _copy_bytes(self, path: Sequence[Segment], length: int, room: int) -> int:
        """Bytes of a live context with the first tokens of a path."""
        total = 0
        for i, group in enumerate(self.groups):
            part = path[-1].parts[i]
            if part is None:
                continue
            if group.layout.kind == "recurrent":
                total += part.nbytes
                continue
            row = part.nbytes // max(part.arrays[0].shape[2], 1)
            window = group.layout.window
            # A window cache keeps slack and spare columns: see `WindowCache`.
            columns = min(length, window - 1) + max(64, window // 4) if window else length + room
            total += row * columns
        return total

    def _make_room(self, need: int, protected: set[Node]) -> None:
        """Let go of nodes until `need` more bytes fit, least recently used first.

        Rows of window layers that only a resume inside an old chat needs go first, then whole
        chats, leaf by leaf, and the open chat last.
        """
        if self.bytes + need <= self.budget:
            return
        on_path = set(self._open.path()) | protected
        others = [node for node in self.root.below() if node.parent and node not in on_path]
        self._thin(others, need)
        self._drop_leaves(others, need)
        mine = sorted(on_path - protected, key=lambda node: node.start)
        self._thin(mine, need)
        self._drop_leaves(mine, need)

    def _thin(self, nodes: Sequence[Node], need: int) -> None:
        nearest = self._nearest_leaves()
        window = max((group.layout.window for group in self.groups), default=0)
        for node in sorted(nodes, key=lambda node: (node.used, node.start)):
            if self.bytes + need <= self.budget:
                return
            # The rows that a leaf below still looks into are what the chat goes on with.
            is_needed = any(nearest[c] - (window - 1) < c.start for c in node.children)
            if node.children and not is_needed and not node.segment.is_thin(self.groups):
                before = node.nbytes
                node.segment = node.segment.thinned(self.groups)
                self._node_bytes += node.nbytes - before

    def _nearest_leaves(self) -> dict[Node, int]:
        """For each node the length of the shortest path that ends below it."""
        nearest: dict[Node, int] = {}
        for node in reversed(list(self.root.below())):
            nearest[node] = min((nearest[c] for c in node.children), default=node.stop)
        return nearest

    def _drop_leaves(self, nodes: Sequence[Node], need: int) -> None:
        waiting = sorted(nodes, key=lambda node: (node.used, -node.start))
        while waiting and self.bytes + need > self.budget:
            leaf = next((node for node in waiting if not node.children), None)
            if leaf is None:
                return
            waiting.remove(leaf)
            self._remove(leaf)

    def _remove(self, node: Node) -> None:
        """Take a node and all below it out of the tree."""
        assert node.parent is not None
        self._node_bytes -= sum(gone.nbytes for gone in node.below())
        node.parent.children.remove(node)
        if not self._is_in_tree(self._open):
            self._open = node.parent

    def _is_in_tree(self, node: Node) -> bool:
        while node.parent is not None:
            if node not in node.parent.children:
                return False
            node = node.parent
        return node is self.root
