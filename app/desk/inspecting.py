"""What is inside an answer: its tokens, its prompt, the layers' guesses, and whether it repeats."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.chat import Chat
from app.lab.replay import Verdict
from app.lab.verifier import Verifier
from app.rows import LayerGuesses, PromptPiece, TokenRow
from app.store.rows import Node, Run, StoredToken
from app.store.thread import StoreThread
from app.work import Failed, Lens, Priority, Render, Ticket
from app.worker import Worker
from inference import (
    ChatPrompt,
    Engine,
    InferenceError,
    LensRow,
    Message,
    Prompt,
    RawPrompt,
    RenderedToken,
    TokenDetail,
)

LENS_TOP = 5


@dataclass(slots=True)
class _Opened:
    """The answer that is inspected."""

    node: Node
    run: Run


class Inspecting(QObject):
    """Opens one answer at a time.

    Attributes:
        tokens_shown: Message, `TokenDetail`s, and what names a token by its id.
        opened: Rows of the answer's tokens, and a line that tells what it is.
        prompt_shown: The prompt as pieces. `layers_shown`: token index and guesses of each layer.
        verdict_shown: One sentence. `failed`: one sentence.
        closed: Nothing is inspected any more.
    """

    tokens_shown = Signal(int, object, object)
    opened = Signal(object, str)
    prompt_shown = Signal(object)
    layers_shown = Signal(int, object)
    verdict_shown = Signal(str)
    failed = Signal(str)
    closed = Signal()

    def __init__(
        self,
        store: StoreThread,
        worker: Worker,
        chat: Chat,
        verifier: Verifier,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store, self._worker, self._chat, self._verifier = store, worker, chat, verifier
        self._engine: Engine | None = None
        self._opened: _Opened | None = None
        self._render: Ticket | None = None
        self._lens: Ticket | None = None
        self._lens_token = 0
        self._layers: list[LayerGuesses] = []
        worker.happened.connect(self.on_happened)
        verifier.verified.connect(self.on_verified)
        verifier.failed.connect(self.on_not_verified)
        verifier.progressed.connect(self.on_progressed)

    @Slot(object)
    def on_engine_made(self, engine: Engine) -> None:
        """Take the engine, for the names of tokens."""
        self._engine = engine

    # ------------------------------------------------------------------------------ opening

    @Slot(int)
    def inspect(self, message: int) -> None:
        """Open an answer, or close it if it is open."""
        if self._opened is not None and self._opened.node.id == message:
            self.close()
            return
        self.close()
        if message not in self._chat.conversation:
            return
        node = self._chat.conversation.node(message)
        if node.role == "assistant":
            self._store.ask_for(
                message, lambda s: s.runs.of_message(message), lambda run: self._open(node, run)
            )

    @Slot()
    def close(self) -> None:
        """Close what is open."""
        for ticket in (self._render, self._lens):
            if ticket is not None:
                ticket.stop()
        self._render = self._lens = None
        if self._opened is not None:
            self.tokens_shown.emit(self._opened.node.id, (), str)
            self._opened = None
            self.closed.emit()

    def _open(self, node: Node, run: Run | None) -> None:
        if run is None:
            self.failed.emit(self.tr("No record was kept of this answer."))
            return
        self._opened = _Opened(node, run)
        details = _with_texts(node, run.details[_thought_tokens(self._opened) :])
        self.tokens_shown.emit(node.id, details, self.token_text)
        rows = tuple(
            TokenRow(d.text or self.token_text(d.token_id), math.exp(d.logprob)) for d in details
        )
        record = run.record
        about = self.tr("{model} · {quantisation} · seed {seed} · {n} tokens").format(
            model=record.model_name,
            quantisation=record.quantisation,
            seed=record.seed,
            n=record.generated_tokens,
        )
        self.opened.emit(rows, about)
        self._ask_prompt(node)

    def token_text(self, token: int) -> str:
        """The text of a token."""
        try:
            return self._engine.token_text(token) if self._engine is not None else str(token)
        except InferenceError:
            return str(token)

    @Slot(int, int, int)
    def force(self, message: int, place: int, token: int) -> None:
        """Say another token there, and go on from it as a branch beside the old one."""
        thought = _thought_tokens(self._opened) if self._opened is not None else 0
        text = self.token_text(token)
        self.close()
        self._chat.force(message, thought + place, token, text)

    # ------------------------------------------------------------------------------ the prompt

    def _ask_prompt(self, node: Node) -> None:
        if node.parent_id is None:
            return
        path = self._chat.conversation.path(node.parent_id)
        settings = self._chat.settings

        def then(messages: tuple[Message, ...]) -> None:
            prompt: Prompt = ChatPrompt(messages, thinking=settings.thinking)
            if settings.raw:
                prompt = RawPrompt("".join(message.text for message in messages))
            self._render = self._worker.submit(Render(prompt), Priority.LAB)

        self._store.ask_for(node.id, lambda s: s.prompt(path, settings.system), then)

    # ------------------------------------------------------------------------------ the layers

    @Slot(int)
    def look_into(self, token: int) -> None:
        """Ask for each layer's guesses of a token of the answer."""
        if self._opened is None:
            return
        if self._lens is not None:
            self._lens.stop()
        record = self._opened.run.record
        spoken = record.token_ids[: _thought_tokens(self._opened) + token]
        ids = (*record.prompt_ids, *spoken)
        self._lens_token, self._layers = token, []
        self._lens = self._worker.submit(
            Lens(ids, (len(ids) - 1,), LENS_TOP), Priority.LAB, self._chat.conversation_id
        )

    # ------------------------------------------------------------------------------ verifying

    @Slot()
    def verify(self) -> None:
        """Make the answer again from its record, cold."""
        if self._opened is not None:
            self.verdict_shown.emit(self.tr("Making it again…"))
            self._verifier.verify(self._chat.conversation_id, self._opened.node.id)

    @Slot(int, object)
    def on_verified(self, message: int, verdict: Verdict) -> None:
        """Tell the verdict on the answer that is open."""
        if self._is_open(message):
            self.verdict_shown.emit(verdict.sentence())

    @Slot(int, str)
    def on_not_verified(self, message: int, why: str) -> None:
        """Tell why there is no verdict."""
        if self._is_open(message):
            self.verdict_shown.emit(why)

    @Slot(int, int, int)
    def on_progressed(self, message: int, done: int, total: int) -> None:
        """Tell how far the replay is."""
        if self._is_open(message):
            self.verdict_shown.emit(
                self.tr("Making it again: {done} of {total} tokens").format(done=done, total=total)
            )

    def _is_open(self, message: int) -> bool:
        return self._opened is not None and self._opened.node.id == message

    @Slot(int, object)
    def on_happened(self, ticket: int, event: object) -> None:
        """Take the rendered prompt and the layers' guesses."""
        if self._render is not None and ticket == self._render.id:
            if isinstance(event, tuple):
                self.prompt_shown.emit(_pieces(event))
            elif isinstance(event, Failed):
                self.failed.emit(event.message)
        elif self._lens is not None and ticket == self._lens.id:
            match event:
                case (int(), LensRow(layer=layer, guesses=guesses)):
                    named = tuple((text, chance) for _, text, chance in guesses)
                    self._layers.append(LayerGuesses(layer, named))
                    self.layers_shown.emit(self._lens_token, tuple(self._layers))
                case Failed(message=message):
                    self.failed.emit(message)
                case _:
                    pass


def _thought_tokens(opened: _Opened) -> int:
    """How many of the kept tokens are the thought's, which stands before the answer."""
    left, n = len(opened.node.thought), 0
    for one in opened.run.details:
        if left <= 0:
            break
        left -= one.n_characters
        n += 1
    return n


def _with_texts(node: Node, details: tuple[StoredToken, ...]) -> tuple[TokenDetail, ...]:
    """Give the kept tokens the characters of the answer that they spoke."""
    at = node.note.prefix_characters
    found: list[TokenDetail] = []
    text = node.text
    for one in details:
        piece = text[at : at + one.n_characters]
        at += one.n_characters
        found.append(TokenDetail(one.token_id, piece, one.logprob, one.entropy, one.alternatives))
    return tuple(found)


def _pieces(tokens: tuple[RenderedToken, ...]) -> tuple[PromptPiece, ...]:
    """The prompt's tokens as plain pieces."""
    return tuple(
        PromptPiece(one.text, one.token_id, one.special, one.cached, one.message) for one in tokens
    )
