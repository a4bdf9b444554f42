"""Conversations as they leave and enter the app, whatever the form: plain frozen data."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.store.rows import ChatSettings, Node, Run
from app.store.store import Store
from app.store.transaction import transaction


@dataclass(frozen=True, slots=True)
class Whole:
    """A conversation with everything that belongs to it.

    Attributes:
        nodes: The tree, parents before children.
        runs: Run records by message id.
        spoken: Who spoke which token ids, by message id.
    """

    title: str
    created_at: float
    updated_at: float
    nodes: tuple[Node, ...]
    active_leaf: int | None
    settings: ChatSettings = field(default_factory=ChatSettings)
    tags: tuple[str, ...] = ()
    runs: dict[int, Run] = field(default_factory=dict)
    spoken: dict[int, tuple[str, tuple[int, ...]]] = field(default_factory=dict)


def take_out(store: Store, conversation_id: int) -> Whole:
    """Read a conversation from the store. Runs on the store's thread.

    Raises:
        KeyError: There is none of that id.
    """
    row = store.conversations.get(conversation_id)
    nodes = store.messages.tree(conversation_id)
    return Whole(
        row.title,
        row.created_at,
        row.updated_at,
        nodes,
        store.conversations.active_leaf(conversation_id),
        store.conversations.settings(conversation_id),
        row.tags,
        store.runs.of_conversation(conversation_id),
        store.messages.spoken([node.id for node in nodes]),
    )


def take_all(store: Store) -> tuple[Whole, ...]:
    """Read every conversation that is not in the trash. Runs on the store's thread."""
    return tuple(take_out(store, row.id) for row in store.conversations.all())


def put_in(store: Store, whole: Whole) -> int:
    """Write a conversation into the store in one step. Runs on the store's thread.

    Returns:
        Its new id.
    """
    with transaction(store.db):
        row = store.conversations.create(whole.settings, whole.title)
        new = store.messages.import_tree(row.id, whole.nodes, whole.active_leaf)
        for old, (by, ids) in whole.spoken.items():
            store.messages.set_spoken(new[old], by, ids)
        for old, run in whole.runs.items():
            store.runs.add(new[old], run)
        store.conversations.set_tags(row.id, whole.tags)
        store.conversations.set_times(row.id, whole.created_at, whole.updated_at)
    return row.id
