"""Opens model files that may be damaged, each in a process of its own with a limit on its memory.

Reads lines of JSON (a source and a cache folder) and answers each with a line of JSON. Everything
is imported before the forks, and no array is evaluated, so that a fork has no threads to lose.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from pathlib import Path

from inference.errors import InferenceError
from inference.loading import open_model
from inference.types import EngineOptions

OVER_START_BYTES = 512 << 20
WATCHDOG_SECONDS = 60  # far more than any file here needs


def virtual_bytes() -> int:
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[0]) * resource.getpagesize()
    return 0  # a Mac does not tell; its limit is not set


def open_one(source: str, cache_dir: str, answer: int) -> None:
    used = virtual_bytes()
    if used:
        limit = used + OVER_START_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(WATCHDOG_SECONDS)
    try:
        for _ in open_model(source, EngineOptions(Path(cache_dir)), lambda: False):
            pass
        said = "opened"
    except InferenceError as error:
        said = str(error)
    except BaseException as error:  # noqa: BLE001  (this is what is looked for)
        said = f"\n{type(error).__name__}: {error}"
    os.write(answer, said.encode("utf-8", "replace")[:4000])
    os._exit(0)


def main() -> None:
    for line in sys.stdin:
        source, cache_dir = json.loads(line)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            open_one(source, cache_dir, writing)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            said = pipe.read().decode("utf-8", "replace")
        _, status = os.waitpid(child, 0)
        print(json.dumps([os.waitstatus_to_exitcode(status), said]), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
