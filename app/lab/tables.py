"""A grid's results as CSV, JSON Lines or Markdown. Pure."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator

from app.lab.plan import Plan
from app.lab.results import CellResult

_FIELDS = (
    *("row", "variant", "seed", "text", "reason", "error", "n_tokens", "seconds"),
    *("tokens_per_second", "total_logprob", "schema_fault"),
)


def to_csv(plan: Plan, results: Iterable[CellResult]) -> str:
    """Write one line a cell, with the inputs' values in columns of their own."""
    names = list(dict.fromkeys(name for row in plan.inputs for name in row))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, [*_FIELDS, *(f"input.{name}" for name in names)])
    writer.writeheader()
    for flat in _flat(plan, results):
        inputs = flat.pop("input")
        assert isinstance(inputs, dict)
        writer.writerow(flat | {f"input.{name}": inputs.get(name, "") for name in names})
    return out.getvalue()


def to_json_lines(plan: Plan, results: Iterable[CellResult]) -> str:
    """Write one JSON object a cell."""
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in _flat(plan, results))


def to_markdown(plan: Plan, results: Iterable[CellResult]) -> str:
    """Write the grid as a table: inputs down, variants across; several seeds in one cell."""
    texts: dict[tuple[int, int], list[str]] = {}
    for one in results:
        place = one.place.row, one.place.column
        texts.setdefault(place, []).append(_shown(one))
    head = ["Input", *(variant.name for variant in plan.variants)]
    lines = [_line(head), _line(["---"] * len(head))]
    for row, values in enumerate(plan.inputs):
        cells = ["; ".join(f"{name}: {value}" for name, value in values.items())]
        cells += [" / ".join(texts.get((row, column), [])) for column in range(len(plan.variants))]
        lines.append(_line(cells))
    return "\n".join(lines) + "\n"


def _flat(plan: Plan, results: Iterable[CellResult]) -> Iterator[dict[str, object]]:
    for one in results:
        yield {
            "row": one.place.row,
            "variant": plan.variants[one.place.column].name,
            "seed": one.place.seed,
            "text": one.text,
            "reason": one.reason or "",
            "error": one.error,
            "n_tokens": one.n_tokens,
            "seconds": round(one.seconds, 4),
            "tokens_per_second": round(one.tokens_per_second, 2),
            "total_logprob": one.total_logprob,
            "schema_fault": one.schema_fault,
            "input": dict(plan.inputs[one.place.row]),
        }


def _shown(one: CellResult) -> str:
    if one.error:
        return f"*{one.error}*"
    return one.text if one.total_logprob is None else f"{one.total_logprob:.3f}"


def _line(cells: list[str]) -> str:
    safe = (cell.replace("|", "\\|").replace("\r", "").replace("\n", "<br>") for cell in cells)
    return f"| {' | '.join(safe)} |"
