"""The exponential by products is the exponential."""

import math

import mlx.core as mx
import numpy as np

from inference.exponential import exp
from inference.inspect import details


def test_it_is_exact_to_float32s_last_digits():
    x = -np.concatenate([np.linspace(0, 87, 50_001), np.logspace(-8, 1, 1000)]).astype(np.float32)
    exact = np.exp(x.astype(np.float64))
    assert np.abs(np.array(exp(mx.array(x))) / exact - 1).max() < 6e-6  # x * log2(e) rounds
    near = x > -20
    assert np.abs(np.array(exp(mx.array(x[near]))) / exact[near] - 1).max() < 2e-6


def test_what_is_far_below_is_zero():
    found = exp(mx.array([0.0, -88.0, -1000.0, -math.inf]))
    assert found.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_log_probabilities_and_entropy_are_those_of_float64():
    logits = mx.random.normal((3, 5000), key=mx.random.key(0)) * 4
    tokens = mx.array([0, 77, 4999])
    found = details(logits, tokens, 10, 5000)
    x = np.array(logits).astype(np.float64)
    log_p = x - np.log(np.exp(x).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(found.logprob, log_p[range(3), [0, 77, 4999]], atol=2e-5)
    np.testing.assert_allclose(found.entropy, -(np.exp(log_p) * log_p).sum(axis=1), atol=2e-5)
    np.testing.assert_allclose(found.values, -np.sort(-log_p, axis=1)[:, :10], atol=2e-5)


def test_excluded_tokens_count_for_nothing():
    logits = mx.array([[1.0, -math.inf, 2.0, -math.inf]])
    found = details(logits, mx.array([2]), 2, 4)
    p = math.exp(2) / (math.exp(1) + math.exp(2))
    assert abs(found.logprob.item() - math.log(p)) < 1e-6
    assert abs(found.entropy.item() + p * math.log(p) + (1 - p) * math.log(1 - p)) < 1e-6
