"""`cabochon verify-cache`: the same greedy replies, with kept prefixes and without any."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from app.cli_terms import MakeEngine, add_model_argument, count, open_model, stop_on_interrupt
from inference import CacheCheck, Engine, verify_cache

_TEXT = (
    "The lighthouse keeper wrote down the weather every evening: wind, sky, and the ships seen. "
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `verify-cache` takes."""
    add_model_argument(parser)
    parser.add_argument("--prompt", metavar="TEXT", default="", help="a text of your own to read")
    parser.add_argument("--max-tokens", type=count(1), default=24, metavar="N")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace, make_engine: MakeEngine) -> int:
    """Play a conversation with kept prefixes, and make each reply again without.

    Returns:
        1 at the first true difference, else 0.
    """
    checks: list[CacheCheck] = []
    with stop_on_interrupt() as stop:

        def open_engine() -> Engine:
            engine = make_engine(args)
            open_model(engine, args, stop)
            return engine

        text = args.prompt or _TEXT * 20
        for check in verify_cache(open_engine, stop.is_set, text, args.max_tokens):
            checks.append(check)
            if not args.json:
                print(_sentence(check), flush=True)
            if not check.is_good:
                break
    good = all(check.is_good for check in checks)
    if args.json:
        print(json.dumps({"identical": good, "checks": [asdict(check) for check in checks]}))
    else:
        print(_verdict(checks))
    return 0 if good else 1


def _sentence(check: CacheCheck) -> str:
    kept = f"{check.reused_tokens:,} of {check.prompt_tokens:,} tokens were kept"
    if check.first_difference is None:
        same = f"the same, within {check.largest:.1g}" if check.largest else "the same"
        return f"After {check.what}: {kept}; {same}."
    what = "a near tie" if check.is_near_tie else "a difference"
    return f"After {check.what}: {kept}; {what} at token {check.first_difference + 1}."


def _verdict(checks: list[CacheCheck]) -> str:
    if not all(check.is_good for check in checks):
        return f"not identical: the first true difference came after {checks[-1].what}"
    ties = sum(check.is_near_tie for check in checks)
    if not ties:
        return "identical"
    return f"identical but for {ties} near {'tie' if ties == 1 else 'ties'}"
