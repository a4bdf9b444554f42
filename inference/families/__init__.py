"""The networks of the Gemma family, each behind the same few calls (`network.Network`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inference.families import gemma1, gemma2, gemma3, gemma3n, gemma4, recurrent


@dataclass(frozen=True, slots=True)
class Family:
    """One `model_type` of config.json.

    Attributes:
        title: What people call it.
        build: Makes the network that a config describes. It raises whatever a bad config makes it.
    """

    title: str
    build: Callable[[dict[str, Any]], Any]  # the networks are mlx-lm's classes: no types


FAMILIES = {
    "gemma": Family("Gemma 1", gemma1.build),
    "gemma2": Family("Gemma 2", gemma2.build),
    "gemma3_text": Family("Gemma 3", gemma3.build_text),
    "gemma3": Family("Gemma 3", gemma3.build),
    "gemma3n": Family("Gemma 3n", gemma3n.build),
    "gemma4_text": Family("Gemma 4", gemma4.build_text),
    "gemma4": Family("Gemma 4", gemma4.build),
    "gemma4_unified": Family("Gemma 4", gemma4.build),
    "recurrent_gemma": Family("RecurrentGemma", recurrent.build),
}
