"""The likeliest few of a quarter million, without sorting them all.

The vocabulary is cut into blocks; the k largest are always among the k blocks with the largest
maxima, so only those blocks are looked into.
"""

from __future__ import annotations

import mlx.core as mx

BLOCK = 256  # tokens


def largest(values: mx.array, k: int) -> tuple[mx.array, mx.array]:
    """Find the k largest values of each row, best first.

    Shapes: (B, V) -> values (B, K) and ids (B, K), uint32; K = min(k, V).
    """
    n_rows, size = values.shape
    k = min(k, size)
    n_blocks = size // BLOCK
    if n_blocks <= 2 * k:
        return _largest(values, k)
    whole = n_blocks * BLOCK
    blocks = values[:, :whole].reshape(n_rows, n_blocks, BLOCK)  # (B, V / 256, 256)
    _, best = _largest(blocks.max(axis=2), k)  # (B, K)
    found = mx.take_along_axis(blocks, best[:, :, None], axis=1).reshape(n_rows, k * BLOCK)
    ids = (best[:, :, None] * BLOCK + mx.arange(BLOCK, dtype=mx.uint32)).reshape(n_rows, k * BLOCK)
    if whole < size:
        rest = mx.arange(whole, size, dtype=mx.uint32)
        found = mx.concatenate([found, values[:, whole:]], axis=1)
        ids = mx.concatenate([ids, mx.broadcast_to(rest, (n_rows, size - whole))], axis=1)
    top, places = _largest(found, k)
    return top, mx.take_along_axis(ids, places, axis=1)


def _largest(values: mx.array, k: int) -> tuple[mx.array, mx.array]:
    if k < values.shape[1]:
        ids = mx.argpartition(-values, kth=k - 1, axis=1)[:, :k]
    else:
        ids = mx.broadcast_to(mx.arange(k, dtype=mx.uint32), values.shape)
    found = mx.take_along_axis(values, ids, axis=1)
    order = mx.argsort(-found, axis=1)
    return mx.take_along_axis(found, order, axis=1), mx.take_along_axis(ids, order, axis=1)
