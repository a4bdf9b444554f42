"""Read a JSON table that somebody else wrote."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from inference.errors import ModelFolderError

if TYPE_CHECKING:
    from pathlib import Path

MAX_JSON_BYTES = 64 << 20


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON table; an absent file is an empty one.

    Raises:
        ModelFolderError: It is damaged or absurdly large.
    """
    try:
        if not path.exists():
            return {}
        if path.stat().st_size > MAX_JSON_BYTES:
            raise ModelFolderError(f"{path.name} is too large to be true; fetch the model again.")
        value = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ModelFolderError(
            f"{path.name} cannot be read ({error.strerror or error}); choose another model."
        ) from error
    except (ValueError, RecursionError) as error:
        raise ModelFolderError(
            f"{path.name} is damaged: it is no JSON; fetch the model again."
        ) from error
    if not isinstance(value, dict):
        raise ModelFolderError(f"{path.name} is damaged: it is no table; fetch the model again.")
    return value
