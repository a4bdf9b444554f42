"""Hidden states of chosen layers, and what each layer would say: a logit lens over them.

Legend: L length of a call, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import mlx.core as mx
import numpy as np

from inference.arrays import floats, ints
from inference.candidates import largest
from inference.checks import check_ids, whole_number
from inference.errors import PromptTooLongError, RequestError
from inference.taps import Hear, listening
from inference.types import HiddenState, LensRow, ShouldStop

if TYPE_CHECKING:
    from inference.model import Model

CHUNK_TOKENS = 256  # states of all layers are held for so many tokens at once


def check_layers(layers: Sequence[int], n_layers: int) -> list[int]:
    """Sort the layers, each once.

    Raises:
        RequestError: Some do not exist; they are named.
    """
    for layer in layers:
        whole_number("layers", layer, least=-(2**31))
    beyond = sorted({layer for layer in layers if not 0 <= layer < n_layers})
    if beyond:
        names = ", ".join(map(str, beyond))
        raise RequestError(f"layers has {names}; this model's layers are 0 to {n_layers - 1}.")
    return sorted(set(layers))


def stream_of(state: mx.array) -> mx.array:
    """The stream itself, where a layer carries several versions of it (Gemma 3n): the first."""
    return state[0] if state.ndim == 4 else state


def tapped(
    model: Model, token_ids: Sequence[int], layers: Sequence[int]
) -> tuple[HiddenState, ...]:
    """Give the stream that enters each of the layers, before its norm."""
    chosen = check_layers(layers, len(model.forward.layers))
    parts: dict[int, list[np.ndarray]] = {layer: [] for layer in chosen}
    heard: dict[int, mx.array] = {}

    def hear(layer: int, entering: mx.array, _leaving: mx.array) -> None:
        heard[layer] = stream_of(entering)[0].astype(mx.float32)

    for _ in _read_all(model, token_ids, hear, chosen):
        mx.eval(heard)
        for layer, state in heard.items():
            parts[layer].append(np.array(state))
    made = []
    for layer in chosen:
        values = np.concatenate(parts[layer])
        values.flags.writeable = False
        made.append(HiddenState(layer, 0, values))
    return tuple(made)


def lens(
    model: Model,
    token_ids: Sequence[int],
    positions: Sequence[int],
    top: int,
    should_stop: ShouldStop,
) -> Iterator[tuple[int, LensRow]]:
    """Give what each layer would say after each position, position by position.

    What leaves a layer goes through the final norm and the head; the last layer's row is what the
    model itself would say.
    """
    size = model.vocabulary.size
    whole_number("top", top, least=1, most=size)
    for position in positions:
        whole_number("positions", position, least=0, most=max(len(token_ids) - 1, 0))
    n_layers = len(model.forward.layers)
    kept: dict[tuple[int, int], mx.array] = {}
    heard: dict[int, mx.array] = {}

    def hear(layer: int, _entering: mx.array, leaving: mx.array) -> None:
        heard[layer] = stream_of(leaving)

    for start, stop in _read_all(model, token_ids, hear, range(n_layers)):
        if should_stop():
            return
        for position in {p for p in positions if start <= p < stop}:
            for layer, state in heard.items():
                kept[position, layer] = mx.contiguous(
                    state[:, position - start : position - start + 1]
                )
        mx.eval(kept)
        heard.clear()
    norm = model.forward.final_norm
    for position in positions:
        for layer in range(n_layers):
            if should_stop():
                return
            logits = model.forward.head(norm(kept[position, layer]))[:, 0, :size]
            p = mx.softmax(logits.astype(mx.float32), axis=-1)
            values, ids = largest(p, top)
            guesses = zip(ints(ids[0]), floats(values[0]), strict=True)
            words = tuple((i, model.tokenizer.token_text(i), value) for i, value in guesses)
            yield position, LensRow(layer, words)


def _read_all(
    model: Model,
    token_ids: Sequence[int],
    hear: Hear,
    layers: Sequence[int],
) -> Iterator[tuple[int, int]]:
    """Read the tokens in chunks while the layers are listened to; yield each chunk's span."""
    if not token_ids:
        raise RequestError("token_ids is empty; give at least one token.")
    check_ids("token_ids", token_ids, model.vocabulary.size)
    if len(token_ids) > model.info.context_tokens:
        raise PromptTooLongError(len(token_ids), model.info.context_tokens)
    context = model.new_context()
    for start in range(0, len(token_ids), CHUNK_TOKENS):
        chunk = list(token_ids[start : start + CHUNK_TOKENS])
        with listening(model.forward.layers, hear, layers):
            context.feed(chunk, logits=False)
        yield start, start + len(chunk)
        context.settle()
