"""Titles made by the model itself, in idle time, for chats that nobody named."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot

from app.store.rows import Node
from app.store.store import Store, is_temporary
from app.store.thread import StoreThread
from app.work import Ended, Failed, Generate, Priority, Yielded
from app.worker import Worker
from inference import (
    ChatPrompt,
    Finished,
    GenerationRequest,
    Message,
    ModelInfo,
    Prompt,
    RawPrompt,
    Sampling,
)

MAX_TITLE = 60
_EXCERPT = 600  # characters of each message that the model sees
_AROUND_TITLE = "*_`\"' .:\u00ab\u00bb\u2018\u2019\u201c\u201d\u201e"
_EXAMPLES = (
    "Text: How do I boil an egg so that the yolk stays soft? Put it in boiling water for six "
    "minutes.\nTitle: Soft-boiled eggs\n\n"
    "Text: Write a function that reverses a list in Python. def reverse(items): return "
    "items[::-1]\nTitle: Reverse a list in Python\n\n"
)


def title_prompt(path: tuple[Node, ...], *, base: bool) -> Prompt:
    """Ask for a title of a conversation's beginning.

    Args:
        path: The visible path.
        base: The model has no instruction tuning and continues examples instead.
    """
    excerpt = " ".join(node.text[:_EXCERPT] for node in path[:2])
    excerpt = " ".join(excerpt.split())
    if base:
        return RawPrompt(f"{_EXAMPLES}Text: {excerpt}\nTitle:")
    ask = (
        "Give this conversation a title of two to six words, in its own language. "
        f"Answer with the title alone.\n\n{excerpt}"
    )
    return ChatPrompt((Message("user", ask),))


def clean_title(text: str) -> str:
    """Make a title of what the model said, or "" when it is none."""
    line = next((part for part in text.splitlines() if part.strip()), "")
    line = re.sub(r"^\s*((#+|\*+|Title:|[-•])\s*)+", "", line, flags=re.IGNORECASE)
    line = " ".join(line.split()).strip(_AROUND_TITLE)
    if not any(map(str.isalnum, line)) or len(line) > MAX_TITLE:
        return ""
    return line


@dataclass(slots=True)
class _Asked:
    conversation_id: int
    title: str = ""


class Titler(QObject):
    """Asks for titles when replies end. Lives on the GUI thread.

    Signals:
        titled (int, str): A conversation got its title, which is already stored.
    """

    titled = Signal(int, str)

    def __init__(self, store: StoreThread, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._worker = worker
        self._model: ModelInfo | None = None
        self._asked: dict[int, _Asked] = {}
        self.enabled = True
        worker.happened.connect(self.on_happened)
        worker.model_changed.connect(self.on_model_changed)

    @Slot(object)
    def on_model_changed(self, info: ModelInfo | None) -> None:
        """Note which model is loaded."""
        self._model = info

    @Slot(int, bool)
    def on_writing_changed(self, conversation_id: int, writing: bool) -> None:
        """Name a conversation once its first reply has ended; connect `Chat.writing_changed`."""
        if writing or not self.enabled or is_temporary(conversation_id) or self._model is None:
            return
        if any(asked.conversation_id == conversation_id for asked in self._asked.values()):
            return

        def look(store: Store) -> tuple[Node, ...]:
            row = store.conversations.get(conversation_id)
            if row.title_by:
                return ()
            nodes = store.messages.tree(conversation_id)
            return nodes[:2] if any(node.role == "assistant" for node in nodes) else ()

        self._store.ask(look, lambda path: self._ask(conversation_id, path), failed=lambda _: None)

    def _ask(self, conversation_id: int, path: tuple[Node, ...]) -> None:
        if not path or self._model is None:
            return
        request = GenerationRequest(
            title_prompt(path, base=self._model.is_base),
            Sampling(temperature=0, seed=0),
            max_tokens=24,
            stop=("\n",),
        )
        ticket = self._worker.submit(Generate(request), Priority.IDLE, conversation_id)
        self._asked[ticket.id] = _Asked(conversation_id)

    @Slot(int, object)
    def on_happened(self, ticket_id: int, event: object) -> None:
        """Take the titles that were asked for."""
        asked = self._asked.get(ticket_id)
        if asked is None:
            return
        match event:
            case Finished(text=text):
                asked.title = clean_title(text)
            case Yielded() | Failed():
                asked.title = ""
            case Ended():
                del self._asked[ticket_id]
                if asked.title:
                    self._keep(asked.conversation_id, asked.title)
            case _:
                pass

    def _keep(self, conversation_id: int, title: str) -> None:
        self._store.ask(
            lambda s: s.conversations.rename(conversation_id, title, "model"),
            lambda _: self.titled.emit(conversation_id, title),
        )
