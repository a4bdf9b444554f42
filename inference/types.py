"""What crosses the door between the window and the engine: immutable, picklable, plain.

Requests go in, events come out. Nothing here knows MLX or Qt. A result may hold a read-only numpy
array; nothing else that is mutable crosses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    import numpy as np

Role = Literal["system", "user", "assistant"]
FinishReason = Literal["end", "stop", "length", "stopped", "context", "loop"]
ContextPolicy = Literal["stop", "oldest", "rolling", "rotate"]
ReplyStyle = Literal["turns", "transcript"]
ConstraintKind = Literal["json_schema", "regex", "grammar"]
DeltaKind = Literal["answer", "thought"]
Pooling = Literal["mean", "last"]
ShouldStop = Callable[[], bool]


# ------------------------------------------------------------------------------------- prompts


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation.

    Attributes:
        token_ids: The ids that the model itself spoke for this text, without the end token. They
            are used instead of the text while `spoken_by` is the loaded model's fingerprint.
        thought: What the model thought before this reply; templates leave it out of history.
    """

    role: Role
    text: str
    token_ids: tuple[int, ...] = ()
    spoken_by: str = ""
    thought: str = ""


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """A conversation to answer, by the model's own template.

    Attributes:
        prefix: Text that the reply begins with (Continue); it is not repeated in the deltas.
        prefix_ids: The same as token ids (forced tokens); wins over `prefix`.
    """

    messages: tuple[Message, ...]
    prefix: str = ""
    prefix_ids: tuple[int, ...] = ()
    thinking: bool = False


@dataclass(frozen=True, slots=True)
class RawPrompt:
    """Plain text to complete: one BOS, no template. Control tokens in it stay text."""

    text: str
    prefix_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenPrompt:
    """Exact token ids to complete, as they are."""

    token_ids: tuple[int, ...]


Prompt = ChatPrompt | RawPrompt | TokenPrompt


# ------------------------------------------------------------------------------------- requests


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a token is drawn from the logits, in the order documented in `sampling`.

    Attributes:
        temperature: 0 (anything below 1e-4) is argmax.
        top_k: 0 keeps every token.
        top_p: 1 keeps every token.
        repetition_window: How many of the latest tokens (prompt and reply) the repetition penalty
            looks at; 0 looks at all.
        logit_bias: Pairs of token id and the number added to its logit.
        seed: None lets the engine choose one; the run record tells which.
    """

    temperature: float = 1.0
    top_k: int = 64
    top_p: float = 0.95
    min_p: float = 0.0
    xtc_probability: float = 0.0
    xtc_threshold: float = 0.1
    repetition_penalty: float = 1.0
    repetition_window: int = 64
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    logit_bias: tuple[tuple[int, float], ...] = ()
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Constraint:
    """What the answer must conform to, as the text of a JSON schema, a regex or a grammar."""

    kind: ConstraintKind
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """Speculative decoding: guesses that are checked, never trusted; the reply is the same.

    Attributes:
        model: A model source of the same vocabulary; empty means prompt lookup (n-grams).
        max_tokens: The longest run of guesses checked in one step.
    """

    model: str = ""
    max_tokens: int = 8


@dataclass(frozen=True, slots=True)
class Probe:
    """Look into layers while a reply is made.

    Attributes:
        layers: Those whose output is looked at.
        steps: 0 is the reading of the prompt's end, n the reading of the reply's n-th token.
    """

    layers: tuple[int, ...]
    steps: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """One reply to make.

    Attributes:
        max_tokens: None takes the model's own limit (`ModelInfo.default_max_tokens`).
        stop: Texts that end the reply; they are never shown, not even in part.
        conversation: Which saved conversation this belongs to, so that its prefixes may be kept on
            disk; empty for a temporary one, whose prefixes never leave memory.
        context_tokens: The user's own limit; None takes the model's.
        alternatives: How many likeliest tokens to report with each token (0: none).
        thinking_tokens: The thinking budget; None is unbounded.
        expected_top_k: Ids expected as the likeliest after the prompt, best first (drift check).
        read_back_tokens: How many steps are enqueued before their ids are read together.
        profile_every: Time every so many steps (0: none); the run record has the times.
        probe: Layers and steps to look into; the run record has what was seen.
        kv_bits: 8 or 4 quantises the keys and values of full-attention layers; None keeps them.
        fresh: Read everything anew and keep nothing: what a comparison is made with.
    """

    prompt: Prompt
    sampling: Sampling = Sampling()
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    conversation: str = ""
    context_tokens: int | None = None
    context_policy: ContextPolicy = "stop"
    alternatives: int = 0
    thinking_tokens: int | None = None
    constraint: Constraint | None = None
    draft: Draft | None = None
    expected_top_k: tuple[int, ...] = ()
    max_drift: float = 0.0
    read_back_tokens: int = 1
    kv_bits: Literal[4, 8] | None = None
    fresh: bool = False
    profile_every: int = 0
    probe: Probe | None = None


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Where an engine keeps things and how much it may take.

    Attributes:
        cache_dir: Converted weights, tokenizers and prefix snapshots live below it.
        snapshot_bytes: Memory budget of the prefix tree; None derives it from the machine.
        snapshot_disk_bytes: Disk budget of the prefix tree; 0 turns the disk tier off.
        working_set_bytes: What the device can hold at once; None asks the device.
    """

    cache_dir: Path
    snapshot_bytes: int | None = None
    snapshot_disk_bytes: int = 2 * 1024**3
    working_set_bytes: int | None = None


