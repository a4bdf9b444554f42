"""A network cut in two: hidden states, and the head that makes logits of some of them.

The head is as large as the rest in a small Gemma, so it is never run where nobody looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx

Network = Any  # one of mlx-lm's Gemma model classes, or one of ours that follows it


def text_network(network: Network) -> Any:  # noqa: ANN401  (see `Network`)
    """The part that has embeddings, layers and final norm, under the wrappers for other media."""
    for name in ("language_model", "model"):
        inner = getattr(network, name, None)
        if inner is not None:
            return text_network(inner)
    return network


def hidden_states(
    network: Network,
    ids: mx.array,
    caches: Sequence[Any] | None = None,
    embeddings: mx.array | None = None,
) -> mx.array:
    """Run all but the head. Shapes: ids (B, L) -> (B, L, width), after the final norm.

    Args:
        network: The network.
        ids: Token ids.
        caches: One for each layer that has its own; None reads without.
        embeddings: What to begin with in place of the ids' own embeddings, scaled as the network
            expects them. Shapes: (B, L, width).
    """
    if hasattr(network, "hidden"):  # one of ours
        own: mx.array = network.hidden(ids, caches, embeddings)
        return own
    inner = text_network(network)
    kept = list(caches) if caches is not None else None
    more = {} if embeddings is None else {"input_embeddings": embeddings}
    if not hasattr(inner, "altup_projections"):
        states: mx.array = inner(ids, cache=kept, **more)
        return states
    # Gemma 3n computes its logits in the same call; they are lazy and never evaluated.
    with _Listening(inner.norm) as heard:
        inner(ids, cache=kept, **more)
    return heard[-1]


def logits_of(network: Network, hidden: mx.array) -> mx.array:
    """Run the head alone. Shapes: (B, L, width) -> (B, L, vocabulary)."""
    if hasattr(network, "head"):  # one of ours
        own: mx.array = network.head(hidden)
        return own
    inner = text_network(network)
    outer = _around(network, inner)
    if "lm_head" in outer:
        logits: mx.array = outer.lm_head(hidden)
    else:
        logits = inner.embed_tokens.as_linear(hidden)
    cap = _soft_cap(outer) or _soft_cap(inner)
    return mx.tanh(logits / cap) * cap if cap else logits


def _around(network: Network, inner: Network) -> Any:  # noqa: ANN401  (see `Network`)
    """The module right around the text network; it holds the head and its cap."""
    held = [getattr(network, name, None) for name in ("language_model", "model")]
    child = next((module for module in held if module is not None), inner)
    return network if child is inner else _around(child, inner)


def _soft_cap(module: Any) -> float | None:  # noqa: ANN401  (see `Network`)
    for holder in (module, getattr(module, "args", None), getattr(module, "config", None)):
        for name in ("final_logit_softcapping", "logits_soft_cap"):
            cap = getattr(holder, name, None)
            if cap:
                return float(cap)
    return None


class _Listening:
    """Hears what a norm gives, while it lasts."""

    def __init__(self, norm: Any) -> None:  # noqa: ANN401  (MLX's modules are untyped)
        self._norm = norm
        self._kind = type(norm)

    def __enter__(self) -> list[mx.array]:
        heard: list[mx.array] = []
        kind: Any = self._kind

        def listen(norm: Any, x: mx.array) -> mx.array:  # noqa: ANN401
            heard.append(kind.__call__(norm, x))
            return heard[-1]

        self._norm.__class__ = type(kind.__name__, (kind,), {"__call__": listen})
        return heard

    def __exit__(self, *_: object) -> None:
        self._norm.__class__ = self._kind
