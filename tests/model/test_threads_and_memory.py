"""Threads that come and go, models that come and go, long sessions: what once broke such apps."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import mlx.core as mx
import pytest

from inference import (
    ChatPrompt,
    Draft,
    EngineOptions,
    Finished,
    GemmaEngine,
    GenerationRequest,
    Message,
    RawPrompt,
    Sampling,
)
from tests.model.families import build

SAMPLING = Sampling(seed=5, logit_bias=tuple((i, -100.0) for i in range(1, 22)))


@pytest.fixture(scope="module")
def folder():
    return build("gemma4_shared", Path(tempfile.mkdtemp()) / "model")


def reply(engine, request):
    *_, last = engine.generate(request, lambda: False)
    assert isinstance(last, Finished)
    return last.record.token_ids


def one_life(folder: Path, home: Path) -> tuple[int, ...]:
    """Load, speak, close: all on the thread that calls."""
    engine = GemmaEngine(EngineOptions(home))
    list(engine.load(str(folder), lambda: False))
    said = reply(engine, GenerationRequest(RawPrompt("the rain"), SAMPLING, 6))
    engine.close()
    return said


def test_threads_that_use_an_engine_may_end_one_after_another(folder, tmp_path, amount):
    mx.eval(mx.ones((4, 4)) @ mx.ones((4, 4)))  # this thread uses MLX too
    said: list[tuple[int, ...]] = []
    for _ in range(amount(20)):
        worker = threading.Thread(target=lambda: said.append(one_life(folder, tmp_path)))
        worker.start()
        worker.join(60)
    assert len(said) == amount(20)
    assert len(set(said)) == 1


def test_another_thread_is_refused(folder, tmp_path):
    engine = GemmaEngine(EngineOptions(tmp_path))
    list(engine.load(str(folder), lambda: False))
    refused: list[BaseException] = []

    def use():
        try:
            reply(engine, GenerationRequest(RawPrompt("the rain"), SAMPLING, 2))
        except AssertionError as error:
            refused.append(error)

    worker = threading.Thread(target=use)
    worker.start()
    worker.join(20)
    assert len(refused) == 1
    assert reply(engine, GenerationRequest(RawPrompt("the rain"), SAMPLING, 2))


def test_another_process_says_the_same_and_ends_well(folder, tmp_path):
    code = (
        "import sys, json, threading\n"
        "from pathlib import Path\n"
        "from tests.model.test_threads_and_memory import one_life\n"
        "said = []\n"
        "run = lambda: said.append(one_life(Path(sys.argv[1]), Path(sys.argv[2])))\n"
        "worker = threading.Thread(target=run)\n"
        "worker.start(); worker.join()\n"
        "print(json.dumps(said[0]))\n"
    )
    command = [sys.executable, "-c", code, str(folder), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert tuple(json.loads(done.stdout)) == one_life(folder, tmp_path)


def test_unloading_gives_the_weights_back(folder, tmp_path):
    engine = GemmaEngine(EngineOptions(tmp_path))
    mx.clear_cache()
    before = mx.get_active_memory()
    list(engine.load(str(folder), lambda: False))
    reply(engine, GenerationRequest(RawPrompt("the rain " * 9), SAMPLING, 6))
    weights = engine.info.weights_bytes
    assert mx.get_active_memory() - before >= 0.9 * weights
    engine.unload()
    assert mx.get_active_memory() - before <= 0.1 * weights
    assert engine.info is None
    list(engine.load(str(folder), lambda: False))
    assert reply(engine, GenerationRequest(RawPrompt("the rain"), SAMPLING, 3))


def test_memory_does_not_grow_with_turns_beyond_the_budget(folder, tmp_path, amount):
    budget = 400_000
    engine = GemmaEngine(EngineOptions(tmp_path, snapshot_bytes=budget, snapshot_disk_bytes=0))
    list(engine.load(str(folder), lambda: False))
    active = []
    for turn in range(amount(50) + 5):
        prompt = ChatPrompt((Message("user", f"the rain {turn} " * 12),))
        reply(engine, GenerationRequest(prompt, SAMPLING, 6))
        active.append(mx.get_active_memory())
        assert engine.memory()["snapshots"] <= budget
    assert max(active) - min(active) <= budget + 200_000


def test_a_long_drafted_reply_is_the_plain_one(folder, tmp_path, amount):
    engine = GemmaEngine(EngineOptions(tmp_path))
    list(engine.load(str(folder), lambda: False))
    greedy = Sampling(temperature=0.0, logit_bias=SAMPLING.logit_bias)
    request = GenerationRequest(RawPrompt("the rain in spain"), greedy, amount(200))
    drafted = GenerationRequest(RawPrompt("the rain in spain"), greedy, amount(200), draft=Draft())
    assert reply(engine, drafted) == reply(engine, request)
