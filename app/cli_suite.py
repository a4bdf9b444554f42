"""`cabochon suite run FILE`: run a suite and exit 1 when something it expects is not so."""

from __future__ import annotations

import argparse
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from app.cli_terms import (
    CommandError,
    MakeEngine,
    add_model_argument,
    open_model,
    stop_on_interrupt,
)
from app.files import write_atomically
from app.lab.expectations import judge, n_alternatives
from app.lab.plan import Place, batches, places, request_of
from app.lab.results import CellResult
from app.lab.suite import JudgedCell, Suite, SuiteError, read_suite, results_to_json, texts_of
from app.store.rows import StoredToken
from inference import Delta, Engine, Finished, Sampling

BATCH = 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `suite` takes."""
    parser.add_argument("action", choices=("run",), help="what to do with the suite")
    parser.add_argument("file", type=Path, metavar="FILE", help="the suite")
    add_model_argument(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep the results")
    parser.add_argument("--against", type=Path, metavar="FILE", help="compare with kept results")


def run(args: argparse.Namespace, make_engine: MakeEngine) -> int:
    """Run every cell and judge it."""
    try:
        suite = read_suite(_read(args.file))
        before = texts_of(json.loads(_read(args.against)), suite) if args.against else None
    except (SuiteError, ValueError) as error:
        raise CommandError(str(error)) from error
    engine = make_engine(args)
    try:
        with stop_on_interrupt() as stop:
            model, cells = _run(engine, args, suite, before, stop)
    finally:
        engine.close()
    found = results_to_json(suite, cells, model)
    if args.save:
        write_atomically(args.save, json.dumps(found, ensure_ascii=False, indent=1).encode())
    if args.json:
        print(json.dumps(found, ensure_ascii=False))
    else:
        _print(suite, cells)
    n = sum(not cell.holds for cell in cells)
    if n:
        raise CommandError(f"{n} of {len(cells)} cells are not as the suite expects.")
    return 0


def _run(
    engine: Engine,
    args: argparse.Namespace,
    suite: Suite,
    before: dict[Place, str] | None,
    stop: threading.Event,
) -> tuple[str, tuple[JudgedCell, ...]]:
    opened = ""
    names: list[str] = []
    cells: list[JudgedCell] = []
    for model, some in batches(suite.plan, list(places(suite.plan)), BATCH):
        wanted = argparse.Namespace(engine=args.engine, model=args.model or model)
        if not names or wanted.model != opened:
            names.append(open_model(engine, wanted, stop).name)
            opened = wanted.model
        info = engine.info
        assert info is not None
        for result in _make(engine, suite, some, info.default_sampling, stop):
            judged = judge(
                suite.plan, suite.expectations, result, engine.tokenize, engine.token_text
            )
            changed = None if before is None else before.get(result.place) != result.text
            cells.append(JudgedCell(result, judged, changed))
        if stop.is_set():
            raise CommandError("The suite was stopped; nothing was judged.")
    return ", ".join(dict.fromkeys(names)), tuple(sorted(cells, key=lambda one: one.result.place))


def _make(
    engine: Engine, suite: Suite, cells: list[Place], default: Sampling, stop: threading.Event
) -> Iterator[CellResult]:
    n = n_alternatives(suite.expectations)
    requests = [request_of(suite.plan, place, default, n) for place in cells]
    details: list[list[StoredToken]] = [[] for _ in cells]
    for i, event in engine.generate_many(requests, lambda _: stop.is_set()):
        match event:
            case Delta(tokens=tokens):
                details[i] += [
                    StoredToken(t.token_id, len(t.text), t.logprob, t.entropy, t.alternatives)
                    for t in tokens
                ]
            case Finished():
                result = CellResult(cells[i], event.text, event.thought, event.reason)
                yield replace(result, record=event.record, details=tuple(details[i]))
            case _:
                pass


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is not a text file in UTF-8.") from error


def _print(suite: Suite, cells: tuple[JudgedCell, ...]) -> None:
    for cell in cells:
        place = cell.result.place
        name = suite.plan.variants[place.column].name
        mark = "ok  " if cell.holds else "not "
        changed = "  (changed)" if cell.changed else ""
        print(f"{mark} row {place.row + 1}, {name}, seed {place.seed}{changed}")
        for one in cell.judgements:
            if not one.holds:
                print(f"       {one.why}")
