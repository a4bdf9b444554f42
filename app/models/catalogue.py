"""The curated list of Gemma conversions, and which of them suits this machine.

Its numbers are for choosing before anything is fetched; once a model is here, its own files tell.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

Verdict = Literal["fits", "tight", "too big"]

FITS, TIGHT = 0.65, 0.80  # of what the device can hold, as when a model is loaded
SCRATCH_BYTES = 750_000_000  # an estimate of what reading a prompt needs
DEVICE_SHARE = 0.75  # of the memory, where the device was not asked
RECOMMENDED_TOKENS = 8_192


@dataclass(frozen=True, slots=True)
class Offer:
    """One model that can be fetched.

    Attributes:
        size_bytes: About what it takes on the disk and in memory; `size_source` says how we know.
        window_bytes: Keys and values of all window layers, which stop growing.
        bytes_per_token: Keys and values of the other layers, for each token of context.
        recommended_from_gb: The memory from which it is the one to take; 0 never.
    """

    repository: str
    name: str
    family: str
    quantisation: str
    size_bytes: int
    size_source: str
    minimum_memory_gb: int
    comfortable_memory_gb: int
    context_tokens: int
    window_bytes: int
    bytes_per_token: int
    licence: str
    recommended_from_gb: int
    note: str

    def needed_bytes(self, context_tokens: int) -> int:
        """Weights, keys and values at a context, and room to read a prompt."""
        tokens = min(context_tokens, self.context_tokens)
        cache = self.window_bytes + tokens * self.bytes_per_token
        return self.size_bytes + cache + SCRATCH_BYTES


def read_catalogue() -> tuple[Offer, ...]:
    """Read the list that ships with the program."""
    text = files("resources").joinpath("catalogue.json").read_text(encoding="utf-8")
    return tuple(Offer(**entry) for entry in json.loads(text)["models"])


def memory_bytes() -> int:
    """How much memory this machine has."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def verdict(needed_bytes: int, limit_bytes: int) -> Verdict:
    """Hold a need against what the device can hold at once."""
    share = needed_bytes / max(limit_bytes, 1)
    return "fits" if share <= FITS else "tight" if share <= TIGHT else "too big"


def recommend(offers: tuple[Offer, ...], memory: int, limit_bytes: int) -> Offer | None:
    """The one to take on a machine: the largest meant for its memory that is not too big."""
    meant = [
        offer
        for offer in offers
        if 0 < offer.recommended_from_gb <= round(memory / 1024**3)
        and verdict(offer.needed_bytes(RECOMMENDED_TOKENS), limit_bytes) != "too big"
    ]
    return max(meant, key=lambda offer: offer.recommended_from_gb, default=None)
