"""Which messages stay when a conversation has grown past its limit."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.overflow import first_kept

LIMIT = 1000


def alternating(turns):
    return ["user" if i % 2 == 0 else "assistant" for i in range(turns * 2 - 1)]


def test_nothing_leaves_while_all_fits():
    assert first_kept("oldest", alternating(3), [100] * 5, LIMIT) == 0


@pytest.mark.parametrize("policy", ["stop", "rotate"])
def test_the_other_policies_drop_nothing(policy):
    assert first_kept(policy, alternating(30), [100] * 59, LIMIT) == 0


def test_oldest_goes_down_to_three_quarters_of_the_limit_and_keeps_the_system_prompt():
    roles = ["system", *alternating(6)]
    first = first_kept("oldest", roles, [50, *[100] * 11], LIMIT)
    assert roles[first] == "user"
    assert 50 + (len(roles) - first) * 100 <= 750


def test_rolling_keeps_the_last_half():
    roles = alternating(5)
    first = first_kept("rolling", roles, [100] * 9, LIMIT)
    assert (9 - first) * 100 == 500


def test_the_last_turn_stays_even_where_it_is_too_long():
    assert first_kept("oldest", alternating(2), [100, 100, 5000], LIMIT) == 2


@pytest.mark.parametrize("policy", ["oldest", "rolling"])
@given(data=st.data())
def test_the_cut_holds_always_and_moves_seldom(policy, data):
    n = data.draw(st.integers(1, 60))
    system = data.draw(st.integers(0, 1)) * 40
    roles = [*(["system"] if system else []), *alternating(n)]
    sizes = [system] if system else []
    sizes += data.draw(st.lists(st.integers(1, 120), min_size=2 * n - 1, max_size=2 * n - 1))
    cuts = []
    for end in range(len(sizes) - 2 * n + 2, len(sizes) + 1, 2):
        first = first_kept(policy, roles[:end], sizes[:end], LIMIT, frame_tokens=5)
        assert roles[first] == "user"
        assert system + 5 + sum(sizes[first:end]) <= LIMIT - LIMIT // 8
        cuts.append(first)
    assert cuts == sorted(cuts)
    moved = sum(1 for before, after in pairwise(cuts) if before != after)
    # Between two moves at least an eighth of the limit is written.
    assert moved <= sum(sizes) / (LIMIT / 8) + 1
