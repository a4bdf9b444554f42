"""Plain dataclasses to JSON values and back; what does not fit a field leaves its default."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")


def to_json(value: DataclassInstance) -> dict[str, object]:
    """Turn a dataclass into what `json.dumps` takes."""
    return asdict(value)


def from_json(cls: type[T], found: object) -> T:
    """Read a dataclass from a JSON object: unknown keys and values that do not fit are left out.

    Raises:
        ValueError: A field without a default is missing or does not fit.
    """
    given = found if isinstance(found, Mapping) else {}
    hints = get_type_hints(cls)
    kept: dict[str, Any] = {}  # Any: each value was checked against its own field
    for part in fields(cls):
        if part.name in given:
            try:
                kept[part.name] = _fit(hints[part.name], given[part.name])
                continue
            except ValueError:
                pass
        if not _has_default(part):
            raise ValueError(f"{cls.__name__}.{part.name} is missing or of the wrong kind")
    return cls(**kept)


def _has_default(part: Field[Any]) -> bool:
    return part.default is not MISSING or part.default_factory is not MISSING


def _fit(kind: Any, value: Any) -> Any:  # noqa: ANN401  (a type form and a JSON value)
    """Check a value against a type, turning lists to tuples and objects to dataclasses."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _fit_any(get_args(kind), value)
    if origin is tuple:
        return _fit_tuple(get_args(kind), value)
    if origin is dict and isinstance(value, Mapping):
        of_key, of_value = get_args(kind)
        return {_fit(of_key, k): _fit(of_value, v) for k, v in value.items()}
    if origin is Literal and value in get_args(kind):
        return value
    if origin is None and isinstance(kind, type) and _is_a(kind, value):
        if is_dataclass(kind):
            return from_json(kind, value)
        return float(value) if kind is float else value
    raise ValueError(f"{value!r:.40} is not {kind}")


def _is_a(kind: type, value: object) -> bool:
    if is_dataclass(kind):
        return isinstance(value, Mapping)
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, kind) or (kind is float and isinstance(value, int))


def _fit_any(kinds: tuple[Any, ...], value: Any) -> Any:  # noqa: ANN401
    for kind in kinds:
        try:
            return _fit(kind, value)
        except ValueError:
            continue
    raise ValueError(f"{value!r:.40} fits none")


def _fit_tuple(kinds: tuple[Any, ...], value: Any) -> tuple[Any, ...]:  # noqa: ANN401
    if not isinstance(value, list | tuple):
        raise ValueError(f"{value!r:.40} is not a list")  # noqa: TRY004  (one error for all misfits)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_fit(kinds[0], item) for item in value)
    if len(kinds) != len(value):
        raise ValueError(f"{len(kinds)} values are needed, not {len(value)}")
    return tuple(_fit(kind, item) for kind, item in zip(kinds, value, strict=True))
