"""`cabochon generate`: one prompt in, one reply out, as text or as one JSON object."""

from __future__ import annotations

import argparse
import json
import sys
import threading
from pathlib import Path

from app.cli_terms import (
    CommandError,
    MakeEngine,
    add_model_argument,
    add_sampling_arguments,
    count,
    open_model,
    printable,
    sampling_from,
    stop_on_interrupt,
)
from inference import (
    ChatPrompt,
    Constraint,
    Delta,
    Engine,
    Finished,
    GenerationRequest,
    Message,
    Prompt,
    RawPrompt,
    TokenDetail,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `generate` takes."""
    prompt = parser.add_mutually_exclusive_group(required=True)
    prompt.add_argument("--prompt", metavar="TEXT", help="the prompt; - reads it from stdin")
    prompt.add_argument("--prompt-file", metavar="FILE", type=Path, help="a file with the prompt")
    parser.add_argument("--raw", action="store_true", help="complete the text without a template")
    parser.add_argument("--system", metavar="TEXT", default="", help="the system prompt")
    parser.add_argument("--prefix", metavar="TEXT", default="", help="what the reply begins with")
    parser.add_argument("--thinking", action="store_true", help="let the model think first")
    add_model_argument(parser)
    add_sampling_arguments(parser)
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
    prompt = _prompt(args)
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
                constraint=constraint,
            )
            finished, tokens = _make(engine, request, stop, show=not args.json)
        if args.json:
            print(json.dumps(_report(engine, finished, tokens), ensure_ascii=False))
        if stop.is_set():
            raise CommandError("The reply was stopped; what was said stays said.")
    finally:
        engine.close()
    return 0


def _prompt(args: argparse.Namespace) -> Prompt:
    if args.prompt_file is not None:
        text = _read(args.prompt_file)
    else:
        text = sys.stdin.read() if args.prompt == "-" else args.prompt
    if args.raw:
        if args.system or args.thinking:
            raise CommandError(
                "A raw prompt has no system prompt and no thinking; leave out --raw."
            )
        return RawPrompt(text + args.prefix)
    system = (Message("system", args.system),) if args.system else ()
    return ChatPrompt((*system, Message("user", text)), args.prefix, thinking=args.thinking)


def _constraint(args: argparse.Namespace) -> Constraint | None:
    if args.schema is not None:
        return Constraint("json_schema", _read(args.schema))
    if args.grammar is not None:
        return Constraint("grammar", _read(args.grammar))
    return Constraint("regex", args.regex) if args.regex else None


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is not a text file in UTF-8.") from error


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
    }
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
