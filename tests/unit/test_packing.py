"""Run records as small blobs: everything comes back, in at most 60 bytes a token."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.store.packing import pack_ids, pack_run, unpack_ids, unpack_run
from app.store.rows import StoredToken
from inference import RunRecord, Sampling

EMPTY = RunRecord(
    *("print", "Gemma", "Q4_K_M", "hash", "0.1.0", "cpu"),
    prompt_ids=(),
    token_ids=(),
    answer_ids=(),
    sampling=Sampling(),
    seed=1,
    reason="end",
    prompt_tokens=0,
    reused_tokens=0,
    generated_tokens=0,
    ttft_seconds=0.0,
    prefill_seconds=0.0,
    decode_seconds=0.0,
    tokens_per_second=0.0,
    started_at=0.0,
)


def half(value):
    import numpy as np

    return float(np.float16(value))


def details(n, width=10, seed=0):
    draw = random.Random(seed)
    made = []
    for _ in range(n):
        logprobs = sorted((half(-draw.expovariate(0.3)) for _ in range(width)), reverse=True)
        pairs = tuple((draw.randrange(262_144), logprob) for logprob in logprobs)
        entropy = half(draw.random() * 3)
        made.append(
            StoredToken(draw.randrange(262_144), draw.randrange(1, 9), -0.5, entropy, pairs)
        )
    return tuple(made)


def test_a_record_and_its_details_come_back():
    record = replace(EMPTY, prompt_ids=(2, 5), token_ids=(7,), answer_ids=(7,), logprobs=(-0.5,))
    given = details(20)
    assert unpack_run(pack_run(record, given)) == (record, given)


def test_tokens_with_fewer_alternatives_come_back():
    given = (*details(2), *details(1, 3), *details(1, 0))
    assert unpack_run(pack_run(EMPTY, given))[1] == given


def test_a_token_costs_at_most_60_bytes():
    n = 2_000
    given = details(n)
    ids = tuple(one.token_id for one in given)
    record = replace(EMPTY, token_ids=ids, answer_ids=ids, logprobs=(-0.123,) * n)
    assert len(pack_run(record, given)) / n <= 60


@given(st.lists(st.integers(0, 2**24 - 1)))
def test_ids_come_back(ids):
    assert unpack_ids(pack_ids(ids)) == tuple(ids)


@pytest.mark.parametrize("bad", [-1, 2**24])
def test_an_id_out_of_range_is_an_error(bad):
    with pytest.raises(ValueError, match="24 bits"):
        pack_ids([bad])


@pytest.mark.parametrize("blob", [b"", b"x" * 50, pack_run(EMPTY)[:-8]])
def test_a_damaged_blob_is_an_error(blob):
    with pytest.raises(ValueError, match="damaged"):
        unpack_run(blob)
