# ruff: noqa: T201  (a table is what this prints)
"""What comes back to a chat costs: ours, reading everything anew, and mlx-lm's own prompt cache.

All three run in one process on one network, in turns. mlx-lm's `LRUPromptCache` is driven as its
server drives it: fetch, prefill what is left, speak, insert. `--full` takes longer histories.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from inference.blas import preload_blas

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads wait for each other on a busy machine
preload_blas()

import mlx.core as mx  # noqa: E402
import numpy as np  # noqa: E402

from inference.caches import layout_of  # noqa: E402
from inference.context import Context  # noqa: E402
from inference.grid import Grid  # noqa: E402
from inference.mlx_lm_door import gemma3_text  # noqa: E402
from inference.prefix import PrefixTree  # noqa: E402
from inference.prefix_files import PrefixFiles  # noqa: E402

SUFFIX = [105, 106, 107]
END = 108
REPLY = 4  # tokens spoken in a scenario
BUDGET = 4 << 30
MLX_LM_STEP = 2048  # its server's own


@dataclass
class Chat:
    """Messages of a person and replies, as ids; a reply may be missing at the end."""

    turns: list[tuple[list[int], list[int]]] = field(default_factory=list)
    system: list[int] = field(default_factory=lambda: [2, *range(200, 264)])

    def prompt(self, new: list[int] | None = None) -> tuple[list[int], list[int]]:
        """The ids up to the next reply, and the marks."""
        ids, marks = list(self.system), [len(self.system)]
        for said, reply in self.turns:
            ids += [*said, END]
            marks.append(len(ids))
            ids += [*SUFFIX, *reply, END]
            marks.append(len(ids))
        if new is not None:
            ids += [*new, END]
            marks.append(len(ids))
            ids += SUFFIX
        return ids, marks


def words(n: int, seed: int) -> list[int]:
    return np.random.default_rng(seed).integers(300, 900, n).tolist()


def history(tokens: int, seed: int = 0) -> Chat:
    chat = Chat()
    while len(chat.prompt()[0]) < tokens:
        n = len(chat.turns)
        chat.turns.append((words(60, seed + 2 * n), words(100, seed + 2 * n + 1)))
    return chat


class Ours:
    """The prefix tree."""

    def __init__(self, network, step: int, folder: Path) -> None:
        self.network, self.step, self.folder = network, step, folder
        self.layout = network.layout if hasattr(network, "layout") else layout_of(network)
        self.restart()

    def restart(self) -> None:
        grid = Grid.of(self.step, self.layout.window)
        files = PrefixFiles(self.folder, "bench", BUDGET)
        self.tree = PrefixTree(self.new_context, self.layout, grid, BUDGET, files)

    def new_context(self, kv_bits=None) -> Context:
        return Context(self.network, self.layout, kv_bits=kv_bits)

    def answer(self, ids, marks) -> tuple[int, float]:
        """Tokens read, and seconds to the first token."""
        start = time.perf_counter()
        context = self.tree.restore(ids, "bench")
        reused = len(context)
        for _ in self.tree.read(context, ids, marks, "bench"):
            pass
        token = mx.argmax(context.logits(), axis=-1)
        mx.eval(token)
        seconds = time.perf_counter() - start
        for _ in range(REPLY):
            token = mx.argmax(context.step(token), axis=-1)
            context.commit([int(token.item())])
        self.tree.keep(context, "bench")
        return len(ids) - reused, seconds


class MlxLm:
    """`LRUPromptCache` as the server's single path drives it."""

    def __init__(self, network) -> None:
        from mlx_lm.models.cache import LRUPromptCache

        self.network = network
        self.kept = LRUPromptCache()

    def answer(self, ids, _marks) -> tuple[int, float]:
        start = time.perf_counter()
        cache, rest = self.kept.fetch_nearest_cache("model", ids)
        if cache is None:
            cache = self.network.make_cache()
        if not rest:
            return 0, float("nan")  # its generate_step raises for an empty prompt
        y = mx.array(rest)
        while y.size > 1:
            n = min(MLX_LM_STEP, y.size - 1)
            self.network(y[:n][None], cache=cache)
            mx.eval([c.state for c in cache])
            y = y[n:]
        token = mx.argmax(self.network(y[None], cache=cache)[:, -1], axis=-1)
        mx.eval(token)
        seconds = time.perf_counter() - start
        key = list(ids)
        for _ in range(REPLY):
            key.append(int(token.item()))
            token = mx.argmax(self.network(token[None], cache=cache)[:, -1], axis=-1)
        mx.eval([c.state for c in cache])
        self.kept.insert_cache("model", key, cache)
        return len(rest), seconds


def scenarios(chat: Chat):
    """(name, what is asked before it without being counted, prompt and marks)."""
    middle = len(chat.turns) // 2
    last = Chat(chat.turns[:-1])
    asked = chat.turns[-1][0]
    branch = Chat(chat.turns[:middle])
    other = Chat([(words(40, 77), words(40, 78))], [2, *range(400, 430)])
    yield "next turn", [], chat.prompt(words(40, 901))
    yield "regenerate", [], chat.prompt(words(40, 901))
    yield "edit the last", [], last.prompt([*asked[:30], *words(30, 902)])
    yield "edit in the middle", [], branch.prompt(words(60, 903))
    yield "branch, and return", [branch.prompt(words(60, 904))], chat.prompt(words(40, 905))
    yield "switch, and back", [other.prompt(words(20, 906))], chat.prompt(words(40, 907))


