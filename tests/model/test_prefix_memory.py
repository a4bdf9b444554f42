"""Memory of the prefix tree over long use: under its budget at every sample, flat, no leak."""

from __future__ import annotations

import gc

import mlx.core as mx
import pytest

from inference.caches import layout_of
from inference.context import Context
from inference.grid import Grid
from inference.prefix import PrefixTree
from tests.model.tiny_gemma3 import tiny_gemma3

SUFFIX = [5, 6]


@pytest.fixture(scope="module")
def network():
    return tiny_gemma3()


def tree_of(network, budget):
    layout = layout_of(network)
    return PrefixTree(lambda _bits: Context(network, layout, slack=6), layout, Grid(8, 16), budget)


def turn(tree, ids, reply, sample):
    """Read a prompt and speak a reply; give the tokens that the context holds."""
    context = tree.restore([*ids, *SUFFIX])
    sample()
    for _ in tree.read(context, [*ids, *SUFFIX], [len(ids)]):
        sample()
    for token in reply:
        context.step(mx.array([token]))
        context.commit([token])
    tree.keep(context)
    sample()
    return list(context.tokens)


def test_turns_branches_and_conversations_stay_under_the_budget_at_every_sample(network):
    tree = tree_of(network, 300_000)
    samples = []

    def sample():
        samples.append(tree.bytes)

    chats = [[2, 10 + number] for number in range(5)]
    for n in range(50):
        chat = chats[n % 5]
        chat[:] = turn(tree, [*chat, 20 + n % 30, 21, 22], [30, 31, 32, 33], sample)
    for branch in range(10):
        turn(tree, [*chats[0][:20], 40 + branch], [34, 35], sample)
    assert max(samples) <= tree.budget
    assert len(samples) > 150
    assert any(tree.covered(chat) for chat in chats)


def test_two_hundred_short_turns_leave_the_footprint_flat(network):
    tree = tree_of(network, 150_000)
    marks = []
    for n in range(200):
        turn(tree, [2, 10 + n % 50, 11 + n % 7, 12], [30, 31], lambda: None)
        if n in (99, 199):
            gc.collect()
            mx.clear_cache()
            marks.append(mx.get_active_memory())
    assert abs(marks[1] - marks[0]) < 20_000
    assert tree.bytes <= tree.budget


def test_what_is_counted_is_what_is_held_and_letting_go_gives_it_back():
    """The formula against the device's own count; rows large enough not to drown in rounding."""
    wide = tiny_gemma3(window=128)
    layout = layout_of(wide)
    tree = PrefixTree(lambda _bits: Context(wide, layout), layout, Grid(128, 256), 1 << 30)
    gc.collect()
    mx.clear_cache()
    before = mx.get_active_memory()
    for n in range(3):
        turn(tree, [2, 10 + n, *([20 + n] * 700)], [30], lambda: None)
    gc.collect()
    held = mx.get_active_memory() - before
    full = sum(layer.row_bytes(4) for layer in layout.layers if layer.kind == "full")
    windowed = sum(layer.row_bytes(4) for layer in layout.layers if layer.kind == "window")
    lengths = [len(node.tokens) for node in tree.nodes]
    assert held == pytest.approx(sum(n * full + min(n, 127) * windowed for n in lengths), rel=0.05)
    tree.forget("")
    gc.collect()
    assert mx.get_active_memory() - before < held / 10
