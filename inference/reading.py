"""Reading a prompt: in chunks, watched, stoppable; what was read stays read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import mlx.core as mx

from inference.guard import Guard, cache_faults, faults, first_faulty_layer
from inference.watch import Watch

if TYPE_CHECKING:
    from inference.context import Context
    from inference.prefix import PrefixTree


class Reading:
    """One prompt being read into a context that the tree restored for it.

    Attributes:
        logits: Those after the last token, once all was read. Shapes: (1, V).
    """

    def __init__(
        self,
        context: Context,
        tree: PrefixTree,
        guard: Guard,
        conversation: str,
        watch: Watch | None = None,
    ) -> None:
        self.logits: mx.array | None = None
        self._context = context
        self._tree = tree
        self._guard = guard
        self._conversation = conversation
        self._watch = watch or Watch()

    def run(
        self, ids: Sequence[int], marks: Sequence[int], should_stop: Callable[[], bool]
    ) -> Iterator[int]:
        """Read chunk by chunk; yield how many tokens are held after each.

        Ends early when asked to stop; what was read is kept then, too. A chunk is kept only once
        its numbers were found finite.

        Raises:
            NumericError: They are not finite, even in float32.
        """
        held = len(self._context.tokens)
        if held == len(ids) and not should_stop():
            self.logits = self._context.logits()
            yield held
            return
        for start, stop, is_end in self._tree.grid.calls(held, len(ids), marks):
            if should_stop():
                self._tree.keep(self._context, self._conversation)
                return
            self._read(ids[start:stop], is_last=stop == len(ids))
            if is_end:
                self._tree.keep(self._context, self._conversation)
            yield stop

    def _read(self, ids: Sequence[int], is_last: bool) -> None:
        """Read one chunk; if its numbers are not finite, read it again in float32."""
        if not self._call(ids, is_last):
            return
        context, n = self._context, len(ids)
        context.rollback(n)
        layer = first_faulty_layer(context.network.layers, lambda: context.feed(ids))
        context.rollback(n)
        self._guard.begin_window(0, layer)
        if self._call(ids, is_last):
            context.rollback(n)
            self._guard.begin_window(0, -1)  # raises: it was float32 already
        if not is_last:
            self._guard.end_window()

    def _call(self, ids: Sequence[int], is_last: bool) -> bool:
        """Read; tell whether the numbers are faulty."""
        context = self._context
        with self._watch.looking(context.network.layers, 0 if is_last else -1):
            logits = context.feed(ids, logits=is_last)
        faulty = cache_faults(context.caches, len(ids))
        if logits is not None:
            faulty = mx.any(faults(logits)) | faulty
        context.settle()
        self.logits = logits
        return bool(faulty.item())
