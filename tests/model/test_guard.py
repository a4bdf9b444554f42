"""A number that is not finite is seen in its step, and the step is done again in float32."""

from __future__ import annotations

import math

import mlx.core as mx
import pytest

from inference import (
    DeviceMemoryError,
    Finished,
    GenerationRequest,
    NumericError,
    RawPrompt,
    Sampling,
)
from inference.guard import WINDOW_TOKENS, Forward, faults
from inference.taps import listening
from tests.model import tiny

NO_END = ((1, -100.0), (4, -100.0), (5, -100.0))
PROMPT = RawPrompt("a prompt of some length, read in more than one chunk")


def never(*_):
    return False


def request(seed=3, tokens=30, **more):
    return GenerationRequest(PROMPT, Sampling(seed=seed, logit_bias=NO_END), tokens, **more)


def reply(engine, wanted):
    *_, last = engine.generate(wanted, never)
    assert isinstance(last, Finished)
    return last


class Poison:
    """Spoils what leaves a layer in the chosen calls, in narrow dtypes only unless told else."""

    def __init__(self, layer, calls, value=math.nan, in_float32=False):
        self.layer, self.calls, self.value, self.in_float32 = layer, set(calls), value, in_float32
        self.seen = 0

    def __enter__(self):
        self.block = self.engine._model.forward.layers[self.layer]
        kind, poison = type(self.block), self

        def call(layer, x, *args, **more):
            out = kind.__call__(layer, x, *args, **more)
            poison.seen += 1
            if x.dtype == mx.float32 and not poison.in_float32:
                return out
            if poison.at(more.get("cache", args[1] if len(args) > 1 else None), x):
                return out + poison.value
            return out

        self.block.__class__ = type(kind.__name__, (kind,), {"__call__": call})
        self.kind = kind
        return self

    def at(self, cache, x):
        """Whether this call reads one of the chosen positions."""
        offset = cache.offset
        return any(offset - x.shape[1] <= p < offset for p in self.calls)

    def __exit__(self, *_):
        self.block.__class__ = self.kind

    def into(self, engine):
        self.engine = engine
        return self


@pytest.fixture(scope="module")
def narrow(tmp_path_factory):
    """The tiny model in bfloat16."""
    return tiny.engine(tmp_path_factory.mktemp("cache"), dtype=mx.bfloat16)


@pytest.fixture
def engine(narrow):
    narrow._model.tree.forget("")
    return narrow


@pytest.mark.parametrize(
    ("row", "faulty"),
    [
        ([1.0, 2.0, -3.0], False),
        ([math.nan, 2.0, 1.0], True),
        ([math.inf, 2.0, 1.0], True),
        ([-math.inf, 2.0, 1.0], True),
        ([0.0, 0.0, 0.0], True),
        ([0.0, 0.0, -1.0], False),
    ],
)
@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16, mx.float16])
def test_faults_are_seen(row, faulty, dtype):
    rows = mx.array([row, [1.0, 2.0, 3.0]]).astype(dtype)
    assert faults(rows).tolist() == [faulty, False]


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("layer", [0, 2, 3])
@pytest.mark.parametrize("ahead", [1, 4])
def test_a_fault_while_speaking_is_repaired_and_named(engine, value, layer, ahead):
    n_prompt = reply(engine, request(tokens=1)).record.prompt_tokens
    with Poison(layer, [n_prompt + 4], value).into(engine):
        finished = reply(engine, request(read_back_tokens=ahead))
    record = finished.record
    assert record.guard_events == ((5, layer),)
    assert record.generated_tokens == 30
    assert not engine._model.forward.precise
    context = engine._model.tree.restore((*record.prompt_ids, *record.token_ids))
    assert all(bool(mx.isfinite(a).all()) for c in context.caches for a in c.state)


