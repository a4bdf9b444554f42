"""Keeps the libraries below us from the network: set before the first of them is imported."""

from __future__ import annotations

from collections.abc import MutableMapping

VARIABLES = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TRANSFORMERS_VERBOSITY": "error",
}


def keep_libraries_offline(environ: MutableMapping[str, str]) -> None:
    """Tell every library that there is no network; child processes inherit it."""
    environ.update(VARIABLES)
