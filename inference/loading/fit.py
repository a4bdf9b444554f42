"""Will a model fit? Weights, keys and values at the chosen context, and room to read a prompt.

The sum is held against the device's recommended working set. Up to 65 % of it fits, up to 80 % is
tight; what is larger is refused before anything is loaded.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mlx.core as mx

from inference.errors import DeviceMemoryError
from inference.loading.weights import on_cpu
from inference.types import ModelFit

if TYPE_CHECKING:
    from inference.layout import CacheLayout

FITS, TIGHT = 0.65, 0.80
CHUNK_TOKENS = 512  # the most that the engine reads at a time
LEAST_CONTEXT = 4096  # a model that cannot hold so much is not worth loading
CPU_SHARE = 0.75  # of the memory, where the device recommends nothing: what a Mac gives its GPU


@dataclass(frozen=True, slots=True)
class Needs:
    """What decides a model's memory.

    Attributes:
        layout: What the caches keep.
        item_bytes: Bytes of a key's number.
        chunk_bytes: What one chunk needs besides its attention scores.
        heads: Query heads; each has a score for every pair of chunk and context tokens.
    """

    weights_bytes: int
    layout: CacheLayout
    item_bytes: int
    chunk_bytes: int
    heads: int


def needs(
    config: dict[str, Any], layout: CacheLayout, weights_bytes: int, item_bytes: int
) -> Needs:
    """Work out a model's needs from its config."""
    text = config.get("text_config") or config
    inner = text.get("intermediate_size", 0)
    inner = max(inner) if isinstance(inner, list) else int(inner)
    width, heads = int(text.get("hidden_size", 0)), int(text.get("num_attention_heads", 1))
    head = int(text.get("global_head_dim") or text.get("head_dim") or width // max(heads, 1))
    a_token = 4 * width + 3 * inner + 3 * heads * head
    vocabulary = int(config.get("vocab_size") or text.get("vocab_size") or 0)
    chunk = CHUNK_TOKENS * a_token * item_bytes + 2 * 4 * vocabulary
    return Needs(weights_bytes, layout, item_bytes, chunk, heads)


def fit(needed: Needs, context_tokens: int, limit_bytes: int) -> ModelFit:
    """Hold a model's needs at a context against what the device can hold.

    Args:
        needed: From `needs`.
        context_tokens: How long a conversation may become.
        limit_bytes: The device's working set.
    """
    cache = needed.layout.live_bytes(context_tokens, needed.item_bytes)
    scores = CHUNK_TOKENS * context_tokens * needed.heads * needed.item_bytes
    scratch = needed.chunk_bytes + scores
    total = needed.weights_bytes + cache + scratch
    share = total / max(limit_bytes, 1)
    verdict = {True: "Fits", False: "Tight"}[share <= FITS] if share <= TIGHT else "Too big"
    sentence = (
        f"{verdict}: weights {_size(needed.weights_bytes)} + {_size(cache)} for "
        f"{context_tokens:,} tokens of context + {_size(scratch)} to read a prompt = "
        f"{_size(total)}, {share:.0%} of the {_size(limit_bytes)} that this device can hold."
    )
    return ModelFit(
        verdict="fits" if share <= FITS else "tight" if share <= TIGHT else "too big",
        context_tokens=context_tokens,
        weights_bytes=needed.weights_bytes,
        cache_bytes=cache,
        scratch_bytes=scratch,
        limit_bytes=limit_bytes,
        sentence=sentence,
    )


def refuse_too_big(needed: Needs, most_tokens: int, limit_bytes: int) -> None:
    """Refuse a model that cannot hold even a short conversation.

    Raises:
        DeviceMemoryError: Tells the sum.
    """
    found = fit(needed, min(LEAST_CONTEXT, most_tokens), limit_bytes)
    if found.verdict == "too big":
        raise DeviceMemoryError(f"{found.sentence} Choose a smaller model or quantisation.")


def working_set_bytes() -> int:
    """Ask the device how much it can hold at once."""
    if not on_cpu():
        told = mx.device_info().get("max_recommended_working_set_size")
        if isinstance(told, int) and told > 0:
            return told
    return int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * CPU_SHARE)


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e8 else f"{n_bytes / 1e6:.0f} MB"
