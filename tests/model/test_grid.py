"""Where prompts are cut, and how long a call is."""

from __future__ import annotations

import json

import pytest

from inference.caches import layout_of
from inference.context import Context
from inference.grid import Grid
from inference.grid_step import grid_step, measure
from tests.model.tiny_gemma3 import tiny_gemma3


@pytest.mark.parametrize("start", range(0, 40, 3))
def test_a_read_that_begins_anywhere_ends_its_calls_where_a_cold_one_does(start):
    grid = Grid(step=4, segment=8)
    marks = [7, 9, 22]
    cold = {stop for _, stop, _ in grid.calls(0, 40, marks)}
    warm = grid.calls(start, 40, marks)
    assert {stop for _, stop, _ in warm} == {stop for stop in cold if stop > start}
    assert warm[0][0] == start
    assert [stop for _, stop, _ in warm[:-1]] == [begin for begin, _, _ in warm[1:]]


def test_a_mark_beyond_the_prompt_changes_nothing():
    grid = Grid(4, 8)
    assert grid.calls(0, 20, [3, 20, 55, -1, 0]) == grid.calls(0, 20, [3])


def test_runs_end_at_marks_and_at_every_segment():
    ends = [stop for _, stop, is_end in Grid(4, 8).calls(0, 30, [5]) if is_end]
    assert ends == [5, 13, 21, 29, 30]


@pytest.mark.parametrize("window", [0, 4, 512, 1024, 4096])
@pytest.mark.parametrize("step", [16, 64, 512, 2048])
def test_a_segment_is_a_multiple_of_the_step_of_one_to_two_thousand_tokens(window, step):
    grid = Grid.of(step, window)
    assert grid.segment % step == 0
    assert 1024 <= grid.segment <= 2048


@pytest.fixture(scope="module")
def make_context():
    network = tiny_gemma3()
    layout = layout_of(network)
    return lambda: Context(network, layout)


def paced_clock(seconds_per_call):
    """A clock on which the n-th reading takes the n-th time."""
    times = iter(seconds_per_call)
    now = 0.0
    ticking = False

    def clock():
        nonlocal now, ticking
        now += next(times) if ticking else 0.0
        ticking = not ticking
        return now

    return clock


def test_the_step_is_the_largest_that_is_read_in_a_quarter_of_a_second(make_context):
    clock = paced_clock([9, 0.05, 0.1, 0.1, 0.2, 0.9, 0.4, 0.4])
    assert measure(make_context, clock) == 64


def test_a_fast_device_reads_long_calls(make_context):
    assert measure(make_context, paced_clock([0.001] * 40)) >= 512


def test_the_step_is_measured_once_for_each_model(make_context, tmp_path):
    step = grid_step(make_context, tmp_path, "a")
    remembered = next(tmp_path.glob("*.json"))
    assert json.loads(remembered.read_text()) == {"step": step}
    remembered.write_text('{"step": 32}')
    assert grid_step(make_context, tmp_path, "a") == 32
    grid_step(make_context, tmp_path, "b")
    assert len(list(tmp_path.glob("*.json"))) == 2


@pytest.mark.parametrize("text", ["", "[]", '{"step": "x"}', '{"step": 1}', "nonsense"])
def test_a_damaged_memory_of_the_step_is_measured_anew(make_context, tmp_path, text):
    grid_step(make_context, tmp_path, "a")
    remembered = next(tmp_path.glob("*.json"))
    remembered.write_text(text)
    assert grid_step(make_context, tmp_path, "a") in {16, 32, 64, 128, 256, 512}
