"""Times and looks on request: they tell the truth and change nothing."""

from __future__ import annotations

import math
from dataclasses import replace

import mlx.core as mx
import numpy as np
import pytest

from inference import (
    Constraint,
    Finished,
    GenerationRequest,
    Probe,
    RawPrompt,
    RequestError,
    Sampling,
)
from inference.taps import listening
from tests.model import tiny
from tests.model.test_guard import Poison

NO_END = ((1, -100.0), (4, -100.0), (5, -100.0))
PLAIN = GenerationRequest(
    RawPrompt("a prompt of some words"),
    Sampling(seed=3, logit_bias=NO_END, presence_penalty=0.5),
    20,
)


def reply(engine, request):
    *_, last = engine.generate(request, lambda: False)
    assert isinstance(last, Finished)
    return last.record


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    return tiny.engine(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def engine(loaded):
    loaded._model.tree.forget("")
    return loaded


def leaving(engine, ids, layer):
    """What leaves a layer at the last position, from one plain pass."""
    heard = []
    network = engine._model.forward
    with listening(network.layers, lambda _, x, y: heard.append(y), [layer]):
        mx.eval(network.hidden(mx.array([list(ids)])))
    return np.array(heard[0])[0]


def test_every_nth_step_is_timed(engine):
    record = reply(engine, replace(PLAIN, profile_every=6))
    assert [index for index, *_ in record.profile] == [0, 6, 12, 18]
    assert all(min(times) >= 0 and sum(times) > 0 for _, *times in record.profile)
    assert record.token_ids == reply(engine, PLAIN).token_ids
    assert reply(engine, PLAIN).profile == ()


def test_looks_tell_what_the_layers_carry(engine):
    record = reply(engine, replace(PLAIN, probe=Probe((1, 3), (0, 1, 5))))
    assert [(step, layer) for step, layer, *_ in record.probes] == [
        (step, layer) for step in (0, 1, 5) for layer in (1, 3)
    ]
    ids = [*record.prompt_ids, *record.token_ids]
    n = record.prompt_tokens
    for step, layer, least, most, nans, infs, sample in record.probes:
        exact = leaving(engine, ids[: n + step], layer)
        assert (nans, infs) == (0, 0)
        np.testing.assert_allclose(sample, exact[-1, :4], atol=1e-4)
        if step:
            assert least == pytest.approx(exact[-1].min(), abs=1e-4)
            assert most == pytest.approx(exact[-1].max(), abs=1e-4)
    assert record.token_ids == reply(engine, PLAIN).token_ids


def test_the_likeliest_five_after_penalties_are_told(engine):
    greedy = replace(PLAIN, sampling=replace(PLAIN.sampling, temperature=0.0))
    record = reply(engine, replace(greedy, probe=Probe((0,), (0, 1, 7))))
    assert [step for step, _ in record.probe_tops] == [0, 1, 7]
    for step, top in record.probe_tops:
        assert len(top) == 5
        assert top[0][0] == record.token_ids[step]
        assert [v for _, v in top] == sorted((v for _, v in top), reverse=True)


def test_a_look_sees_a_fault(tmp_path):
    engine = tiny.engine(tmp_path, dtype=mx.bfloat16)
    n = reply(engine, PLAIN).prompt_tokens
    with Poison(1, [n + 2], math.inf).into(engine):
        record = reply(engine, replace(PLAIN, probe=Probe((0, 1), (3,))))
    by_layer = {layer: (nans, infs) for _, layer, _, _, nans, infs, _ in record.probes}
    assert by_layer[0] == (0, 0)
    assert by_layer[1][1] > 0


@pytest.mark.parametrize(
    "more", [{"read_back_tokens": 4}, {"constraint": Constraint("regex", "[a-z]{30}")}]
)
def test_looks_work_beside_other_features(engine, more):
    plain = reply(engine, replace(PLAIN, **more))
    record = reply(engine, replace(PLAIN, probe=Probe((2,), (0, 2)), profile_every=5, **more))
    assert record.token_ids == plain.token_ids
    assert [step for step, *_ in record.probes] == [0, 2]


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"profile_every": -1}, "profile_every"),
        ({"probe": Probe((0, 9), (0,))}, "layers has 9"),
        ({"probe": Probe((0,), (-1,))}, r"probe\.steps"),
    ],
)
def test_what_cannot_be_looked_at_is_named(engine, change, name):
    with pytest.raises(RequestError, match=name):
        reply(engine, replace(PLAIN, **change))
    assert reply(engine, PLAIN).token_ids
