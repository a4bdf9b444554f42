"""An `Engine` whose work is done by another engine in a process of its own.

Nothing else in the program knows which one it has. A crash, a hang or a lost gigabyte over there
ends one reply here with a plain sentence; the next request starts the process again on the same
model.
"""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, cast

from inference.errors import EngineBusyError, EngineLostError, InferenceError
from inference.process.keeper import Keeper, Patience
from inference.process.pipes import POLL_MS, PipeClosedError
from inference.process.relay import Relays
from inference.process.talk import Talk
from inference.process.wire import Begin, Call, Happened, Raised, Returned
from inference.types import (
    Engine,
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

log = logging.getLogger(__name__)

MOST_CRASHES = 3
STOPPED_LOADING = "Loading was stopped; choose a model to go on."
_MEMORY_NAMES = ("weights", "snapshots", "snapshots_disk", "snapshot_budget", "active", "peak")
_REPLIES = ("generate", "generate_many", "score", "embed", "lens", "taps")


class EngineProcess:
    """The door onto an engine in a child process.

    The process starts with the object and warms up by itself. `unload` ends it, so that every byte
    goes back to the system, and the next load starts another.
    """

    def __init__(
        self,
        factory: str,
        *arguments: object,
        patience: Patience | None = None,
        python: str = "",
    ) -> None:
        """Start the process.

        Args:
            factory: "module:name" of what makes the engine; imported in the child alone.
            arguments: What it is called with: plain data that pickles.
            patience: How long to wait for what.
            python: The interpreter to run; found by itself when empty.

        Raises:
            InferenceError: No process could be started.
        """
        self._patience = patience or Patience()
        self._python = python
        self._begin = Begin(
            factory,
            arguments,
            logging.getLogger().getEffectiveLevel(),
            min(self._patience.silence_seconds / 5, 1.0),
        )
        self._numbers = itertools.count(1)
        self._info: ModelInfo | None = None
        self._source = ""  # what is open, or is to be again after a crash
        self._tried = ""  # what was last asked for, by hand
        self._texts: dict[int, str] = {}
        self._crashes = 0
        self._last_doing = "idle"
        self._left_behind = 0  # the number of a stopped call that the child may still be at
        self._is_open = False
        self._is_talking = False
        self._keeper: Keeper | None = self._start()

    # ------------------------------------------------------------------------------ models

    @property
    def info(self) -> ModelInfo | None:
        """What is loaded now, or will be again with the next request."""
        return self._info

    @property
    def process_id(self) -> int | None:
        """The child's number with the system, while there is one."""
        keeper = self._keeper
        return None if keeper is None or keeper.is_gone else keeper.process_id

    def load(self, source: str, should_stop: ShouldStop) -> Iterator[LoadEvent]:
        """Open a model in the child; a model opened before goes with its whole process."""
        self._check_free()
        if self._info is not None:
            self.unload()
        if source != self._tried:
            self._crashes = 0
        self._tried = source
        self._crashes = min(self._crashes, MOST_CRASHES - 1)  # asked by hand: one more try
        keeper = self._free(should_stop)
        for event in self._use(keeper, "load", source, should_stop=should_stop):
            if isinstance(event, Loaded):
                self._source, self._info, self._is_open = source, event.info, True
                self._texts = {}
            yield cast("LoadEvent", event)
        if not self._is_open:
            raise InferenceError(STOPPED_LOADING)

    def unload(self) -> None:
        """Let go of the model by ending its process: its memory is the system's again."""
        self._check_free()
        self._info = None
        self._source = ""
        self._let_go(tidy=False)

    # ------------------------------------------------------------------------------ replies

    def generate(
        self, request: GenerationRequest, should_stop: ShouldStop
    ) -> Iterator[GenerationEvent]:
        """Make one reply."""
        for _, event in self._relay("generate", (request,), lambda _: should_stop()):
            yield event

    def generate_many(
        self, requests: Sequence[GenerationRequest], should_stop: Callable[[int], bool]
    ) -> Iterator[tuple[int, GenerationEvent]]:
        """Make several replies as one batch."""
        if requests:
            yield from self._relay("generate_many", tuple(requests), should_stop)

    def _relay(
        self,
        verb: str,
        requests: tuple[GenerationRequest, ...],
        should_stop: Callable[[int], bool],
    ) -> Iterator[tuple[int, GenerationEvent]]:
        """Pass on what the child says; end what is stopped and does not end by itself in time."""
        relays = Relays(requests, self._info, should_stop, self._patience.stop_seconds)
        single = verb == "generate"
        keeper = self._ready(lambda: all(map(should_stop, range(len(requests)))))
        if keeper is None:  # stopped before the engine was ready
            for i, relay in enumerate(relays.each):
                yield i, relay.end_here()
            return
        argument = requests[0] if single else requests
        with self._talk(keeper, verb, (argument,), lambda: relays.doing) as talk:
            while not talk.is_over:
                for i in relays.newly_stopped():
                    keeper.stop(talk.number, 0 if single else i + 1)
                for i in relays.overdue():
                    yield i, relays.each[i].end_here()
                if relays.were_ended_here:
                    return
                report = talk.receive()
                if isinstance(report, Happened):
                    i, event = _of_which(report.event, single)
                    if relays.each[i].passes(event):
                        yield i, event

    # ------------------------------------------------------------------------------ other verbs

    def score(self, prompt: Prompt, completion: str, alternatives: int = 0) -> Score:
        """Tell how likely the model finds a completion."""
        return cast("Score", self._get("score", prompt, completion, alternatives))

    def embed(self, texts: Sequence[str], pooling: Pooling = "mean") -> np.ndarray:
        """Give each text a vector of unit length. Shapes: (len(texts), width), float32."""
        vectors = cast("np.ndarray", self._get("embed", tuple(texts), pooling))
        vectors.flags.writeable = False  # pickle forgets it
        return vectors

    def lens(
        self,
        token_ids: Sequence[int],
        positions: Sequence[int],
        top: int,
        should_stop: ShouldStop,
    ) -> Iterator[tuple[int, LensRow]]:
        """Give each layer's guesses for the token after each position."""
        arguments = (tuple(token_ids), tuple(positions), top)
        keeper = self._ready(should_stop)
        for event in self._use(keeper, "lens", *arguments, should_stop=should_stop):
            yield cast("tuple[int, LensRow]", event)

    def taps(self, token_ids: Sequence[int], layers: Sequence[int]) -> tuple[HiddenState, ...]:
        """Give the hidden states that enter the named layers."""
        states = cast("tuple[HiddenState, ...]", self._get("taps", tuple(token_ids), tuple(layers)))
        for state in states:
            state.values.flags.writeable = False
        return states

    def render(self, prompt: Prompt) -> tuple[RenderedToken, ...]:
        """Show the prompt as the model sees it."""
        return cast("tuple[RenderedToken, ...]", self._get("render", prompt))

    def tokenize(self, text: str) -> tuple[int, ...]:
        """The token ids of a text."""
        return cast("tuple[int, ...]", self._get("tokenize", text))

    def keep(self, should_stop: ShouldStop) -> None:
        """Write what is worth keeping over a restart."""
        if self._is_running:
            for _ in self._use(self._ready(should_stop), "keep", should_stop=should_stop):
                pass

    def forget(self, conversation: str) -> None:
        """Remove a conversation's snapshots; works without a model too."""
        self._get("forget", conversation)

    def memory(self) -> dict[str, int]:
        """Bytes in use in the child."""
        if not self._is_running:
            return dict.fromkeys(_MEMORY_NAMES, 0)
        return cast("dict[str, int]", self._get("memory"))

    # ------------------------------------------------------------------------------ any thread

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, while the engine speaks too. Safe from any thread."""
        return cast("int", self._ask("count_tokens", text))

    def token_text(self, token_id: int) -> str:
        """The text of one token. Safe from any thread; each is asked of the child once."""
        texts = self._texts
        if token_id not in texts:
            texts[token_id] = cast("str", self._ask("token_text", token_id))
        return texts[token_id]

    def _ask(self, verb: str, argument: object) -> object:
        keeper = self._keeper
        if keeper is None:
            raise InferenceError("No model is open; choose one first.")
        return keeper.ask(verb, argument)

    # ------------------------------------------------------------------------------ the end

    def close(self) -> None:
        """End the process, tidily if it is idle; never waits more than a second."""
        self._info = None
        self._source = ""
        self._let_go(tidy=True)

    def _let_go(self, *, tidy: bool) -> None:
        keeper, self._keeper = self._keeper, None
        is_idle, self._left_behind = not self._left_behind, 0
        self._is_open = False
        if keeper is None:
            return
        if tidy and is_idle and not keeper.is_gone:
            with suppress(PipeClosedError):
                keeper.call(Call(next(self._numbers), "close", ()))
                keeper.bury(self._patience.close_seconds)
        keeper.kill()
        keeper.bury()
        keeper.close_pipes()

    # ------------------------------------------------------------------------------ the child

    @property
    def _is_running(self) -> bool:
        return self._keeper is not None and not self._keeper.is_gone

    def _get(self, verb: str, *arguments: object) -> object:
        """Use a method that gives a value."""
        keeper = self._ready(_never)
        assert keeper is not None
        with self._talk(keeper, verb, arguments, lambda: "answering") as talk:
            while True:
                report = talk.receive()
                if isinstance(report, Returned):
                    return report.value

    def _use(
        self, keeper: Keeper | None, verb: str, *arguments: object, should_stop: ShouldStop
    ) -> Iterator[object]:
        """Use a method that may be stopped; it ends soon after a stop, come what may."""
        if keeper is None:
            return
        stopped_at = 0.0
        doing = "opening the model" if verb == "load" else "answering"
        with self._talk(keeper, verb, arguments, lambda: doing) as talk:
            while not talk.is_over:
                if not stopped_at and should_stop():
                    stopped_at = time.monotonic()
                    keeper.stop(talk.number)
                if stopped_at and time.monotonic() - stopped_at > self._patience.stop_seconds:
                    return
                report = talk.receive()
                if isinstance(report, Happened):
                    yield report.event

    @contextmanager
    def _talk(
        self, keeper: Keeper, verb: str, arguments: tuple[object, ...], doing: Callable[[], str]
    ) -> Iterator[Talk]:
        """Call the child; whatever happens, it is free afterwards, or on its way to be."""
        self._check_free()
        self._is_talking = True
        talk: Talk | None = None
        try:
            talk = Talk(keeper, Call(next(self._numbers), verb, arguments))
            yield talk
        except PipeClosedError:
            keeper.kill()
            keeper.bury()
            self._last_doing = doing()
            if self._keeper is keeper:
                self._note_loss(keeper)
            raise EngineLostError(
                f"The engine stopped unexpectedly while {self._last_doing}. Your text is safe; "
                "the next message starts it again."
            ) from None
        finally:
            self._is_talking = False
            if talk is not None and self._keeper is keeper:
                if not talk.is_over and not talk.leave(self._patience.stop_seconds):
                    self._left_behind = talk.number
                if talk.is_over and verb in _REPLIES:
                    self._crashes = 0

    def _check_free(self) -> None:
        if self._is_talking:
            raise EngineBusyError("The engine is busy with another request; try again after it.")

    def _ready(self, should_stop: ShouldStop) -> Keeper | None:
        """The child with the model open in it, started again if it was lost.

        Returns:
            None when it was asked to stop meanwhile.
        """
        keeper = self._free(should_stop)
        if keeper is not None and self._source and not self._is_open:
            log.info("The engine is started again")
            try:
                for event in self._use(keeper, "load", self._source, should_stop=should_stop):
                    self._is_open = isinstance(event, Loaded)
            except InferenceError:
                if not should_stop():
                    raise
            if not self._is_open:
                return None
        return keeper

    def _free(self, should_stop: ShouldStop) -> Keeper | None:
        """The child, started if there is none, and done with what was left behind in it."""
        keeper = self._keeper
        while keeper is not None and self._left_behind and not keeper.is_gone:
            if should_stop():
                return None
            try:
                report = keeper.receive(POLL_MS)
            except PipeClosedError:
                keeper.bury()
            else:
                if isinstance(report, Returned | Raised) and report.number == self._left_behind:
                    self._left_behind = 0
                    if not keeper.rejoin():
                        keeper.bury()
        if keeper is not None and keeper.is_gone:
            self._note_loss(keeper)
        if self._crashes >= MOST_CRASHES:
            name = self._info.name if self._info else "this model"
            raise InferenceError(
                f"The engine ended {self._crashes} times in a row with {name}, the last time while "
                f"{self._last_doing}. Your text is safe; open the model again or choose another."
            )
        if self._keeper is None:
            self._keeper = self._start()
        return self._keeper

    def _start(self) -> Keeper:
        self._left_behind = 0
        self._is_open = False
        return Keeper(self._begin, self._patience, self._python)

    def _note_loss(self, keeper: Keeper) -> None:
        """Forget a child that is gone; count it unless we ended it ourselves after a stop."""
        if not keeper.was_replaced:
            self._crashes += 1
        log.warning(
            "The engine's process %s while %s (%d in a row)",
            keeper.how_it_ended(),
            self._last_doing,
            self._crashes,
        )
        keeper.close_pipes()
        self._keeper = None
        self._is_open = False
        self._left_behind = 0


def _never() -> bool:
    return False


def _of_which(event: object, single: bool) -> tuple[int, GenerationEvent]:
    """Which request an event belongs to."""
    if single:
        return 0, cast("GenerationEvent", event)
    return cast("tuple[int, GenerationEvent]", event)


def _conforms(engine: EngineProcess) -> Engine:
    """Let the type checker prove that this is an engine."""
    return engine
