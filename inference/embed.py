"""Vectors for texts, from the chat model itself: its states after the final norm, pooled.

Texts of one length are read together, long ones in chunks. BOS is read but not pooled: it is the
same in every text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import mlx.core as mx
import numpy as np

from inference.checks import check_text
from inference.errors import PromptTooLongError, RequestError

if TYPE_CHECKING:
    from inference.loading.embedder import TextEmbedder
    from inference.model import Model
    from inference.types import Pooling

CHUNK_TOKENS = 512
BATCH_TOKENS = 4096  # of one call, all texts together


def embed(model: Model, texts: Sequence[str], pooling: Pooling) -> np.ndarray:
    """Give each text a vector of unit length. Shapes: -> (len(texts), width), float32."""
    if pooling not in {"mean", "last"}:
        raise RequestError(f"pooling is {pooling!r}; it must be mean or last.")
    if isinstance(texts, str):
        raise RequestError("texts must be several texts, not one.")
    rows: dict[int, list[tuple[int, list[int]]]] = {}
    for i, text in enumerate(texts):
        check_text(f"texts[{i}]", text)
        ids = [model.tokenizer.bos_id, *model.tokenizer.encode(text)]
        if len(ids) > model.info.context_tokens:
            raise PromptTooLongError(len(ids), model.info.context_tokens)
        rows.setdefault(len(ids), []).append((i, ids))
    vectors: dict[int, np.ndarray] = {}
    for length, alike in sorted(rows.items()):
        most = max(BATCH_TOKENS // length, 1)
        for start in range(0, len(alike), most):
            part = alike[start : start + most]
            pooled = _pooled(model, [ids for _, ids in part], pooling)
            vectors.update(zip((i for i, _ in part), pooled, strict=True))
    width = len(next(iter(vectors.values()))) if vectors else 0
    made = np.stack([vectors[i] for i in range(len(texts))]) if vectors else np.zeros((0, width))
    made = made.astype(np.float32)
    made.flags.writeable = False
    return made


def embed_with(embedder: TextEmbedder, texts: Sequence[str]) -> np.ndarray:
    """Give each text a vector by a model made for that. Shapes: -> (len(texts), width), float32."""
    if isinstance(texts, str):
        raise RequestError("texts must be several texts, not one.")
    for i, text in enumerate(texts):
        check_text(f"texts[{i}]", text)
    return embedder.vectors(texts, "similarity")


def _pooled(model: Model, rows: list[list[int]], pooling: Pooling) -> np.ndarray:
    """Read texts of one length. Shapes: -> (B, width)."""
    context = model.new_context().fork(len(rows)) if len(rows) > 1 else model.new_context()
    length = len(rows[0])
    total = last = mx.zeros(())
    for start in range(0, length, CHUNK_TOKENS):
        states = context.read([row[start : start + CHUNK_TOKENS] for row in rows])
        states = states.astype(mx.float32)
        own = states[:, 1:] if start == 0 and length > 1 else states
        total = total + own.sum(axis=1)
        last = states[:, -1]
        mx.eval(total, last)
    vector = last if pooling == "last" else total
    norm = mx.linalg.norm(vector, axis=1, keepdims=True)
    return np.array(vector / mx.maximum(norm, 1e-12))
