"""`cabochon embed`: vectors for texts, from the chat model itself."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from app.cli_prompt import read_text
from app.cli_terms import (
    CommandError,
    MakeEngine,
    add_model_argument,
    open_model,
    stop_on_interrupt,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `embed` takes."""
    parser.add_argument("texts", nargs="*", metavar="TEXT", help="texts; none reads lines of stdin")
    parser.add_argument("--file", metavar="FILE", type=Path, help="a file with a text on each line")
    parser.add_argument(
        "--pooling",
        choices=("mean", "last"),
        default="mean",
        help="the mean of all tokens' states (the default), or the last one's",
    )
    add_model_argument(parser)
    parser.add_argument(
        "--json", action="store_true", help="print the vectors; otherwise how alike the texts are"
    )


def run(args: argparse.Namespace, make_engine: MakeEngine) -> int:
    """Embed the texts and print their vectors or their likeness."""
    texts = _texts(args)
    if not texts:
        raise CommandError("There is no text to embed; give at least one.")
    engine = make_engine(args)
    try:
        with stop_on_interrupt() as stop:
            info = open_model(engine, args, stop)
        vectors = engine.embed(texts, args.pooling)
    finally:
        engine.close()
    if args.json:
        report = {"model": info.name, "pooling": args.pooling, "vectors": vectors.tolist()}
        print(json.dumps(report))
        return 0
    alike = vectors @ vectors.T
    for i, text in enumerate(texts):
        row = " ".join(f"{value:6.3f}" for value in alike[i])
        print(f"{row}  {text[:60]}")
    return 0


def _texts(args: argparse.Namespace) -> list[str]:
    if args.file is not None:
        given = read_text(args.file).splitlines()
    else:
        given = list(args.texts) or sys.stdin.read().splitlines()
    return [text for text in given if text.strip()]