# ------------------------------------------------------------------------------------- events


@dataclass(frozen=True, slots=True)
class Loading:
    """A model is being opened: what is being done and how far it is, from 0 to 1."""

    what: str
    fraction: float


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is known of the loaded model.

    Attributes:
        fingerprint: Names weights, quantisation, dtype and cache layout; token ids and snapshots
            made under another fingerprint are not used.
        is_base: The model has had no instruction tuning; `note` says so in a friendly line.
        reply_style: "turns" is Gemma's own template, "transcript" the plain one for base models.
        conversion: What a GGUF file lost when it was converted, in words; empty if nothing.
    """

    source: str
    name: str
    fingerprint: str
    family: str
    quantisation: str
    dtype: str
    device: str
    n_parameters: int
    weights_bytes: int
    vocabulary_size: int
    context_tokens: int
    default_max_tokens: int
    default_sampling: Sampling
    reply_style: ReplyStyle
    is_base: bool = False
    can_think: bool = False
    note: str = ""
    conversion: str = ""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The model is ready."""

    info: ModelInfo


@dataclass(frozen=True, slots=True)
class Prefilling:
    """The prompt is being read: `done` of `total` tokens, `reused` of which came from snapshots.

    Attributes:
        dropped_messages: How many messages were left out so that the rest fits.
    """

    done: int
    total: int
    reused: int
    dropped_messages: int = 0


@dataclass(frozen=True, slots=True)
class TokenDetail:
    """One spoken token.

    Attributes:
        text: The characters that this token completed (may be empty inside a character).
        alternatives: The likeliest tokens at this place, best first: (id, log-probability).
    """

    token_id: int
    text: str
    logprob: float
    entropy: float
    alternatives: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Delta:
    """More of the reply: whole characters, never a control token.

    Attributes:
        tokens: Details of the tokens in `text`, where the request asked for alternatives.
    """

    text: str
    kind: DeltaKind = "answer"
    tokens: tuple[TokenDetail, ...] = ()


