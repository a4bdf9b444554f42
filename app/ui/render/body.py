"""The documents that show growing blocks: prose packed together, code and tables alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.ui.render.code import CodeDocument
from app.ui.render.prose import ProseDocument
from app.ui.render.table import TableDocument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.ui.render.blocks import Block
    from app.ui.render.style import Style

PROSE_SIZE = 2000

Document = ProseDocument | CodeDocument | TableDocument


@dataclass(slots=True, eq=False)
class Part:
    """One document and how it stands to its neighbours.

    Attributes:
        first: Its first block. `last` is its last.
        gap: Distance to the part above, in pixels.
        indent: How many lists and quotes it stands in.
        changed: It was not painted since it changed.
    """

    document: Document
    first: Block
    last: Block
    gap: float
    indent: int = 0
    changed: bool = True

    @property
    def source(self) -> tuple[int, int]:
        """Where in the source its blocks begin and end."""
        return self.first.source[0], self.last.source[1]


class Body:
    """Keeps documents in step with blocks; lives on the GUI thread.

    Invariant: the parts show the frozen blocks, then the open ones, and how blocks are packed into
    parts depends on the blocks alone.
    """

    def __init__(self, style: Style) -> None:
        self._style = style
        self._open: list[Block] = []
        self._homes: list[tuple[int, int]] = []  # part and place in it, of each open block
        self.parts: list[Part] = []

    def apply(self, frozen: Sequence[Block], still_open: Sequence[Block]) -> int:
        """Show more; returns the index of the first part that changed."""
        wanted = [*frozen, *still_open]
        same = 0
        shown = self._open
        while same < min(len(shown), len(wanted)) and shown[same] == wanted[same]:
            same += 1
        changed = len(self.parts)
        if same < len(shown):
            changed = self._homes[same][0]
            if same < len(wanted) and self._grow_in_place(same, wanted[same]):
                same += 1
            self._drop_from(same)
        elif wanted[same:]:
            changed = max(len(self.parts) - 1, 0)
        self._append(wanted[same:])
        for i, block in enumerate(wanted[: len(frozen)]):
            if block.kind == "code":
                self._finish_code(self._homes[i][0])
        del self._homes[: len(frozen)]
        self._open = list(still_open)
        return changed

    def split(self, at: int) -> Body:
        """Give the parts from an index on to another body; those before must be frozen."""
        assert not self._homes or self._homes[0][0] >= at
        rest = Body(self._style)
        rest.parts = self.parts[at:]
        rest._open, self._open = self._open, []
        rest._homes = [(part - at, place) for part, place in self._homes]
        self._homes = []
        del self.parts[at:]
        return rest

    @property
    def n_frozen(self) -> int:
        """How many parts will not change any more."""
        return self._homes[0][0] if self._homes else max(len(self.parts) - 1, 0)

    def _finish_code(self, index: int) -> None:
        document = self.parts[index].document
        if isinstance(document, CodeDocument):
            document.finish()

    def _grow_in_place(self, index: int, block: Block) -> bool:
        """Code and tables take what is new without being made again."""
        part = self.parts[self._homes[index][0]]
        old = part.first
        document = part.document
        if (block.kind, block.path, block.language) != (old.kind, old.path, old.language):
            return False
        if isinstance(document, CodeDocument):
            document.set_text(block.text)
        elif isinstance(document, TableDocument):
            document.set_block(block)
        else:
            return False
        part.first = part.last = block
        part.changed = True
        return True

    def _drop_from(self, index: int) -> None:
        if index >= len(self._homes):
            return
        part_index, place = self._homes[index]
        part = self.parts[part_index]
        if place and isinstance(part.document, ProseDocument):
            part.document.replace_from(place, ())
            part.last = part.document.blocks[-1]
            del self.parts[part_index + 1 :]
        else:
            del self.parts[part_index:]
        del self._homes[index:]

    def _append(self, blocks: Sequence[Block]) -> None:
        waiting: list[Block] = []
        for block in blocks:
            if block.kind in {"code", "table"}:
                self._flush(waiting)
                self._add_alone(block)
            else:
                waiting.append(block)
        self._flush(waiting)

    def _flush(self, waiting: list[Block]) -> None:
        for block in waiting:
            part = self.parts[-1] if self.parts else None
            document = part.document if part else None
            if part is None or not isinstance(document, ProseDocument) or is_full(document):
                document = ProseDocument(self._style)
                part = self._new_part(document, block)
            document.replace_from(len(document.blocks), (block,))
            part.last = block
            part.changed = True
            self._homes.append((len(self.parts) - 1, len(document.blocks) - 1))
        waiting.clear()

    def _add_alone(self, block: Block) -> None:
        document: Document
        if block.table is not None:
            document = TableDocument(self._style, block)
        else:
            document = CodeDocument(self._style, block.language)
            document.set_text(block.text)
        self._new_part(document, block)
        self._homes.append((len(self.parts) - 1, 0))

    def _new_part(self, document: Document, block: Block) -> Part:
        before = self.parts[-1].last if self.parts else None
        indent = len(block.path) if not isinstance(document, ProseDocument) else 0
        part = Part(document, block, block, self._style.gap(before, block), indent)
        self.parts.append(part)
        return part


def is_full(document: ProseDocument) -> bool:
    """Whether the next block should begin a document of its own."""
    return document.size >= PROSE_SIZE
