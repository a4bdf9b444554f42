# ruff: noqa: T201  (a table is what this prints)
"""The store with 100,000 messages: opening, searching a keystroke at a time, saving, emptying.

The texts are made of words drawn as a language draws them (the n-th word 1/n as often), in 100
conversations, one of them of 10,000 messages.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.chat.conversation import Conversation
from app.store.store import Store
from app.store.transaction import transaction

N_MESSAGES = 100_000
WORDS_PER_MESSAGE = 120
N_WORDS = 50_000
REPEATS = 15


def words(draw: random.Random) -> list[str]:
    """Make a vocabulary."""
    letters = "etaoinshrdlucmfwypvbgkqjxz"
    made = {"".join(draw.choices(letters, k=draw.randint(2, 10))) for _ in range(N_WORDS)}
    return sorted(made, key=lambda word: (len(word), word))


def fill(store: Store, n_messages: int) -> tuple[list[str], int]:
    """Write the conversations; give the vocabulary and the id of the long one."""
    draw = random.Random(1)
    known = words(draw)
    shares = 1 / np.arange(1, len(known) + 1)
    drawn = np.random.default_rng(1).choice(
        len(known), n_messages * WORDS_PER_MESSAGE, p=shares / shares.sum()
    )
    sizes = [n_messages // 10] + [n_messages * 9 // 1_000] * 100
    at = 0
    long = 0
    for n, size in enumerate(sizes):
        with transaction(store.db):
            row = store.conversations.create(title=f"Conversation {n} about {known[n]}")
            long = long or row.id
            parent = None
            for i in range(size):
                text = " ".join(known[w] for w in drawn[at : at + WORDS_PER_MESSAGE])
                at += WORDS_PER_MESSAGE
                role = "assistant" if i % 2 else "user"
                parent = store.messages.add(row.id, parent, role, text, show=False).id
            store.messages.show(row.id, parent)
    return known, long


def timed(work: Callable[[], object]) -> list[float]:
    """Time some work, in milliseconds."""
    found = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        found.append((time.perf_counter() - start) * 1_000)
    return found


def row(name: str, times: list[float], target: str = "") -> None:
    """Print one line."""
    print(f"{name:<58} {statistics.median(times):9.2f} {max(times):9.2f}   {target}")


def main() -> None:
    """Print the table."""
    n_messages = int(sys.argv[1]) if len(sys.argv) > 1 else N_MESSAGES
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chats.sqlite3"
        store = Store(path)
        start = time.perf_counter()
        known, long = fill(store, n_messages)
        seconds = time.perf_counter() - start
        store.close()
        size = path.stat().st_size / 1e6
        print(f"{n_messages:,} messages, {size:,.0f} MB, written in {seconds:.0f} s")
        print(f"{'':58} {'median ms':>9} {'max ms':>9}   target")
        row("open the file", timed(lambda: Store(path).close()))
        store = Store(path)
        row("list the conversations", timed(store.conversations.all))
        row(
            f"open {n_messages // 10:,} messages and find the path",
            timed(lambda: Conversation(store.messages.tree(long)).path()),
            "<= 200",
        )
        common, rare = known[200], known[-1]
        for name, typed in (
            ("a common word", common),
            ("a rare word", rare),
            ("two words", f"{known[150]} {known[300]}"),
        ):
            keys = [typed[:n] for n in range(1, len(typed) + 1)]
            times = [t for key in keys for t in timed(lambda key=key: store.search.find(key))]
            row(f"search, a keystroke at a time: {name}", times, "<= 50")
        row("search without the index: 语言", timed(lambda: store.search.find("语言")))
        last = store.messages.tree(long)[-1].id
        reply = store.messages.begin_reply(long, last)
        row(
            "save a second of a reply",
            timed(lambda: store.messages.grow(reply.id, [("answer", "word " * 30)])),
        )
        done = replace(reply, text="word " * 20_000, status="complete")
        row("write a reply of 100,000 characters", timed(lambda: store.messages.finish_reply(done)))
        store.conversations.trash(2)
        start = time.perf_counter()
        store.conversations.empty_trash()
        row("empty the trash of one conversation", [(time.perf_counter() - start) * 1_000])
        steps: list[float] = []
        while store.wiping.wanted:
            start = time.perf_counter()
            store.wiping.step()
            steps.append((time.perf_counter() - start) * 1_000)
        row(f"let its words leave the index: one of {len(steps)} steps", steps)
        store.close()


if __name__ == "__main__":
    main()
