"""Templates with `{{variables}}`, for the prompt library and the lab."""

from __future__ import annotations

import re
from collections.abc import Mapping

_VARIABLE = re.compile(r"\{\{\s*([^\W\d]\w*)\s*\}\}")


class UnknownVariableError(ValueError):
    """A template names a variable that has no value.

    Attributes:
        name: The variable.
    """

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        has = f"there is {', '.join(known)}" if known else "there is none"
        super().__init__(f"The template names {{{{{name}}}}}, which has no value; {has}.")
        self.name = name


def find_variables(template: str) -> tuple[str, ...]:
    """Give the names in a template, each once, in order."""
    return tuple(dict.fromkeys(_VARIABLE.findall(template)))


def fill(template: str, values: Mapping[str, str]) -> str:
    """Put values in the places of the variables; braces inside a value stay text.

    Raises:
        UnknownVariableError: A variable has no value.
    """

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name not in values:
            raise UnknownVariableError(name, tuple(values))
        return values[name]

    return _VARIABLE.sub(value, template)
