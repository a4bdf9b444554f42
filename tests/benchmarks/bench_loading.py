# ruff: noqa: T201  (a table is what this prints)
"""Converting the starter model our way and the plain way: seconds and peak memory, side by side.

The plain way is what the `gguf` package offers: its reader, which walks the vocabulary field by
field, and every tensor dequantised to float32 before it is saved. Each way runs in a process of its
own, in turns, so that peak memory is its own.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPEATS = 3


def our_way(folder: Path) -> None:
    from inference.loading.convert import plan, write
    from inference.loading.gguf_file import GgufFile
    from inference.loading.starter import starter_parts

    for _ in write(plan(GgufFile(starter_parts())), folder, lambda: False):
        pass


def plain_way(folder: Path) -> None:
    import gguf
    from gguf.quants import dequantize
    from safetensors.numpy import save_file

    from inference.loading.starter import starter_parts

    whole = folder / "whole.gguf"
    with whole.open("wb") as file:
        for part in starter_parts():
            file.write(part.read_bytes())
    reader = gguf.GGUFReader(whole)
    tokens = reader.fields["tokenizer.ggml.tokens"]
    words = [bytes(tokens.parts[i]).decode() for i in tokens.data]
    (folder / "vocabulary.json").write_text(json.dumps(words))
    weights = {t.name: dequantize(t.data, t.tensor_type) for t in reader.tensors}
    save_file(weights, folder / "model.safetensors")


def measure(way: str) -> tuple[float, float, float]:
    """Seconds, peak MB over the start, and MB written, in a child process."""
    command = [sys.executable, __file__, way]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    seconds, peak, size = json.loads(found)
    return seconds, peak, size


def child(way: str) -> None:
    import numpy as np  # not counted

    np.zeros(1)
    with tempfile.TemporaryDirectory() as place:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        {"ours": our_way, "plain": plain_way}[way](Path(place))
        seconds = time.perf_counter() - start
        unit = 1024 if sys.platform == "darwin" else 1  # kB on Linux, bytes on a Mac
        peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / unit / 1024
        size = (Path(place) / "model.safetensors").stat().st_size / 1e6
        sys.stdout.write(json.dumps([seconds, peak, size]))


def main() -> None:
    runs: dict[str, list[tuple[float, float, float]]] = {"ours": [], "plain": []}
    for _ in range(REPEATS):
        for way, found in runs.items():
            found.append(measure(way))
    print("Converting the starter model (median of", REPEATS, "alternating runs)")
    print(f"{'':8}{'seconds':>10}{'peak MB':>10}{'file MB':>10}")
    medians = {}
    for way, found in runs.items():
        medians[way] = [statistics.median(column) for column in zip(*found, strict=True)]
        print(f"{way:8}" + "".join(f"{value:10.1f}" for value in medians[way]))
    ours, plain = medians["ours"], medians["plain"]
    print(f"time ours/plain {ours[0] / plain[0]:.2f} (wanted < 0.33)")
    print(f"peak memory/result {ours[1] / ours[2]:.2f} (wanted < 2)")


if __name__ == "__main__":
    child(sys.argv[1]) if len(sys.argv) > 1 else main()
