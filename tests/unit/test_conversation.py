"""The tree of messages: versions, branches, the visible path."""

import random
from itertools import pairwise

import pytest

from app.chat.conversation import Conversation
from app.store.rows import Node


def node(i, parent, role="user"):
    return Node(i, parent, role, f"text {i}")


@pytest.fixture
def tree():
    """1 - 2 - 3 - 4, and 5 beside 2 with 6 below."""
    made = Conversation()
    for i, parent in ((1, None), (2, 1), (3, 2), (4, 3), (5, 1), (6, 5)):
        made.add(node(i, parent))
    return made


def ids(tree):
    return [one.id for one in tree.path()]


def test_the_path_runs_from_the_root_to_the_leaf(tree):
    assert ids(tree) == [1, 5, 6]


def test_versions_are_counted_from_one(tree):
    assert tree.version(2) == (1, 2)
    assert tree.version(5) == (2, 2)
    assert tree.version(1) == (1, 1)


def test_showing_a_version_goes_on_to_its_newest_leaf(tree):
    assert tree.show_version(5, -1) == 4
    assert ids(tree) == [1, 2, 3, 4]
    assert tree.show_version(2, -1) == 4
    assert tree.show_version(2, 5) == 6


def test_a_branch_ends_the_path_where_it_is_asked_to(tree):
    tree.show_exactly(2)
    assert ids(tree) == [1, 2]
    tree.add(node(7, 2))
    assert ids(tree) == [1, 2, 7]
    assert tree.version(7) == (2, 2)


def test_removing_shows_the_version_beside(tree):
    tree.remove(5)
    assert ids(tree) == [1, 2, 3, 4]
    assert 6 not in tree
    tree.remove(3)
    assert ids(tree) == [1, 2]


def test_removing_elsewhere_leaves_the_path(tree):
    tree.remove(2)
    assert ids(tree) == [1, 5, 6]


def test_what_hangs_on_a_missing_message_is_not_shown():
    tree = Conversation([node(1, None), node(3, 2), node(4, 3)], 4)
    assert ids(tree) == [1]


def test_a_long_conversation_is_no_deep_recursion():
    tree = Conversation(node(i, i - 1 if i > 1 else None) for i in range(1, 20_001))
    assert len(tree.path()) == 20_000
    tree.remove(2)
    assert len(tree) == 1


def test_any_order_of_edits_keeps_the_leaf_in_the_tree(amount):
    for seed in range(amount(200)):
        draw = random.Random(seed)
        tree = Conversation()
        for i in range(1, 60):
            known = [one.id for one in tree.nodes()]
            match draw.randrange(4):
                case 0 if known:
                    tree.remove(draw.choice(known))
                case 1 if known:
                    tree.show_version(draw.choice(known), draw.choice((-1, 1)))
                case _:
                    tree.add(node(i, draw.choice([*known, None])))
            path = tree.path()
            assert all(b.parent_id == a.id for a, b in pairwise(path))
            assert bool(path) == bool(len(tree)) or tree.leaf is None