def build_up(keeper, chat: Chat) -> None:
    """Let a keeper live through the history, turn by turn."""
    for n, (said, _) in enumerate(chat.turns):
        keeper.answer(*Chat(chat.turns[:n]).prompt(said))
    keeper.answer(*chat.prompt(words(10, 900)))


def compare(title: str, network, step: int, tokens: int) -> None:
    chat = history(tokens)
    with tempfile.TemporaryDirectory() as place:
        ours, theirs = Ours(network, step, Path(place)), MlxLm(network)
        print(f"\n{title}, a history of {len(chat.prompt()[0]):,} tokens; calls of {step}")
        print(f"{'':22}{'tokens read':>30}{'first token, s':>30}{'cold/ours':>10}")
        head = f"{'ours':>10}{'cold':>10}{'mlx-lm':>10}"
        print(f"{'':22}{head}{head}")
        for keeper in (ours, theirs):
            build_up(keeper, chat)
        for name, before, asked in scenarios(chat):
            for earlier in before:
                ours.answer(*earlier)
                theirs.answer(*earlier)
            row(name, ours.answer(*asked), cold(network, step, asked), theirs.answer(*asked))
        ours.tree.save(lambda: False)
        ours.restart()
        asked = chat.prompt(words(40, 908))
        row("reopen after restart", ours.answer(*asked), cold(network, step, asked), (-1, -1))
        live(ours, chat)
        saving(ours, chat)


def cold(network, step: int, asked) -> tuple[int, float]:
    with tempfile.TemporaryDirectory() as place:
        return Ours(network, step, Path(place)).answer(*asked)


def row(name: str, ours, cold, theirs) -> None:
    read = "".join(f"{n:>10,}" if n >= 0 else f"{'-':>10}" for n in (ours[0], cold[0], theirs[0]))
    took = "".join(f"{s:>10.3f}" if s >= 0 else f"{'-':>10}" for s in (ours[1], cold[1], theirs[1]))
    print(f"{name:22}{read}{took}{cold[1] / ours[1]:>9.0f}x")


def live(ours: Ours, chat: Chat) -> None:
    """The next turn warm, against the same tokens on a context that was never left."""
    ids, marks = chat.prompt()
    warm, never_left, restores = [], [], []
    for n in range(3):
        more, its = chat.prompt(words(40, 950 + n))
        context = ours.new_context()
        restored = ours.tree.restore(ids, "bench")
        for _ in ours.tree.read(restored, ids, marks, "bench"):
            pass
        context = restored
        start = time.perf_counter()
        for a, b, _ in ours.tree.grid.calls(len(context), len(more), its):
            context.feed(more[a:b], logits=b == len(more))
            context.settle()
        mx.eval(context.logits())
        never_left.append(time.perf_counter() - start)
        del context, restored
        start = time.perf_counter()
        context = ours.tree.restore([*ids, 1], "bench")
        restores.append(time.perf_counter() - start)
        size = context.nbytes
        del context
        warm.append(ours.answer(more, its)[1])
    source = np.ones(size // 4, np.float32)
    copies = []
    for _ in range(5):
        start = time.perf_counter()
        source.copy()
        copies.append(time.perf_counter() - start)
    restore, copy = min(restores), min(copies)
    ratio = statistics.median(warm) / (statistics.median(never_left) + copy)
    print(f"warm / (never left + copy): {ratio:.2f}")
    print(f"restore: {restore * 1e3:.1f} ms for {size / 1e6:.0f} MB; a copy {copy * 1e3:.1f} ms")


def saving(ours: Ours, chat: Chat) -> None:
    """What keeping a reply costs beside speaking it."""
    ids, marks = chat.prompt(words(40, 990))
    context = ours.tree.restore(ids, "bench")
    for _ in ours.tree.read(context, ids, marks, "bench"):
        pass
    token = mx.argmax(context.logits(), axis=-1)
    start = time.perf_counter()
    for _ in range(32):
        token = mx.argmax(context.step(token), axis=-1)
        context.commit([int(token.item())])
    speaking = time.perf_counter() - start
    start = time.perf_counter()
    ours.tree.keep(context, "bench")
    keeping = time.perf_counter() - start
    print(f"keeping a reply of 32 tokens: {keeping / speaking:.2%} of speaking it")


def small(window: int = 512):
    """A small network of window layers."""
    mx.random.seed(1)
    args = gemma3_text.ModelArgs(
        model_type="gemma3_text",
        hidden_size=128,
        num_hidden_layers=12,
        intermediate_size=512,
        num_attention_heads=4,
        head_dim=64,
        vocab_size=1024,
        num_key_value_heads=1,
        query_pre_attn_scalar=64,
        sliding_window=window,
        sliding_window_pattern=6,
    )
    network = gemma3_text.Model(args)
    mx.eval(network.parameters())
    return network


def starter():
    from inference.loading import OpenedModel, open_model
    from inference.types import EngineOptions

    with tempfile.TemporaryDirectory() as place:
        *_, opened = open_model("starter", EngineOptions(Path(place)), lambda: False)
        assert isinstance(opened, OpenedModel)
        return opened.network


def main() -> None:
    full = "--full" in sys.argv
    network = small()
    for tokens in (1024, 4096, 16384) if full else (1024, 16384):
        compare("A small window-layer model", network, 256, tokens)
    if "--small" in sys.argv:
        return
    network = starter()
    for tokens in (1024, 4096) if full else (1024,):
        compare("Gemma 3 270M", network, 64, tokens)


if __name__ == "__main__":
    main()
