"""The real model in a process of its own: loaded, spoken with, let go."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from inference import (
    ChatPrompt,
    EngineLostError,
    EngineOptions,
    EngineProcess,
    GenerationRequest,
    Message,
    Sampling,
)
from tests.contract import end_of, never, said
from tests.processes import exists, wait_until


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_model_speaks_is_lost_comes_back_and_leaves_no_memory(starter_cache):
    engine = EngineProcess("inference.engine:GemmaEngine", EngineOptions(starter_cache))
    list(engine.load("starter", never))
    child = engine.process_id

    def resident(pid) -> int:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        return 1000 * int(next(line for line in lines if line.startswith("VmRSS")).split()[1])

    assert resident(child) > engine.info.weights_bytes // 2
    ours = resident("self")
    prompt = ChatPrompt((Message("user", "What is the capital of France?"),))
    request = GenerationRequest(prompt, Sampling(temperature=0.0), 6)
    first = list(engine.generate(request, never))
    assert said(first) == end_of(first).text
    engine._keeper.kill()
    assert wait_until(lambda: not exists(child))
    try:
        again = list(engine.generate(request, never))
    except EngineLostError:  # it was lost at this very moment
        again = list(engine.generate(request, never))
    assert end_of(again).text == end_of(first).text
    child = engine.process_id
    engine.unload()
    assert not exists(child)  # with it every byte of the weights
    assert resident("self") - ours < 50_000_000
    engine.close()
