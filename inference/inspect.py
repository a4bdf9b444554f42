"""What a token cost and what could have stood in its place, computed on the device.

Log-probabilities are the model's own, before any penalty, filter or temperature.

Legend: B rows, V vocabulary, K alternatives.
"""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx

from inference.arrays import floats, ints
from inference.candidates import largest
from inference.exponential import exp


@dataclass(frozen=True, slots=True)
class Details:
    """Details of one token in each row, lazy until they are read.

    Shapes: logprob (B,), entropy (B,) in nats, values and ids (B, K), best first.
    """

    logprob: mx.array
    entropy: mx.array
    values: mx.array
    ids: mx.array

    @property
    def arrays(self) -> list[mx.array]:
        """The arrays to evaluate."""
        return [self.logprob, self.entropy, self.values, self.ids]

    def row(self, row: int) -> tuple[float, float, tuple[tuple[int, float], ...]]:
        """Read one row: log-probability, entropy, alternatives."""
        pairs = tuple(zip(ints(self.ids[row]), floats(self.values[row]), strict=False))
        (logprob,), (entropy,) = (
            floats(self.logprob[row : row + 1]),
            floats(self.entropy[row : row + 1]),
        )
        return logprob, entropy, pairs


def details(logits: mx.array, tokens: mx.array, alternatives: int, size: int) -> Details:
    """Tell how likely the tokens were, how open the choice was, and what else was likely.

    Args:
        logits: As the network gives them.
        tokens: Those that were drawn or given.
        alternatives: K.
        size: V, the tokenizer's; logits beyond it are left out.

    Shapes: (B, V') with V' >= V, (B,).
    """
    x = logits[:, :size].astype(mx.float32)
    top = x.max(axis=1, keepdims=True)
    below = x - top
    mass = exp(below)
    total = mass.sum(axis=1, keepdims=True)
    lse = top + mx.log(total)
    own = mx.take_along_axis(x, tokens[:, None].astype(mx.uint32), axis=1)
    # An excluded token (-inf) has no mass, and 0 times -inf would be NaN.
    weighed = mx.where(mass > 0, mass * below, 0.0).sum(axis=1, keepdims=True)
    entropy = mx.log(total) - weighed / total
    values, ids = largest(x, max(alternatives, 1))
    return Details((own - lse)[:, 0], entropy[:, 0], (values - lse)[:, :alternatives], ids)
