"""What an experiment is: variants x inputs x seeds, and the request of each cell. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.codec import from_json, to_json
from app.variables import fill, find_variables
from inference import (
    ChatPrompt,
    Constraint,
    GenerationRequest,
    Message,
    Prompt,
    RawPrompt,
    Sampling,
)


@dataclass(frozen=True, slots=True)
class Variant:
    """One column: how the inputs are asked.

    Attributes:
        template: The prompt; `{{name}}` takes the value of that name from the row.
        model: Empty takes the app's model.
        sampling: None takes the model's own.
        raw: Complete the text as it is, without turns.
    """

    name: str
    template: str = "{{input}}"
    system: str = ""
    model: str = ""
    sampling: Sampling | None = None
    max_tokens: int | None = 256
    stop: tuple[str, ...] = ()
    thinking: bool = False
    constraint: Constraint | None = None
    raw: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole grid.

    Attributes:
        inputs: One row each: name to value.
        completion: Score mode: the answer one wishes for, with variables; "" makes replies.
        schema: A JSON schema that every reply is checked against; "" checks none.
    """

    variants: tuple[Variant, ...]
    inputs: tuple[dict[str, str], ...]
    seeds: tuple[int, ...] = (1,)
    completion: str = ""
    schema: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a cell is."""

    row: int
    column: int
    seed: int


def places(plan: Plan) -> Iterator[Place]:
    """Give every cell; those that share the most of a prompt are neighbours."""
    for row in range(len(plan.inputs)):
        for column in range(len(plan.variants)):
            for seed in plan.seeds:
                yield Place(row, column, seed)


def prompt_of(plan: Plan, place: Place) -> Prompt:
    """Make the prompt of a cell.

    Raises:
        UnknownVariableError: The template names what the row does not have.
    """
    variant, values = plan.variants[place.column], plan.inputs[place.row]
    text = fill(variant.template, values)
    if variant.raw:
        return RawPrompt(text)
    system = fill(variant.system, values)
    first = (Message("system", system),) if system.strip() else ()
    return ChatPrompt((*first, Message("user", text)), thinking=variant.thinking)


def request_of(
    plan: Plan, place: Place, default: Sampling, alternatives: int = 0
) -> GenerationRequest:
    """Make the request of a cell.

    Args:
        plan: The grid.
        place: The cell.
        default: The model's own sampling.
        alternatives: How many likeliest tokens are kept with each.

    Raises:
        UnknownVariableError: The template names what the row does not have.
    """
    variant = plan.variants[place.column]
    sampling = variant.sampling or default
    return GenerationRequest(
        prompt_of(plan, place),
        replace(sampling, seed=place.seed),
        max_tokens=variant.max_tokens,
        stop=variant.stop,
        alternatives=alternatives,
        constraint=variant.constraint,
    )


def completion_of(plan: Plan, place: Place) -> str:
    """Make the text that a cell scores.

    Raises:
        UnknownVariableError: It names what the row does not have.
    """
    return fill(plan.completion, plan.inputs[place.row])


def batches(plan: Plan, wanted: Sequence[Place], size: int) -> Iterator[tuple[str, list[Place]]]:
    """Group cells into batches of one model each, in order: (model, cells)."""
    by_model: dict[str, list[Place]] = {}
    for place in wanted:
        by_model.setdefault(plan.variants[place.column].model, []).append(place)
    for model, cells in by_model.items():
        for first in range(0, len(cells), size):
            yield model, cells[first : first + size]


def problems(plan: Plan) -> tuple[str, ...]:
    """Say, one sentence each, what would keep cells from running."""
    found: list[str] = []
    if not plan.variants:
        found.append("There is no variant; add a column.")
    if not plan.inputs:
        found.append("There is no input; add a row, paste some, or open a file.")
    names = set.intersection(*(set(row) for row in plan.inputs)) if plan.inputs else set()
    for variant in plan.variants:
        for name in find_variables(variant.template + variant.system + plan.completion):
            if plan.inputs and name not in names:
                rows = [i + 1 for i, row in enumerate(plan.inputs) if name not in row]
                found.append(
                    f"{variant.name} names {{{{{name}}}}}, which row {rows[0]}"
                    f"{' and others do' if len(rows) > 1 else ' does'} not have."
                )
    return tuple(dict.fromkeys(found))


def plan_to_text(plan: Plan) -> str:
    """Write a plan as JSON."""
    return json.dumps(to_json(plan), ensure_ascii=False)


def plan_from_text(text: str) -> Plan:
    """Read a plan.

    Raises:
        ValueError: It is none.
    """
    return from_json(Plan, json.loads(text))


def example() -> Plan:
    """Make the two-variant example that an empty lab shows."""
    greedy = Sampling(temperature=0)
    ask = "Explain {{topic}} to a child in one sentence."
    return Plan(
        (
            Variant("Plain", ask, sampling=greedy, max_tokens=64),
            Variant("With a role", ask, "You are a patient teacher.", "", greedy, 64),
        ),
        ({"topic": "rain"}, {"topic": "echoes"}),
    )
