"""The watch over numbers: a logit that is not finite is seen in the step that made it.

A faulty step is taken back and run again in float32 activations, and so is a window of tokens after
it. What the caches hold stays in their own dtype.

Legend: B rows, L length of a call, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx

from inference.errors import NumericError
from inference.taps import listening

NOT_FINITE = (
    "The model's numbers stopped being finite, even in float32; what was said so far is kept. "
    "Try another conversion of the model."
)
WINDOW_TOKENS = 16  # after a fault, so many tokens are read in float32


def faults(logits: mx.array) -> mx.array:
    """Tell which rows are faulty: NaN or Inf somewhere, or zero everywhere.

    The extremes carry NaN. Shapes: (B, V) -> (B,), bool.
    """
    most, least = logits.max(axis=-1), logits.min(axis=-1)
    return ~(mx.isfinite(most) & mx.isfinite(least)) | ((most == 0) & (least == 0))


def cache_faults(caches: Sequence[Any], n: int) -> mx.array:
    """Tell whether the last n rows of the last layer's keys or values are not finite.

    Whatever goes wrong in a layer is in the keys of those above it. Shapes: -> (), bool.
    """
    last = caches[-1]
    if not hasattr(last, "latest"):
        return ~mx.isfinite(mx.max(mx.abs(last.state[-1])))
    keys, values = last.latest(n)
    most = mx.maximum(mx.abs(keys).max(), mx.abs(values).max())
    return ~mx.isfinite(most)


class Forward:
    """A network that computes in float32 for as long as it is told to.

    Everything else is the network's own.

    Attributes:
        precise: Begin the next calls with float32 embeddings, which carries through all layers.
        attention_bias: Added to the scores of the next calls; see `Network.hidden`.
    """

    def __init__(self, network: Any) -> None:  # noqa: ANN401  (the families' own classes)
        self._network = network
        self.precise = False
        self.attention_bias: mx.array | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (what the network has)
        return getattr(self._network, name)

    def hidden(
        self,
        ids: mx.array,
        cache: Any = None,  # noqa: ANN401  (mlx-lm's duck-typed caches)
        input_embeddings: mx.array | None = None,
        attention_bias: mx.array | None = None,
    ) -> mx.array:
        """Give the final norm's states. Shapes: (B, L) -> (B, L, width)."""
        if self.precise:
            begin = self._network.embed(ids) if input_embeddings is None else input_embeddings
            input_embeddings = begin.astype(mx.float32)
        bias = self.attention_bias if attention_bias is None else attention_bias
        states: mx.array = self._network.hidden(ids, cache, input_embeddings, bias)
        return states


class Guard:
    """Counts faults and says when float32 is due.

    Attributes:
        events: (token index, layer or -1) of each fault that was repaired.
    """

    def __init__(self, forward: Forward) -> None:
        self._forward = forward
        self._left = 0
        self.events: list[tuple[int, int]] = []

    @property
    def is_precise(self) -> bool:
        """Whether the network computes in float32 activations now."""
        return self._forward.precise

    def begin_window(self, token_index: int, layer: int) -> None:
        """Run the next tokens in float32.

        Raises:
            NumericError: They ran in float32 already.
        """
        if self._forward.precise:
            self.end_window()
            raise NumericError(NOT_FINITE)
        self.events.append((token_index, layer))
        self._forward.precise = True
        self._left = WINDOW_TOKENS

    def count(self, tokens: int = 1) -> None:
        """Some tokens went well."""
        if self._forward.precise:
            self._left -= tokens
            if self._left <= 0:
                self.end_window()

    def end_window(self) -> None:
        """Go back to the model's own dtype."""
        self._forward.precise = False
        self._left = 0


def first_faulty_layer(layers: Sequence[Any], run: Callable[[], mx.array | None]) -> int:
    """Run a call again and name the first layer whose output is not finite; -1 if there is none."""
    flags: dict[int, mx.array] = {}

    def hear(layer: int, _entering: mx.array, leaving: mx.array) -> None:
        flags[layer] = mx.isfinite(leaving).all()

    with listening(layers, hear):
        run()
    mx.eval(flags)
    return next((layer for layer in sorted(flags) if not flags[layer].item()), -1)
