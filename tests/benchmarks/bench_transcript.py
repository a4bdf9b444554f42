# ruff: noqa: T201  (a table to be read)
"""What a long answer and a long conversation cost the window, offscreen, in milliseconds.

Run alone with `python tests/benchmarks/bench_transcript.py`, or by `make bench`.
"""

from __future__ import annotations

import gc
import os
import random
import resource
import statistics
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2]))

from PySide6.QtWidgets import QApplication

from app.ui.chat.transcript import MessageView, Transcript

ANSWER = 100_000
FLUSH = 52  # characters in 33 ms at 400 tokens/s of 4 characters
WORDS = (
    "the",
    "model",
    "reads",
    "a",
    "long",
    "prompt",
    "and",
    "answers",
    "with",
    "care",
    "because",
)


def prose(chance: random.Random, size: int) -> str:
    words: list[str] = []
    length = 0
    while length < size:
        word = chance.choice(WORDS)
        style = chance.random()
        word = f"**{word}**" if style < 0.03 else f"`{word}`" if style < 0.06 else word
        words.append(word)
        length += len(word) + 1
    return " ".join(words)


def code(chance: random.Random, lines: int) -> str:
    return "\n".join(
        f"    value_{chance.randint(0, 99)} = compute({chance.randint(0, 9)}, 'text')  # note"
        for _ in range(lines)
    )


def table(chance: random.Random, rows: int) -> str:
    body = [f"| {prose(chance, 12)} | {chance.randint(0, 9999)} | {prose(chance, 30)} |"] * 1
    for _ in range(rows):
        body.append(f"| {prose(chance, 12)} | {chance.randint(0, 9999)} | {prose(chance, 30)} |")
    return "| name | number | text |\n|---|--:|---|\n" + "\n".join(body)


def bullets(chance: random.Random, items: int) -> str:
    return "\n".join(f"- {prose(chance, 90)}" for _ in range(items))


def answers() -> dict[str, str]:
    chance = random.Random(5)
    mixed: list[str] = []
    while sum(map(len, mixed)) < ANSWER:
        mixed += [
            f"## {prose(chance, 30)}",
            prose(chance, 600),
            f"```python\n{code(chance, 12)}\n```",
            bullets(chance, 8),
            table(chance, 6),
            f"> {prose(chance, 200)}",
        ]
    texts = {
        "mixed": "\n\n".join(mixed),
        "code": f"```python\n{code(chance, 1800)}",
        "list": bullets(chance, 1200),
        "table": table(chance, 1800),
        "paragraph": prose(chance, ANSWER),
        "no spaces": "x" * ANSWER,
    }
    return {name: text[:ANSWER] for name, text in texts.items()}


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def fresh(app: QApplication) -> Transcript:
    transcript = Transcript()
    transcript.resize(900, 700)
    transcript.show()
    app.processEvents()
    return transcript


def stream(app: QApplication, name: str, text: str) -> None:
    transcript = fresh(app)
    transcript.begin(MessageView(1, "user", "Go on."))
    transcript.begin(MessageView(2, "assistant", status="writing"))
    flushes: list[float] = []
    whole: list[float] = []
    busy: list[float] = []
    for at in range(0, len(text), FLUSH):
        transcript.grow(2, text[at : at + FLUSH])
        start = time.perf_counter()
        used = time.thread_time()
        transcript.flush()
        middle = time.perf_counter()
        app.processEvents()
        end = time.perf_counter()
        flushes.append((middle - start) * 1000)
        whole.append((end - start) * 1000)
        busy.append((time.thread_time() - used) * 1000)
    start = time.perf_counter()
    transcript.finish(MessageView(2, "assistant", text))
    transcript.flush()
    app.processEvents()
    ended = (time.perf_counter() - start) * 1000
    tenth = len(whole) // 10
    ratio = statistics.median(busy[-tenth:]) / statistics.median(busy[:tenth])
    print(
        f"{name:10}"
        f"  flush {statistics.median(flushes):5.2f} {percentile(flushes, 0.99):6.2f}"
        f"   painted {statistics.median(whole):5.2f} {percentile(whole, 0.99):6.2f}"
        f"   CPU {statistics.median(busy):5.2f} {percentile(busy, 0.99):6.2f}"
        f"   longest {max(whole):6.1f}   last/first tenth {ratio:4.2f}   end {ended:5.1f}"
    )
    transcript.close()
    transcript.deleteLater()
    app.processEvents()


def conversation(count: int) -> list[MessageView]:
    chance = random.Random(9)
    texts = [
        f"{prose(chance, 400)}\n\n{bullets(chance, 4)}\n\n```python\n{code(chance, 5)}\n```"
        for _ in range(50)
    ]
    return [
        MessageView(i, "user", prose(chance, 60))
        if i % 2
        else MessageView(i, "assistant", texts[i % 50] + f"\n\n{i}", author="Gemma")
        for i in range(1, count + 1)
    ]


def memory() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def long_conversation(app: QApplication) -> None:
    messages = conversation(10_000)
    transcript = fresh(app)
    before = memory()
    start = time.perf_counter()
    transcript.show_messages(messages)
    app.processEvents()
    print(f"open 10,000 messages: first paint {(time.perf_counter() - start) * 1000:.0f} ms")
    start = time.perf_counter()
    transcript.show_messages(messages)
    app.processEvents()
    print(f"open them again:      first paint {(time.perf_counter() - start) * 1000:.0f} ms")
    bar = transcript.verticalScrollBar()
    chance = random.Random(3)
    jumps = [chance.randint(0, bar.maximum()) for _ in range(150)]
    for title, places in (
        ("scroll 60 px up, cold", [bar.maximum() - 60 * i for i in range(600)]),
        ("scroll 60 px, warm", [bar.maximum() - 60 * i for i in range(300, 0, -1)]),
        ("jumps of the scroll bar", jumps),
    ):
        costs: list[float] = []
        for place in places:
            start = time.perf_counter()
            bar.setValue(place)
            app.processEvents()
            costs.append((time.perf_counter() - start) * 1000)
        print(
            f"{title:24} p50 {statistics.median(costs):5.2f} p95 {percentile(costs, 0.95):5.2f} "
            f"p99 {percentile(costs, 0.99):5.2f} max {max(costs):5.1f}"
        )
    print(f"memory of 10,000 open messages after all that: {memory() - before:+.0f} MB")
    costs = []
    for width in range(700, 1200, 10):
        start = time.perf_counter()
        transcript.resize(width, 700)
        app.processEvents()
        costs.append((time.perf_counter() - start) * 1000)
    print(f"resize p50 {statistics.median(costs):.2f} p99 {percentile(costs, 0.99):.2f}")
    transcript.close()


def main() -> None:
    app = QApplication.instance() or QApplication([])
    gc.collect()
    gc.freeze()
    gc.disable()
    print("A 100,000-character answer at 400 tokens/s: p50 and p99 in ms")
    for name, text in answers().items():
        stream(app, name, text)
        gc.collect()
    long_conversation(app)


if __name__ == "__main__":
    main()
