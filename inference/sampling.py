"""Logits -> token, in float32, each step on what the one before left.

logit bias -> repetition penalty (prompt and reply) -> presence and frequency penalty (reply) ->
schema mask -> temperature (below 1e-4: argmax) -> top-k -> top-p -> min-p -> XTC -> draw.

The draw is the argmax of logits plus noise keyed by (seed, position, token id): see `noise`. Tokens
that cannot be (pad, beyond the tokenizer's vocabulary) are never drawn.

Legend: B rows, V vocabulary, K candidates, N tokens of history.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import mlx.core as mx
import numpy as np

from inference import noise
from inference.candidates import largest

if TYPE_CHECKING:
    from inference.types import Sampling

GREEDY_BELOW: Final = 1e-4  # temperature
NEVER: Final = -math.inf


@dataclass(frozen=True, slots=True)
class History:
    """What was said before, for the penalties.

    Shapes: recent (B, N), the ids that the repetition penalty looks at; spoken (B, N), the reply's
    ids, with weights of 1, or 0 where a row is shorter. None where no penalty asks.
    """

    recent: mx.array | None = None
    spoken: mx.array | None = None
    weights: mx.array | None = None
    window: int = 0

    def grown(self, tokens: mx.array) -> History:
        """The history after one more token in each row. Shapes: tokens (B,)."""
        recent, spoken, weights = self.recent, self.spoken, self.weights
        column = tokens[:, None]
        if recent is not None:
            recent = mx.concatenate([recent, column.astype(recent.dtype)], axis=1)
            recent = recent[:, -self.window :] if self.window else recent
        if spoken is not None and weights is not None:
            spoken = mx.concatenate([spoken, column.astype(spoken.dtype)], axis=1)
            weights = mx.concatenate([weights, mx.ones(column.shape)], axis=1)
        return History(recent, spoken, weights, self.window)

    def rows(self, kept: Sequence[int]) -> History:
        """The history of some rows alone."""
        at = mx.array(list(kept), mx.int32)
        recent, spoken, weights = (
            None if a is None else a[at] for a in (self.recent, self.spoken, self.weights)
        )
        return History(recent, spoken, weights, self.window)


def has_penalties(sampling: Sampling) -> bool:
    """Whether what was said before matters."""
    return sampling.repetition_penalty != 1.0 or bool(
        sampling.presence_penalty or sampling.frequency_penalty
    )


def history_of(
    sampling: Sampling, rows: Sequence[Sequence[int]], prompt_lengths: Sequence[int]
) -> History | None:
    """Make the history of each row from its ids so far, of which the first are the prompt's."""
    if not has_penalties(sampling):
        return None
    recent = spoken = weights = None
    window = sampling.repetition_window
    if sampling.repetition_penalty != 1.0:
        ids = [list(row[-window:] if window else row) for row in rows]
        longest = max(map(len, ids))
        recent = mx.array([[row[0]] * (longest - len(row)) + row for row in ids], mx.uint32)
    if sampling.presence_penalty or sampling.frequency_penalty:
        said = [list(row[n:]) for row, n in zip(rows, prompt_lengths, strict=True)]
        longest = max(map(len, said))
        table = np.zeros((len(said), longest), np.uint32)
        valid = np.zeros((len(said), longest), np.float32)
        for i, row in enumerate(said):
            table[i, : len(row)], valid[i, : len(row)] = row, 1.0
        spoken, weights = mx.array(table), mx.array(valid)
    return History(recent, spoken, weights, window)


