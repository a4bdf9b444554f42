"""What a cell gave, in one form for the grid, the suites, the files and the store."""

from __future__ import annotations

from dataclasses import dataclass

from app.lab.plan import Place
from app.store.rows import StoredToken
from inference import FinishReason, RunRecord


@dataclass(frozen=True, slots=True)
class CellResult:
    """One cell, done.

    Attributes:
        reason: Why it ended; None when it failed or was scored.
        error: One sentence when it failed.
        total_logprob: Score mode: the log-likelihood of the wished answer (natural logarithm).
        schema_fault: What does not conform to the plan's schema; "" when all does, or none is set.
    """

    place: Place
    text: str = ""
    thought: str = ""
    reason: FinishReason | None = None
    error: str = ""
    record: RunRecord | None = None
    details: tuple[StoredToken, ...] = ()
    total_logprob: float | None = None
    schema_fault: str = ""

    @property
    def n_tokens(self) -> int:
        """How many tokens were spoken, or scored."""
        return self.record.generated_tokens if self.record else len(self.details)

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.record.prefill_seconds + self.record.decode_seconds if self.record else 0.0

    @property
    def tokens_per_second(self) -> float:
        """How fast it was written."""
        return self.record.tokens_per_second if self.record else 0.0
