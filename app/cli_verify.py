"""`cabochon verify-cache`: the same greedy replies, with kept prefixes and without any."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass

from app.cli_terms import MakeEngine, add_model_argument, count, open_model, stop_on_interrupt
from inference import (
    ChatPrompt,
    Engine,
    Finished,
    GenerationRequest,
    Message,
    RunRecord,
    Sampling,
    ShouldStop,
)

_TEXT = (
    "The lighthouse keeper wrote down the weather every evening: wind, sky, and the ships seen. "
)
_QUESTIONS = ("What did the keeper write down?", "Go on with the story.", "And the next evening?")
NEAR_TIE = 1e-3  # two candidates nearer than this may swap places by rounding


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `verify-cache` takes."""
    add_model_argument(parser)
    parser.add_argument("--prompt", metavar="TEXT", default="", help="a text of your own to read")
    parser.add_argument("--max-tokens", type=count(1), default=32, metavar="N")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One turn, warm and cold.

    Attributes:
        first_difference: Index of the first token that differs; None when there is none.
        near_tie: The two tokens were as likely as rounding can tell.
    """

    turn: int
    prompt_tokens: int
    reused_tokens: int
    first_difference: int | None
    near_tie: bool


def run(args: argparse.Namespace, make_engine: MakeEngine) -> int:
    """Talk a few turns with kept prefixes, then make each reply again without."""
    engine = make_engine(args)
    try:
        with stop_on_interrupt() as stop:
            open_model(engine, args, stop)
            outcomes = verify(engine, args.prompt or _TEXT * 20, args.max_tokens, stop.is_set)
    finally:
        engine.close()
    good = all(one.first_difference is None or one.near_tie for one in outcomes)
    if args.json:
        print(json.dumps({"identical": good, "turns": [asdict(one) for one in outcomes]}))
    else:
        for one in outcomes:
            print(_sentence(one))
    return 0 if good else 1


def verify(
    engine: Engine, text: str, max_tokens: int, should_stop: ShouldStop
) -> tuple[Outcome, ...]:
    """Compare warm and cold replies over three turns that share their beginning."""
    engine.forget("")
    messages: tuple[Message, ...] = ()
    warm: list[tuple[GenerationRequest, RunRecord]] = []
    for question in _QUESTIONS:
        asked = question if messages else f"{text}\n\n{question}"
        messages = (*messages, Message("user", asked))
        request = GenerationRequest(
            ChatPrompt(messages), Sampling(temperature=0, seed=0), max_tokens, alternatives=2
        )
        finished = _finish(engine, request, should_stop)
        record = finished.record
        warm.append((request, record))
        reply = finished.text or "(nothing)"
        messages = (
            *messages,
            Message("assistant", reply, record.answer_ids, record.model_fingerprint),
        )
    outcomes = []
    for turn, (request, record) in enumerate(warm, 1):
        engine.forget("")
        cold = _finish(engine, request, should_stop).record
        outcomes.append(_compare(turn, record, cold))
    return tuple(outcomes)


def _finish(engine: Engine, request: GenerationRequest, should_stop: ShouldStop) -> Finished:
    *_, last = engine.generate(request, should_stop)
    assert isinstance(last, Finished)
    return last


def _compare(turn: int, warm: RunRecord, cold: RunRecord) -> Outcome:
    pairs = zip(warm.token_ids, cold.token_ids, strict=False)
    place = next((i for i, (a, b) in enumerate(pairs) if a != b), None)
    if place is None and len(warm.token_ids) != len(cold.token_ids):
        place = min(len(warm.token_ids), len(cold.token_ids))
    tie = False
    if place is not None and place < min(len(warm.logprobs), len(cold.logprobs)):
        tie = abs(warm.logprobs[place] - cold.logprobs[place]) <= NEAR_TIE
    return Outcome(turn, warm.prompt_tokens, warm.reused_tokens, place, tie)


def _sentence(one: Outcome) -> str:
    read = f"Turn {one.turn}: {one.reused_tokens:,} of {one.prompt_tokens:,} tokens were kept; "
    if one.first_difference is None:
        return read + "identical."
    what = "a near tie" if one.near_tie else "a difference"
    return read + f"{what} at token {one.first_difference + 1}."
