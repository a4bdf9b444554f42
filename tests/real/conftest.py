"""The starter model, converted once for the whole session and opened once."""

from __future__ import annotations

import pytest

from inference.loading import OpenedModel, open_model
from inference.types import EngineOptions


@pytest.fixture(scope="session")
def starter_cache(tmp_path_factory):
    """A cache folder that holds the converted starter model."""
    return tmp_path_factory.mktemp("starter-cache")


@pytest.fixture(scope="session")
def starter(starter_cache):
    """The starter model, opened on this thread."""
    *_, opened = open_model("starter", EngineOptions(starter_cache), lambda: False)
    assert isinstance(opened, OpenedModel)
    return opened
