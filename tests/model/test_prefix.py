"""What the prefix tree promises, on mlx-lm's own Gemma 3."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from inference.caches import layout_of
from inference.context import Context
from inference.grid import Grid
from inference.prefix import PrefixTree
from tests.model.tiny_gemma3 import WINDOW, tiny_gemma3

BIG = 1 << 30


@pytest.fixture(scope="module")
def network():
    return tiny_gemma3()


@pytest.fixture
def make_tree(network):
    layout = layout_of(network)

    def make(budget=BIG, step=4, segment=16):
        grid = Grid(step, segment)
        return PrefixTree(lambda _bits: Context(network, layout), layout, grid, budget)

    return make


def read(tree, ids, marks=(), conversation=""):
    context = tree.restore(ids, conversation)
    reused = len(context)
    for _ in tree.read(context, ids, marks, conversation):
        pass
    return context, reused


def speak(tree, context, tokens, conversation=""):
    for token in tokens:
        context.step(mx.array([token]))
        context.commit([token])
    tree.keep(context, conversation)


def logits(context):
    return np.array(context.logits())


def test_a_prompt_is_read_once(make_tree):
    tree = make_tree()
    ids = list(range(1, 30))
    first, reused = read(tree, ids)
    assert reused == 0
    again, reused = read(tree, ids)
    assert reused == len(ids)
    assert np.array_equal(logits(first), logits(again))


@pytest.mark.parametrize("length", [2, 7, 8, 9, 17, 40])
def test_a_restored_context_equals_the_live_one_bit_for_bit(make_tree, length):
    tree = make_tree()
    context, _ = read(tree, list(range(1, length + 1)))
    speak(tree, context, [5, 6, 7])
    restored = tree.restore([*context.tokens, 9])
    assert restored.tokens == context.tokens
    for token in (9, 10, 11):
        live, warm = context.feed([token]), restored.feed([token])
        assert np.array_equal(np.array(live), np.array(warm))


@pytest.mark.parametrize("cut", [1, 3, 4, 5, 12, 20, 28])
def test_a_warm_read_equals_a_cold_one_bit_for_bit(make_tree, cut):
    tree, cold_tree = make_tree(segment=4), make_tree(segment=4)
    old = list(range(1, 30))
    new = [*old[:cut], *range(40, 50)]
    read(tree, old)
    warm, reused = read(tree, new)
    cold, _ = read(cold_tree, new)
    assert reused >= cut - 4
    assert np.array_equal(logits(warm), logits(cold))


@pytest.mark.parametrize("cut", [1, 3, 5, 12, 20, 28])
def test_inside_a_run_longer_than_the_window_a_warm_read_is_right_too(make_tree, cut):
    tree, cold_tree = make_tree(), make_tree()
    old = list(range(1, 30))
    read(tree, old)
    new = [*old[:cut], *range(40, 50)]
    warm, _ = read(tree, new)
    cold, _ = read(cold_tree, new)
    assert np.array_equal(logits(warm), logits(cold))


def test_a_stop_while_reading_keeps_what_was_read(make_tree):
    tree = make_tree()
    ids = list(range(1, 41))
    context = tree.restore(ids)
    reading = tree.read(context, ids)
    for done in reading:
        if done >= 20:
            break
    reading.close()
    warm, reused = read(tree, ids)
    cold, _ = read(make_tree(), ids)
    assert reused == 20
    assert np.array_equal(logits(warm), logits(cold))


def test_a_branch_does_not_disturb_the_other(make_tree):
    tree = make_tree()
    base, _ = read(tree, list(range(1, 20)))
    left, _ = read(tree, [*base.tokens, 30, 31], marks=[19])
    speak(tree, left, [32, 33])
    before = tree.restore([*left.tokens, 34]).feed([34])
    right, reused = read(tree, [*base.tokens, 40, 41], marks=[19])
    assert reused == 19
    speak(tree, right, [42] * 12)
    after = tree.restore([*left.tokens, 34])
    assert after.tokens == left.tokens
    assert np.array_equal(np.array(before), np.array(after.feed([34])))


def test_the_budget_holds_at_every_sample_and_the_open_chat_goes_last(make_tree):
    tree = make_tree()
    context, _ = read(tree, list(range(1, 60)))
    tree.budget = context.nbytes + 4 * tree.node_bytes
    del context
    for chat in range(12):
        context, _ = read(tree, [chat, *range(1, 50)])
        assert tree.bytes <= tree.budget
        speak(tree, context, [1, 2, 3])
        assert tree.bytes <= tree.budget
        tokens = list(context.tokens)
        del context
        again = tree.restore([*tokens, 5])
        assert tree.bytes <= tree.budget
        assert again.tokens == tokens
        del again


def test_a_tiny_budget_keeps_nothing_and_stays_right(make_tree):
    tree = make_tree(budget=1000)
    ids = list(range(1, 30))
    context, reused = read(tree, ids)
    warm, reused = read(tree, ids)
    assert reused == 0
    assert tree.nodes == []
    assert np.array_equal(logits(context), logits(warm))


def test_memory_follows_the_formula(make_tree, network):
    tree = make_tree()
    layout = layout_of(network)
    for chat in range(4):
        context, _ = read(tree, [chat, *range(1, 30)], marks=[12, 20])
        speak(tree, context, [3] * 9)
    del context
    full = sum(layer.row_bytes(4) for layer in layout.layers if layer.kind == "full")
    windowed = sum(layer.row_bytes(4) for layer in layout.layers if layer.kind == "window")
    expected = 0
    for node in tree.nodes:
        n = len(node.tokens)
        expected += n * full + min(n, WINDOW - 1) * windowed + 32 * 4
    assert tree.node_bytes == pytest.approx(expected, rel=0.05)


def test_forgetting_a_conversation_leaves_what_others_share(make_tree):
    tree = make_tree()
    system = list(range(1, 11))
    read(tree, [*system, 20, 21, 22], [10], "a")
    read(tree, [*system, 30, 31, 32], [10], "b")
    tree.forget("a")
    assert tree.covered([*system, 20, 21, 22]) == 10
    assert tree.covered([*system, 30, 31, 32]) == 13
    tree.forget("")
    assert tree.nodes == []
    assert tree.node_bytes == 0
