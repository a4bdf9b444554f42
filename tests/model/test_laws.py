"""The laws of the prefix tree, on a tiny model of each family, by property.

Three grades of exactness, kept apart:
1. restored = live, bit for bit;
2. warm = cold where both read on the same grid, bit for bit;
3. after a spoken reply (single steps against a prefill) the same tokens, in float32.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.caches import WindowCache
from inference.segments import Part
from tests.model.chats import (
    BIG,
    END,
    FIRST,
    LAST,
    SUFFIX,
    Chat,
    cold,
    greedy,
    opened,
    read,
    speak,
    tree_of,
)
from tests.model.families import FAMILY_NAMES, WINDOW

w = WINDOW
LENGTHS = [w - 1, w, w + 1, 2 * w + 1]
EXAMPLES = settings.default.max_examples // 8  # an example plays a whole conversation
token = st.integers(FIRST, LAST)
message = st.one_of(
    st.lists(token, min_size=1, max_size=5),
    *(st.lists(token, min_size=n, max_size=n) for n in (*LENGTHS, 40)),
)


@pytest.fixture(params=FAMILY_NAMES)
def model(request):
    return opened(request.param)


def chat_of(*lengths, name="chat"):
    messages = [[FIRST + (7 * i + j) % 190 for j in range(n)] for i, n in enumerate(lengths)]
    return Chat(name, messages)


# --------------------------------------------------------------------------- grade 1


@pytest.mark.parametrize("length", [*LENGTHS, 5 * w])
def test_restored_equals_live_bit_for_bit(model, length):
    tree = tree_of(model)
    chat = chat_of(length, w)
    live, _, _ = read(tree, chat)
    speak(tree, live, chat, [11, 12, 13, 14])
    restored = tree.restore([*live.tokens, 15])
    assert restored.tokens == live.tokens
    for one in (15, 16, 17):
        a, b = live.feed([one]), restored.feed([one])
        assert np.array_equal(np.array(a), np.array(b))
    a, b = live.feed([18] * (w + 3)), restored.feed([18] * (w + 3))
    assert np.array_equal(np.array(a), np.array(b))


# --------------------------------------------------------------------------- grade 2


@pytest.mark.parametrize(
    ("length", "step"), [(w - 1, w // 2), (w, 3 * w), (w + 1, w // 2), (2 * w + 1, 3 * w)]
)
def test_a_warm_read_equals_a_cold_one_bit_for_bit(model, length, step):
    tree = tree_of(model, step, 2 * step)
    first = chat_of(length, 3, 2 * w)
    read(tree, first)
    edited = Chat("chat", [first.messages[0], [99, 98], *first.messages[2:]])
    longer = Chat("chat", [*first.messages, [77] * length])
    for chat in (first, edited, longer, first):
        context, reused, _ = read(tree, chat)
        assert reused > length
        expected = cold(model, chat, step, 2 * step)
        assert np.array_equal(np.array(context.logits()), expected)


@pytest.mark.parametrize("family", FAMILY_NAMES)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_any_mix_of_reads_equals_cold_ones_bit_for_bit(family, data):
    model = opened(family)
    step = data.draw(st.sampled_from([3, w, 2 * w]))
    tree = tree_of(model, step, 2 * step)
    chats = [Chat("a"), Chat("b")]
    for _ in range(data.draw(st.integers(2, 7))):
        chat = data.draw(st.sampled_from(chats))
        deed = data.draw(st.sampled_from(["say", "say", "edit", "cut", "stop", "squeeze"]))
        if deed == "say" or not chat.messages:
            chat.messages.append(data.draw(message))
        elif deed == "edit":
            at = data.draw(st.integers(0, len(chat.messages) - 1))
            kept = chat.messages[at][: data.draw(st.integers(0, len(chat.messages[at])))]
            chat.messages[at] = [*kept, data.draw(token)]
        elif deed == "cut":
            del chat.messages[data.draw(st.integers(1, len(chat.messages))) :]
        elif deed == "stop":
            chat.messages.append(data.draw(message))
            read(tree, chat, stop_after=data.draw(st.integers(1, 4)))
        else:
            tree.budget = tree.bytes // 2
            tree.fit()
            tree.budget = BIG
        context, _, _ = read(tree, chat)
        assert np.array_equal(np.array(context.logits()), cold(model, chat, step, 2 * step))


# --------------------------------------------------------------------------- grade 3


@pytest.mark.parametrize("family", FAMILY_NAMES)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_any_mix_of_talk_says_what_a_cold_start_says(family, data):
    """Turns, edits, regenerations, branches, stops, switches, evictions and restarts."""
    model = opened(family)
    folder = Path(tempfile.mkdtemp())
    tree = tree_of(model, folder=folder)
    chats = [Chat("a"), Chat("b")]
    for _ in range(data.draw(st.integers(2, 8))):
        chat = data.draw(st.sampled_from(chats))
        deed = data.draw(
            st.sampled_from(
                ["turn", "turn", "again", "edit", "branch", "stop", "squeeze", "restart"]
            )
        )
        if deed == "edit" and chat.messages:
            at = data.draw(st.integers(0, len(chat.messages) - 1))
            chat.messages[at] = data.draw(message)
        elif deed == "branch" and chat.messages:
            del chat.messages[data.draw(st.integers(1, len(chat.messages))) :]
            chat.messages.append(data.draw(message))
        elif deed == "stop":
            chat.messages.append(data.draw(message))
            read(tree, chat, stop_after=1)
        elif deed == "squeeze":
            tree.budget = tree.bytes * 2 // 3
            tree.fit()
            tree.budget = BIG
        elif deed == "restart":
            tree.save(lambda: False)
            tree = tree_of(model, folder=folder)
        if deed in ("turn", "stop") or not chat.messages:
            chat.messages.append(data.draw(message))
        context, _, _ = read(tree, chat)
        warm = np.array(context.logits())
        expected = cold(model, chat)
        np.testing.assert_allclose(warm, expected, atol=2e-3)
        said = greedy(context, 3) if deed == "again" else data.draw(message)[:6]
        if deed == "again":
            context.rollback(3) if context.room() >= 3 else None
            fresh, _, _ = read(tree_of(model), chat)
            assert_same_or_near(said, greedy(fresh, 3), expected)
        else:
            speak(tree, context, chat, said)
            # The reply is kept as it was spoken, after the suffix; the history has it without.
            chat.messages.append(said)
    shutil.rmtree(folder)


def assert_same_or_near(ours, theirs, logits):
    """The same tokens, but for a first one whose two candidates are nearly as likely."""
    best = np.sort(logits[0])[-2:]
    assert ours == theirs or best[1] - best[0] < 4e-3


def test_a_reply_is_not_read_again(model):
    """Where the history has the suffix, as Gemma 3's has, all of a spoken turn is reused."""
    tree = tree_of(model)
    context, _, _ = read(tree, chat_of(2 * w))
    speak(tree, context, Chat("chat"), [21, 22, 23, 24, 25, END])
    history = list(context.tokens)
    following = [*history, 31, 32, 33, END, *SUFFIX]
    again = tree.restore(following)
    assert again.tokens == history
    for _ in tree.read(again, following, [len(history) + 4]):
        pass
    whole, _, _ = read(tree_of(model), Chat("cold", []))
    del whole
    fresh = tree_of(model).restore(following)
    logits = fresh.feed(following)
    np.testing.assert_allclose(np.array(again.logits()), np.array(logits), atol=2e-3)


