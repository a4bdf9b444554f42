"""Inputs from CSV, JSON Lines or a paste; what does not fit is reported, the rest goes on."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass

MAX_ROWS = 10_000
MAX_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class Inputs:
    """Rows, and one sentence for each that was left out or mended."""

    rows: tuple[dict[str, str], ...]
    problems: tuple[str, ...] = ()


def read_inputs(text: str, name: str = "") -> Inputs:
    """Read rows by what the text looks like: JSON Lines, a table with a head, or plain lines.

    Args:
        text: The whole file or paste.
        name: The file's name, whose ending decides; "" looks at the text alone.
    """
    text = text.lstrip("\ufeff")
    low = name.lower()
    if low.endswith((".jsonl", ".ndjson", ".json")) or (not low and text.lstrip()[:1] == "{"):
        return read_json_lines(text)
    if low.endswith((".csv", ".tsv")) or (not low and _looks_like_a_table(text)):
        return read_table(text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return Inputs(tuple({"input": line} for line in lines[:MAX_ROWS]), _too_many(len(lines)))


def read_table(text: str) -> Inputs:
    """Read CSV (or TSV, or semicolons) whose first row names the variables.

    A row with too few or too many fields is left out and reported.
    """
    first = text.split("\n", 1)[0]
    delimiter = max("\t;,", key=first.count) if any(c in first for c in "\t;,") else ","
    csv.field_size_limit(10_000_000)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[dict[str, str]] = []
    found: list[str] = []
    try:
        head = [name.strip() for name in next(reader, [])]
        if not any(head) or len(set(head)) != len(head):
            return Inputs((), ("The first row must name the columns, each differently.",))
        for fields in reader:
            if not any(field.strip() for field in fields):
                continue
            if len(fields) != len(head):
                found.append(
                    f"Line {reader.line_num} has {len(fields)} fields instead of {len(head)} "
                    "and was left out."
                )
                continue
            rows.append(dict(zip(head, fields, strict=True)))
    except csv.Error as error:
        found.append(f"Line {reader.line_num} cannot be read ({error}); what follows is left out.")
    return Inputs(tuple(rows[:MAX_ROWS]), _few(found) + _too_many(len(rows)))


def read_json_lines(text: str) -> Inputs:
    """Read one JSON object a line (or one array of them); values that are no text become JSON."""
    rows: list[dict[str, str]] = []
    found: list[str] = []
    if text.lstrip()[:1] == "[":
        try:
            lines = [json.dumps(one, ensure_ascii=False) for one in json.loads(text)]
        except (ValueError, RecursionError):
            return Inputs((), ("This is not JSON.",))
    else:
        lines = text.split("\n")
    for n, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            one = json.loads(line)
        except (ValueError, RecursionError):
            one = None
        if not isinstance(one, dict):
            found.append(f"Line {n} is not a JSON object and was left out.")
            continue
        rows.append({str(key): _text(value) for key, value in one.items()})
    return Inputs(tuple(rows[:MAX_ROWS]), _few(found) + _too_many(len(rows)))


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _looks_like_a_table(text: str) -> bool:
    lines = [line for line in text.split("\n")[:3] if line.strip()]
    return len(lines) > 1 and any(
        lines[0].count(c) and all(line.count(c) >= lines[0].count(c) for line in lines)
        for c in "\t;,"
    )


def _few(found: list[str]) -> tuple[str, ...]:
    if len(found) <= MAX_PROBLEMS:
        return tuple(found)
    return (*found[:MAX_PROBLEMS], f"{len(found) - MAX_PROBLEMS} more rows were left out.")


def _too_many(n: int) -> tuple[str, ...]:
    if n <= MAX_ROWS:
        return ()
    return (f"Only the first {MAX_ROWS:,} of {n:,} rows were taken.",)
