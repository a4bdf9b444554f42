"""float16 with a smaller residual stream is nearer to float32 than bfloat16 is."""

from __future__ import annotations

import tempfile
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from inference.narrow import fold, is_wanted, to_float16
from tests.model.families import build, open_path

IDS = [2, *((5 * i * i + 3 * i) % 230 + 30 for i in range(59))]
FAMILIES = ["gemma2", "gemma3", "gemma3_multimodal"]


@pytest.fixture(scope="module")
def folders():
    made: dict[str, Path] = {}

    def get(family: str) -> Path:
        if family not in made:
            made[family] = build(family, Path(tempfile.mkdtemp()) / "model")
        return made[family]

    return get


def grown(folder: Path, dtype: mx.Dtype = mx.float32):
    """The network with a stream that grows to about 100,000, as the real one does."""
    network = open_path(folder, folder.parent / "cache").network
    text = getattr(network, "language_model", network)
    for layer in text.layers[1:3]:
        norm = layer["post_feedforward_layernorm"]
        norm.weight = norm.weight + 30_000.0
    network.set_dtype(dtype)
    return network


def stream_top(network) -> float:
    heard: list[float] = []
    from inference.taps import listening

    text = getattr(network, "language_model", network)
    with listening(text.layers, lambda _, x, y: heard.append(mx.abs(y).max().item())):
        mx.eval(network.hidden(mx.array([IDS])))
    return max(heard)


def log_probabilities(network) -> np.ndarray:
    logits = np.array(network(mx.array([IDS])).astype(mx.float32))[0].astype(np.float64)
    top = logits.max(axis=1, keepdims=True)
    return logits - top - np.log(np.exp(logits - top).sum(axis=1, keepdims=True))


def divergence(exact: np.ndarray, other: np.ndarray) -> float:
    return float((np.exp(exact) * (exact - other)).sum(axis=1).mean())


@pytest.mark.parametrize("family", FAMILIES)
def test_folding_changes_no_output_in_float32(folders, family):
    exact = log_probabilities(grown(folders(family)))
    network = grown(folders(family))
    fold(network, 1 / 16)
    np.testing.assert_allclose(log_probabilities(network), exact, atol=1e-4)
    assert stream_top(network) < 65_504


@pytest.mark.parametrize("family", FAMILIES)
def test_folded_float16_is_nearer_to_float32_than_bfloat16(folders, family):
    exact = grown(folders(family))
    assert stream_top(exact) > 65_504
    reference = log_probabilities(exact)
    folded = grown(folders(family))
    to_float16(folded)
    assert folded.embed(mx.array([[2]])).dtype == mx.float16
    narrow = divergence(reference, log_probabilities(folded))
    brain = divergence(reference, log_probabilities(grown(folders(family), mx.bfloat16)))
    assert narrow < 1e-3
    assert narrow < brain / 5


@pytest.mark.parametrize("family", FAMILIES)
def test_plain_float16_is_wrong(folders, family):
    reference = log_probabilities(grown(folders(family)))
    plain = log_probabilities(grown(folders(family), mx.float16))
    assert not divergence(reference, plain) < 1e-2


def test_it_is_chosen_for_proven_families_on_chips_without_bfloat16():
    assert is_wanted("gemma3_text", "Apple M1 Pro", mx.bfloat16)
    assert is_wanted("gemma2", "Apple M2", mx.bfloat16)
    assert not is_wanted("gemma3_text", "Apple M3", mx.bfloat16)
    assert not is_wanted("gemma4_text", "Apple M1", mx.bfloat16)
    assert not is_wanted("gemma3_text", "Apple M1", mx.float32)
    assert not is_wanted("gemma3_text", "AMD EPYC", mx.bfloat16)