# --------------------------------------------------------------------------- controls


def test_a_wrong_row_in_a_node_shows(model):
    """The comparison can fail: a node with other values does not pass for the right one."""
    tree = tree_of(model)
    chat = chat_of(w, 5)
    read(tree, chat)
    for node in tree.nodes:
        node.segment = replace(node.segment, parts=tuple(map(wrong, node.segment.parts)))
    longer = Chat("chat", [*chat.messages, [50, 51, 52]])
    context, _, _ = read(tree, longer)
    assert np.abs(np.array(context.logits()) - cold(model, longer)).max() > 1e-2


def wrong(part):
    """Other values in the same shapes."""
    return part and Part(part.first, tuple(array * 1.5 + 0.1 for array in part.arrays))


def test_a_live_context_is_not_touched_by_what_others_do(model):
    tree = tree_of(model)
    chat = chat_of(2 * w)
    context, _, _ = read(tree, chat)
    before = np.array(context.logits())
    for other in range(3):
        branch, _, _ = read(tree, Chat("other", [*chat.messages, [60 + other] * 9]))
        speak(tree, branch, chat, [61, 62])
    tree.forget("")
    again, _, _ = read(tree_of(model), chat)
    assert np.array_equal(np.array(again.feed([70])), np.array(context.feed([70])))
    assert before.shape == (1, before.shape[1])


def test_multi_token_appends_never_outgrow_the_window(model):
    tree = tree_of(model)
    context = tree.new_context()
    for i in range(5):
        context.feed([FIRST + i] * 5, logits=False)
        for cache in context.caches:
            if isinstance(cache, WindowCache):
                assert cache.held <= WINDOW - 1 + 5 + cache.slack + cache.spare
    whole = tree.new_context()
    expected = whole.feed([FIRST + i for i in range(5) for _ in range(5)])
    assert expected is not None
    logits = context.feed([33])
    expected = whole.feed([33])
    np.testing.assert_allclose(np.array(logits), np.array(expected), atol=2e-3)


def test_a_short_prompt_read_in_small_steps_is_kept(model):
    tree = tree_of(model, step=8, segment=8)
    chat = chat_of(1)
    read(tree, chat)
    context, reused, _ = read(tree, chat)
    assert reused == len(chat.prompt()[0])
    mx.eval(context.feed([9]))
