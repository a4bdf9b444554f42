"""The self-check says what it should, on an engine that is right and on one that is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inference import verify_cache
from tests.model import tiny

TEXT = "wind and sky and the ships seen"


def never():
    return False


def harm(engine):
    """Let the engine find other values than it kept."""
    tree = engine._model.tree
    restore = tree.restore

    def wrong(*args, **more):
        for node in tree.nodes:
            for part in node.segment.parts:
                if part is not None:
                    for array in part.arrays:
                        array[...] = array * -1.5
        return restore(*args, **more)

    tree.restore = wrong


@pytest.fixture
def opened(tmp_path):
    engines = []

    def make():
        engine = tiny.engine(tmp_path)
        engine._model.info = replace(engine._model.info, context_tokens=2000)
        engines.append(engine)
        return engine

    make.engines = engines
    return make


def test_a_right_engine_passes_and_reuses_what_it_should(opened):
    checks = list(verify_cache(opened, never, TEXT, 6))
    assert all(check.is_good for check in checks)
    assert len(opened.engines) == 2
    reused = {check.what: check.reused_tokens / check.prompt_tokens for check in checks}
    assert reused["turn 1"] == 0
    assert reused["the same turn again"] == 1
    assert reused["an edit of the last message"] > 0.8
    assert reused["the first branch again"] > 0.8
    assert reused["a stop while reading"] > 0.5
    assert reused["the way back"] > 0.8
    assert reused["a restart"] > 0.8
    assert max(check.largest for check in checks) < 1e-3


def test_it_leaves_nothing_behind(opened, tmp_path):
    list(verify_cache(opened, never, TEXT, 4))
    assert list(tmp_path.rglob("prefixes/*/*.safetensors")) == []


def test_an_engine_that_keeps_other_values_is_found_out(opened):
    def make():
        engine = opened()
        harm(engine)
        return engine

    checks = list(verify_cache(make, never, TEXT, 6))
    assert not all(check.is_good for check in checks)


def test_a_stop_ends_it_early(opened):
    assert list(verify_cache(opened, lambda: True, TEXT, 4)) == []