@dataclass(frozen=True, slots=True)
class RunRecord:
    """All that is needed to make this reply again, and what it cost.

    Attributes:
        token_ids: Every token spoken, thought included, without the end token.
        answer_ids: Those of the answer alone.
        prompt_tokens: Tokens of the whole prompt; `reused_tokens` of them came from snapshots.
        guard_events: (token index, layer or -1) of each numeric fault that was repaired.
        profile: (token index, seconds enqueuing, waiting, making text) of each timed step.
        probes: (step, layer, least, most, NaNs, Infs, first values of the last position) of each
            look into a layer; least and most are of the finite values.
        probe_tops: (step, the five likeliest next tokens after penalties) of each look.
    """

    model_fingerprint: str
    model_name: str
    quantisation: str
    template_hash: str
    engine_version: str
    device: str
    prompt_ids: tuple[int, ...]
    token_ids: tuple[int, ...]
    answer_ids: tuple[int, ...]
    sampling: Sampling
    seed: int
    reason: FinishReason
    prompt_tokens: int
    reused_tokens: int
    generated_tokens: int
    ttft_seconds: float
    prefill_seconds: float
    decode_seconds: float
    tokens_per_second: float
    started_at: float
    logprobs: tuple[float, ...] = ()
    peak_memory_bytes: int = 0
    snapshot_bytes: int = 0
    guard_events: tuple[tuple[int, int], ...] = ()
    draft_proposed: int = 0
    draft_accepted: int = 0
    thinking_tokens: int = 0
    thinking_seconds: float = 0.0
    dropped_messages: int = 0
    inexact: tuple[str, ...] = ()
    profile: tuple[tuple[int, float, float, float], ...] = ()
    probes: tuple[tuple[int, int, float, float, int, int, tuple[float, ...]], ...] = ()
    probe_tops: tuple[tuple[int, tuple[tuple[int, float], ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Finished:
    """The reply is complete. `text` and `thought` are the deltas of each kind joined."""

    reason: FinishReason
    text: str
    record: RunRecord
    thought: str = ""


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """What a model's files say of themselves; nothing large was read.

    Attributes:
        disk_bytes: The weights as they are stored.
        weights_bytes: The weights as this device will hold them.
        inexact: What will change a little when the file is converted, in words; empty if nothing.
        skipped: Parts that the file carries and that are not used, such as a vision tower.
    """

    source: str
    name: str
    family: str
    quantisation: str
    disk_bytes: int
    weights_bytes: int
    context_tokens: int
    is_base: bool
    inexact: str = ""
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelFit:
    """Whether a model fits the device at a context, and the sum.

    Attributes:
        cache_bytes: Keys and values of the context, layer by layer; windows stop growing.
        scratch_bytes: What reading a prompt needs beside them.
        limit_bytes: What the device can hold at once.
        sentence: The sum, spelled out.
    """

    verdict: Literal["fits", "tight", "too big"]
    context_tokens: int
    weights_bytes: int
    cache_bytes: int
    scratch_bytes: int
    limit_bytes: int
    sentence: str

    @property
    def total_bytes(self) -> int:
        """All that is needed."""
        return self.weights_bytes + self.cache_bytes + self.scratch_bytes


@dataclass(frozen=True, slots=True)
class ModelVerified:
    """The end of a model's verification.

    Attributes:
        problem: One sentence; empty when everything is as it should be.
    """

    summary: ModelSummary | None
    problem: str = ""


LoadEvent = Loading | Loaded
GenerationEvent = Prefilling | Delta | Finished


# ------------------------------------------------------------------------------- other verbs


@dataclass(frozen=True, slots=True)
class RenderedToken:
    """One token of the prompt as the model sees it.

    Attributes:
        message: Index of the message it belongs to, -1 for the template's own.
        cached: Its keys and values are kept and will not be read again.
    """

    token_id: int
    text: str
    special: bool
    message: int
    cached: bool


@dataclass(frozen=True, slots=True)
class Score:
    """Log-likelihood (natural log) of a given completion.

    Attributes:
        tokens: One detail for each token of the completion.
    """

    total_logprob: float
    tokens: tuple[TokenDetail, ...]


@dataclass(frozen=True, slots=True)
class LensRow:
    """A layer's guesses for one position: (id, text, probability), best first."""

    layer: int
    guesses: tuple[tuple[int, str, float], ...]


@dataclass(frozen=True, slots=True, eq=False)
class HiddenState:
    """The stream entering a layer at some positions.

    Shapes: values (L, width), float32, read-only.
    """

    layer: int
    first_position: int
    values: np.ndarray = field(repr=False)


class Engine(Protocol):
    """The door. One thread uses an engine from its making to `close`.

    A generator that is dropped early counts as stopped. Every failure is an `InferenceError`, after
    which the engine serves the next request.
    """

    @property
    def info(self) -> ModelInfo | None:
        """What is loaded now."""

    def load(self, source: str, should_stop: ShouldStop) -> Iterator[LoadEvent]:
        """Open a model: "starter", a GGUF file or a model folder. Ends with `Loaded`."""

    def unload(self) -> None:
        """Let go of the model and give its memory back."""

    def generate(
        self, request: GenerationRequest, should_stop: ShouldStop
    ) -> Iterator[GenerationEvent]:
        """Make one reply. Ends with `Finished`."""

    def generate_many(
        self, requests: Sequence[GenerationRequest], should_stop: Callable[[int], bool]
    ) -> Iterator[tuple[int, GenerationEvent]]:
        """Make several replies as one batch; each ends with its own `Finished`."""

    def score(self, prompt: Prompt, completion: str, alternatives: int = 0) -> Score:
        """Tell how likely the model finds a completion, in one forward pass."""

    def embed(self, texts: Sequence[str], pooling: Pooling = "mean") -> np.ndarray:
        """Give each text a vector of unit length. Shapes: (len(texts), width), float32."""

    def lens(
        self,
        token_ids: Sequence[int],
        positions: Sequence[int],
        top: int,
        should_stop: ShouldStop,
    ) -> Iterator[tuple[int, LensRow]]:
        """Give each layer's guesses for the token after each position."""

    def taps(self, token_ids: Sequence[int], layers: Sequence[int]) -> tuple[HiddenState, ...]:
        """Give the hidden states that enter the named layers."""

    def render(self, prompt: Prompt) -> tuple[RenderedToken, ...]:
        """Show the prompt as the model sees it."""

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, without BOS. Safe from any thread."""

    def token_text(self, token_id: int) -> str:
        """The text of one token, control tokens by name. Safe from any thread."""

    def tokenize(self, text: str) -> tuple[int, ...]:
        """The token ids of a text, without BOS; control tokens in it stay text."""

    def keep(self, should_stop: ShouldStop) -> None:
        """Write what is worth keeping over a restart; called when idle and before close."""

    def forget(self, conversation: str) -> None:
        """Remove a conversation's snapshots from disk and memory; "" removes everyone's."""

    def memory(self) -> dict[str, int]:
        """Bytes in use: weights, snapshots, snapshots_disk, snapshot_budget, active, peak."""

    def close(self) -> None:
        """Let go of everything. The engine is not used again."""
