"""How a reply begins: one step in the store that commits the prompt and a place for the reply.

These functions run on the store's thread. When one returns, the prompt is on the disk and the
engine may see it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.chat.conversation import Conversation
from app.store.rows import Attachment, ChatSettings, Node, StoredToken
from app.store.store import Store
from app.store.transaction import transaction
from inference import Message

TITLE_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class Begun:
    """A reply that may now be made.

    Attributes:
        added: The message that was added before it (a send or an edit).
        reply: The empty reply, or one that begins with the text of its prefix.
        prompt: What the engine is to answer.
        prefix_ids: The token ids of the reply's prefix, if they are known.
    """

    conversation_id: int
    settings: ChatSettings
    added: Node | None
    reply: Node
    prompt: tuple[Message, ...]
    prefix_ids: tuple[int, ...] = ()


Begin = Callable[[Store], Begun]


def first_words(text: str) -> str:
    """Make a first title from a message."""
    line = " ".join(text.split())
    if len(line) <= TITLE_CHARACTERS:
        return line
    return line[:TITLE_CHARACTERS].rsplit(" ", 1)[0] + "…"


def send(
    store: Store,
    conversation_id: int,
    text: str,
    attachments: tuple[Attachment, ...] = (),
    waiting_id: int | None = None,
) -> Begun:
    """Add a message at the end of the visible path and begin its reply."""
    with transaction(store.db, durable=True):
        if waiting_id is not None:
            store.conversations.remove_waiting(waiting_id)
        tree = _tree(store, conversation_id)
        added = store.messages.add(conversation_id, tree.leaf, "user", text, attachments)
        if not store.conversations.get(conversation_id).title:
            title = first_words(text) or ", ".join(one.name for one in attachments)
            store.conversations.rename(conversation_id, title, "")
        return _reply_to(store, conversation_id, (*tree.path(), added), added)


def regenerate(store: Store, conversation_id: int, message_id: int, *, think: bool = True) -> Begun:
    """Begin another version of a reply; for a message of the user's, another reply to it.

    Args:
        store: Where the conversation is.
        conversation_id: The conversation.
        message_id: The reply, or the message of the user's.
        think: Think first, where the conversation's settings say so.
    """
    with transaction(store.db):
        tree = _tree(store, conversation_id)
        node = tree.node(message_id)
        to = node.id if node.role == "user" else node.parent_id
        path = tree.path(to) if to is not None else ()
        begun = _reply_to(store, conversation_id, path, None)
        if think:
            return begun
        return replace(begun, settings=replace(begun.settings, thinking=False))


def go_on(store: Store, conversation_id: int, message_id: int) -> Begun:
    """Begin a version of a reply that starts with all of its text and goes on (Continue)."""
    with transaction(store.db):
        tree = _tree(store, conversation_id)
        node = tree.node(message_id)
        path = tree.path(node.parent_id) if node.parent_id is not None else ()
        _, ids = store.messages.spoken([message_id]).get(message_id, ("", ()))
        return _reply_to(store, conversation_id, path, None, node.text, ids)


def force(
    store: Store, conversation_id: int, message_id: int, place: int, token_id: int, token_text: str
) -> Begun:
    """Begin a version of a reply in which the token at a place is another one.

    Args:
        store: Where the reply's run record is.
        conversation_id: The reply's conversation.
        message_id: The reply.
        place: Index of the token among those spoken.
        token_id: The token to force there.
        token_text: Its characters.

    Raises:
        ValueError: The reply's tokens were not kept, or the place is none of them.
    """
    with transaction(store.db):
        run = store.runs.of_message(message_id)
        if run is None or not run.details or not 0 <= place < len(run.details):
            raise ValueError("The tokens of this reply were not kept, so none can be replaced.")
        tree = _tree(store, conversation_id)
        node = tree.node(message_id)
        path = tree.path(node.parent_id) if node.parent_id is not None else ()
        n_thought = _thought_tokens(run.details, len(node.thought))
        if place < n_thought:
            raise ValueError("A token of the thought cannot be replaced; choose one of the answer.")
        said = run.details[n_thought:place]
        before = node.note.prefix_characters + sum(one.n_characters for one in said)
        _, spoken = store.messages.spoken([message_id]).get(message_id, ("", ()))
        n_given = max(len(spoken) - len(run.record.answer_ids), 0)
        ids = (*spoken[:n_given], *(one.token_id for one in said), token_id)
        text = node.text[:before] + token_text
        return _reply_to(store, conversation_id, path, None, text, ids)


def edit(store: Store, conversation_id: int, message_id: int, text: str) -> Begun:
    """Add an edited version of a prompt and begin its reply."""
    with transaction(store.db, durable=True):
        tree = _tree(store, conversation_id)
        old = tree.node(message_id)
        added = store.messages.add(conversation_id, old.parent_id, "user", text, old.attachments)
        before = tree.path(old.parent_id) if old.parent_id is not None else ()
        return _reply_to(store, conversation_id, (*before, added), added)


def edit_reply(store: Store, conversation_id: int, message_id: int, text: str) -> Node:
    """Add a version of a reply as the user wrote it."""
    with transaction(store.db, durable=True):
        old = _tree(store, conversation_id).node(message_id)
        return store.messages.add(conversation_id, old.parent_id, "assistant", text)


def _thought_tokens(details: Sequence[StoredToken], n_characters: int) -> int:
    """How many tokens at the beginning make up a thought of so many characters."""
    n = 0
    while n_characters > 0 and n < len(details):
        n_characters -= details[n].n_characters
        n += 1
    return n


def _tree(store: Store, conversation_id: int) -> Conversation:
    opened = store.conversations.active_leaf(conversation_id)
    return Conversation(store.messages.tree(conversation_id), opened)


def _reply_to(
    store: Store,
    conversation_id: int,
    path: tuple[Node, ...],
    added: Node | None,
    prefix: str = "",
    prefix_ids: tuple[int, ...] = (),
) -> Begun:
    settings = store.conversations.settings(conversation_id)
    parent = path[-1].id if path else None
    reply = store.messages.begin_reply(conversation_id, parent, prefix)
    prompt = store.prompt(path, settings.system)
    return Begun(conversation_id, settings, added, reply, prompt, prefix_ids)
