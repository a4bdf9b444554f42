"""A tiny Gemma in a process: it comes back with what it kept; nothing grows, nothing listens."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path

import pytest

from inference import ChatPrompt, EngineOptions, EngineProcess, GenerationRequest, Message, Sampling
from tests.contract import never
from tests.model.families import build
from tests.processes import exists, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def resident_mb(pid="self") -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1000


@pytest.fixture
def engine(tmp_path):
    engine = EngineProcess(
        "inference.engine:GemmaEngine", EngineOptions(tmp_path / "cache", 4_000_000)
    )
    list(engine.load(str(build("gemma3", tmp_path / "model")), never))
    yield engine
    engine.close()


def turn(engine, messages):
    request = GenerationRequest(
        ChatPrompt(tuple(messages)), Sampling(seed=len(messages)), 4, context_policy="oldest"
    )
    return list(engine.generate(request, never))[-1].text


def test_memory_stays_level_over_a_long_session(engine):
    def session(turns, name):
        messages = []
        for n in range(turns):
            messages.append(Message("user", f"{name} {n}"))
            messages.append(Message("assistant", turn(engine, messages) or "a"))
            messages = messages[-6:]

    session(10, "warm")
    child, parent = resident_mb(engine.process_id), resident_mb()
    session(50, "long")
    assert resident_mb(engine.process_id) - child < 30
    gc.collect()
    assert resident_mb() - parent < 20


def test_nothing_listens_and_nothing_stays_after_the_end(engine):
    child = engine.process_id
    links = [str(fd.readlink()) for fd in Path(f"/proc/{child}/fd").iterdir()]
    assert not [link for link in links if link.startswith("socket:")]
    shared = set(Path("/dev/shm").iterdir())
    engine.close()
    assert not exists(child)
    assert set(Path("/dev/shm").iterdir()) <= shared


def test_a_process_that_ends_while_it_loads_leaves_nothing(tmp_path):
    engine = EngineProcess("inference.engine:GemmaEngine", EngineOptions(tmp_path / "cache"))
    loading = engine.load(str(build("gemma3", tmp_path / "model")), never)
    next(loading)
    child = engine.process_id
    engine.close()
    assert not exists(child)


def test_a_process_that_was_lost_reads_the_conversation_back_from_disk(engine):
    prompt = ChatPrompt((Message("user", "the same long beginning " * 8),))
    request = GenerationRequest(prompt, Sampling(seed=1), 6, conversation="chat")
    before = list(engine.generate(request, never))[-1]
    engine.keep(never)
    os.kill(engine.process_id, signal.SIGKILL)
    assert wait_until(lambda: engine.process_id is None)
    events = list(engine.generate(request, never))
    assert events[-1].text == before.text
    assert events[-1].record.token_ids == before.record.token_ids
    assert events[-1].record.reused_tokens > 0
