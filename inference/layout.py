"""What each layer of a network keeps between steps: plain numbers, known before the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LayerKind = Literal["full", "window", "recurrent"]


@dataclass(frozen=True, slots=True)
class LayerLayout:
    """What one layer keeps.

    Attributes:
        window: Tokens that a window layer attends to, the current one included; 0 in others.
        kv_heads: 0 in recurrent layers.
        key_width: Head width of keys; in recurrent layers the width of the state.
        value_width: Head width of values; in recurrent layers 0.
    """

    kind: LayerKind
    window: int = 0
    kv_heads: int = 0
    key_width: int = 0
    value_width: int = 0

    def row_bytes(self, item_bytes: int) -> int:
        """Bytes of one token's keys and values; 0 in recurrent layers."""
        return self.kv_heads * (self.key_width + self.value_width) * item_bytes


@dataclass(frozen=True, slots=True)
class CacheLayout:
    """What each layer keeps; layers that share another's keys and values are left out."""

    layers: tuple[LayerLayout, ...]

    @property
    def window(self) -> int:
        """The widest window; 0 where there is none."""
        return max((layer.window for layer in self.layers), default=0)

    def live_bytes(self, tokens: int, item_bytes: int) -> int:
        """Bytes that a running context of so many tokens needs, without its slack."""
        return sum(
            layer.row_bytes(item_bytes) * (min(tokens, layer.window) if layer.window else tokens)
            for layer in self.layers
        )
