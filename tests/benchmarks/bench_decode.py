"""Decode against mlx-lm on the same weights in the same run, and reading by history length."""

from __future__ import annotations

import time

from inference.blas import preload_blas

preload_blas()

# mlx-lm comes before the engine, which leaves out what only mlx-lm's tokenizers need.
import mlx.core as mx  # noqa: E402
from mlx_lm.generate import stream_generate  # noqa: E402
from mlx_lm.models.cache import make_prompt_cache  # noqa: E402
from mlx_lm.sample_utils import make_sampler  # noqa: E402
from mlx_lm.tokenizer_utils import SPMStreamingDetokenizer, TokenizerWrapper  # noqa: E402

from inference import GemmaEngine, GenerationRequest, RawPrompt, Sampling  # noqa: E402
from tests.benchmarks.measure import never, pair_count, pairs, row, run, starter  # noqa: E402

N_TOKENS = 24
GREEDY, GEMMAS = Sampling(temperature=0.0), Sampling(seed=1)
PROMPT = "The history of the lighthouse began when"


class TheirTokenizer:
    """What mlx-lm's detokeniser asks of a tokenizer, from ours."""

    chat_template = None
    clean_up_tokenization_spaces = False
    eos_token_id = 1
    bos_token = None

    def __init__(self, engine: GemmaEngine) -> None:
        self._words = engine._model.tokenizer
        self.vocab = {self._words.piece(i): i for i in range(self._words.vocabulary_size)}

    def __len__(self) -> int:
        return self._words.vocabulary_size

    def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
        return [self._words.piece(i) for i in ids]

    def get_vocab(self) -> dict[str, int]:
        return self.vocab

    def apply_chat_template(self, *_: object, **__: object) -> None:
        """It has none."""

    def encode(self, text: str, **_: object) -> list[int]:
        return list(self._words.encode(text))

    def decode(self, ids: list[int], **_: object) -> str:
        return self._words.decode(ids)


def ours(engine: GemmaEngine, sampling: Sampling) -> float:
    """Tokens a second between the first token and the last."""
    start = first = 0.0
    engine.forget("")
    for event in engine.generate(GenerationRequest(RawPrompt(PROMPT), sampling, N_TOKENS), never):
        now = time.perf_counter()
        first = first or (now if hasattr(event, "kind") else 0.0)
        start = now
    return (N_TOKENS - 1) / (start - first)


def theirs(
    engine: GemmaEngine, wrapped: TokenizerWrapper, sampler: object, ids: list[int]
) -> float:
    """The same by mlx-lm's `stream_generate`, on the very same network."""
    first = last = 0.0
    network = engine._model.forward._network
    for _ in stream_generate(network, wrapped, ids, max_tokens=N_TOKENS, sampler=sampler):
        last = time.perf_counter()
        first = first or last
    return (N_TOKENS - 1) / (last - first)


def bare(engine: GemmaEngine, ids: list[int]) -> float:
    """A loop of nothing but the network and argmax, one step in flight."""
    network = engine._model.forward._network
    cache = make_prompt_cache(network)
    token = mx.argmax(network(mx.array([ids]), cache=cache)[:, -1], axis=-1)
    mx.async_eval(token)
    first = last = 0.0
    for _ in range(N_TOKENS):
        following = mx.argmax(network(token[:, None], cache=cache)[:, -1], axis=-1)
        mx.async_eval(following)
        token.item()
        last = time.perf_counter()
        first = first or last
        token = following
    return (N_TOKENS - 1) / (last - first)


def main() -> None:
    """Print the tables."""
    engine = starter()
    ids = list(engine._model.compose(RawPrompt(PROMPT)).ids)
    wrapped = TokenizerWrapper(TheirTokenizer(engine), SPMStreamingDetokenizer, eos_token_ids=[1])
    count = pair_count()
    row(f"decode, {count} pairs", "ours tok/s", "theirs tok/s", "ratio", "wanted")
    greedy = make_sampler(0.0)
    filtered = make_sampler(1.0, top_p=0.95, top_k=64)
    for name, sampling, sampler, wanted in (
        ("greedy, against mlx-lm's stream_generate", GREEDY, greedy, 0.98),
        ("Gemma's sampling, against mlx-lm's stream_generate", GEMMAS, filtered, 1.1),
    ):
        a, b, ratio = pairs(
            lambda s=sampling: ours(engine, s),
            lambda s=sampler: theirs(engine, wrapped, s, ids),
            count,
        )
        row(name, f"{a:.1f}", f"{b:.1f}", f"{ratio:.3f}", f">= {wanted}")
    a, b, ratio = pairs(lambda: ours(engine, GREEDY), lambda: bare(engine, ids), count)
    row(
        "greedy, against a bare loop of network and argmax",
        f"{a:.1f}",
        f"{b:.1f}",
        f"{ratio:.3f}",
        ">= 0.98",
    )
    row("")
    row("history", "prompt tokens", "cold ttft s", "warm ttft s", "peak MiB")
    for length in (64, 256, 600, 1100):
        engine.forget("")
        prompt = RawPrompt(("The keeper wrote down the ships. " * length)[: length * 4])
        cold = run(engine, GenerationRequest(prompt, GREEDY, 2)).record
        warm = run(engine, GenerationRequest(prompt, GREEDY, 2)).record
        row(
            "raw text",
            f"{cold.prompt_tokens}",
            f"{cold.ttft_seconds:.2f}",
            f"{warm.ttft_seconds:.2f}",
            f"{cold.peak_memory_bytes / 2**20:.0f}",
        )
    engine.close()


if __name__ == "__main__":
    main()
