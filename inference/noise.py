"""Randomness that depends on nothing but seed, position and token id.

A token's noise is a hash, so it is the same whatever the batch row, the number of candidates, the
place where a reply was taken up again, or the guesses of a draft. MLX's own random state is never
touched.
"""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx

XTC_COIN = 0xFFFFFFFF  # the coin's place among the token ids: no vocabulary reaches it
_WORD = 0xFFFFFFFF


def _mix(x: int) -> int:
    """Scatter 32 bits. Source: Chris Wellons, "lowbias32", https://nullprogram.com/blog/2018/07/31/."""
    x &= _WORD
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & _WORD
    x = ((x ^ (x >> 15)) * 0x846CA68B) & _WORD
    return x ^ (x >> 16)


def _mix_array(x: mx.array) -> mx.array:
    x = (x ^ (x >> 16)) * mx.array(0x7FEB352D, mx.uint32)
    x = (x ^ (x >> 15)) * mx.array(0x846CA68B, mx.uint32)
    return x ^ (x >> 16)


def keys(seeds: Sequence[int], positions: Sequence[int]) -> mx.array:
    """Make each row's key from its seed and the position of the token to be drawn.

    Shapes: (B,) and (B,) -> (B, 2), uint32.
    """
    rows = []
    for seed, position in zip(seeds, positions, strict=True):
        first = _mix(_mix(seed) ^ _mix(position + 0x9E3779B9))
        rows.append((first, _mix(first ^ _mix((seed >> 32) + 0x85EBCA6B))))
    return mx.array(rows, mx.uint32)


def uniform(key: mx.array, ids: mx.array) -> mx.array:
    """Give each token id its number in (0, 1); fine near 0.

    Shapes: (B, 2) and (B, K) or (1, K) -> (B, K), float32.
    """
    bits = _mix_array(_mix_array(ids.astype(mx.uint32) ^ key[:, :1]) + key[:, 1:])
    return mx.minimum((bits.astype(mx.float32) + 0.5) * 2.0**-32, 1 - 2.0**-24)


def gumbel(key: mx.array, ids: mx.array) -> mx.array:
    """Give each token id its Gumbel noise: the argmax of logits + noise is a draw from softmax.

    Shapes: (B, 2) and (B, K) or (1, K) -> (B, K), float32.
    """
    return -mx.log(-mx.log1p(-uniform(key, ids)))
