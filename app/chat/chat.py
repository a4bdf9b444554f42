"""The open chat: its tree, its sends, its state. Lives on the GUI thread and never waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.chat import beginning
from app.chat.beginning import Begin, Begun
from app.chat.conversation import Conversation
from app.chat.open_model import OpenModel
from app.chat.replies import Replies
from app.chat.reply import Reply
from app.chat.requests import make_request
from app.chat.states import ChatState, ChatStatus
from app.chat.waiting import Waiting
from app.settings import Settings
from app.store.kept import NEW_DRAFT
from app.store.rows import Attachment, ChatSettings, Node, OpenedConversation, WaitingRow
from app.store.store import Store, is_temporary
from app.store.thread import StoreThread
from app.worker import Worker
from inference import GenerationRequest, ModelInfo

STOP_TWICE_SECONDS = 2.0  # a second Stop within this time also empties the queue


class Chat(QObject):
    """One state machine for the open chat; the head of the package `app.chat` tells how to wire it.

    Invariant: the state is set by `_refresh` alone.
    """

    state_changed = Signal(object)  # ChatState
    status_changed = Signal(object)  # ChatStatus
    opened = Signal(object)  # OpenedConversation
    path_changed = Signal()
    message_added = Signal(object)  # Node
    reply_began = Signal(object)  # Node
    grew = Signal(int, str, str)  # message id, text, kind
    reply_ended = Signal(object)  # Node
    waiting_changed = Signal(object)  # tuple[WaitingRow, ...]
    returned = Signal(str)  # texts that waited go back to the composer
    settings_changed = Signal(object)  # ChatSettings
    conversations_changed = Signal()
    writing_changed = Signal(int, bool)  # conversation id, a reply is on its way
    finished_unseen = Signal(int)  # conversation id
    model_changed = Signal(object)  # ModelInfo | None
    noticed = Signal(str)  # one sentence

    def __init__(
        self, store: StoreThread, worker: Worker, settings: Settings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._worker = worker
        self._app_settings = settings
        self._state = ChatState.NO_MODEL
        self._status = ChatStatus(ChatState.NO_MODEL)
        self._conversation = Conversation()
        self._id = 0
        self._temporary = False
        self._settings = ChatSettings()
        self._first: list[tuple[str, tuple[Attachment, ...]]] = []  # until there is a conversation
        self._asked_for_draft = False
        self._answer_now: set[int] = set()  # conversations whose thinking is cut short
        self._failed: dict[int, str] = {}  # conversation to why its last reply failed
        self._stopped_at = -STOP_TWICE_SECONDS
        self._closing = False
        self._model = OpenModel(worker, self)
        self._model.changed.connect(self.model_changed)
        self._model.moved.connect(self._refresh)
        self._model.settled.connect(self._on_settled)
        self._waiting = Waiting(store, self)
        self._waiting.changed.connect(self.waiting_changed)
        self._waiting.returned.connect(self.returned)
        self.replies = Replies(store, worker, self._make_request, self)
        self.replies.began.connect(self._on_began)
        self.replies.grew.connect(self._on_grew)
        self.replies.ended.connect(self._on_ended)
        self.replies.failed_to_begin.connect(self._on_failed_to_begin)
        self.replies.status_changed.connect(self._on_reply_status)
        self._refresh()

    # ------------------------------------------------------------------------------ reading

    @property
    def state(self) -> ChatState:
        """The state of the open chat."""
        return self._state

    @property
    def status(self) -> ChatStatus:
        """The status line of the open chat."""
        return self._status

    @property
    def conversation(self) -> Conversation:
        """The open tree; others read it and never change it."""
        return self._conversation

    @property
    def conversation_id(self) -> int:
        """The open conversation; 0 for one that has no message yet."""
        return self._id

    @property
    def temporary(self) -> bool:
        """Whether the open conversation leaves no trace."""
        return self._temporary

    @property
    def settings(self) -> ChatSettings:
        """How the open conversation is answered."""
        return self._settings

    @property
    def model(self) -> ModelInfo | None:
        """What is loaded now."""
        return self._model.info

    @property
    def waiting(self) -> tuple[WaitingRow, ...]:
        """The sends of the open chat that wait."""
        return self._waiting.rows

    # ------------------------------------------------------------------------------ the model

    def load_model(self, source: str) -> None:
        """Open a model and make it the one for chats that have none of their own."""
        self._app_settings = replace(self._app_settings, model=source)
        self._model.load(source, self._id)

    def unload_model(self) -> None:
        """Give the model's memory back; the next send opens it again."""
        self._model.unload()

    def set_app_settings(self, settings: Settings) -> None:
        """Take the app's settings; they hold from the next send on."""
        self._app_settings = settings
        self._refresh()

    def _source(self) -> str:
        return self._settings.model or self._app_settings.model

    @Slot()
    def _on_settled(self) -> None:
        self._begin_next(self._id)
        self._store.ask(lambda s: s.conversations.with_waiting(), self._begin_others)

    def _begin_others(self, conversation_ids: tuple[int, ...]) -> None:
        for conversation_id in conversation_ids:
            self._begin_next(conversation_id)

    # ------------------------------------------------------------------------------ opening

    def open(self, conversation_id: int) -> None:
        """Open a conversation; `opened` follows."""
        self._store.ask_for(
            conversation_id, lambda s: s.conversations.open(conversation_id), self._on_opened
        )

    def open_new(self, settings: ChatSettings | None = None, *, temporary: bool = False) -> None:
        """Open an empty conversation; it is kept from its first message on."""
        self._id, self._temporary, self._first = 0, temporary, []
        self._show(Conversation(), settings or ChatSettings(), ())
        if not self._asked_for_draft and not temporary:
            self._asked_for_draft = True
            self._store.ask(lambda s: s.kept.get(NEW_DRAFT), self._on_new_draft)

    def _on_new_draft(self, text: str) -> None:
        """Give back what stood in the composer of the new chat when the app ended."""
        if text and not self._id and not self._temporary:
            self.returned.emit(text)

    def _on_opened(self, opened: OpenedConversation) -> None:
        self._id, self._first = opened.row.id, []
        self._temporary = is_temporary(self._id)
        self.opened.emit(opened)
        self._show(self._tree(opened.nodes, opened.active_leaf), opened.settings, opened.waiting)
        self.conversations_changed.emit()

    def _tree(self, nodes: tuple[Node, ...], leaf: int | None) -> Conversation:
        """Make the tree, with what a reply in flight said since it was saved."""
        tree = Conversation(nodes, leaf)
        reply = self.replies.of(self._id)
        if reply is not None and reply.node.id in tree:
            tree.replace(reply.so_far())
        return tree

    def _show(
        self, tree: Conversation, settings: ChatSettings, waiting: tuple[WaitingRow, ...]
    ) -> None:
        self._conversation, self._settings = tree, settings
        self._worker.set_open_conversation(self._id)
        self.path_changed.emit()
        self.settings_changed.emit(settings)
        self._waiting.show(self._id, waiting)
        self._refresh()

    def set_settings(self, settings: ChatSettings) -> None:
        """Change how the open conversation is answered, from the next send on."""
        self._settings = settings
        self._write(lambda s, i: s.conversations.set_settings(i, settings))
        self.settings_changed.emit(settings)
        self._refresh()

    def set_draft(self, text: str) -> None:
        """Keep what stands in the composer."""
        if not self._id and not self._temporary:
            self._store.ask(lambda s: s.kept.put(NEW_DRAFT, text))
        self._write(lambda s, i: s.conversations.set_draft(i, text))

    def set_view(self, view: dict[str, object]) -> None:
        """Keep the window's own of this chat: the scroll place and the like."""
        self._write(lambda s, i: s.conversations.set_view(i, view))

    def _write(self, write: Callable[[Store, int], None]) -> None:
        """Write to the open conversation, if it is kept at all yet."""
        if self._id:
            conversation_id = self._id
            self._store.ask_for(conversation_id, lambda s: write(s, conversation_id))

    # ------------------------------------------------------------------------------ sending

    def send(self, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Send a message; it waits while a reply is written or no model is there."""
        if not text.strip() and not attachments:
            return
        if self._id:
            self._send_to(self._id, text, attachments)
            return
        self._first.append((text, attachments))
        if len(self._first) == 1:
            settings, first = self._settings, self._first
            self._store.ask(
                lambda s: s.conversations.create(settings).id,
                lambda conversation_id: self._on_created(conversation_id, first),
                temporary=self._temporary,
            )

    def _on_created(
        self, conversation_id: int, first: list[tuple[str, tuple[Attachment, ...]]]
    ) -> None:
        """Send what was sent before there was a conversation, open or not any more."""
        if first is self._first:
            self._id, self._first = conversation_id, []
            self._waiting.show(conversation_id, ())
            self._worker.set_open_conversation(conversation_id)
            self._failed.pop(0, None)
        for text, attachments in first:
            self._send_to(conversation_id, text, attachments)
        self.conversations_changed.emit()

    def _send_to(
        self, conversation_id: int, text: str, attachments: tuple[Attachment, ...]
    ) -> None:
        if self._must_wait(conversation_id):
            self._waiting.add(
                conversation_id, text, attachments, lambda: self._begin_next(conversation_id)
            )
        else:
            self.replies.begin(
                conversation_id,
                lambda s: beginning.send(s, conversation_id, text, attachments),
            )

    def _must_wait(self, conversation_id: int) -> bool:
        if self._closing or not self._source() or self._model.loading:
            return True
        waits = conversation_id == self._id and bool(self._waiting.rows)
        return waits or self.replies.takes(conversation_id)

    def take_back(self, waiting_id: int) -> None:
        """Take a send that waits back into the composer."""
        self._waiting.take_back(waiting_id)

    def _begin_next(self, conversation_id: int) -> None:
        """Send the next that waits, if the conversation is free."""
        if self._closing or self.replies.takes(conversation_id):
            return
        if not self._source() or self._model.loading or self._model.error:
            return
        if conversation_id != self._id:
            self._store.ask_for(
                conversation_id,
                lambda s: s.conversations.waiting(conversation_id),
                lambda rows: self._begin_waiting(conversation_id, rows),
            )
        else:
            self._begin_waiting(conversation_id, self._waiting.rows)

    def _begin_waiting(self, conversation_id: int, rows: tuple[WaitingRow, ...]) -> None:
        if self._closing or not rows or self.replies.takes(conversation_id):
            return
        row = rows[0]
        if conversation_id == self._id:
            self._waiting.drop_first()
        self.replies.begin(
            conversation_id,
            lambda s: beginning.send(s, conversation_id, row.text, row.attachments, row.id),
        )

    # ------------------------------------------------------------------------------ stopping

    def stop(self) -> None:
        """Stop the reply of the open chat; a second time soon after also empties its queue."""
        now = time.monotonic()
        twice = now - self._stopped_at < STOP_TWICE_SECONDS
        self._stopped_at = now
        self.replies.stop(self._id)
        if twice:
            self._waiting.take_all_back()

    # ------------------------------------------------------------------------------ versions

    def regenerate(self, message_id: int) -> None:
        """Make another version of a reply, or another reply to a prompt."""
        i = self._id
        self._begin(lambda s: beginning.regenerate(s, i, message_id))

    @Slot()
    def answer_now(self) -> None:
        """Stop thinking and answer: another version is made without a thought."""
        reply = self.replies.of(self._id)
        if reply is not None and reply.is_thinking:
            self._answer_now.add(self._id)
            reply.ticket.stop()

    def go_on(self, message_id: int) -> None:
        """Continue a reply, as a version that begins with its text."""
        i = self._id
        self._begin(lambda s: beginning.go_on(s, i, message_id))

    def force(self, message_id: int, place: int, token_id: int, token_text: str) -> None:
        """Go on from another token at a place of a reply, as a version beside it."""
        i = self._id
        self._begin(lambda s: beginning.force(s, i, message_id, place, token_id, token_text))

    def edit(self, message_id: int, text: str) -> None:
        """Add an edited version of a message; a prompt is answered anew."""
        i = self._id
        if self._conversation.node(message_id).role == "user":
            self._begin(lambda s: beginning.edit(s, i, message_id, text))
        else:
            self._store.ask_for(
                i, lambda s: beginning.edit_reply(s, i, message_id, text), self._on_edited
            )

    def _on_edited(self, node: Node) -> None:
        if node.parent_id in self._conversation:
            self._conversation.add(node)
            self.path_changed.emit()

    def branch(self, message_id: int) -> None:
        """Let the visible path end at a message, so that the next send branches there."""
        self._conversation.show_exactly(message_id)
        self._keep_leaf()

    def show_version(self, message_id: int, step: int) -> None:
        """Show the version before (-1) or after (+1) a message."""
        self._conversation.show_version(message_id, step)
        self._keep_leaf()

    def show_message(self, message_id: int) -> None:
        """Let the visible path run through a message (a search hit, the branch map)."""
        self._conversation.show(message_id)
        self._keep_leaf()

    def delete(self, message_id: int) -> None:
        """Put a message and all that follows it into the trash; `undelete` brings it back."""
        reply = self.replies.of(self._id)
        self._conversation.remove(message_id)
        if reply is not None and reply.node.id not in self._conversation:
            reply.ticket.stop()
        self._write(lambda s, _: s.messages.delete(message_id))
        self._keep_leaf()

    def undelete(self, message_id: int) -> None:
        """Bring a deleted message back and show it."""
        conversation_id = self._id

        def restore(store: Store) -> tuple[Node, ...]:
            store.messages.restore(message_id)
            return store.messages.tree(conversation_id)

        def then(nodes: tuple[Node, ...]) -> None:
            if conversation_id == self._id:
                self._conversation = self._tree(nodes, None)
                self.show_message(message_id)

        self._store.ask_for(conversation_id, restore, then)

    def _begin(self, begin: Begin) -> None:
        if self.replies.takes(self._id):
            self.noticed.emit("A reply is being written here; stop it first.")
        elif not self._source():
            self.noticed.emit("There is no model yet; choose one first.")
        elif self._id:
            self.replies.begin(self._id, begin)

    def _keep_leaf(self) -> None:
        leaf = self._conversation.leaf
        self._write(lambda s, i: s.messages.show(i, leaf))
        self.path_changed.emit()

    # ------------------------------------------------------------------------------ replies

    def _make_request(self, begun: Begun) -> tuple[GenerationRequest, str]:
        source = begun.settings.model or self._app_settings.model
        info = self._model.info if self._model.info and self._model.info.source == source else None
        return make_request(begun, self._app_settings, info), source

    @Slot(object)
    def _on_began(self, begun: Begun) -> None:
        self._failed.pop(begun.conversation_id, None)
        self._model.work()
        self.writing_changed.emit(begun.conversation_id, True)
        self.conversations_changed.emit()
        if begun.conversation_id != self._id:
            return
        first = begun.added or begun.reply
        moved = first.parent_id != self._conversation.leaf
        for node in (begun.added, begun.reply):
            if node is not None:
                self._conversation.add(node)
        if moved:
            self.path_changed.emit()
            return
        if begun.added is not None:
            self.message_added.emit(begun.added)
        self.reply_began.emit(begun.reply)

    @Slot(int, str)
    def _on_failed_to_begin(self, conversation_id: int, why: str) -> None:
        self.noticed.emit(why)

    @Slot(object, str, str)
    def _on_grew(self, reply: Reply, text: str, kind: str) -> None:
        if reply.conversation_id == self._id:
            self.grew.emit(reply.node.id, text, kind)

    @Slot(object, object)
    def _on_ended(self, reply: Reply, node: Node | None) -> None:
        conversation_id = reply.conversation_id
        if reply.error:
            self._failed[conversation_id] = reply.error
        if conversation_id == self._id:
            self._show_end(reply, node)
        elif node is not None:
            self._store.ask_for(
                conversation_id, lambda s: s.conversations.set_unseen(conversation_id)
            )
            self.finished_unseen.emit(conversation_id)
        self.writing_changed.emit(conversation_id, False)
        self.conversations_changed.emit()
        if reply.error:
            if conversation_id == self._id:
                self._waiting.take_all_back()
        elif conversation_id in self._answer_now and not self._closing:
            to = reply.node.id if node is not None else reply.node.parent_id
            self._answer_now.discard(conversation_id)
            self.replies.begin(
                conversation_id,
                lambda s: beginning.regenerate(s, conversation_id, to or 0, think=False),
            )
        else:
            self._begin_next(conversation_id)
        if not self._closing and not self.replies.conversations():
            self._model.rest(self._app_settings.unload_after_minutes)

    def _show_end(self, reply: Reply, node: Node | None) -> None:
        if reply.node.id not in self._conversation:
            return
        if node is None:
            self._conversation.remove(reply.node.id)
            self._conversation.show_exactly(reply.node.parent_id)
            self.path_changed.emit()
        else:
            self._conversation.replace(node)
            self.reply_ended.emit(node)

    # ------------------------------------------------------------------------------ the state

    @Slot(int)
    def _on_reply_status(self, conversation_id: int) -> None:
        if conversation_id == self._id:
            self._refresh()

    @Slot()
    def _refresh(self) -> None:
        """Set the state from what is so; the only place that does."""
        status = self._find_status()
        if status != self._status:
            self._status = status
            self.status_changed.emit(status)
        if status.state is not self._state:
            self._state = status.state
            self.state_changed.emit(status.state)

    def _find_status(self) -> ChatStatus:
        reply = self.replies.of(self._id) if self._id else None
        if reply is not None:
            return reply.status
        if self.replies.takes(self._id):
            return ChatStatus(ChatState.WAITING)
        if self._model.loading:
            return self._model.status
        error = self._model.error or self._failed.get(self._id, "")
        if error:
            return ChatStatus(ChatState.FAILED, error=error)
        return ChatStatus(ChatState.READY if self._source() else ChatState.NO_MODEL)

    # ------------------------------------------------------------------------------ closing

    def close(self) -> None:
        """Stop every reply and begin no other; what was said is saved when their ends arrive."""
        self._closing = True
        self._model.close()
        self.replies.save()
        self.replies.stop_all()
