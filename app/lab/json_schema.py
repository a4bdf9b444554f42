"""Checks a value against a JSON schema: the keywords that schemas for prompts use, no network.

Unknown keywords are ignored, as the standard says; `$ref` points into the same schema alone.

Source: JSON Schema, draft 2020-12 (validation vocabulary).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

MAX_DEPTH = 64
Json = Any  # whatever json.loads gives
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_KINDS = (*_TYPES, "integer")


class SchemaError(ValueError):
    """The schema is none; the message is one sentence."""


def read_schema(text: str) -> dict[str, Json] | bool:
    """Read a schema from its text.

    Raises:
        SchemaError: It is no JSON, or no schema.
    """
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"The schema is not JSON: {error}.") from error
    _require_schema(schema, schema, "the schema", 0)
    checked: dict[str, Json] | bool = schema
    return checked


def check_text(text: str, schema: dict[str, Json] | bool) -> str:
    """Check a reply: "" when it conforms, else one sentence about the first thing that does not."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return "The reply is not JSON."
    return next(_faults(value, schema, schema, "the value", 0), "")


def _require_schema(schema: Json, root: Json, where: str, depth: int) -> None:
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        raise SchemaError(f"In {where} an object or true or false is needed.")
    kinds = schema.get("type", [])
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind not in _KINDS:
            raise SchemaError(f"In {where} the type {kind!r} is unknown.")
    if "pattern" in schema:
        try:
            re.compile(schema["pattern"])
        except (re.error, TypeError) as error:
            raise SchemaError(f"In {where} the pattern is no regular expression.") from error
    if "$ref" in schema:
        _resolve(schema["$ref"], root)
    for name, below in _parts(schema):
        _require_schema(below, root, f"{where}, {name}", depth + 1)


def _parts(schema: dict[str, Json]) -> Iterator[tuple[str, Json]]:
    for key in ("properties", "$defs", "definitions", "patternProperties"):
        if key in schema:
            if not isinstance(schema[key], dict):
                raise SchemaError(f"{key} must be an object.")
            yield from schema[key].items()
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        if key in schema:
            if not isinstance(schema[key], list) or not schema[key]:
                raise SchemaError(f"{key} must be a list that is not empty.")
            yield from ((key, one) for one in schema[key])
    for key in ("items", "additionalProperties", "not"):
        if key in schema:
            yield key, schema[key]


def _resolve(ref: Json, root: Json) -> Json:
    if not isinstance(ref, str) or not ref.startswith("#"):
        raise SchemaError(f"$ref {ref!r} points out of the schema, which is not followed.")
    at = root
    for part in ref[1:].strip("/").split("/"):
        if not part:
            continue
        key = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(at, dict) or key not in at:
            raise SchemaError(f"$ref {ref!r} points to nothing.")
        at = at[key]
    return at


def _faults(value: Json, schema: Json, root: Json, where: str, depth: int) -> Iterator[str]:
    if schema is True:
        return
    if schema is False or depth > MAX_DEPTH:
        yield f"{_upper(where)} is not allowed here."
        return
    if "$ref" in schema:
        yield from _faults(value, _resolve(schema["$ref"], root), root, where, depth + 1)
    kinds = schema.get("type")
    if kinds is not None:
        wanted = kinds if isinstance(kinds, list) else [kinds]
        if not any(_is(value, kind) for kind in wanted):
            yield f"{_upper(where)} must be {' or '.join(wanted)}."
            return
    yield from _combined(value, schema, root, where, depth)
    if isinstance(value, dict):
        yield from _object(value, schema, root, where, depth)
    elif isinstance(value, list):
        yield from _array(value, schema, root, where, depth)
    elif isinstance(value, str):
        yield from _string(value, schema, where)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _number(value, schema, where)


def _combined(
    value: Json, schema: dict[str, Json], root: Json, where: str, depth: int
) -> Iterator[str]:
    if "const" in schema and not _same(value, schema["const"]):
        yield f"{_upper(where)} must be {json.dumps(schema['const'])}."
    if "enum" in schema and not any(_same(value, one) for one in schema["enum"]):
        yield f"{_upper(where)} must be one of {json.dumps(schema['enum'])}."
    for below in schema.get("allOf", ()):
        yield from _faults(value, below, root, where, depth + 1)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            fits = sum(
                next(_faults(value, one, root, where, depth + 1), None) is None
                for one in schema[key]
            )
            if not fits or (key == "oneOf" and fits > 1):
                yield f"{_upper(where)} fits {fits} of the choices of {key}."
    if (
        "not" in schema
        and next(_faults(value, schema["not"], root, where, depth + 1), None) is None
    ):
        yield f"{_upper(where)} is what it must not be."


def _object(
    value: dict[str, Json],
    schema: dict[str, Json],
    root: Json,
    where: str,
    depth: int,
) -> Iterator[str]:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{_upper(where)} lacks “{name}”."
    patterns = schema.get("patternProperties", {})
    for name, one in value.items():
        matched = [below for pattern, below in patterns.items() if re.search(pattern, name)]
        if name in known:
            matched.append(known[name])
        if not matched and "additionalProperties" in schema:
            matched = [schema["additionalProperties"]]
        for below in matched:
            yield from _faults(one, below, root, f"“{name}”", depth + 1)
    yield from _sized(len(value), schema, "Properties", "properties", where)


def _array(
    value: list[Json], schema: dict[str, Json], root: Json, where: str, depth: int
) -> Iterator[str]:
    first = schema.get("prefixItems", [])
    for i, one in enumerate(value):
        below = first[i] if i < len(first) else schema.get("items", True)
        yield from _faults(one, below, root, f"item {i + 1} of {where}", depth + 1)
    if schema.get("uniqueItems"):
        seen = [json.dumps(one, sort_keys=True) for one in value]
        if len(set(seen)) != len(seen):
            yield f"{_upper(where)} has the same item twice."
    yield from _sized(len(value), schema, "Items", "items", where)


def _string(value: str, schema: dict[str, Json], where: str) -> Iterator[str]:
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{_upper(where)} does not match {schema['pattern']}."
    yield from _sized(len(value), schema, "Length", "characters", where)


def _sized(size: int, schema: dict[str, Json], what: str, unit: str, where: str) -> Iterator[str]:
    if size < schema.get(f"min{what}", 0):
        yield f"{_upper(where)} has {size} {unit}, fewer than {schema[f'min{what}']}."
    if size > schema.get(f"max{what}", size):
        yield f"{_upper(where)} has {size} {unit}, more than {schema[f'max{what}']}."


def _number(value: float, schema: dict[str, Json], where: str) -> Iterator[str]:
    if value < schema.get("minimum", value) or value <= schema.get("exclusiveMinimum", value - 1):
        yield f"{_upper(where)} is too small."
    if value > schema.get("maximum", value) or value >= schema.get("exclusiveMaximum", value + 1):
        yield f"{_upper(where)} is too large."
    step = schema.get("multipleOf")
    if step and abs(value / step - round(value / step)) > 1e-9:
        yield f"{_upper(where)} is not a multiple of {step}."


def _is(value: Json, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, _TYPES[kind])


def _same(a: Json, b: Json) -> bool:
    """Tell whether two JSON values are equal; 1 and true are not."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
