"""One call to the child, from its sending to its last word, or to where nobody listens any more."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from inference.process.pipes import POLL_MS, PipeClosedError
from inference.process.wire import Call, Happened, Raised, Report, Returned

if TYPE_CHECKING:
    from inference.process.keeper import Keeper


class Talk:
    """One call. Of the child's reports only those of this call are heard."""

    def __init__(self, keeper: Keeper, call: Call) -> None:
        self._keeper = keeper
        self.number = call.number
        self.is_over = False
        keeper.call(call)

    def receive(self) -> Happened | Returned | None:
        """Give the next report, or None when none came within one look.

        Raises:
            PipeClosedError: The child is gone.
            InferenceError: What the engine raised.
        """
        report = self._next(POLL_MS)
        if isinstance(report, Raised):
            raise report.error
        return report

    def leave(self, grace_seconds: float) -> bool:
        """Stop the call and listen on for a moment, so that a child that follows is soon free.

        Returns:
            Whether the child followed; otherwise its keeper watches that it does.
        """
        self._keeper.stop(self.number)
        self._keeper.leave(self.number)
        deadline = time.monotonic() + grace_seconds
        while not self.is_over and time.monotonic() < deadline:
            try:
                self._next(POLL_MS)
            except PipeClosedError:
                return False
        return self.is_over and self._keeper.rejoin()

    def _next(self, wait_ms: float) -> Report | None:
        report = self._keeper.receive(wait_ms)
        if report is None or report.number != self.number:
            return None
        self.is_over = isinstance(report, Returned | Raised)
        return report
