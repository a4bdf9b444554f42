"""Chats played on a prefix tree, and the same prompts read cold: what the laws compare."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import mlx.core as mx
import numpy as np

from inference.context import Context
from inference.grid import Grid
from inference.prefix import PrefixTree
from inference.prefix_files import PrefixFiles
from tests.model import families

BIG = 1 << 30
END = 4  # ends every message, and is in none
SUFFIX = [5, 6]  # asks for a reply; no history has it
FIRST, LAST = 10, 200  # what messages are made of


@cache
def opened(family):
    return families.tiny(family)


def tree_of(model, step=4, segment=16, budget=BIG, folder=None, slack=6):
    files = None if folder is None else PrefixFiles(folder, f"{step}", BIG)

    def make(kv_bits):
        return Context(model.network, model.layout, slack=slack, kv_bits=kv_bits)

    return PrefixTree(make, model.layout, Grid(step, segment), budget, files)


@dataclass
class Chat:
    """Messages, each ended by END. `spoken` tells whether any was spoken."""

    name: str
    messages: list[list[int]] = field(default_factory=list)
    spoken: bool = False

    def prompt(self):
        """The ids of a prompt and its marks."""
        ids, marks = [2], []
        for message in self.messages:
            ids += [*message, END]
            marks.append(len(ids))
        return [*ids, *SUFFIX], marks


def read(tree, chat, stop_after=None):
    """Read a chat's prompt; give the context, what was reused, and whether all was read."""
    ids, marks = chat.prompt()
    context = tree.restore(ids, chat.name)
    reused = len(context)
    reading = tree.read(context, ids, marks, chat.name)
    for n, _ in enumerate(reading, 1):
        if n == stop_after:
            reading.close()
            return context, reused, len(context) == len(ids)
    return context, reused, True


def cold(model, chat, step=4, segment=16):
    """The logits of a chat's prompt, read by a tree that knows nothing."""
    return np.array(read(tree_of(model, step, segment), chat)[0].logits())


def speak(tree, context, chat, tokens, keep=True):
    """Speak given tokens; the reply ends where they end."""
    for token in tokens:
        context.step(mx.array([token]))
        context.commit([token])
    if keep:
        tree.keep(context, chat.name)


def greedy(context, n):
    """The next n likeliest tokens."""
    logits, made = context.logits(), []
    for _ in range(n):
        made.append(int(mx.argmax(logits[0])))
        logits = context.feed([made[-1]])
    return made
