"""The replies in flight, of every chat: begun by the store, made by the worker, saved each second.

Lives on the GUI thread.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.beginning import Begin, Begun
from app.chat.reply import Reply
from app.chat.states import ChatState, ChatStatus
from app.store.rows import Node
from app.store.thread import StoreThread
from app.work import Ended, Failed, Generate, Priority
from app.worker import Worker
from inference import Delta, Finished, GenerationRequest, Loading, Prefilling

SAVE_MS = 1_000  # text in flight is saved at least every second
MEASURE_MS = 250  # the speed that is shown
MakeRequest = Callable[[Begun], tuple[GenerationRequest, str]]
_log = logging.getLogger(__name__)


class Replies(QObject):
    """At most one reply in flight for each conversation.

    Signals:
        began (object): `Begun`: the prompt is committed, the engine is asked.
        grew (object, str, str): `Reply`, text, kind.
        status_changed (int): The conversation whose reply's status line changed.
        ended (object, object): `Reply` and the `Node` it became, or None when it never said a word.
        failed_to_begin (int, str): Conversation and one sentence; nothing was changed.
    """

    began = Signal(object)
    grew = Signal(object, str, str)
    status_changed = Signal(int)
    ended = Signal(object, object)
    failed_to_begin = Signal(int, str)

    def __init__(
        self, store: StoreThread, worker: Worker, make: MakeRequest, parent: QObject | None = None
    ) -> None:
        """Watch the worker.

        Args:
            store: Commits and saves.
            worker: Makes the replies.
            make: Gives the request and the model for a reply that begins.
            parent: The Qt parent.
        """
        super().__init__(parent)
        self._store = store
        self._worker = worker
        self._make = make
        self._beginning: set[int] = set()
        self._by_ticket: dict[int, Reply] = {}
        self._saver = QTimer(self, interval=SAVE_MS)
        self._saver.timeout.connect(self.save)
        self._measurer = QTimer(self, interval=MEASURE_MS)
        self._measurer.timeout.connect(self._on_measure)
        worker.happened.connect(self.on_happened)

    def of(self, conversation_id: int) -> Reply | None:
        """Give a conversation's reply in flight."""
        for reply in self._by_ticket.values():
            if reply.conversation_id == conversation_id:
                return reply
        return None

    def takes(self, conversation_id: int) -> bool:
        """Tell whether a conversation has a reply in flight or about to begin."""
        return conversation_id in self._beginning or self.of(conversation_id) is not None

    def conversations(self) -> frozenset[int]:
        """Give the conversations with a reply in flight or about to begin."""
        flying = (reply.conversation_id for reply in self._by_ticket.values())
        return frozenset(self._beginning.union(flying))

    def begin(self, conversation_id: int, begin: Begin) -> None:
        """Commit a prompt, then have its reply made."""
        assert not self.takes(conversation_id)
        self._beginning.add(conversation_id)
        self._store.ask_for(
            conversation_id,
            begin,
            self._on_begun,
            failed=partial(self._on_not_begun, conversation_id),
        )
        self.status_changed.emit(conversation_id)

    def stop(self, conversation_id: int) -> bool:
        """Stop a conversation's reply; what was said stays said.

        Returns:
            Whether there was one.
        """
        reply = self.of(conversation_id)
        if reply is not None:
            reply.ticket.stop()
        return reply is not None

    def stop_all(self) -> None:
        """Stop every reply."""
        for reply in self._by_ticket.values():
            reply.ticket.stop()

    def _on_begun(self, begun: Begun) -> None:
        request, model = self._make(begun)
        ticket = self._worker.submit(Generate(request, model), Priority.CHAT, begun.conversation_id)
        reply = Reply(begun.conversation_id, begun.reply, ticket, begun.prefix_ids)
        self._by_ticket[ticket.id] = reply
        self._beginning.discard(begun.conversation_id)
        self._saver.start()
        self._measurer.start()
        self.began.emit(begun)
        self.status_changed.emit(begun.conversation_id)

    def _on_not_begun(self, conversation_id: int, why: str) -> None:
        self._beginning.discard(conversation_id)
        self.failed_to_begin.emit(conversation_id, why)
        self.status_changed.emit(conversation_id)

    @Slot(int, object)
    def on_happened(self, ticket_id: int, event: object) -> None:
        """Take what the worker tells of one of these replies."""
        reply = self._by_ticket.get(ticket_id)
        if reply is None:
            return
        match event:
            case Delta():
                first = reply.state is not ChatState.SPEAKING
                reply.on_delta(event)
                self.grew.emit(reply, event.text, event.kind)
                if first:
                    self.status_changed.emit(reply.conversation_id)
            case Prefilling():
                reply.on_prefilling(event)
                self.status_changed.emit(reply.conversation_id)
            case Loading(what, fraction):
                reply.state = ChatState.LOADING
                reply.status = ChatStatus(ChatState.LOADING, what, fraction)
                self.status_changed.emit(reply.conversation_id)
            case Finished():
                reply.on_finished(event)
            case Failed(message):
                reply.error = message
            case Ended():
                self._end(reply)
            case _:
                pass  # `Loaded`: what comes next tells more

    def _end(self, reply: Reply) -> None:
        del self._by_ticket[reply.ticket.id]
        if not self._by_ticket:
            self._saver.stop()
            self._measurer.stop()
        node = reply.ended()
        conversation_id = reply.conversation_id
        kept: Node | None = node
        if node.text or node.thought or node.status != "stopped":
            record, details, spoken = reply.record, tuple(reply.details), reply.spoken_ids()
            self._store.ask_for(
                conversation_id,
                lambda s: s.messages.finish_reply(node, record, details, spoken),
            )
        else:
            kept = None
            self._store.ask_for(
                conversation_id, lambda s: s.messages.take_back(conversation_id, node)
            )
        self.ended.emit(reply, kept)
        self.status_changed.emit(conversation_id)

    @Slot()
    def save(self) -> None:
        """Save what was said since the last time."""
        for reply in self._by_ticket.values():
            pieces = reply.take_unsaved()
            if pieces:
                self._store.ask_for(
                    reply.conversation_id,
                    lambda s, i=reply.node.id, p=pieces: s.messages.grow(i, p),  # type: ignore[misc]
                )

    @Slot()
    def _on_measure(self) -> None:
        for reply in self._by_ticket.values():
            if reply.state is ChatState.SPEAKING:
                reply.measure()
                self.status_changed.emit(reply.conversation_id)
