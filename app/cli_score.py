"""`cabochon score`: how likely a model finds a completion, token by token."""

from __future__ import annotations

import argparse
import json
import math

from app.cli_prompt import add_prompt_arguments, prompt_from
from app.cli_terms import MakeEngine, add_model_argument, count, open_model, stop_on_interrupt
from inference import Engine, Score


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `score` takes."""
    add_prompt_arguments(parser)
    parser.add_argument("--completion", metavar="TEXT", required=True, help="the text to score")
    add_model_argument(parser)
    parser.add_argument(
        "--alternatives", metavar="N", type=count(0, 100), default=0, help="likeliest tokens too"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace, make_engine: MakeEngine) -> int:
    """Score the completion and print what was found."""
    prompt = prompt_from(args)
    engine = make_engine(args)
    try:
        with stop_on_interrupt() as stop:
            open_model(engine, args, stop)
        score = engine.score(prompt, args.completion, args.alternatives)
        if args.json:
            print(json.dumps(_report(engine, score), ensure_ascii=False))
        else:
            _show(engine, score)
    finally:
        engine.close()
    return 0


def _report(engine: Engine, score: Score) -> dict[str, object]:
    return {
        "total_logprob": score.total_logprob,
        "perplexity": _perplexity(score),
        "tokens": [
            {
                "id": token.token_id,
                "text": token.text,
                "logprob": token.logprob,
                "entropy": token.entropy,
                "alternatives": [
                    {"id": i, "text": engine.token_text(i), "logprob": logprob}
                    for i, logprob in token.alternatives
                ],
            }
            for token in score.tokens
        ],
    }


def _perplexity(score: Score) -> float:
    return math.exp(-score.total_logprob / max(len(score.tokens), 1))


def _show(engine: Engine, score: Score) -> None:
    for token in score.tokens:
        others = "  ".join(
            f"{engine.token_text(i)!r} {logprob:.2f}" for i, logprob in token.alternatives
        )
        print(f"{token.logprob:9.3f}  {token.text!r:20}  {others}".rstrip())
    print(f"{score.total_logprob:9.3f}  in all; perplexity {_perplexity(score):.2f}")
