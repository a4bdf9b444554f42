"""llama.cpp and this engine on the same GGUF file and as many threads, in one run.

`llama-cpp-python` is built in a scratch environment (minutes, a C++ compiler) and never locked.
"""

from __future__ import annotations

from tests.benchmarks.measure import pairs, row, run, starter  # isort: skip

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from inference import GenerationRequest, RawPrompt, Sampling
from inference.loading.starter import starter_parts

PACKAGE = "llama-cpp-python==0.3.34"
N_TOKENS = 48
PROMPT = "The history of the lighthouse began when"
READING = "The keeper of the lighthouse wrote down the weather, the ships and the birds. " * 16

# Runs in the scratch environment: one JSON line a request.
THEIRS = """
import json, sys, time
from llama_cpp import Llama
model, threads, n_tokens = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
prompt, reading = sys.argv[4:]
llama = Llama(model, n_ctx=2048, n_threads=threads, n_threads_batch=threads, verbose=False)
for line in sys.stdin:
    llama.reset()
    if line.strip() == "read":
        ids = llama.tokenize(reading.encode())
        start = time.perf_counter()
        llama.eval(ids)
        speed = len(ids) / (time.perf_counter() - start)
    else:
        times = []
        for _ in llama.create_completion(prompt, max_tokens=n_tokens, temperature=0, stream=True):
            times.append(time.perf_counter())
        speed = (len(times) - 1) / (times[-1] - times[0])
    print(json.dumps(speed), flush=True)
"""


def scratch_python() -> Path:
    """The Python that has llama.cpp, built where it is not there yet."""
    home = Path(os.environ.get("CABOCHON_LLAMA", Path(tempfile.gettempdir()) / "cabochon-llama"))
    python = home / "bin" / "python"
    if (home / "ready").is_file():
        return python
    if not (shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")):
        sys.exit("llama.cpp cannot be measured here: there is no C++ compiler to build it with.")
    sys.stdout.write(f"Building {PACKAGE} in {home}; this takes minutes.\n")
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    command = [str(python), "-m", "pip", "install", "--quiet", PACKAGE]
    if subprocess.run(command, check=False).returncode:
        sys.exit("llama.cpp could not be built here; the lines above say why.")
    (home / "ready").touch()
    return python


def main() -> None:
    """Print the table."""
    python = scratch_python()
    threads = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "starter.gguf"
        with model.open("wb") as whole:
            for part in starter_parts():
                whole.write(part.read_bytes())
        words = [str(model), str(threads), str(N_TOKENS), PROMPT, READING]
        with subprocess.Popen(
            [str(python), "-c", THEIRS, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as llama:
            _measure(llama, threads)


def _measure(llama: subprocess.Popen[str], threads: int) -> None:
    assert llama.stdin is not None
    assert llama.stdout is not None
    asking, answers = llama.stdin, llama.stdout

    def theirs(what: str) -> float:
        asking.write(what + "\n")
        asking.flush()
        return float(json.loads(answers.readline()))

    engine = starter()
    greedy = Sampling(temperature=0.0)

    def speak() -> float:
        request = GenerationRequest(RawPrompt(PROMPT), greedy, N_TOKENS)
        return run(engine, request).record.tokens_per_second

    def read() -> float:
        engine.forget("")
        record = run(engine, GenerationRequest(RawPrompt(READING), greedy, 1)).record
        return record.prompt_tokens / record.prefill_seconds

    info = engine.info
    assert info is not None
    row(f"{info.name}, {info.device}, {threads} threads", "ours", "llama.cpp", "ratio")
    for name, ours, what in (
        ("tokens spoken a second", speak, "speak"),
        ("tokens read a second", read, "read"),
    ):
        a, b, ratio = pairs(ours, lambda what=what: theirs(what), 5)
        row(name, f"{a:.1f}", f"{b:.1f}", f"{ratio:.2f}")
    asking.close()
    engine.close()


if __name__ == "__main__":
    main()
