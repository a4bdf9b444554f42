"""What each verb costs or gains beside plain decoding, on the real model, in alternating pairs."""

from __future__ import annotations

from dataclasses import replace

from tests.benchmarks.measure import never, pair_count, pairs, row, run, starter  # isort: skip

import json

import mlx.core as mx

from inference import (
    Constraint,
    Draft,
    Finished,
    GemmaEngine,
    GenerationRequest,
    RawPrompt,
    Sampling,
    TokenPrompt,
)
from inference import decode as decoding

N_TOKENS = 24
GREEDY = Sampling(temperature=0.0)
PROMPT = RawPrompt("The history of the lighthouse began when")
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 400},
            "story": {"type": "string", "maxLength": 4000},
        },
        "required": ["name", "story"],
        "additionalProperties": False,
    }
)


def speed(engine: GemmaEngine, request: GenerationRequest) -> float:
    """Tokens a second of decoding."""
    return run(engine, request).record.tokens_per_second


def batch_speed(engine: GemmaEngine, rows: int) -> float:
    """Tokens a second of all rows together."""
    requests = [
        GenerationRequest(PROMPT, Sampling(seed=i, logit_bias=((1, -100.0),)), N_TOKENS)
        for i in range(rows)
    ]
    ends = [e for _, e in engine.generate_many(requests, never) if isinstance(e, Finished)]
    tokens = sum(e.record.generated_tokens for e in ends)
    return tokens / max(e.record.decode_seconds for e in ends)


def without_guard(engine: GemmaEngine, request: GenerationRequest) -> float:
    """The same with a watch that looks at nothing."""
    watch = decoding.faults
    decoding.faults = lambda logits: mx.zeros((logits.shape[0],), mx.bool_)
    try:
        return speed(engine, request)
    finally:
        decoding.faults = watch


def main() -> None:
    """Print the table."""
    engine = starter()
    count = pair_count()
    plain = GenerationRequest(PROMPT, GREEDY, N_TOKENS)
    speed(engine, plain)
    row(f"beside plain decoding, {count} pairs", "with tok/s", "without", "ratio", "wanted")
    rows: list[tuple[str, GenerationRequest, GenerationRequest, str]] = [
        (
            "log-probabilities with 10 alternatives",
            replace(plain, alternatives=10),
            plain,
            "> 0.96",
        ),
        (
            "a JSON schema",
            replace(plain, constraint=Constraint("json_schema", SCHEMA)),
            plain,
            "> 0.90",
        ),
        ("4 tokens a read-back", replace(plain, read_back_tokens=4), plain, ""),
        (
            "repetition penalty",
            replace(plain, sampling=replace(GREEDY, repetition_penalty=1.1)),
            plain,
            "",
        ),
        ("Gemma's sampling", replace(plain, sampling=Sampling(seed=1)), plain, ""),
    ]
    for name, ours, theirs, wanted in rows:
        a, b, ratio = pairs(
            lambda r=ours: speed(engine, r), lambda r=theirs: speed(engine, r), count
        )
        row(name, f"{a:.1f}", f"{b:.1f}", f"{ratio:.3f}", wanted)
    a, b, ratio = pairs(lambda: speed(engine, plain), lambda: without_guard(engine, plain), count)
    row("the finiteness watch", f"{a:.1f}", f"{b:.1f}", f"{ratio:.3f}", "> 0.99")
    first, most = engine.info.vocabulary_size // 4, engine.info.vocabulary_size // 2
    listed = tuple(first + (i * 7919) % most for i in range(200))
    repeated = GenerationRequest(TokenPrompt((2, *listed * 2)), GREEDY, 48)
    a, b, ratio = pairs(
        lambda: speed(engine, replace(repeated, draft=Draft(max_tokens=16))),
        lambda: speed(engine, repeated),
        max(count // 2, 1),
    )
    row(
        "prompt lookup on a list of 200 tokens said twice",
        f"{a:.1f}",
        f"{b:.1f}",
        f"{ratio:.3f}",
        ">= 2",
    )
    single = GenerationRequest(PROMPT, Sampling(seed=1, logit_bias=((1, -100.0),)), N_TOKENS)
    for n, wanted in ((8, ">= 4.5"), (32, ">= 10")):
        a, b, ratio = pairs(
            lambda n=n: batch_speed(engine, n), lambda: speed(engine, single), max(count // 3, 1)
        )
        row(f"{n} replies in one batch", f"{a:.1f}", f"{b:.1f}", f"{ratio:.2f}", wanted)
    engine.close()


if __name__ == "__main__":
    main()
