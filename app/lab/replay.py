"""An answer made again from its run record: identical, or where it first differs. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.store.rows import StoredToken
from inference import GenerationRequest, ModelInfo, RunRecord, TokenPrompt


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a replay found.

    Attributes:
        first_difference: Index of the first token that differs; None when there is none.
        original: The recorded token there, with its alternatives where they were kept.
        replayed: The replayed token there.
        differs_in: What is not as it was when the answer was made (model, engine, device).
    """

    identical: bool
    n_tokens: int
    first_difference: int | None = None
    original: StoredToken | None = None
    replayed: StoredToken | None = None
    differs_in: tuple[str, ...] = ()

    def sentence(self) -> str:
        """Say it plainly; tokens are counted from 1."""
        if self.identical:
            return f"Identical: all {self.n_tokens:,} tokens are the same."
        assert self.first_difference is not None
        why = f" ({', '.join(self.differs_in)} changed)" if self.differs_in else ""
        return f"First differs at token {self.first_difference + 1}{why}."


def replay_request(record: RunRecord, alternatives: int = 10) -> GenerationRequest:
    """Ask for the same tokens again, from the exact ids of the prompt.

    Raises:
        ValueError: The answer has no tokens to compare.
    """
    if not record.token_ids:
        raise ValueError("This answer has no tokens, so there is nothing to make again.")
    return GenerationRequest(
        TokenPrompt(record.prompt_ids),
        replace(record.sampling, seed=record.seed),
        max_tokens=len(record.token_ids),
        alternatives=alternatives,
    )


def why_not(record: RunRecord, info: ModelInfo | None) -> str:
    """Say in one sentence why a record cannot be replayed now; "" when it can."""
    if info is None:
        return f"No model is open; open {record.model_name} to make this answer again."
    if info.fingerprint != record.model_fingerprint:
        return (
            f"This answer was made by {record.model_name} ({record.quantisation}), which is not "
            "the open model; open that one to make it again. The record is kept."
        )
    return ""


def compare(
    record: RunRecord,
    again: RunRecord,
    details: Sequence[StoredToken] = (),
    again_details: Sequence[StoredToken] = (),
) -> Verdict:
    """Compare a record with its replay, token by token."""
    pairs = zip(record.token_ids, again.token_ids, strict=False)
    place = next((i for i, (a, b) in enumerate(pairs) if a != b), None)
    n = min(len(record.token_ids), len(again.token_ids))
    if place is None and len(record.token_ids) != len(again.token_ids):
        place = n
    changed = tuple(
        word
        for word, before, now in (
            ("the model", record.model_fingerprint, again.model_fingerprint),
            ("the engine", record.engine_version, again.engine_version),
            ("the device", record.device, again.device),
        )
        if before != now
    )
    if place is None:
        return Verdict(True, n, differs_in=changed)
    return Verdict(
        False, n, place, _at(details, place), _at(again_details, place), differs_in=changed
    )


def _at(details: Sequence[StoredToken], place: int) -> StoredToken | None:
    return details[place] if place < len(details) else None
