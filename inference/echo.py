"""The engine without a model: it answers from a script, token by token, and keeps the contract.

The whole window runs on it and is tested with it, on any system. It can be told what to say, how
fast, where to cut the text into tokens, and when to fail.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from inference.errors import InferenceError, PromptTooLongError
from inference.types import (
    ChatPrompt,
    Delta,
    DeltaKind,
    Engine,
    Finished,
    FinishReason,
    GenerationEvent,
    GenerationRequest,
    HiddenState,
    LensRow,
    Loaded,
    LoadEvent,
    Loading,
    Message,
    ModelInfo,
    Pooling,
    Prefilling,
    Prompt,
    RawPrompt,
    RenderedToken,
    RunRecord,
    Sampling,
    Score,
    ShouldStop,
    TokenDetail,
    TokenPrompt,
)

CHUNK_TOKENS = 64


@dataclass(frozen=True, slots=True)
class EchoScript:
    """How the echo behaves.

    Attributes:
        reply: What it says; empty makes it answer with the prompt's last message.
        thought: What it thinks before.
        seconds_per_token: How long each token takes.
        seconds_per_chunk: How long each chunk of the prompt takes to read.
        token_characters: Length of a token; 0 draws lengths from 1 to 8 by the seed.
        fail_after_tokens: Raise an `InferenceError` after so many tokens.
        load_seconds: How long loading takes.
    """

    reply: str = ""
    thought: str = ""
    seconds_per_token: float = 0.0
    seconds_per_chunk: float = 0.0
    token_characters: int = 4
    fail_after_tokens: int | None = None
    load_seconds: float = 0.0


def _prompt_text(prompt: Prompt) -> str:
    match prompt:
        case ChatPrompt():
            return "\n".join(m.text for m in prompt.messages)
        case RawPrompt():
            return prompt.text
        case TokenPrompt():
            return "".join(map(chr, prompt.token_ids))


def _reply_text(script: EchoScript, prompt: Prompt) -> str:
    if script.reply:
        return script.reply
    match prompt:
        case ChatPrompt():
            last = prompt.messages[-1] if prompt.messages else Message("user", "")
            return f"You said: {last.text}"
        case _:
            return _prompt_text(prompt)


def _cut(text: str, size: int, seed: int) -> Iterator[str]:
    """Cut a text into pieces; at most the last is shorter than asked."""
    lengths = random.Random(seed)  # noqa: S311  (not for secrets)
    at = 0
    while at < len(text):
        step = size or lengths.randint(1, 8)
        yield text[at : at + step]
        at += step


class EchoEngine:
    """An `Engine` that says what its script tells it. Token ids are code points."""

    def __init__(self, script: EchoScript | None = None) -> None:
        self.script = script or EchoScript()
        self._info: ModelInfo | None = None
        self._read: set[str] = set()

    @property
    def info(self) -> ModelInfo | None:
        """What is loaded now."""
        return self._info

    def load(self, source: str, should_stop: ShouldStop) -> Iterator[LoadEvent]:
        """Pretend to open a model."""
        for step in range(10):
            if should_stop():
                raise InferenceError("Loading was stopped; choose a model to go on.")
            yield Loading("Opening the model", step / 10)
            time.sleep(self.script.load_seconds / 10)
        self._info = ModelInfo(
            source=source,
            name="Echo",
            fingerprint="echo",
            family="echo",
            quantisation="none",
            dtype="none",
            device="none",
            n_parameters=0,
            weights_bytes=0,
            vocabulary_size=0x110000,
            context_tokens=1_000_000,
            default_max_tokens=1_000_000,
            default_sampling=Sampling(),
            reply_style="turns",
            note="Echo repeats what it is told; it has no model.",
        )
        yield Loaded(self._info)

    def unload(self) -> None:
        """Forget the model."""
        self._info = None

    def generate(
        self, request: GenerationRequest, should_stop: ShouldStop
    ) -> Iterator[GenerationEvent]:
        """Say the script, one token at a time."""
        started_at = time.time()
        start = time.perf_counter()
        prompt = _prompt_text(request.prompt)
        room = request.context_tokens
        if room is not None and request.context_policy == "stop" and len(prompt) >= room:
            raise PromptTooLongError(len(prompt), room)
        seed = request.sampling.seed if request.sampling.seed is not None else 0
        reused = max((len(p) for p in self._read if prompt.startswith(p)), default=0)
        reused = min(reused, max(len(prompt) - 1, 0))
        reason: FinishReason = "end"
        said = {"thought": "", "answer": ""}
        ids: list[int] = []
        n_tokens = 0
        for done in range(reused, len(prompt), CHUNK_TOKENS):
            if should_stop():
                reason = "stopped"
                break
            time.sleep(self.script.seconds_per_chunk)
            yield Prefilling(min(done + CHUNK_TOKENS, len(prompt)), len(prompt), reused)
        else:
            self._read.add(prompt)
        first = time.perf_counter()
        limit = request.max_tokens if request.max_tokens is not None else 1_000_000
        if reason == "end":
            for kind, piece in self._pieces(request.prompt, seed):
                if should_stop():
                    reason = "stopped"
                    break
                if n_tokens >= limit:
                    reason = "length"
                    break
                if self.script.fail_after_tokens == n_tokens:
                    raise InferenceError("The echo was told to fail; its text so far is kept.")
                time.sleep(self.script.seconds_per_token)
                cut = _stop_at(said[kind] + piece, request.stop) if kind == "answer" else None
                text = piece if cut is None else piece[: max(cut - len(said[kind]), 0)]
                said[kind] += text
                ids.extend(map(ord, text))
                n_tokens += 1
                if text:
                    yield Delta(text, kind, _details(text, request.alternatives))
                if cut is not None:
                    reason = "stop"
                    break
        end = time.perf_counter()
        info = self._info
        record = RunRecord(
            model_fingerprint=info.fingerprint if info else "echo",
            model_name="Echo",
            quantisation="none",
            template_hash="",
            engine_version="echo",
            device="none",
            prompt_ids=tuple(map(ord, prompt)),
            token_ids=tuple(ids),
            answer_ids=tuple(map(ord, said["answer"])),
            sampling=replace(request.sampling, seed=seed),
            seed=seed,
            reason=reason,
            prompt_tokens=len(prompt),
            reused_tokens=reused,
            generated_tokens=n_tokens,
            ttft_seconds=first - start,
            prefill_seconds=first - start,
            decode_seconds=end - first,
            tokens_per_second=n_tokens / max(end - first, 1e-9),
            started_at=started_at,
        )
        yield Finished(reason, said["answer"], record, said["thought"])

    def _pieces(self, prompt: Prompt, seed: int) -> Iterator[tuple[DeltaKind, str]]:
        script = self.script
        for piece in _cut(script.thought, script.token_characters, seed):
            yield "thought", piece
        for piece in _cut(_reply_text(script, prompt), script.token_characters, seed):
            yield "answer", piece

    def generate_many(
        self, requests: Sequence[GenerationRequest], should_stop: Callable[[int], bool]
    ) -> Iterator[tuple[int, GenerationEvent]]:
        """Say several replies in turn, one event of each at a time."""
        runs = {
            i: self.generate(request, lambda i=i: should_stop(i))  # type: ignore[misc]
            for i, request in enumerate(requests)
        }
        while runs:
            for i in list(runs):
                event = next(runs[i], None)
                if event is None:
                    del runs[i]
                else:
                    yield i, event

    def score(self, prompt: Prompt, completion: str, alternatives: int = 0) -> Score:
        """Find every character equally likely."""
        return Score(-float(len(completion)), _details(completion, alternatives))

    def embed(self, texts: Sequence[str], pooling: Pooling = "mean") -> np.ndarray:
        """Give each text a vector made from its words, so that alike texts are near."""
        rows = np.zeros((len(texts), 64), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
                row[int.from_bytes(digest, "little") % 64] += 1.0
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        rows.flags.writeable = False
        return rows

    def lens(
        self,
        token_ids: Sequence[int],
        positions: Sequence[int],
        top: int,
        should_stop: ShouldStop,
    ) -> Iterator[tuple[int, LensRow]]:
        """Guess the next character in every one of four layers."""
        for position in positions:
            after = position + 1
            guess = token_ids[after] if after < len(token_ids) else ord("?")
            for layer in range(4):
                if should_stop():
                    return
                yield position, LensRow(layer, ((guess, chr(guess), (layer + 1) / 4),))

    def taps(self, token_ids: Sequence[int], layers: Sequence[int]) -> tuple[HiddenState, ...]:
        """Give zeros."""
        values = np.zeros((len(token_ids), 8), np.float32)
        values.flags.writeable = False
        return tuple(HiddenState(layer, 0, values) for layer in sorted(set(layers)))

    def render(self, prompt: Prompt) -> tuple[RenderedToken, ...]:
        """Show the prompt, one character a token."""
        read = _prompt_text(prompt)
        kept = max((len(p) for p in self._read if read.startswith(p)), default=0)
        messages = prompt.messages if isinstance(prompt, ChatPrompt) else (Message("user", read),)
        shown: list[RenderedToken] = []
        for i, message in enumerate(messages):
            for c in message.text:
                shown.append(RenderedToken(ord(c), c, False, i, len(shown) < kept))
        return tuple(shown)

    def count_tokens(self, text: str) -> int:
        """Count four characters a token."""
        return -(-len(text) // 4)

    def token_text(self, token_id: int) -> str:
        """The character itself."""
        return chr(token_id)

    def tokenize(self, text: str) -> tuple[int, ...]:
        """The characters' code points."""
        return tuple(map(ord, text))

    def keep(self, should_stop: ShouldStop) -> None:
        """Keep nothing."""

    def forget(self, conversation: str) -> None:
        """Forget what was read."""
        self._read.clear()

    def memory(self) -> dict[str, int]:
        """Nothing is in use."""
        names = ("weights", "snapshots", "snapshots_disk", "snapshot_budget", "active", "peak")
        return dict.fromkeys(names, 0)

    def close(self) -> None:
        """Let go of the model."""
        self.unload()


def _stop_at(text: str, stops: tuple[str, ...]) -> int | None:
    """Where the first stop sequence begins."""
    places = [at for stop in stops if stop and (at := text.find(stop)) >= 0]
    return min(places, default=None)


def _details(text: str, alternatives: int) -> tuple[TokenDetail, ...]:
    """Details in which every third character was uncertain."""
    if not alternatives:
        return ()
    return tuple(
        TokenDetail(ord(c), c, -1.0, 1.0, ((ord(c), -1.0), (ord("~"), -1.2)))
        if i % 3 == 2
        else TokenDetail(ord(c), c, -0.01, 0.05, ((ord(c), -0.01), (ord("~"), -4.6)))
        for i, c in enumerate(text)
    )


def _conforms(engine: EchoEngine) -> Engine:
    """Let the type checker prove that the echo is an engine."""
    return engine
