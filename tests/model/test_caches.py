"""The caches under mlx-lm's own Gemma 3, against a network that reads everything at once."""

from __future__ import annotations

import random

import mlx.core as mx
import numpy as np
import pytest

from inference.caches import WindowCache, layout_of
from inference.context import Context
from tests.model.tiny_gemma3 import WINDOW, tiny_gemma3


@pytest.fixture(scope="module")
def network():
    return tiny_gemma3()


def whole(network, ids):
    """The last logits when everything is read in one call without caches."""
    return np.array(network(mx.array([ids]))[0, -1])


def test_the_layout_is_found_from_the_network(network):
    layout = layout_of(network)
    assert [layer.kind for layer in layout.layers] == ["window", "window", "full", "window"]
    assert layout.window == WINDOW
    assert layout.layers[2].row_bytes(4) == 1 * (16 + 16) * 4


@pytest.mark.parametrize("length", [1, WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW + 1, 40])
@pytest.mark.parametrize("chunk", [1, 3, WINDOW, 2 * WINDOW + 3])
def test_chunks_give_what_one_call_gives(network, length, chunk):
    ids = list(range(1, length + 1))
    context = Context(network, layout_of(network))
    for at in range(0, length, chunk):
        logits = context.feed(ids[at : at + chunk])
    np.testing.assert_allclose(np.array(logits[0]), whole(network, ids), atol=2e-4)


def test_any_mix_of_appends_and_rollbacks_gives_what_one_call_gives(network):
    chance = random.Random(3)
    context = Context(network, layout_of(network), slack=6)
    for _ in range(60):
        back = chance.randint(0, min(context.room(), 12)) if chance.random() < 0.4 else 0
        context.rollback(back)
        logits = context.feed([chance.randrange(64) for _ in range(chance.randint(1, 20))])
        if len(context) > 120:
            context = Context(network, layout_of(network), slack=6)
            continue
        np.testing.assert_allclose(np.array(logits[0]), whole(network, context.tokens), atol=2e-4)


def test_a_rollback_of_the_slack_is_always_possible_once_so_much_was_read(network):
    context = Context(network, layout_of(network), slack=6)
    context.feed(list(range(20)), logits=False)
    for token in range(40):
        context.feed([token], logits=False)
        assert context.room() >= 6


def test_a_wrong_key_shows(network):
    ids = list(range(1, 20))
    context = Context(network, layout_of(network))
    context.feed(ids[:-1], logits=False)
    window = context.caches[0]
    keys, values = window.view(window.first, window.columns)
    window.restore([(keys * 1.5, values)], window.columns)
    logits = context.feed(ids[-1:])
    assert np.abs(np.array(logits[0]) - whole(network, ids)).max() > 5e-3


def test_many_multi_token_appends_never_hold_more_than_the_window_and_one_call():
    cache = WindowCache(WINDOW, slack=4)
    rows = mx.zeros((1, 1, 5, 4))
    for _ in range(5):
        cache.update_and_fetch(rows, rows)
        assert cache.held <= WINDOW - 1 + 4 + 5 + cache.spare
    assert cache.columns == 25


def test_steps_in_flight_are_taken_back_first(network):
    context = Context(network, layout_of(network))
    context.feed([1, 2, 3], logits=False)
    context.step(mx.array([4]))
    context.step(mx.array([5]))
    context.commit([4])
    context.rollback(1)
    assert context.tokens == [1, 2, 3, 4]
    assert context.in_flight == 0
    np.testing.assert_allclose(
        np.array(context.feed([6])[0]), whole(network, [1, 2, 3, 4, 6]), atol=2e-4
    )


def test_rows_of_unequal_length_each_equal_their_single_run(network):
    layout = layout_of(network)
    prompts = [list(range(1, n + 1)) for n in (2, WINDOW - 1, WINDOW + 3, 30, 90)]
    singles = []
    for prompt in prompts:
        single = Context(network, layout, slack=6)
        single.feed(prompt)
        singles.append(single)
    merged = Context.merge(singles)
    for token in range(30):
        logits = merged.step(mx.array([token] * len(prompts)))
        merged.commit([token] * len(prompts))
        for row, single in enumerate(singles):
            expected = single.feed([token])
            np.testing.assert_allclose(np.array(logits[row]), np.array(expected[0]), atol=2e-4)
    merged.select([4, 0])
    assert merged.row_tokens(1) == singles[0].tokens
    logits = merged.step(mx.array([9, 9]))
    np.testing.assert_allclose(np.array(logits[1]), np.array(singles[0].feed([9])[0]), atol=2e-4)


def test_a_fork_leaves_its_origin_untouched(network):
    layout = layout_of(network)
    context = Context(network, layout)
    context.feed(list(range(1, 20)))
    fork = context.fork(3)
    for token in range(5):
        fork.step(mx.array([token, token + 1, token + 2]))
        fork.commit([token, token + 1, token + 2])
    expected = whole(network, [*range(1, 20), 3])
    np.testing.assert_allclose(np.array(context.feed([3])[0]), expected, atol=2e-4)


def test_the_dtype_of_the_rows_does_not_change_with_one_wide_step(network):
    cache = WindowCache(WINDOW)
    narrow = mx.zeros((1, 1, 3, 4), mx.float16)
    cache.update_and_fetch(narrow, narrow)
    wide = mx.zeros((1, 1, 1, 4), mx.float32)
    keys, _ = cache.update_and_fetch(wide, wide)
    assert keys.dtype == mx.float16
