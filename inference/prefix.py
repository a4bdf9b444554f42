"""The tree of kept prefixes: no token is read twice while there is memory to remember it.

A node owns the keys and values of its own run of tokens alone, so memory is proportional to the
distinct tokens kept, not to turns or branches:

    bytes = sum over nodes of  n * full + min(n, window - 1) * windowed + state

with n the node's tokens, `full` and `windowed` one token's keys and values in all full and all
window layers, and `state` what is kept once a node: a recurrent state, the last hidden state.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from inference.eviction import losses
from inference.node import Node, TokenArray, matched
from inference.prefix_disk import PrefixDisk
from inference.prefix_files import chat_key
from inference.segments import Group, assemble, groups_of, take

if TYPE_CHECKING:
    from inference.caches import CacheLayout
    from inference.context import Context
    from inference.grid import Grid
    from inference.prefix_files import PrefixFiles
    from inference.segments import Segment

KvBits = int | None


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
        budget: Bytes that nodes and live contexts may take together. A running conversation is
            never refused for it: what it takes alone is for the caller to bound.
        grid: Where prompts are cut.
    """

    def __init__(
        self,
        make_context: Callable[[KvBits], Context],
        layout: CacheLayout,
        grid: Grid,
        budget: int,
        files: PrefixFiles | None = None,
    ) -> None:
        self.budget = budget
        self.grid = grid
        self.groups: tuple[Group, ...] = groups_of(layout)
        self._make_context = make_context
        self._roots: dict[KvBits, Node] = {None: Node.root()}
        self._live: weakref.WeakSet[Context] = weakref.WeakSet()
        self._parked: Context | None = None
        self._open = self._roots[None]
        self._clock = 0
        self._node_bytes = 0
        self._disk = None if files is None else PrefixDisk(files, self.groups)
        if self._disk is not None:
            for header_node in self._disk.index(self._root):
                self._node_bytes += header_node.nbytes

    @property
    def node_bytes(self) -> int:
        """Bytes of all nodes."""
        return self._node_bytes

    @property
    def bytes(self) -> int:
        """Bytes of all nodes and of the live contexts."""
        return self._node_bytes + sum(context.nbytes for context in self._live)

    @property
    def disk_bytes(self) -> int:
        """Bytes of the files of all models."""
        return 0 if self._disk is None else self._disk.bytes

    @property
    def nodes(self) -> list[Node]:
        """All nodes, parents before children."""
        found = [node for root in self._roots.values() for node in root.below()]
        return [node for node in found if node.parent is not None]

    def new_context(self, kv_bits: KvBits = None) -> Context:
        """An empty context that counts against the budget."""
        context = self._make_context(kv_bits)
        self.watch(context)
        return context

    def watch(self, context: Context) -> None:
        """Count a context against the budget as long as it lives."""
        self._live.add(context)
        context.grew = self._on_growth

    def covered(self, ids: Sequence[int], kv_bits: KvBits = None) -> int:
        """How many of the first tokens would not be read again."""
        return self._resume_place(np.asarray(ids, np.int32), kv_bits).length

    def restore(
        self,
        ids: Sequence[int],
        conversation: str = "",
        spare: int = 256,
        kv_bits: KvBits = None,
        rotates_at: int | None = None,
    ) -> Context:
        """Make a context that holds the longest kept prefix of `ids`.

        It holds all of them only where the last token's hidden state is kept too, so that there
        always are logits to go on with.

        Args:
            ids: The whole prompt.
            conversation: Whose prompt it is; "" is one that never goes to disk.
            spare: Tokens that the context should have room for beyond the prompt.
            kv_bits: How the rows of full layers are quantised; such rows are kept apart.
            rotates_at: As in `Context`. What such a context held when it was kept is taken up
                again, which need not be all of its tokens.
        """
        if rotates_at is not None:
            parked = self._unparked(ids, kv_bits, rotates_at)
            if parked is not None:
                return parked
        wanted = np.asarray(ids, np.int32)
        place = self._loaded_place(wanted, kv_bits)
        self._touch(place.node.path(), conversation)
        self._open = place.node
        place = self._affordable(place, len(ids) + spare)
        context = self.new_context(kv_bits)
        context.rotates_at = rotates_at
        if place.length:
            segments = [node.segment for node in place.node.path()]
            room = len(ids) + spare - place.length
            assemble(context, self.groups, segments, place.length, room)
            context.resume_at(wanted[: place.length].tolist())
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

    def keep(
        self, context: Context, conversation: str = "", row: int = 0, upto: int | None = None
    ) -> None:
        """Keep what a context holds, as far as it is not kept yet.

        Of contexts that are not exact any more the latest one is kept, as it is.

        Args:
            context: What to keep.
            conversation: Whose it is.
            row: Which batch row.
            upto: How many of its tokens; None is all. A window layer must still hold the rows that
                the tokens after them can see.
        """
        ids = np.asarray(context.row_tokens(row)[:upto], np.int32)
        if not context.is_exact:
            self._parked = context
            return
        if not len(ids) or not self.budget:
            return
        place = self._kept_place(context, ids)
        if place.length == len(ids):
            self._heal(context, place, row)
        else:
            place = self._grow(context, place, ids, row)
        self._touch(place.node.path(), conversation)
        self._open = place.node
        self.fit()

    def save(self, should_stop: Callable[[], bool]) -> None:
        """Write what saved conversations need after a restart; for when nobody waits."""
        if self._disk is not None:
            self._disk.save(self.nodes, should_stop)

    def forget(self, conversation: str) -> None:
        """Let go of all that belongs to one conversation alone; "" lets go of everything."""
        key = chat_key(conversation)
        self._parked = None
        for node in self.nodes:
            node.conversations.discard(key)
            if (not key or not node.conversations) and self._is_in_tree(node):
                self._remove(node)
        if self._disk is not None:
            self._disk.forget(conversation)

    def _on_growth(self, context: Context) -> None:
        """A context, or one that was made of it, may have grown."""
        self._live.add(context)
        self.fit()

    def fit(self) -> None:
        """Let go of what was used longest ago until the budget is kept."""
        self._make_room(0, ())

    # ------------------------------------------------------------------------------ finding

    def _root(self, kv_bits: KvBits) -> Node:
        return self._roots.setdefault(kv_bits, Node.root(kv_bits))

    def _places(self, ids: TokenArray, kv_bits: KvBits) -> Iterator[Place]:
        """Each node on whose path `ids` begins, and how far it goes along."""
        waiting = [Place(self._root(kv_bits), 0)]
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
        best = Place(self._root(context.kv_bits), 0)
        for place in self._places(ids, context.kv_bits):
            ends = context.call_ends(place.node.start, place.length)
            length = place.node.agreed(place.length, ends, context.resumed_at)
            if length > best.length:
                best = Place(place.node, length)
        return best

    def _resume_place(self, ids: TokenArray, kv_bits: KvBits) -> Place:
        """The place with the most tokens that can be resumed."""
        best = Place(self._root(kv_bits), 0)
        for place in self._places(ids, kv_bits):
            length = self._resume_length(place, len(ids))
            if length > best.length:
                best = Place(place.node, length)
        return best

    def _resume_length(self, place: Place, limit: int) -> int:
        node, most = place.node, place.length
        if most == limit and not (node.segment.has_hidden and node.stop == limit):
            most = limit - 1
        ends = node.ends[node.ends <= most]
        length = int(ends[-1]) if len(ends) else 0
        return length if length and node.can_resume(length, self.groups) else 0

    def _unparked(self, ids: Sequence[int], kv_bits: KvBits, rotates_at: int) -> Context | None:
        """Take up the context that was kept as it was, if it begins the prompt."""
        context, self._parked = self._parked, None
        if context is None or (context.kv_bits, context.rotates_at) != (kv_bits, rotates_at):
            return None
        held = np.asarray(context.tokens, np.int32)
        common = matched(held, np.asarray(ids, np.int32), 0)
        if common == len(ids) and (common < len(held) or context.hidden is None):
            common -= 1
        if len(held) - common > context.room():
            return None
        context.rollback(len(held) - common)
        return context

    def _loaded_place(self, ids: TokenArray, kv_bits: KvBits) -> Place:
        """The place to resume at, with all of its path in memory."""
        while True:
            place = self._resume_place(ids, kv_bits)
            path = place.node.path()
            lost = next((node for node in path if not self._load(node, path)), None)
            if lost is None:
                return place
            self._remove(lost)

    def _load(self, node: Node, path: Sequence[Node]) -> bool:
        """Make sure that a node's rows are in memory; tell whether they are."""
        if node.segment.is_loaded:
            return True
        if self._disk is None:
            return False
        self._make_room(self._disk.size_of(node), path)
        before = node.nbytes
        is_loaded = self._disk.load(node)
        self._node_bytes += node.nbytes - before
        return is_loaded

    # ------------------------------------------------------------------------------ growing

    def _grow(self, context: Context, place: Place, ids: TokenArray, row: int) -> Place:
        """Add a node for what follows a place."""
        start, stop = place.length, len(ids)
        segment = take(context, self.groups, row, start, stop)
        node = Node(place.node, ids[start:].copy(), segment, context.call_ends(start, stop))
        self._make_room(node.nbytes, place.node.path())
        if self.bytes + node.nbytes > self.budget:
            return place
        place.node.children.append(node)
        self._node_bytes += node.nbytes
        return Place(node, stop)

    def _heal(self, context: Context, place: Place, row: int) -> None:
        """Give a node back what it had to let go of, or never had."""
        node = place.node
        if node.stop != place.length or not node.segment.is_loaded:
            return
        lacks_hidden = not node.segment.has_hidden and context.hidden is not None
        if node.segment.is_thin(self.groups) or lacks_hidden:
            self._replace(node, lambda: take(context, self.groups, row, node.start, node.stop))

    # --------------------------------------------------------------------------- letting go

    def _touch(self, path: Sequence[Node], conversation: str) -> None:
        self._clock += 1
        for node in path:
            node.used = self._clock
            node.conversations.add(chat_key(conversation))

    def _affordable(self, place: Place, tokens: int) -> Place:
        """The deepest resumable place on a path whose copy fits beside the path itself."""
        while place.length:
            path = place.node.path()
            need = self._copy_bytes(path[-1], place.length, tokens)
            self._make_room(need, path)
            if self.bytes + need <= self.budget:
                return place
            place = self._shallower(place.node)
        return place

    def _shallower(self, node: Node) -> Place:
        """The next resumable place up the path; what is below it is let go of."""
        while node.parent is not None:
            length, parent = node.start, node.parent
            if not node.children:
                self._lose(node)
            node = parent
            if node.parent is not None and node.can_resume(length, self.groups):
                return Place(node, length)
        return Place(node, 0)

    def _copy_bytes(self, node: Node, length: int, tokens: int) -> int:
        """Bytes of a live context with the first tokens of a path, and room for all."""
        total = 0
        for group, part in zip(self.groups, node.segment.parts, strict=True):
            if part is not None and group.layout.kind == "recurrent":
                total += part.nbytes
            elif part is not None and part.nbytes:
                row = part.nbytes // part.arrays[0].shape[2]
                window = group.layout.window
                # A window cache has slack and spare columns, too: see `WindowCache`.
                spare = max(64, window // 4)
                total += row * (min(length, window - 1) + spare if window else tokens)
        return total

    def _make_room(self, need: int, spared: Sequence[Node]) -> None:
        """Let go of nodes until `need` more bytes fit, or nothing is left to let go of."""
        if self.bytes + need <= self.budget:
            return
        open_path = set(self._open.path())
        for loss, node in losses(self.nodes, self.groups, open_path, set(spared)):
            if loss == "thin":
                self._replace(node, lambda node=node: node.segment.thinned(self.groups))  # type: ignore[misc]
            else:
                self._lose(node)
            if self.bytes + need <= self.budget:
                return
        self._parked = None

    def _lose(self, node: Node) -> None:
        """Let go of a node's rows; where the disk has them it stays as a promise."""
        if node.on_disk is not None and not any(c.segment.is_loaded for c in node.children):
            on_disk = node.on_disk
            self._replace(node, lambda: replace(on_disk))
        else:
            self._remove(node)

    def _replace(self, node: Node, segment: Callable[[], Segment]) -> None:
        before = node.nbytes
        node.segment = segment()
        self._node_bytes += node.nbytes - before

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
        return True
