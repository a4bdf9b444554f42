"""Each filter draws from its exact distribution, in the documented order."""

import math

import mlx.core as mx
import numpy as np
import pytest

from inference import RequestError, Sampling
from inference.candidates import largest
from inference.checks import check_sampling
from inference.sampling import Sampler, history_of

V = 12
N_DRAWS = 6000
LOGITS = np.array([2.0, 1.7, 1.2, 0.8, 0.4, 0.0, -0.3, -0.7, -1.2, -1.8, -2.5, -4.0], np.float32)
PLAIN = Sampling(temperature=1.0, top_k=0, top_p=1.0)


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def expected(s, prompt=(), reply=(), allowed=None):
    """The documented order in plain numpy, over the coin's two sides."""
    x = LOGITS.astype(np.float64).copy()
    for token, bias in s.logit_bias:
        x[token] += bias
    everything = [*prompt, *reply]
    for token in set(everything[-s.repetition_window :] if s.repetition_window else everything):
        x[token] = (
            x[token] / s.repetition_penalty if x[token] > 0 else (x[token] * s.repetition_penalty)
        )
    for token in set(reply):
        x[token] -= s.presence_penalty + s.frequency_penalty * list(reply).count(token)
    if allowed is not None:
        x[[i for i in range(V) if i not in allowed]] = -math.inf
    x = x / s.temperature
    order = np.argsort(-x, kind="stable")
    if s.top_k:
        x[order[s.top_k :]] = -math.inf
    p = softmax(x)
    before = np.cumsum(p[order]) - p[order]
    x[order[(before >= s.top_p) & (np.arange(V) > 0)]] = -math.inf
    p = softmax(x)
    x[p < s.min_p * p.max()] = -math.inf
    p = softmax(x)
    top = [i for i in order if p[i] >= s.xtc_threshold]
    q = x.copy()
    q[top[:-1]] = -math.inf
    return (1 - s.xtc_probability) * p + s.xtc_probability * softmax(q)


def drawn(s, prompt=(), reply=(), allowed=None, seed=5, vocabulary=V, forbidden=frozenset()):
    sampler = Sampler(s, vocabulary, forbidden)
    history = history_of(s, [[*prompt, *reply]], [len(prompt)])
    if history is not None:
        history = history.rows([0] * N_DRAWS)
    mask = None
    if allowed is not None:
        mask = mx.array([[i in allowed for i in range(vocabulary)]])
    logits = mx.broadcast_to(mx.array(LOGITS)[None], (N_DRAWS, V))
    tokens = sampler.draw(logits, [seed] * N_DRAWS, range(N_DRAWS), history, mask)
    return np.bincount(np.array(tokens), minlength=V)


def chi_square(counts, p):
    """How improbable the counts are, as standard deviations (Wilson and Hilferty)."""
    assert counts[p == 0].sum() == 0
    p, counts = p[p > 0], counts[p > 0]
    if len(p) == 1:
        return 0.0
    mean = p * counts.sum()
    chi = float(((counts - mean) ** 2 / mean).sum())
    k = len(p) - 1
    return ((chi / k) ** (1 / 3) - (1 - 2 / (9 * k))) / math.sqrt(2 / (9 * k))


