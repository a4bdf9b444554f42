"""The networks of the Gemma family, each behind the same few calls (`network.Network`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from inference.families.gemma3 import Gemma3Text
from inference.mlx_lm_door import gemma3_text


@dataclass(frozen=True, slots=True)
class Family:
    """One `model_type`: its network, and its arguments' class as mlx-lm has it.

    Attributes:
        title: What people call it.
    """

    title: str
    network: Any  # a class of mlx-lm, subclassed; it has no types
    args: Any


def family(model_type: str) -> Family | None:
    """Find the family of a config's `model_type`."""
    return {
        "gemma3_text": Family("Gemma 3", Gemma3Text, gemma3_text.ModelArgs),
    }.get(model_type)


FAMILY_NAMES = ("gemma3_text",)
