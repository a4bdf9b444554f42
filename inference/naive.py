"""The slow path that cannot be wrong: everything is read again at each step, without caches.

The oracle of the parity tests, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import mlx.core as mx

from inference.arrays import ints
from inference.sampling import Sampler, history_of

if TYPE_CHECKING:
    from inference.model import Model
    from inference.types import GenerationRequest


def naive_logits(model: Model, ids: Sequence[int]) -> mx.array:
    """The logits after the last token. Shapes: -> (1, V)."""
    states = model.forward.hidden(mx.array([list(ids)]))
    logits: mx.array = model.forward.head(states[:, -1:])
    return logits[:, 0]


def naive_reply(model: Model, request: GenerationRequest, limit: int) -> tuple[int, ...]:
    """The tokens of a reply, up to an end token, which is left out."""
    sampling, size = request.sampling, model.vocabulary.size
    sampler = Sampler(sampling, size, model.vocabulary.forbidden)
    prompt = list(model.compose(request.prompt).ids)
    ids = list(prompt)
    for _ in range(limit):
        history = history_of(sampling, [ids], [len(prompt)])
        seed = sampling.seed or 0
        (token,) = ints(sampler.draw(naive_logits(model, ids), [seed], [len(ids)], history))
        if token in model.speaker.end_ids:
            break
        ids.append(token)
    return tuple(ids[len(prompt) :])
