"""The door onto MLX: read the prompt, speak the reply, remember both.

One thread uses an engine from `load` to `close`; MLX's streams and lazy arrays are bound to it.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import mlx.core as mx

from inference import batch, embed, generation, hidden, score
from inference.checks import check_ids, check_prompt, check_request, check_text
from inference.errors import DeviceMemoryError, EngineBusyError, InferenceError
from inference.loading import OpenedModel, open_model
from inference.loading.embedder import TextEmbedder, makes_vectors, open_embedder
from inference.loading.memory import release_memory
from inference.model import PREFIXES, Model
from inference.prefix_files import forget_files
from inference.session import Session, Snapshot
from inference.types import (
    Engine,
    EngineOptions,
    GenerationEvent,
    GenerationRequest,
    HiddenState,
    LensRow,
    Loaded,
    LoadEvent,
    ModelInfo,
    Pooling,
    Prompt,
    RenderedToken,
    Score,
    ShouldStop,
)

if TYPE_CHECKING:
    import numpy as np


class GemmaEngine:
    """An `Engine` for Google's Gemma models, on MLX."""

    def __init__(self, options: EngineOptions) -> None:
        self._options = options
        self._model: Model | None = None
        self._embedder: TextEmbedder | None = None
        self._thread: int | None = None
        self._is_busy = False

    @property
    def info(self) -> ModelInfo | None:
        """What is loaded now."""
        loaded = self._model or self._embedder
        return loaded.info if loaded is not None else None

    # ------------------------------------------------------------------ the model

    def load(self, source: str, should_stop: ShouldStop) -> Iterator[LoadEvent]:
        """Open a model: "starter", a GGUF file or a model folder. Ends with `Loaded`.

        A folder of EmbeddingGemma serves `embed` alone.

        The model that was loaded before is let go first: two rarely fit.
        """
        with self._working():
            self._let_go()
            if makes_vectors(source):
                yield from self._load_embedder(source, should_stop)
                return
            for event in open_model(source, self._options, should_stop):
                if isinstance(event, OpenedModel):
                    self._model = Model(event, self._options)
                else:
                    yield event
            assert self._model is not None
            _wire_memory()
            self._model.warm_up()
            yield Loaded(self._model.info)

    def _load_embedder(self, source: str, should_stop: ShouldStop) -> Iterator[LoadEvent]:
        for event in open_embedder(source, should_stop):
            if isinstance(event, TextEmbedder):
                self._embedder = event
                yield Loaded(event.info)
            else:
                yield event

    def unload(self) -> None:
        """Let go of the model and give its memory back."""
        with self._working():
            self._let_go()

    def close(self) -> None:
        """Let go of everything. The engine is not used again."""
        with self._working():
            self._let_go()
        # WORKAROUND for MLX 0.32: a thread that used MLX and ends may abort the process at exit.
        if threading.current_thread() is not threading.main_thread():
            mx.synchronize()
            mx.clear_streams()

    def _let_go(self) -> None:
        self._model = self._embedder = None
        release_memory()

    # ------------------------------------------------------------------ replies

    def generate(
        self, request: GenerationRequest, should_stop: ShouldStop
    ) -> Iterator[GenerationEvent]:
        """Make one reply. Ends with `Finished`."""
        with self._working():
            model = self._loaded()
            check_request(request, model.vocabulary.size)
            yield from generation.reply(model, request, should_stop, _seed(request))

    def generate_many(
        self, requests: Sequence[GenerationRequest], should_stop: Callable[[int], bool]
    ) -> Iterator[tuple[int, GenerationEvent]]:
        """Make several replies as one batch; each ends with its own `Finished`."""
        with self._working():
            model = self._loaded()
            for request in requests:
                check_request(request, model.vocabulary.size)
            seeds = [_seed(request) for request in requests]
            yield from batch.replies(model, requests, should_stop, seeds)

    # ------------------------------------------------------------------ tokens

    def render(self, prompt: Prompt) -> tuple[RenderedToken, ...]:
        """Show the prompt as the model sees it."""
        with self._working():
            model = self._loaded()
            check_prompt(prompt, model.vocabulary.size)
            composed = model.compose(prompt)
            cached = model.tree.covered(composed.ids)
            return tuple(
                RenderedToken(
                    token_id,
                    model.tokenizer.token_text(token_id),
                    model.tokenizer.is_special(token_id),
                    owner,
                    i < cached,
                )
                for i, (token_id, owner) in enumerate(
                    zip(composed.ids, composed.owners, strict=True)
                )
            )

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, without BOS. Safe from any thread."""
        return len(self.tokenize(text))

    def token_text(self, token_id: int) -> str:
        """The text of one token, control tokens by name. Safe from any thread."""
        model = self._loaded()
        check_ids("token_id", (token_id,), model.vocabulary.size)
        return model.tokenizer.token_text(token_id)

    def tokenize(self, text: str) -> tuple[int, ...]:
        """The token ids of a text, without BOS; control tokens in it stay text."""
        check_text("text", text)
        return self._loaded().tokenizer.encode(text)

    # ------------------------------------------------------------------ looking inside

    def score(self, prompt: Prompt, completion: str, alternatives: int = 0) -> Score:
        """Tell how likely the model finds a completion, in one forward pass."""
        with self._working():
            model = self._loaded()
            check_prompt(prompt, model.vocabulary.size)
            return score.score(model, prompt, completion, alternatives)

    def embed(self, texts: Sequence[str], pooling: Pooling = "mean") -> np.ndarray:
        """Give each text a vector of unit length. Shapes: (len(texts), width), float32."""
        with self._working():
            if self._embedder is not None:
                return embed.embed_with(self._embedder, texts)
            return embed.embed(self._loaded(), texts, pooling)

    def lens(
        self,
        token_ids: Sequence[int],
        positions: Sequence[int],
        top: int,
        should_stop: ShouldStop,
    ) -> Iterator[tuple[int, LensRow]]:
        """Give each layer's guesses for the token after each position."""
        with self._working():
            yield from hidden.lens(self._loaded(), token_ids, positions, top, should_stop)

    def taps(self, token_ids: Sequence[int], layers: Sequence[int]) -> tuple[HiddenState, ...]:
        """Give the hidden states that enter the named layers."""
        with self._working():
            return hidden.tapped(self._loaded(), token_ids, layers)

    def session(self, snapshot: Snapshot | None = None) -> Session:
        """Begin a low-level session, anew or at a snapshot. For scripts and tests."""
        with self._working():
            return Session(self._loaded(), snapshot)

    # ------------------------------------------------------------------ what is kept

    def keep(self, should_stop: ShouldStop) -> None:
        """Write what is worth keeping over a restart; called when idle and before close."""
        with self._working():
            if self._model is not None:
                self._model.tree.save(should_stop)

    def forget(self, conversation: str) -> None:
        """Remove a conversation's snapshots from disk and memory; "" removes everyone's."""
        with self._working():
            if self._model is not None:
                self._model.tree.forget(conversation)
            else:
                forget_files(self._options.cache_dir / PREFIXES, conversation)

    def memory(self) -> dict[str, int]:
        """Bytes in use: weights, snapshots, snapshots_disk, snapshot_budget, active, peak."""
        model, info = self._model, self.info
        return {
            "weights": info.weights_bytes if info is not None else 0,
            "snapshots": model.tree.bytes if model is not None else 0,
            "snapshots_disk": model.tree.disk_bytes if model is not None else 0,
            "snapshot_budget": model.tree.budget if model is not None else 0,
            "active": mx.get_active_memory(),
            "peak": mx.get_peak_memory(),
        }

    # ------------------------------------------------------------------ inside

    def _loaded(self) -> Model:
        if self._embedder is not None:
            raise InferenceError("This model makes vectors and writes no text; choose another one.")
        if self._model is None:
            raise InferenceError("No model is loaded; choose one first.")
        return self._model

    @contextmanager
    def _working(self) -> Iterator[None]:
        """One request at a time, on one thread."""
        thread = threading.get_ident()
        if self._thread is None:
            self._thread = thread
        assert thread == self._thread, "an engine is used by the thread that used it first"
        if self._is_busy:
            raise EngineBusyError("The engine is still busy with another request; stop that first.")
        self._is_busy = True
        try:
            yield
        except (MemoryError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and not _is_about_memory(error):
                raise
            mx.clear_cache()
            raise DeviceMemoryError(
                "The device has no memory left for this; what was said is kept. Shorten the "
                "conversation, or choose a smaller model."
            ) from error
        finally:
            self._is_busy = False


def _is_about_memory(error: RuntimeError) -> bool:
    """MLX tells of memory by its text alone."""
    words = ("allocate", "Insufficient Memory", "out of memory")
    return any(word in str(error) for word in words)


def _seed(request: GenerationRequest) -> int:
    seed = request.sampling.seed
    return secrets.randbits(31) if seed is None else seed


def _wire_memory() -> None:
    """Let the weights stay in the GPU's memory. Once, while nothing runs; Metal only."""
    if mx.metal.is_available():
        mx.set_wired_limit(int(mx.device_info()["max_recommended_working_set_size"]))


def _conforms(engine: GemmaEngine) -> Engine:
    """Let the type checker prove that this is an engine."""
    return engine
