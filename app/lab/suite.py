"""A grid with expectations, kept as a file that can stand in someone's CI. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass

from app.codec import from_json, to_json
from app.lab import expectations, plan
from app.lab.expectations import Expectation, Judgement
from app.lab.plan import Place, Plan
from app.lab.results import CellResult

FORMAT = "cabochon-suite"
VERSION = 1


class SuiteError(ValueError):
    """A suite cannot be run; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A named grid and what is expected of it."""

    name: str
    plan: Plan
    expectations: tuple[Expectation, ...]


@dataclass(frozen=True, slots=True)
class JudgedCell:
    """One cell with its judgements.

    Attributes:
        changed: It differs from the result it was compared with; None when there was none.
    """

    result: CellResult
    judgements: tuple[Judgement, ...]
    changed: bool | None = None

    @property
    def holds(self) -> bool:
        """Whether all that was expected is so."""
        return all(one.holds for one in self.judgements) and not self.result.error


def read_suite(text: str) -> Suite:
    """Read a suite and see that every part of it can be judged.

    Raises:
        SuiteError: It is none, or a part of it can never be judged.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SuiteError(f"The suite is not JSON: {error}.") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise SuiteError(f"The file is no suite: its “format” must be “{FORMAT}”.")
    if found.get("version") != VERSION:
        raise SuiteError("The suite was written by another version; update the app.")
    try:
        suite = Suite(
            str(found.get("name", "Suite")),
            from_json(Plan, found.get("plan")),
            tuple(from_json(Expectation, one) for one in found.get("expectations", ())),
        )
    except (ValueError, TypeError) as error:
        raise SuiteError(f"The suite is damaged: {error}.") from error
    wrong = plan.problems(suite.plan) + expectations.problems(suite.plan, suite.expectations)
    if wrong:
        raise SuiteError(wrong[0])
    return suite


def write_suite(suite: Suite) -> str:
    """Write a suite."""
    found = {"format": FORMAT, "version": VERSION} | to_json(suite)
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def results_to_json(suite: Suite, cells: tuple[JudgedCell, ...], model: str) -> dict[str, object]:
    """Write what a run gave, for `--json`, `--save` and `--against`."""
    return {
        "suite": suite.name,
        "model": model,
        "holds": all(cell.holds for cell in cells),
        "cells": [
            {
                "row": cell.result.place.row,
                "variant": suite.plan.variants[cell.result.place.column].name,
                "seed": cell.result.place.seed,
                "text": cell.result.text,
                "error": cell.result.error,
                "holds": cell.holds,
                "changed": cell.changed,
                "failed": [one.why for one in cell.judgements if not one.holds],
                "n_tokens": cell.result.n_tokens,
                "seconds": cell.result.seconds,
            }
            for cell in cells
        ],
    }


def texts_of(found: object, suite: Suite) -> dict[Place, str]:
    """Read the texts of an earlier run.

    Raises:
        SuiteError: It is no result of a run.
    """
    columns = {variant.name: i for i, variant in enumerate(suite.plan.variants)}
    cells = found.get("cells") if isinstance(found, dict) else None
    if not isinstance(cells, list):
        raise SuiteError("The file to compare with holds no results of a suite.")
    try:
        return {
            Place(int(one["row"]), columns[one["variant"]], int(one["seed"])): str(one["text"])
            for one in cells
            if one["variant"] in columns
        }
    except (KeyError, TypeError, ValueError) as error:
        raise SuiteError("The file to compare with holds no results of a suite.") from error
