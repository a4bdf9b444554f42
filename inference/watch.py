"""Statistics on request: where a step's time goes, and what the layers carry at chosen steps.

Nothing here changes a reply. Looks are computed on the device beside the step that they look at,
and read when the reply is over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx

from inference.arrays import floats, ints
from inference.candidates import largest
from inference.hidden import check_layers, stream_of
from inference.taps import listening
from inference.types import GenerationRequest

N_TOPS = 5
N_SAMPLE = 4

Probed = tuple[int, int, float, float, int, int, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class _Look:
    """One layer at one step, lazy. Shapes: numbers (4,), sample (4,) or fewer."""

    step: int
    layer: int
    numbers: mx.array
    sample: mx.array


@dataclass(slots=True)
class Watch:
    """What a request asked to know.

    Attributes:
        profile: (token index, seconds enqueuing, waiting, making text) of each timed step.
    """

    every: int = 0
    steps: frozenset[int] = frozenset()
    layers: tuple[int, ...] = ()
    profile: list[tuple[int, float, float, float]] = field(default_factory=list)
    _looks: list[_Look] = field(default_factory=list)
    _tops: list[tuple[int, mx.array, mx.array]] = field(default_factory=list)

    @classmethod
    def of(cls, request: GenerationRequest, n_layers: int) -> Watch:
        """Make the watch that a request asks for.

        Raises:
            RequestError: It names layers that do not exist.
        """
        if request.probe is None:
            return cls(request.profile_every)
        layers = tuple(check_layers(request.probe.layers, n_layers))
        return cls(request.profile_every, frozenset(request.probe.steps), layers)

    @contextmanager
    def looking(self, layers: Sequence[Any], step: int) -> Iterator[None]:
        """Look into the calls that are made in this context, if they belong to a chosen step."""
        if step not in self.steps:
            yield
            return

        def hear(layer: int, _entering: mx.array, leaving: mx.array) -> None:
            self._looks.append(_look(step, layer, stream_of(leaving)))

        with listening(layers, hear, self.layers):
            yield
        mx.async_eval([a for k in self._looks[-len(self.layers) :] for a in (k.numbers, k.sample)])  # type: ignore[no-untyped-call]  # MLX's stub

    def top(self, step: int, adjusted: mx.array) -> None:
        """Keep the likeliest tokens of a chosen step. Shapes: (1, V), after penalties."""
        if step in self.steps:
            values, ids = largest(adjusted, N_TOPS)
            self._tops.append((step, values[0], ids[0]))

    def time(self, index: int, enqueuing: float, waiting: float, text: float) -> None:
        """Keep a step's times, if its turn has come."""
        if self.every and index % self.every == 0:
            self.profile.append((index, enqueuing, waiting, text))

    def probes(self) -> tuple[Probed, ...]:
        """Read all looks."""
        read = []
        for look in self._looks:
            least, most, nans, infs = floats(look.numbers)
            sample = tuple(floats(look.sample))
            read.append((look.step, look.layer, least, most, int(nans), int(infs), sample))
        return tuple(read)

    def tops(self) -> tuple[tuple[int, tuple[tuple[int, float], ...]], ...]:
        """Read the likeliest tokens of each chosen step."""
        return tuple(
            (step, tuple(zip(ints(ids), floats(values), strict=True)))
            for step, values, ids in self._tops
        )


def _look(step: int, layer: int, state: mx.array) -> _Look:
    """Shapes: (B, L, width)."""
    x = state.astype(mx.float32)
    fine = mx.isfinite(x)
    least = mx.where(fine, x, mx.inf).min()
    most = mx.where(fine, x, -mx.inf).max()
    counts = [mx.isnan(x).sum(), mx.isinf(x).sum()]
    numbers = mx.stack([least, most, *(count.astype(mx.float32) for count in counts)])
    return _Look(step, layer, numbers, x[0, -1, :N_SAMPLE])
