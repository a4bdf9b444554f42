"""`cabochon generate`: one prompt in, one reply out, as text or as one JSON object."""

from __future__ import annotations

import argparse
import json
import sys
import threading
from pathlib import Path

from app.cli_prompt import add_prompt_arguments, ids, prompt_from, read_text
from app.cli_terms import (
    CommandError,
    MakeEngine,
    add_model_argument,
    add_sampling_arguments,
    count,
    number,
    open_model,
    printable,
    sampling_from,
    stop_on_interrupt,
)
from inference import (
    Constraint,
    Delta,
    Draft,
    Engine,
    Finished,
    GenerationRequest,
    Probe,
    TokenDetail,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `generate` takes."""
    add_prompt_arguments(parser)
    parser.add_argument("--prefix", metavar="TEXT", default="", help="what the reply begins with")
    parser.add_argument(
        "--prefix-ids", metavar="IDS", type=ids, default=(), help="token ids that it begins with"
    )
    parser.add_argument("--thinking", action="store_true", help="let the model think first")
    parser.add_argument(
        "--thinking-tokens", metavar="N", type=count(0), help="let it think so long at most"
    )
    add_model_argument(parser)
    add_sampling_arguments(parser)
    pace = parser.add_argument_group("pace", "the reply is the same, only faster or slower")
    pace.add_argument(
        "--draft",
        metavar="MODEL",
        nargs="?",
        const="",
        help="guess ahead by a smaller model; without one, by looking up the prompt",
    )
    pace.add_argument("--draft-tokens", metavar="N", type=count(1, 32), default=8)
    pace.add_argument(
        "--read-back", metavar="N", type=count(1, 32), default=1, help="tokens read together"
    )
    look = parser.add_argument_group("statistics", "with --json")
    look.add_argument(
        "--profile-every", metavar="N", type=count(0), default=0, help="time every so many steps"
    )
    look.add_argument(
        "--probe-layers", metavar="IDS", type=ids, default=(), help="tell what layers carry"
    )
    look.add_argument(
        "--probe-steps",
        metavar="IDS",
        type=ids,
        default=(0,),
        help="at these tokens of the reply; 0, the default, is the prompt's end",
    )
    check = parser.add_argument_group("drift", "say nothing where the likeliest tokens moved")
    check.add_argument("--expected-top", metavar="IDS", type=ids, default=(), help="best first")
    check.add_argument("--max-drift", metavar="SHARE", type=number(0, 1), default=0.0)
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--schema", metavar="FILE", type=Path, help="a JSON schema to conform to")
    shape.add_argument("--regex", metavar="REGEX", help="a regular expression to conform to")
    shape.add_argument("--grammar", metavar="FILE", type=Path, help="a grammar to conform to")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--alternatives",
        metavar="N",
        type=count(0, 100),
        default=0,
        help="with --json: the N likeliest tokens at each place",
    )


def run(args: argparse.Namespace, make_engine: MakeEngine) -> int:
    """Make the reply and print it."""
    prompt = prompt_from(
        args, prefix=args.prefix, prefix_ids=args.prefix_ids, thinking=args.thinking
    )
    constraint = _constraint(args)
    engine = make_engine(args)
    try:
        with stop_on_interrupt() as stop:
            info = open_model(engine, args, stop)
            request = GenerationRequest(
                prompt,
                sampling_from(args, info.default_sampling),
                max_tokens=args.max_tokens,
                stop=tuple(args.stop),
                alternatives=args.alternatives if args.json else 0,
                thinking_tokens=args.thinking_tokens,
                constraint=constraint,
                draft=None if args.draft is None else Draft(args.draft, args.draft_tokens),
                read_back_tokens=args.read_back,
                expected_top_k=args.expected_top,
                max_drift=args.max_drift,
                profile_every=args.profile_every,
                probe=Probe(args.probe_layers, args.probe_steps) if args.probe_layers else None,
            )
            finished, tokens = _make(engine, request, stop, show=not args.json)
        if args.json:
            print(json.dumps(_report(engine, finished, tokens), ensure_ascii=False))
        if stop.is_set():
            raise CommandError("The reply was stopped; what was said stays said.")
    finally:
        engine.close()
    return 0


def _constraint(args: argparse.Namespace) -> Constraint | None:
    if args.schema is not None:
        return Constraint("json_schema", read_text(args.schema))
    if args.grammar is not None:
        return Constraint("grammar", read_text(args.grammar))
    return Constraint("regex", args.regex) if args.regex else None


def _make(
    engine: Engine, request: GenerationRequest, stop: threading.Event, *, show: bool
) -> tuple[Finished, list[TokenDetail]]:
    tokens: list[TokenDetail] = []
    finished: Finished | None = None
    for event in engine.generate(request, stop.is_set):
        match event:
            case Delta():
                tokens += event.tokens
                if show and event.kind == "answer":
                    sys.stdout.write(printable(event.text, terminal=sys.stdout.isatty()))
                    sys.stdout.flush()
            case Finished():
                finished = event
            case _:
                pass
    assert finished is not None, "a request ends with Finished or an error"
    if show:
        print()
    return finished, tokens


def _report(engine: Engine, finished: Finished, tokens: list[TokenDetail]) -> dict[str, object]:
    record = finished.record
    report: dict[str, object] = {
        "text": finished.text,
        "token_ids": record.token_ids,
        "prompt_tokens": record.prompt_tokens,
        "reused_tokens": record.reused_tokens,
        "ttft_seconds": record.ttft_seconds,
        "tokens_per_second": record.tokens_per_second,
        "finish_reason": finished.reason,
        "thought": finished.thought,
        "prompt_ids": record.prompt_ids,
        "generated_tokens": record.generated_tokens,
        "seed": record.seed,
        "model": record.model_name,
        "fingerprint": record.model_fingerprint,
        "device": record.device,
        "prefill_seconds": record.prefill_seconds,
        "decode_seconds": record.decode_seconds,
        "peak_memory_bytes": record.peak_memory_bytes,
        "snapshot_bytes": record.snapshot_bytes,
        "guard_events": record.guard_events,
        "draft_proposed": record.draft_proposed,
        "draft_accepted": record.draft_accepted,
        "thinking_tokens": record.thinking_tokens,
    }
    if record.profile:
        timed = ("token", "enqueuing_seconds", "waiting_seconds", "text_seconds")
        report["profile"] = [dict(zip(timed, times, strict=True)) for times in record.profile]
    if record.probes:
        names = ("step", "layer", "least", "most", "nans", "infs", "sample")
        report["probes"] = [dict(zip(names, look, strict=True)) for look in record.probes]
        report["probe_tops"] = [
            {"step": step, "tokens": [{"id": i, "logit": logit} for i, logit in top]}
            for step, top in record.probe_tops
        ]
    if tokens:
        report["tokens"] = [
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
            for token in tokens
        ]
    return report
