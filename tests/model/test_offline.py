"""Loading a model brings in no client of the network, and survives a kill at any moment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import mlx.core as mx

from tests.gguf_files import write_gguf
from tests.model.families import build, open_path

ROOT = Path(__file__).parents[2]
LOOK = """
import sys
from pathlib import Path
from inference.loading import open_model
from inference.types import EngineOptions
list(open_model(sys.argv[1], EngineOptions(Path(sys.argv[2])), lambda: False))
clients = {"transformers", "huggingface_hub", "requests", "httpx", "urllib3", "torch"}
print(sorted(clients & set(sys.modules)))
"""
DIE = """
import os, sys
from pathlib import Path
from inference.loading import open_model
from inference.types import EngineOptions
left = int(sys.argv[3])
for event in open_model(sys.argv[1], EngineOptions(Path(sys.argv[2])), lambda: False):
    left -= 1
    if left == 0:
        os.kill(os.getpid(), 9)
"""


def run(code, *arguments):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


def test_no_client_of_the_network_is_imported(tmp_path):
    folder = build("gemma3", tmp_path / "tiny-it")
    assert run(LOOK, folder, tmp_path / "cache").stdout == "[]\n"


def test_a_conversion_that_was_killed_is_made_again_and_leaves_nothing(tmp_path):
    path = write_gguf(tmp_path / "tiny.gguf")
    for events in (2, 9, 20):
        assert run(DIE, path, tmp_path / "cache", events).returncode == -9
    opened = open_path(path, tmp_path / "cache")
    assert mx.isfinite(opened.network(mx.array([[2, 40, 41]]))).all().item()
    left = [p.name for p in (tmp_path / "cache" / "models").iterdir() if ".half." in p.name]
    assert left == []