CASES = {
    "plain": PLAIN,
    "cool": Sampling(temperature=0.5, top_k=0, top_p=1.0),
    "hot": Sampling(temperature=2.0, top_k=0, top_p=1.0),
    "top k": Sampling(top_k=4, top_p=1.0),
    "top p": Sampling(top_k=0, top_p=0.7),
    "top k, then top p of what is left": Sampling(top_k=5, top_p=0.8),
    "top p of what the temperature made": Sampling(temperature=1.8, top_k=0, top_p=0.6),
    "min p": Sampling(top_k=0, top_p=1.0, min_p=0.2),
    "min p after top p": Sampling(temperature=1.5, top_k=8, top_p=0.9, min_p=0.3),
    "xtc": Sampling(top_k=0, top_p=1.0, xtc_probability=0.5, xtc_threshold=0.1),
    "xtc after top k": Sampling(top_k=3, top_p=1.0, xtc_probability=1.0, xtc_threshold=0.3),
    "bias": Sampling(top_k=0, top_p=1.0, logit_bias=((3, 2.0), (0, -5.0), (1, -math.inf))),
}
WITH_HISTORY = {
    "repetition": Sampling(top_k=0, top_p=1.0, repetition_penalty=1.7, repetition_window=0),
    "repetition window": Sampling(top_k=0, top_p=1.0, repetition_penalty=1.7, repetition_window=3),
    "presence": Sampling(top_k=0, top_p=1.0, presence_penalty=0.9),
    "frequency": Sampling(top_k=0, top_p=1.0, frequency_penalty=0.6),
    "bias before repetition": Sampling(
        top_k=0, top_p=1.0, repetition_penalty=1.5, logit_bias=((6, 1.5),)
    ),
    "repetition before presence": Sampling(
        top_k=6, top_p=0.9, repetition_penalty=2.0, presence_penalty=0.5, frequency_penalty=0.2
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_filter_draws_from_its_exact_distribution(name):
    assert chi_square(drawn(CASES[name]), expected(CASES[name])) < 3.5


@pytest.mark.parametrize("name", WITH_HISTORY)
def test_a_penalty_draws_from_its_exact_distribution(name):
    s, prompt, reply = WITH_HISTORY[name], (6, 0, 9, 2), (1, 1, 4, 6)
    assert chi_square(drawn(s, prompt, reply), expected(s, prompt, reply)) < 3.5


def test_a_schema_mask_comes_before_temperature_and_top_k():
    s = Sampling(temperature=0.7, top_k=2, top_p=1.0)
    allowed = {3, 5, 8}
    assert chi_square(drawn(s, allowed=allowed), expected(s, allowed=allowed)) < 3.5


def test_the_wrong_distribution_would_be_seen():
    assert chi_square(drawn(PLAIN), expected(CASES["cool"])) > 10


@pytest.mark.parametrize("temperature", [0.0, 9e-5])
def test_no_temperature_is_the_likeliest(temperature):
    counts = drawn(Sampling(temperature=temperature))
    assert counts[0] == N_DRAWS


def test_what_cannot_be_is_never_drawn():
    counts = drawn(PLAIN, vocabulary=7, forbidden=frozenset({0, 2}))
    assert counts[[0, 2]].sum() == 0
    assert counts[7:].sum() == 0
    assert drawn(Sampling(temperature=0), forbidden=frozenset({0}))[1] == N_DRAWS


def test_a_row_draws_the_same_alone_in_a_batch_and_among_fewer_candidates():
    logits = mx.random.normal((8, 5000), key=mx.random.key(1)) * 3
    seeds, positions = list(range(100, 108)), [7, 900, 7, 3, 2, 1, 12, 4_000_000]
    whole = Sampler(Sampling(top_k=0, top_p=1.0, min_p=0.05), 5000, frozenset())
    few = Sampler(Sampling(top_k=900, top_p=1.0, min_p=0.05), 5000, frozenset())
    together = whole.draw(logits, seeds, positions).tolist()
    assert few.draw(logits, seeds, positions).tolist() == together
    for i in range(8):
        assert whole.draw(logits[i : i + 1], seeds[i : i + 1], [positions[i]]).item() == together[i]


def test_noise_is_independent_of_seed_and_position():
    by_seed = drawn(PLAIN, seed=2**40), drawn(PLAIN, seed=5)
    assert any(by_seed[0] != by_seed[1])
    sampler = Sampler(PLAIN, V, frozenset())
    logits = mx.zeros((400, V))
    tokens = np.array(sampler.draw(logits, list(range(400)), [3] * 400))
    assert chi_square(np.bincount(tokens, minlength=V), np.full(V, 1 / V)) < 3.5
    pairs = tokens[:-1] * V + tokens[1:]
    assert chi_square(np.bincount(pairs, minlength=V * V), np.full(V * V, 1 / V / V)) < 4


@pytest.mark.parametrize("size", [7, 256, 5000, 5001, 262_144])
@pytest.mark.parametrize("k", [1, 5, 64])
def test_the_largest_are_found_without_sorting(size, k):
    values = mx.random.normal((2, size), key=mx.random.key(size))
    found, ids = largest(values, k)
    exact = -np.sort(-np.array(values), axis=1)[:, :k]
    assert (np.array(found) == exact).all()
    assert (np.take_along_axis(np.array(values), np.array(ids).astype(int), 1) == exact).all()


def test_history_grows_as_it_would_be_made_anew():
    s = Sampling(repetition_penalty=1.2, repetition_window=4, presence_penalty=0.1)
    grown = history_of(s, [[1, 2, 3, 4], [5, 6, 7]], [2, 3])
    grown = grown.grown(mx.array([8, 9], mx.uint32)).grown(mx.array([3, 3], mx.uint32))
    anew = history_of(s, [[1, 2, 3, 4, 8, 3], [5, 6, 7, 9, 3]], [2, 3])
    logits = mx.random.normal((2, V), key=mx.random.key(0))
    sampler = Sampler(s, V, frozenset())
    assert mx.array_equal(sampler.adjusted(logits, grown), sampler.adjusted(logits, anew))


@pytest.mark.parametrize(
    "change",
    [
        {"temperature": math.nan},
        {"temperature": -1.0},
        {"temperature": "hot"},
        {"top_k": -1},
        {"top_k": 2.5},
        {"top_p": 0.0},
        {"top_p": 1.1},
        {"min_p": -0.1},
        {"xtc_probability": 2.0},
        {"xtc_threshold": math.nan},
        {"repetition_penalty": 0.0},
        {"repetition_window": -3},
        {"presence_penalty": math.inf},
        {"frequency_penalty": math.nan},
        {"logit_bias": ((V, 1.0),)},
        {"logit_bias": ((1, math.nan),)},
        {"seed": -1},
        {"seed": 1.5},
    ],
)
def test_a_value_out_of_its_range_is_named(change):
    with pytest.raises(RequestError, match=next(iter(change))):
        check_sampling(Sampling(**change), V)
