"""`cabochon inspect`: the prompt as the model sees it, and what its layers make of it."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from app.cli_prompt import add_prompt_arguments, ids, prompt_from
from app.cli_terms import MakeEngine, add_model_argument, count, open_model, stop_on_interrupt
from inference import Engine, LensRow, RenderedToken

if TYPE_CHECKING:
    import threading

Row = dict[str, object]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `inspect` takes."""
    add_prompt_arguments(parser)
    add_model_argument(parser)
    parser.add_argument("--lens", action="store_true", help="show each layer's guesses at the end")
    parser.add_argument("--top", metavar="N", type=count(1, 100), default=5, help="guesses a layer")
    parser.add_argument(
        "--layers", metavar="IDS", type=ids, default=(), help="show numbers of these layers' stream"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace, make_engine: MakeEngine) -> int:
    """Look into the prompt and print what is there."""
    prompt = prompt_from(args)
    engine = make_engine(args)
    try:
        with stop_on_interrupt() as stop:
            open_model(engine, args, stop)
            tokens = engine.render(prompt)
            lens = _lens(engine, tokens, args.top, stop) if args.lens else []
            streams = _streams(engine, tokens, args.layers) if args.layers else []
    finally:
        engine.close()
    if args.json:
        report = {"tokens": [_token(t) for t in tokens], "lens": lens, "streams": streams}
        print(json.dumps(report, ensure_ascii=False))
        return 0
    for token in tokens:
        mark = "*" if token.special else " "
        owner = "" if token.message < 0 else f"message {token.message}"
        print(f"{token.token_id:8} {mark} {token.text!r:24} {owner}".rstrip())
    for row in lens:
        print(row["shown"])
    for row in streams:
        print("  ".join(f"{name} {value}" for name, value in row.items()))
    return 0


def _token(token: RenderedToken) -> Row:
    return {
        "id": token.token_id,
        "text": token.text,
        "special": token.special,
        "message": token.message,
        "cached": token.cached,
    }


def _lens(
    engine: Engine, tokens: tuple[RenderedToken, ...], top: int, stop: threading.Event
) -> list[Row]:
    token_ids = [token.token_id for token in tokens]
    rows = engine.lens(token_ids, [len(token_ids) - 1], top, stop.is_set)
    return [_lens_row(row) for _, row in rows]


def _lens_row(row: LensRow) -> Row:
    guesses = [{"id": i, "text": text, "probability": p} for i, text, p in row.guesses]
    words = "  ".join(f"{text!r} {p:.3f}" for _, text, p in row.guesses)
    return {"layer": row.layer, "guesses": guesses, "shown": f"layer {row.layer:3}  {words}"}


def _streams(
    engine: Engine, tokens: tuple[RenderedToken, ...], layers: tuple[int, ...]
) -> list[Row]:
    """Numbers of the stream that enters each layer: a probe for faults and for growth."""
    found = []
    for state in engine.taps([token.token_id for token in tokens], layers):
        values = state.values
        bad = ~(abs(values) < float("inf"))
        found.append(
            {
                "layer": state.layer,
                "least": float(values.min()),
                "most": float(values.max()),
                "not_finite": int(bad.sum()),
                "sample": [round(float(value), 4) for value in values[-1, :4]],
            }
        )
    return list(found)