def test_after_the_window_the_models_own_dtype_is_back(engine):
    n_prompt = reply(engine, request(tokens=1)).record.prompt_tokens
    dtypes = []
    with (
        Poison(1, [n_prompt + 2]).into(engine),
        listening(engine._model.forward.layers, lambda _, x, __: dtypes.append(x.dtype), [3]),
    ):
        reply(engine, request())
    precise = [i for i, dtype in enumerate(dtypes) if dtype == mx.float32]
    assert len(precise) in {WINDOW_TOKENS, WINDOW_TOKENS + 1}
    assert precise == list(range(precise[0], precise[-1] + 1))
    assert dtypes[-1] == mx.bfloat16


def test_a_fault_while_reading_is_repaired_and_nothing_faulty_is_kept(engine):
    with Poison(1, [20]).into(engine):
        record = reply(engine, request()).record
    assert record.guard_events == ((0, 1),)
    again = reply(engine, request()).record
    assert again.reused_tokens >= again.prompt_tokens - 1
    assert again.guard_events == ()


def test_a_fault_in_a_batch_is_repaired_for_every_row(engine):
    requests = [request(seed=seed) for seed in (3, 4, 5)]
    n_prompt = reply(engine, request(tokens=1)).record.prompt_tokens
    with Poison(2, [n_prompt + 3]).into(engine):
        ends = [e for _, e in engine.generate_many(requests, never) if isinstance(e, Finished)]
    assert [e.record.generated_tokens for e in ends] == [30, 30, 30]
    assert all(e.record.guard_events == ((4, 2),) for e in ends)


def test_what_fails_in_float32_too_is_one_error_and_the_engine_serves_on(engine):
    n_prompt = reply(engine, request(tokens=1)).record.prompt_tokens
    said = []
    with Poison(1, [n_prompt + 6], in_float32=True).into(engine), pytest.raises(NumericError):
        said.extend(engine.generate(request(), never))
    assert not engine._model.forward.precise
    finished = reply(engine, request())
    text = "".join(e.text for e in said if hasattr(e, "kind"))
    assert text
    assert finished.text.startswith(text)


def test_a_prompt_that_fails_in_float32_too_is_one_error(engine):
    with Poison(0, [3], in_float32=True).into(engine), pytest.raises(NumericError):
        reply(engine, request())
    assert reply(engine, request()).record.reused_tokens == 0


def test_all_zero_logits_are_a_fault(engine):
    head = type(engine._model.forward._network).head
    calls = []

    def zero_once(network, hidden):
        calls.append(1)
        return head(network, hidden) * (0.0 if len(calls) == 4 else 1.0)

    network = engine._model.forward._network
    kind = type(network)
    network.__class__ = type(kind.__name__, (kind,), {"head": zero_once})
    try:
        record = reply(engine, request()).record
    finally:
        network.__class__ = kind
    assert record.guard_events == ((3, -1),)


def test_float32_once_in_a_transient_fault_says_what_was_said_without_it(tmp_path):
    plain = tiny.engine(tmp_path)
    expected = reply(plain, request()).record
    plain._model.tree.forget("")
    n_prompt = expected.prompt_tokens
    poison = Poison(2, [n_prompt + 9], in_float32=True).into(plain)
    calls = iter(range(1000))
    poison.at, at = (lambda cache, x: at(cache, x) and next(calls) == 0), poison.at
    with poison:
        record = reply(plain, request()).record
    assert record.token_ids == expected.token_ids
    assert record.guard_events == ((10, -1),)


def test_no_memory_left_is_one_error_and_the_engine_serves_on(engine):
    layers = engine._model.forward.layers
    calls = []

    def fail(*_):
        calls.append(1)
        if len(calls) == 7:
            raise RuntimeError("[metal::malloc] Attempting to allocate 99999999999 bytes")

    said = []
    with listening(layers, fail, [2]), pytest.raises(DeviceMemoryError, match="no memory left"):
        said.extend(engine.generate(request(), never))
    text = "".join(e.text for e in said if hasattr(e, "kind"))
    assert reply(engine, request()).text.startswith(text)


def test_a_forward_that_is_not_precise_is_the_network_itself(engine):
    forward = engine._model.forward
    ids = mx.array([[2, 7, 8]])
    assert mx.array_equal(forward.hidden(ids), forward._network.hidden(ids))
    precise = Forward(forward._network)
    precise.precise = True
    assert precise.hidden(ids).dtype == mx.float32
