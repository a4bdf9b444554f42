"""The low level: one context, token by token, for scripts and tests. The window never uses it.

A session belongs to the engine's thread. What goes in is checked before it reaches the device; what
comes out is numpy, read-only. The caller's arrays are never changed.

Legend: L tokens of a call, C tokens held after it, H heads, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mlx.core as mx
import numpy as np

from inference.arrays import ints
from inference.checks import check_ids, check_sampling, whole_number
from inference.errors import PromptTooLongError, RequestError
from inference.hidden import check_layers, stream_of
from inference.sampling import Sampler, history_of
from inference.taps import listening
from inference.types import HiddenState, Sampling, ShouldStop

if TYPE_CHECKING:
    from inference.context import Context
    from inference.model import Model


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A state to go on from, as often as one likes. It holds device memory while it lives."""

    tokens: tuple[int, ...]
    context: Context


class Session:
    """A context in the open. The tokens are exactly those that were fed."""

    def __init__(self, model: Model, snapshot: Snapshot | None = None) -> None:
        self._model = model
        self._context = model.new_context() if snapshot is None else _copy(snapshot.context)
        self._layers: list[int] = []
        self._heard: dict[int, list[mx.array]] = {}

    @property
    def tokens(self) -> tuple[int, ...]:
        """The tokens that were fed; 0 stands for a vector that came without one."""
        return tuple(self._context.tokens)

    # ------------------------------------------------------------------ feeding

    def feed(self, tokens: Sequence[int]) -> np.ndarray:
        """Read tokens; give the logits after the last. Shapes: -> (V,), float32."""
        self._check(tokens)
        self._read(list(tokens))
        return self.logits()

    def advance(self, *tokens: int) -> None:
        """Read tokens; no logits are computed."""
        self._check(tokens)
        self._read(list(tokens))
        self._context.settle()

    def embedding(self, tokens: Sequence[int]) -> np.ndarray:
        """Read tokens; give the last one's state after the final norm. Shapes: -> (width,)."""
        self._check(tokens)
        return _out(self._read(list(tokens))[0, -1])

    def feed_embeddings(
        self,
        vectors: np.ndarray,
        token_ids: Sequence[int] | None = None,
        bias: np.ndarray | None = None,
    ) -> np.ndarray:
        """Read vectors in place of tokens' own, so that other features can be spliced in.

        Args:
            vectors: As `embed_tokens` gives them: unscaled, of the network's width.
            token_ids: The ids that travel beside them. Networks with embeddings in each layer
                (Gemma 3n, Gemma 4 E2B and E4B) need them; others take 0 for every vector.
            bias: Added to the attention scores between these vectors, in every layer.

        Shapes: vectors (L, width), bias (H or 1, L, L) -> logits (V,), float32.

        Raises:
            RequestError: A length or a width is wrong, or what the network needs is missing.
        """
        width = self._width()
        if vectors.ndim != 2 or vectors.shape[1] != width or not len(vectors):
            raise RequestError(f"vectors has the shape {vectors.shape}; it must be (L, {width}).")
        n = len(vectors)
        config = _text_config(self._model.config)
        if token_ids is None and config.get("hidden_size_per_layer_input"):
            raise RequestError("token_ids is missing; this network has embeddings in each layer.")
        ids = [0] * n if token_ids is None else list(token_ids)
        if len(ids) != n:
            raise RequestError(f"token_ids has {len(ids)} ids for {n} vectors.")
        self._check(ids)
        if bias is None and config.get("use_bidirectional_attention"):
            raise RequestError("bias is missing; this network attends both ways within an image.")
        if bias is not None and (bias.ndim != 3 or bias.shape[1:] != (n, n)):
            raise RequestError(
                f"bias has the shape {bias.shape}; it must be (heads or 1, {n}, {n})."
            )
        held = len(self._context.tokens)
        forward = self._model.forward
        dtype = forward.embed(mx.array([[0]])).dtype
        try:
            if bias is not None:
                before = np.zeros((bias.shape[0], n, held), np.float32)
                whole = np.concatenate([before, bias.astype(np.float32)], axis=2)
                forward.attention_bias = mx.array(whole)[None]  # (1, H, L, C)
            self._read(ids, mx.array(np.array(vectors))[None].astype(dtype))
        finally:
            forward.attention_bias = None
        return self.logits()

    def embed_tokens(self, ids: Sequence[int]) -> np.ndarray:
        """Give the vectors that `feed_embeddings` takes. Shapes: (L,) -> (L, width), float32.

        They are unscaled in every family: the network multiplies them by the root of its width,
        Gemma 3n included.
        """
        check_ids("ids", ids, self._model.vocabulary.size)
        return _out(self._model.forward.embed(mx.array([list(ids)]))[0])

    # ------------------------------------------------------------------ speaking

    def logits(self) -> np.ndarray:
        """The logits after the last token. Shapes: -> (V,), float32."""
        return _out(self._logits()[0])

    def sample(self, sampling: Sampling, prompt_tokens: int = 0) -> int:
        """Draw the token that would come next; it is not fed.

        Args:
            sampling: How; its seed is 0 where it has none.
            prompt_tokens: How many of the tokens are no reply, for the penalties of replies.
        """
        check_sampling(sampling, self._model.vocabulary.size)
        whole_number("prompt_tokens", prompt_tokens, least=0, most=len(self.tokens))
        vocabulary = self._model.vocabulary
        sampler = Sampler(sampling, vocabulary.size, vocabulary.forbidden)
        ids = self._context.tokens
        history = history_of(sampling, [ids], [prompt_tokens])
        drawn = sampler.draw(self._logits(), [sampling.seed or 0], [len(ids)], history)
        return ints(drawn)[0]

    def speak(
        self, sampling: Sampling, max_tokens: int, should_stop: ShouldStop = lambda: False
    ) -> Iterator[int]:
        """Go on from here; yield each token. An end token is yielded last and not fed."""
        start = len(self._context.tokens)
        for _ in range(max_tokens):
            if should_stop():
                return
            token = self.sample(sampling, start)
            yield token
            if token in self._model.speaker.end_ids:
                return
            self.advance(token)

    # ------------------------------------------------------------------ going back and forth

    def rollback(self, n: int) -> None:
        """Take back the last n tokens.

        Raises:
            RequestError: So many are not held any more.
        """
        whole_number("n", n, least=0, most=min(self._context.room(), len(self._context.tokens)))
        self._context.rollback(n)

    def fork(self) -> Session:
        """Another session in the same state; each goes its own way."""
        return Session(self._model, self.snapshot())

    def snapshot(self) -> Snapshot:
        """The state as it is now; later tokens do not change it."""
        self._context.settle()
        return Snapshot(self.tokens, _copy(self._context))

    # ------------------------------------------------------------------ taps

    def listen(self, layers: Sequence[int]) -> None:
        """Keep the stream that enters these layers from now on; none keeps nothing."""
        self._layers = check_layers(layers, len(self._model.forward.layers))
        self._heard = {layer: [] for layer in self._layers}

    def take_hidden(self) -> tuple[HiddenState, ...]:
        """Take what was kept since the last time, and clear it."""
        end = len(self._context.tokens)
        taken = []
        for layer, parts in self._heard.items():
            if parts:
                values = _out(mx.concatenate(parts))
                taken.append(HiddenState(layer, end - len(values), values))
        self._heard = {layer: [] for layer in self._layers}
        return tuple(taken)

    # ------------------------------------------------------------------ inside

    def _check(self, tokens: Sequence[int]) -> None:
        if not tokens:
            raise RequestError("tokens is empty; give at least one.")
        check_ids("tokens", tokens, self._model.vocabulary.size)
        total, limit = len(self._context.tokens) + len(tokens), self._model.info.context_tokens
        if total > limit:
            raise PromptTooLongError(total, limit)

    def _read(self, ids: list[int], embeddings: mx.array | None = None) -> mx.array:
        """Read; give all states. Shapes: -> (1, L, width)."""

        def hear(layer: int, entering: mx.array, _leaving: mx.array) -> None:
            self._heard[layer].append(stream_of(entering)[0].astype(mx.float32))

        with listening(self._model.forward.layers, hear, self._layers):
            states = self._context.read(ids, embeddings)
        self._context.hidden = states[:, -1:]
        return states

    def _logits(self) -> mx.array:
        """Shapes: -> (1, V)."""
        if self._context.hidden is None:
            if not self._context.tokens:
                raise RequestError("tokens is empty; feed at least one first.")
            last = self._context.tokens[-1]
            self._context.rollback(1)
            self._read([last])
        return self._context.logits()[:, : self._model.vocabulary.size]

    def _width(self) -> int:
        return int(self._model.forward.embed(mx.array([[0]])).shape[-1])


def _copy(context: Context) -> Context:
    return context.fork(1)


def _out(array: mx.array) -> np.ndarray:
    made = np.array(array.astype(mx.float32))
    made.flags.writeable = False
    return made


def _text_config(config: dict[str, Any]) -> dict[str, Any]:
    inner = config.get("text_config")
    return {**config, **inner} if isinstance(inner, dict) else config
