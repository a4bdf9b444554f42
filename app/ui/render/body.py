"""The documents that show growing blocks: prose packed together, code and tables alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.ui.render.code import CodeDocument
from app.ui.render.prose import ProseDocument
from app.ui.render.table import TableDocument, Weights

if TYPE_CHECKING:
    from app.ui.render.blocks import Block
    from app.ui.render.style import Style

PROSE_SIZE = 2000
TABLE_SIZE = 450
TABLE_CELLS = 60

Document = ProseDocument | CodeDocument | TableDocument


@dataclass(slots=True, eq=False)
class Part:
    """One document and how it stands to its neighbours.

    Attributes:
        first: Its first block. `last` is its last.
        gap: Distance to the part above, in pixels.
        indent: How many lists and quotes it stands in.
        changed: Its first block, code line or table row that was not painted since it changed.
    """

    document: Document
    first: Block
    last: Block
    gap: float
    indent: int = 0
    changed: int | None = 0

    def touch(self, place: int) -> None:
        """Note that it changed from a block, line or row on."""
        self.changed = place if self.changed is None else min(place, self.changed)

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
            if same < len(self._homes):
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
        """Let the document of a block show another in its place, without being made again.

        How blocks are packed does not change by it: what stands before the block is the same.
        """
        part_index, place = self._homes[index]
        part = self.parts[part_index]
        document = part.document
        if isinstance(document, CodeDocument):
            old = part.first
            if (block.kind, block.path, block.language) != ("code", old.path, old.language):
                return False
            part.touch(document.set_text(block.text))
        elif isinstance(document, TableDocument):
            if not _fits_table(document, place, block):
                return False
            document.replace_from(place, (block,))
            part.touch(place)
        else:
            if block.kind in {"code", "table"}:
                return False
            document.replace_from(place, (block,))
            part.touch(place)
        part.last = block
        if place == 0:
            before = self.parts[part_index - 1].last if part_index else None
            part.first, part.gap = block, self._style.gap(before, block)
            part.indent = 0 if isinstance(document, ProseDocument) else len(block.path)
        del self.parts[part_index + 1 :]
        del self._homes[index + 1 :]
        return True

    def _drop_from(self, index: int) -> None:
        part_index, place = self._homes[index]
        part = self.parts[part_index]
        if place and not isinstance(part.document, CodeDocument):
            part.document.replace_from(place, ())
            part.touch(place)
            part.last = part.document.blocks[-1]
            del self.parts[part_index + 1 :]
        else:
            del self.parts[part_index:]
        del self._homes[index:]

    def _append(self, blocks: Sequence[Block]) -> None:
        for block in blocks:
            if block.kind == "code":
                code = CodeDocument(self._style, block.language)
                code.set_text(block.text)
                self._new_part(code, block)
                self._homes.append((len(self.parts) - 1, 0))
                continue
            document = self._room_for(block)
            part = self.parts[-1]
            document.replace_from(len(document.blocks), (block,))
            part.last = block
            part.touch(len(document.blocks) - 1)
            self._homes.append((len(self.parts) - 1, len(document.blocks) - 1))

    def _room_for(self, block: Block) -> ProseDocument | TableDocument:
        """The last document if a block may join it, else a new one."""
        last = self.parts[-1].document if self.parts else None
        if block.table is None:
            if isinstance(last, ProseDocument) and last.size < PROSE_SIZE:
                return last
            prose = ProseDocument(self._style)
            self._new_part(prose, block)
            return prose
        weights: Weights = ()
        if isinstance(last, TableDocument) and block.continues:
            if last.size < TABLE_SIZE and last.n_cells < TABLE_CELLS:
                return last
            weights = last.weights
        table = TableDocument(self._style, len(block.table.aligns), weights)
        self._new_part(table, block)
        return table

    def _new_part(self, document: Document, block: Block) -> Part:
        before = self.parts[-1].last if self.parts else None
        indent = len(block.path) if not isinstance(document, ProseDocument) else 0
        part = Part(document, block, block, self._style.gap(before, block), indent)
        self.parts.append(part)
        return part


def _fits_table(document: TableDocument, place: int, block: Block) -> bool:
    """Whether a row can stand at a place of a table that is there."""
    if block.table is None:
        return False
    if place:
        return block.continues
    columns = len(block.table.aligns)
    return columns == document.n_columns and block.continues == document.blocks[0].continues
