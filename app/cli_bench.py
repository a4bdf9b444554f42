"""`cabochon bench`: how fast a model reads and speaks on this machine, by context length."""

from __future__ import annotations

import argparse
import json
import threading

from app.cli_terms import (
    CommandError,
    MakeEngine,
    add_model_argument,
    count,
    open_model,
    stop_on_interrupt,
)
from inference import Engine, Finished, GenerationRequest, RawPrompt, RunRecord, Sampling

FILLER = "The keeper of the lighthouse wrote down the weather, the ships and the birds he saw. "


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `bench` takes."""
    add_model_argument(parser)
    parser.add_argument(
        "--lengths",
        metavar="N",
        nargs="+",
        type=count(1),
        default=[128, 512, 1024, 2048],
        help="prompt lengths in tokens",
    )
    parser.add_argument("--max-tokens", metavar="N", type=count(2), default=32)
    parser.add_argument(
        "--rows", metavar="N", type=count(1, 256), default=1, help="replies at once"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace, make_engine: MakeEngine) -> int:
    """Measure and print a table."""
    engine = make_engine(args)
    rows: list[dict[str, float]] = []
    try:
        with stop_on_interrupt() as stop:
            info = open_model(engine, args, stop)
            for length in sorted(args.lengths):
                rows.append(_measure(engine, length, args, stop))
                if not args.json:
                    _show(rows[-1], is_first=len(rows) == 1)
    finally:
        engine.close()
    if args.json:
        print(json.dumps({"model": info.name, "device": info.device, "rows": rows}))
    return 0


def _measure(
    engine: Engine, length: int, args: argparse.Namespace, stop: threading.Event
) -> dict[str, float]:
    """Read a prompt of a length anew, then again from what was kept, and speak."""
    engine.forget("")
    words = max(engine.count_tokens(FILLER), 1)
    text = FILLER * (length // words + 1)
    prompt = RawPrompt(text[: len(text) * length // max(engine.count_tokens(text), 1)])
    cold = _record(engine, prompt, 2, 1, stop)
    warm = _record(engine, prompt, args.max_tokens, args.rows, stop)
    return {
        "prompt_tokens": cold.prompt_tokens,
        "cold_ttft_seconds": cold.ttft_seconds,
        "warm_ttft_seconds": warm.ttft_seconds,
        "read_tokens_per_second": cold.prompt_tokens / max(cold.prefill_seconds, 1e-9),
        "spoken_tokens_per_second": warm.tokens_per_second * args.rows,
        "peak_memory_bytes": max(cold.peak_memory_bytes, warm.peak_memory_bytes),
    }


def _record(
    engine: Engine, prompt: RawPrompt, tokens: int, rows: int, stop: threading.Event
) -> RunRecord:
    sampling = Sampling(temperature=0)
    requests = [GenerationRequest(prompt, sampling, tokens) for _ in range(rows)]
    ends = [
        event
        for _, event in engine.generate_many(requests, lambda _: stop.is_set())
        if isinstance(event, Finished)
    ]
    if stop.is_set():
        raise CommandError("The measurement was stopped.")
    return ends[-1].record


def _show(row: dict[str, float], *, is_first: bool) -> None:
    if is_first:
        print("  prompt   first token   again   reads/s  speaks/s   memory")
    print(
        f"{row['prompt_tokens']:8.0f} {row['cold_ttft_seconds']:12.2f}s"
        f" {row['warm_ttft_seconds']:6.2f}s {row['read_tokens_per_second']:9.0f}"
        f" {row['spoken_tokens_per_second']:9.1f} {row['peak_memory_bytes'] / 2**20:7.0f}M"
    )
