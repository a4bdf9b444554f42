"""What a suite expects of a reply, and whether it holds. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from app.lab.json_schema import check_text, read_schema
from app.lab.plan import Plan
from app.lab.results import CellResult

Kind = Literal["contains", "matches", "schema", "max_length", "exact", "top_k"]


@dataclass(frozen=True, slots=True)
class Expectation:
    """One thing that must hold.

    Attributes:
        kind: "contains" a text, "matches" a regular expression, conforms to a "schema", has at
            most "max_length" characters, is "exact"ly a text (decode greedily for this), or begins
            among the expected "top_k" tokens.
        value: The text, expression, schema or number.
        tokens: For "top_k": the likeliest tokens after the prompt as texts, best first.
        token_ids: The same as ids, which win over the texts.
        max_drift: For "top_k": the share of them that may be lost or moved.
        row: The input it is for, counted from 0; None is every one.
        variant: The name of the variant it is for; "" is every one.
    """

    kind: Kind
    value: str = ""
    tokens: tuple[str, ...] = ()
    token_ids: tuple[int, ...] = ()
    max_drift: float = 0.0
    row: int | None = None
    variant: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether one expectation holds for one cell; `why` says what does not."""

    expectation: Expectation
    holds: bool
    why: str = ""


def problems(plan: Plan, expectations: Sequence[Expectation]) -> tuple[str, ...]:
    """Say, one sentence each, which expectations can never be judged."""
    found: list[str] = []
    names = {variant.name for variant in plan.variants}
    for n, one in enumerate(expectations, 1):
        if one.row is not None and not 0 <= one.row < len(plan.inputs):
            found.append(f"Expectation {n} is for row {one.row}, which is not there.")
        if one.variant and one.variant not in names:
            found.append(f"Expectation {n} is for {one.variant}, which is no variant.")
        try:
            _check_value(one)
        except (ValueError, re.error) as error:
            found.append(f"Expectation {n} cannot be judged: {error}")
    return tuple(found)


def judge(
    plan: Plan,
    expectations: Sequence[Expectation],
    result: CellResult,
    tokenize: Callable[[str], tuple[int, ...]],
    token_text: Callable[[int], str],
) -> tuple[Judgement, ...]:
    """Judge one cell by every expectation that is for it.

    Args:
        plan: The grid.
        expectations: Checked by `problems` before.
        result: The cell; a failed one holds nothing.
        tokenize: Gives the token ids of a text.
        token_text: Gives the text of a token id.
    """
    name = plan.variants[result.place.column].name
    found = []
    for one in expectations:
        if one.row not in (None, result.place.row) or one.variant not in ("", name):
            continue
        why = result.error or _fault(one, result, tokenize, token_text)
        found.append(Judgement(one, not why, why))
    return tuple(found)


def n_alternatives(expectations: Sequence[Expectation]) -> int:
    """How many likeliest tokens must be asked for."""
    sizes = (max(len(one.tokens), len(one.token_ids)) for one in expectations)
    return max(sizes, default=0)


def _check_value(one: Expectation) -> None:
    match one.kind:
        case "matches":
            re.compile(one.value)
        case "schema":
            read_schema(one.value)
        case "max_length":
            int(one.value)
        case "top_k":
            if not one.tokens and not one.token_ids:
                raise ValueError("it names no tokens.")
        case "contains" | "exact":
            pass


def _fault(
    one: Expectation,
    result: CellResult,
    tokenize: Callable[[str], tuple[int, ...]],
    token_text: Callable[[int], str],
) -> str:
    text = result.text
    match one.kind:
        case "contains":
            return "" if one.value in text else f"It does not contain “{one.value}”."
        case "matches":
            return "" if re.search(one.value, text) else f"It does not match {one.value}."
        case "schema":
            return check_text(text, read_schema(one.value))
        case "max_length":
            limit = int(one.value)
            if len(text) <= limit:
                return ""
            return f"It has {len(text):,} characters, more than {limit:,}."
        case "exact":
            return "" if text.strip() == one.value.strip() else "It is another answer."
        case "top_k":
            return _drifted(one, result, tokenize, token_text)


def _drifted(
    one: Expectation,
    result: CellResult,
    tokenize: Callable[[str], tuple[int, ...]],
    token_text: Callable[[int], str],
) -> str:
    expected = one.token_ids
    if not expected:
        ids = [tokenize(text) for text in one.tokens]
        for text, found in zip(one.tokens, ids, strict=True):
            if len(found) != 1:
                return f"“{text}” is {len(found)} tokens in this model, not one."
        expected = tuple(found[0] for found in ids)
    if not result.details:
        return "It has no tokens to compare."
    actual = [i for i, _ in result.details[0].alternatives[: len(expected)]]
    actual += [-1] * (len(expected) - len(actual))
    moved = sum(a != b for a, b in zip(expected, actual, strict=True)) / len(expected)
    if moved <= one.max_drift:
        return ""
    shown = ", ".join(f"“{token_text(i)}”" for i in actual if i >= 0)
    return f"The likeliest tokens drifted by {moved:.0%}; now they are {shown}."
