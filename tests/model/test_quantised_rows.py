"""Full layers with 8 and 4 bit rows; window layers stay exact."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from inference.caches import FullCache, WindowCache
from inference.context import Context
from inference.grid import Grid
from inference.prefix import PrefixTree
from inference.prefix_files import PrefixFiles
from tests.model import families

IDS = [2, *range(10, 70)]


@pytest.fixture(scope="module")
def opened():
    return families.tiny("gemma4")  # full layers of width 32, which groups of 32 divide


def tree_of(opened, folder=None):
    files = None if folder is None else PrefixFiles(folder, "tiny", 1 << 30)

    def make(kv_bits):
        return Context(opened.network, opened.layout, kv_bits=kv_bits)

    return PrefixTree(make, opened.layout, Grid(4, 16), 1 << 30, files)


def read(tree, ids, bits, conversation=""):
    context = tree.restore(ids, conversation, kv_bits=bits)
    reused = len(context)
    for _ in tree.read(context, ids, (), conversation):
        pass
    return np.array(context.logits()), reused


@pytest.mark.parametrize(("bits", "worst"), [(8, 0.02), (4, 0.4)])
def test_rows_come_back_nearly_as_they_were(bits, worst):
    cache = FullCache(kv_bits=bits)
    rows = mx.random.normal((1, 2, 40, 64), key=mx.random.key(1))
    keys, values = cache.update_and_fetch(rows, rows * 2)
    assert np.abs(np.array(keys - rows)).max() < worst
    assert np.abs(np.array(values - rows * 2)).max() < 2 * worst
    assert cache.latest(3)[0].shape == (1, 2, 3, 64)


def test_eight_bits_take_less_than_a_third_of_the_bytes():
    plain, packed = FullCache(), FullCache(kv_bits=8)
    rows = mx.zeros((1, 1, 512, 256))
    for cache in (plain, packed):
        cache.update_and_fetch(rows, rows)
    assert packed.nbytes < plain.nbytes / 3


@pytest.mark.parametrize("bits", [8, 4])
def test_the_reply_stays_near_and_window_layers_stay_exact(opened, bits):
    exact, _ = read(tree_of(opened), IDS, None)
    near, _ = read(tree_of(opened), IDS, bits)
    difference = np.abs(exact - near).max()
    assert 0 < difference < {8: 0.3, 4: 6.0}[bits]
    context = Context(opened.network, opened.layout, kv_bits=bits)
    context.feed(IDS)
    assert all(len(c.state) == 2 for c in context.caches if isinstance(c, WindowCache))
    assert all(len(c.state) == 6 for c in context.caches if isinstance(c, FullCache))


@pytest.mark.parametrize("bits", [8, 4])
def test_snapshots_keep_the_quantised_form_in_memory_and_on_disk(opened, bits, tmp_path):
    tree = tree_of(opened, tmp_path)
    cold, _ = read(tree, IDS, bits, "chat")
    warm, reused = read(tree, IDS, bits, "chat")
    assert reused == len(IDS)
    assert np.array_equal(cold, warm)
    tree.save(lambda: False)
    again, reused = read(tree_of(opened, tmp_path), IDS, bits, "chat")
    assert reused == len(IDS)
    assert np.array_equal(cold, again)


def test_rows_of_different_bits_are_kept_apart(opened):
    tree = tree_of(opened)
    read(tree, IDS, None)
    assert read(tree, IDS, 8)[1] == 0
    assert read(tree, IDS, 4)[1] == 0
    assert read(tree, IDS, 8)[1] == len(IDS)


def test_a_head_too_narrow_for_a_group_stays_as_it_is():
    cache = FullCache(kv_bits=8)
    rows = mx.random.normal((1, 1, 5, 16))
    keys, _ = cache.update_and_fetch(rows, rows)
    assert np.array_equal(np.array(keys), np.array(rows))
