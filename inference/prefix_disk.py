"""Between the prefix tree and its files: which nodes the disk has, and which it should have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from inference.node import Node
from inference.prefix_files import chat_key
from inference.segment_file import Header

if TYPE_CHECKING:
    from inference.prefix_files import PrefixFiles
    from inference.segments import Group


class PrefixDisk:
    """A tree's tier on disk."""

    def __init__(self, files: PrefixFiles, groups: Sequence[Group]) -> None:
        self._files = files
        self._groups = groups
        self._headers: dict[str, Header] = {}
        self._noted: dict[str, set[str]] = {}

    @property
    def bytes(self) -> int:
        """Bytes of the files of all models."""
        return self._files.bytes

    def index(self, root: Callable[[int | None], Node]) -> Iterator[Node]:
        """Add a node without rows for each file; give the nodes, parents first.

        Args:
            root: Gives the root of the tree for a number of bits.
        """
        needed = self._files.conversations_of()
        added: dict[str, Node] = {}
        for header in self._files.index():
            parent = added.get(header.parent) if header.parent else root(header.kv_bits)
            if parent is None or len(header.firsts) != len(self._groups):
                continue
            segment = header.segment
            node = Node(parent, header.tokens, segment, header.ends.tolist())
            node.name, node.on_disk = header.name, segment
            node.conversations = set(needed.get(header.name, ()))
            parent.children.append(node)
            added[header.name] = node
            self._headers[header.name] = header
            yield node

    def size_of(self, node: Node) -> int:
        """Bytes of a node's file."""
        return self._files.size_of(node.name)

    def load(self, node: Node) -> bool:
        """Read a node's rows; tell whether they are in memory now."""
        segment = self._files.load(self._headers[node.name], self._groups)
        if segment is None:
            return False
        node.segment = segment
        return True

    def save(self, nodes: Sequence[Node], should_stop: Callable[[], bool]) -> None:
        """Write the nodes of saved conversations that the disk does not have as they are now.

        Args:
            nodes: All nodes, parents before children.
            should_stop: Asked before each file.
        """
        wanted = [node for node in nodes if node.conversations - {""}]
        self._files.touch(node.name for node in wanted if node.name)
        for node in wanted:
            if should_stop():
                break
            if node.segment.is_loaded and self._is_better(node):
                self._write(node)
        self._note([node for node in wanted if node.name])

    def forget(self, conversation: str) -> None:
        """Remove the files that one conversation alone needs; "" removes everything."""
        self._files.forget(conversation)
        self._noted.pop(chat_key(conversation), None)
        if not conversation:
            self._noted.clear()

    def _is_better(self, node: Node) -> bool:
        """Whether memory has more of a node than the disk."""
        if node.on_disk is None:
            return True
        disk, memory = node.on_disk, node.segment
        gains_rows = disk.is_thin(self._groups) and not memory.is_thin(self._groups)
        return gains_rows or (memory.has_hidden and not disk.has_hidden)

    def _write(self, node: Node) -> None:
        parent = node.parent
        assert parent is not None
        if parent.parent is not None and not parent.name:
            return  # its beginning could not be written
        header = Header(
            self._files.fingerprint,
            parent.name,
            node.start,
            node.tokens,
            node.ends,
            tuple(None if part is None else part.first for part in node.segment.parts),
            node.segment.has_hidden,
            node.kv_bits,
        )
        if self._files.write(header, node.segment):
            node.name, node.on_disk = header.name, header.segment
            self._headers[header.name] = header

    def _note(self, nodes: Sequence[Node]) -> None:
        needed: dict[str, set[str]] = {}
        for node in nodes:
            for key in node.conversations - {""}:
                needed.setdefault(key, set()).add(node.name)
        for key, names in needed.items():
            if names - self._noted.get(key, set()):
                self._files.note(key, names)
                self._noted[key] = names