class Sampler:
    """Draws tokens under one `Sampling`; the rows of a batch differ only in their seeds."""

    def __init__(self, sampling: Sampling, vocabulary_size: int, forbidden: frozenset[int]) -> None:
        self.sampling = sampling
        self.vocabulary_size = vocabulary_size
        self.is_greedy = sampling.temperature < GREEDY_BELOW
        bias = np.zeros(vocabulary_size, np.float32)
        for token_id, amount in sampling.logit_bias:
            bias[token_id] += amount
        bias[[i for i in forbidden if i < vocabulary_size]] = NEVER
        self._bias = mx.array(bias) if bias.any() else None

    def draw(
        self,
        logits: mx.array,
        seeds: Sequence[int],
        positions: Sequence[int],
        history: History | None = None,
        mask: mx.array | None = None,
    ) -> mx.array:
        """Draw one token a row, lazily.

        Args:
            logits: As the network gives them, its final softcap included.
            seeds: Each row's seed.
            positions: The position that each row's token will have in its context.
            history: What the penalties look at.
            mask: True where the schema allows a token.

        Shapes: (B, V') with V' >= V; mask (B, V) -> (B,), uint32.
        """
        x = self.adjusted(logits, history, mask)
        if self.is_greedy:
            return mx.argmax(x, axis=-1)
        return self._chosen(x / self.sampling.temperature, noise.keys(seeds, positions))

    def adjusted(
        self, logits: mx.array, history: History | None = None, mask: mx.array | None = None
    ) -> mx.array:
        """Apply bias, penalties and mask. Shapes: (B, V') -> (B, V), float32."""
        s = self.sampling
        x = logits[:, : self.vocabulary_size].astype(mx.float32)
        if self._bias is not None:
            x = x + self._bias
        if history is not None and history.recent is not None:
            now = mx.take_along_axis(x, history.recent, axis=1)
            less = mx.where(now > 0, now / s.repetition_penalty, now * s.repetition_penalty)
            x = mx.put_along_axis(x, history.recent, less, axis=1)
        if history is not None and history.spoken is not None and history.spoken.shape[1]:
            x = _reply_penalties(x, history, s)
        if mask is not None:
            x = mx.where(mask, x, NEVER)
        return x

    def _chosen(self, x: mx.array, key: mx.array) -> mx.array:
        s = self.sampling
        if 0 < s.top_k < self.vocabulary_size:
            x, ids = largest(x, s.top_k)
            if s.top_p < 1:
                x = _top_p_of_sorted(x, s.top_p)
        else:
            ids = mx.arange(self.vocabulary_size, dtype=mx.uint32)[None]
            if s.top_p < 1:
                x = _top_p(x, s.top_p)
        if s.min_p > 0:
            x = mx.where(x >= x.max(axis=1, keepdims=True) + math.log(s.min_p), x, NEVER)
        if s.xtc_probability > 0:
            x = _xtc(x, s, key)
        place = mx.argmax(x + noise.gumbel(key, ids), axis=1, keepdims=True)
        wide = mx.broadcast_to(ids, x.shape)
        return mx.take_along_axis(wide, place, axis=1)[:, 0]


def _reply_penalties(x: mx.array, history: History, sampling: Sampling) -> mx.array:
    """Lower what the reply said: once by presence, and by frequency each time."""
    assert history.spoken is not None
    assert history.weights is not None
    rows = mx.arange(x.shape[0])[:, None]
    counts = mx.zeros(x.shape).at[rows, history.spoken].add(history.weights)
    return x - sampling.frequency_penalty * counts - sampling.presence_penalty * (counts > 0)


def _top_p_of_sorted(x: mx.array, top_p: float) -> mx.array:
    """Keep the likeliest tokens up to the one with which their mass reaches p."""
    p = mx.softmax(x, axis=1)
    before = mx.cumsum(p, axis=1) - p
    first = mx.arange(x.shape[1]) == 0
    return mx.where((before < top_p) | first, x, NEVER)


def _top_p(x: mx.array, top_p: float) -> mx.array:
    """The same over a whole vocabulary: bisect for the least probability that is kept.

    Positive float32 numbers are in the order of their bits, so 30 halvings find it exactly. Tokens
    that are just as likely as the last one kept are kept too.
    """
    p = mx.softmax(x, axis=1)
    bits = p.view(mx.uint32)
    low = mx.zeros((x.shape[0], 1), mx.uint32)
    for bit in range(29, -1, -1):  # 1.0 is 0x3f800000
        middle = low | mx.array(1 << bit, mx.uint32)
        mass = mx.where(bits >= middle, p, 0.0).sum(axis=1, keepdims=True)
        low = mx.where(mass >= top_p, middle, low)
    return mx.where(bits >= low, x, NEVER)


def _xtc(x: mx.array, sampling: Sampling, key: mx.array) -> mx.array:
    """Exclude top choices: by chance, drop all tokens above the threshold but the least likely.

    Source: https://github.com/oobabooga/text-generation-webui/pull/6335.
    """
    p = mx.softmax(x, axis=1)
    is_top = p >= sampling.xtc_threshold
    least = mx.where(is_top, p, math.inf).min(axis=1, keepdims=True)
    coin = noise.uniform(key, mx.array([[noise.XTC_COIN]], mx.uint32))
    dropped = is_top & (p > least) & (coin < sampling.xtc_probability)
    return mx.where(dropped, NEVER, x)


def with_seed(sampling: Sampling, seed: int) -> Sampling:
    """The sampling as it was really done."""
    return sampling if sampling.seed == seed else replace(sampling, seed=seed)
