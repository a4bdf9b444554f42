"""What a model took, the system gets back when the model is let go."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CODE = """
import json, sys
from pathlib import Path
from inference import EngineOptions, GemmaEngine, preload_blas

preload_blas()

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

engine = GemmaEngine(EngineOptions(Path(sys.argv[1])))
for _ in range(2):
    list(engine.load("starter", lambda: False))
    held, weights = resident(), engine.info.weights_bytes
    engine.unload()
    print(json.dumps([held - resident(), weights]))
engine.close()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_unloading_gives_the_weights_back(starter, starter_cache):
    command = [sys.executable, "-c", CODE, str(starter_cache)]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    for line in found.stdout.splitlines():
        freed, weights = json.loads(line)
        assert freed >= 0.9 * weights
