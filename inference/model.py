"""A model that is loaded: its network under the guard, its prefixes, its words."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import replace

import mlx.core as mx

from inference import narrow
from inference.constraint import Grammars, Masks
from inference.context import Context
from inference.decode import Drawing, Vocabulary
from inference.draft import DraftModel, Guesser, PromptLookup
from inference.errors import RequestError
from inference.grid import Grid
from inference.grid_step import grid_step
from inference.guard import Forward
from inference.loading import OpenedModel, open_model
from inference.prefix import PrefixTree
from inference.prefix_files import PrefixFiles
from inference.reply import Markers
from inference.speaking import Speaker
from inference.template import (
    THOUGHT_CLOSER,
    THOUGHT_OPENER,
    TURN_CLOSERS,
    TURN_OPENERS,
    Composed,
    compose,
)
from inference.types import (
    ChatPrompt,
    Draft,
    EngineOptions,
    GenerationRequest,
    ModelInfo,
    Prompt,
    Sampling,
)

PREFIXES = "prefixes"  # below the cache folder
READING_STEPS = "reading-steps"


class Model:
    """Belongs to the thread that loaded it.

    Attributes:
        tree: The prefixes that were read before.
        vocabulary: What may be spoken.
        closer: The token that ends a thought; -1 where the model has none.
    """

    def __init__(
        self, opened: OpenedModel, options: EngineOptions, chunk_tokens: int | None = None
    ) -> None:
        self.info = _narrowed(opened)
        self.config = opened.config
        self.tokenizer = opened.tokenizer
        self.layout = opened.layout
        self.forward = Forward(opened.network)
        if chunk_tokens is None:
            steps = options.cache_dir / READING_STEPS
            chunk_tokens = grid_step(self.new_context, steps, self.info.fingerprint)
        grid = Grid.of(chunk_tokens, self.layout.window)
        budget = options.snapshot_bytes
        if budget is None:
            budget = _snapshot_budget(self.info.weights_bytes)
        told = f"{self.info.fingerprint} {self.info.dtype} {self.info.device} {grid} {self.layout}"
        made_by = hashlib.sha256(told.encode()).hexdigest()
        files = PrefixFiles(options.cache_dir / PREFIXES, made_by, options.snapshot_disk_bytes)
        self.tree = PrefixTree(self.new_context, self.layout, grid, budget, files)
        self._forgetful = PrefixTree(self.new_context, self.layout, grid, 0)
        self.vocabulary = Vocabulary(opened.tokenizer.vocabulary_size, opened.forbidden_ids)
        self._form = opened.template
        self._options = options
        self._drafts: dict[str, OpenedModel] = {}
        self._grammars: Grammars | None = None
        names = (*TURN_OPENERS, *TURN_CLOSERS, THOUGHT_OPENER, THOUGHT_CLOSER)
        ids = {name: self.tokenizer.id_of(name) for name in names}
        opener, self.closer = (
            -1 if found is None else found for found in (ids[THOUGHT_OPENER], ids[THOUGHT_CLOSER])
        )
        turns = {ids[name] for name in (*TURN_OPENERS, *TURN_CLOSERS)} - {None}
        silent = {i for i in range(self.vocabulary.size) if self.tokenizer.is_special(i)}
        self.speaker = Speaker(
            info=self.info,
            end_ids=opened.end_ids | frozenset(i for i in turns if i is not None),
            markers=Markers(opener, self.closer, frozenset(silent)),
            template_hash=self._form.digest(self.tokenizer),
            stream=self.tokenizer.stream,
            encode=self.tokenizer.encode,
        )

    def compose(self, prompt: Prompt) -> Composed:
        """Turn a prompt into token ids."""
        return compose(prompt, self._form, self.tokenizer, self.info.fingerprint)

    def tree_for(self, request: GenerationRequest) -> PrefixTree:
        """The prefixes that a request may use: all, or none."""
        return self._forgetful if request.fresh else self.tree

    def new_context(self, kv_bits: int | None = None) -> Context:
        """A context that holds nothing yet."""
        return Context(self.forward, self.layout, kv_bits=kv_bits)

    def masks(self, requests: Sequence[GenerationRequest]) -> Masks | None:
        """What holds the rows of a batch to their grammars; None where no row has one.

        Raises:
            RequestError: A constraint is not valid, or nothing conforms to it.
        """
        if all(request.constraint is None for request in requests):
            return None
        if self._grammars is None:
            self._grammars = Grammars(self.tokenizer, self.speaker.end_ids)
        matchers = [
            None if request.constraint is None else self._grammars.matcher(request.constraint)
            for request in requests
        ]
        thinks = [
            self.speaker.markers.opener >= 0
            and isinstance(request.prompt, ChatPrompt)
            and request.prompt.thinking
            for request in requests
        ]
        opener = self.speaker.markers.opener
        return Masks(matchers, thinks, opener, self.closer, self.vocabulary.size)

    def guesser(self, draft: Draft, sampling: Sampling, seed: int) -> Guesser:
        """What guesses for a reply: the words so far, or a smaller model.

        Raises:
            RequestError: The draft model speaks another vocabulary.
        """
        if not draft.model:
            return PromptLookup()
        opened = self._drafts.get(draft.model)
        if opened is None:
            opened = self._open_draft(draft.model)
            self._drafts = {draft.model: opened}
        drawing = Drawing([sampling], [seed], self.vocabulary)
        return DraftModel(Context(opened.network, opened.layout), drawing)

    def _open_draft(self, source: str) -> OpenedModel:
        *_, opened = open_model(source, self._options, lambda: False)
        assert isinstance(opened, OpenedModel)
        same = opened.tokenizer.vocabulary_size == self.vocabulary.size and all(
            opened.tokenizer.token_text(i) == self.tokenizer.token_text(i)
            for i in range(0, self.vocabulary.size, 97)
        )
        if not same:
            raise RequestError("draft.model has another vocabulary than the model that speaks.")
        return opened

    def warm_up(self) -> None:
        """Read and speak a token, so that kernels are compiled before somebody waits for them."""
        context = self.new_context()
        bos = self.tokenizer.bos_id
        context.feed([bos] * 2)
        mx.eval(context.step(mx.array([bos])))


def _narrowed(opened: OpenedModel) -> ModelInfo:
    """Go over to float16 where that suits the device better; tell what the model is then."""
    network, info = opened.network, opened.info
    dtype = network.embed(mx.array([[0]])).dtype
    name = str(mx.device_info().get("device_name", ""))
    if not narrow.is_wanted(str(opened.config.get("model_type")), name, dtype):
        return info
    narrow.to_float16(network)
    return replace(info, dtype="float16", fingerprint=f"{info.fingerprint}-float16")


def _snapshot_budget(weights_bytes: int) -> int:
    """A quarter of the memory that the weights leave, from 256 MiB to 8 GiB."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(max((total - weights_bytes) // 4, 256 << 20), 8 << 30)
