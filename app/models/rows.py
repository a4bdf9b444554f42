"""What the page of models shows: plain values, no widgets and no files."""

from __future__ import annotations

from dataclasses import dataclass

CONTEXTS = (2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 262_144)


@dataclass(frozen=True, slots=True)
class FitRow:
    """Whether a model fits at a context.

    Attributes:
        verdict: "fits", "tight", "too big", or empty while it is not known.
        sentence: The sum, spelled out.
    """

    context_tokens: int
    verdict: str
    sentence: str


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model on this machine.

    Attributes:
        place: "app", "hub", "lmstudio" or "starter".
        used_at: When it was last opened, in seconds since 1970; 0 never.
        fits: By rising context; empty while the files are looked at.
        problem: Why it cannot be opened; empty if nothing speaks against it.
        busy: What is being done with it just now; empty if nothing.
    """

    source: str
    name: str
    place: str
    family: str
    quantisation: str
    disk_bytes: int
    context_tokens: int
    used_at: float = 0.0
    fits: tuple[FitRow, ...] = ()
    problem: str = ""
    remark: str = ""
    busy: str = ""
    is_loaded: bool = False

    def fit_at(self, context_tokens: int) -> FitRow | None:
        """The fit at a context, or at the model's own limit where that is shorter."""
        for fit in self.fits:
            if fit.context_tokens >= context_tokens:
                return fit
        return self.fits[-1] if self.fits else None


@dataclass(frozen=True, slots=True)
class OfferRow:
    """One model that can be fetched; sizes are approximate until it is."""

    repository: str
    name: str
    family: str
    quantisation: str
    size_bytes: int
    minimum_memory_gb: int
    licence: str
    note: str
    fits: tuple[FitRow, ...]
    is_recommended: bool = False
    is_here: bool = False

    def fit_at(self, context_tokens: int) -> FitRow:
        """The fit at a context."""
        for fit in self.fits:
            if fit.context_tokens >= context_tokens:
                return fit
        return self.fits[-1]


@dataclass(frozen=True, slots=True)
class TransferRow:
    """One model on its way.

    Attributes:
        doing: A word of `fetch.Doing`, "queued", or "failed".
        note: Why it waits or failed.
        licence_url: Where a licence is to be accepted first; empty if none.
    """

    repository: str
    doing: str
    done_bytes: int = 0
    total_bytes: int = 0
    speed: float = 0.0
    seconds_left: float | None = None
    note: str = ""
    licence_url: str = ""
