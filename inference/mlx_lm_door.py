"""The one place where mlx-lm is imported: without transformers and without the hub's client.

mlx-lm's package imports both for tokenizers and downloads that are not used here. They cost about a
second, and a client that is not there cannot reach for the network. Stand-ins take their place
while mlx-lm is imported, and are gone afterwards; where they are imported already, nothing is done.
The limit of open files, which mlx-lm sets when it is imported, stays as it was.

WORKAROUND for mlx-lm 0.32: removable when `import mlx_lm.models` needs neither.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

__all__ = [
    "base",
    "gemma",
    "gemma2",
    "gemma3",
    "gemma3_text",
    "gemma3n",
    "gemma4",
    "gemma4_text",
    "infer_quant_config",
    "kv_cache",
    "recurrent_gemma",
]


class _StandIn:
    """Takes the place of a class that is imported but never used."""

    @staticmethod
    def register(*_args: object, **_kwargs: object) -> None:
        """Take what `AutoTokenizer.register` takes."""


def _refuse(*_args: object, **_kwargs: object) -> None:
    raise RuntimeError("The engine opens local models only and makes no connection.")


def _stand_ins() -> dict[str, ModuleType]:
    transformers = ModuleType("transformers")
    base = ModuleType("transformers.tokenization_utils_base")
    hub = ModuleType("huggingface_hub")
    for module, names in (
        (transformers, ("AutoTokenizer", "PreTrainedTokenizer", "PreTrainedTokenizerFast")),
        (base, ("PreTrainedTokenizerBase",)),
    ):
        for name in names:
            setattr(module, name, type(name, (_StandIn,), {}))
    transformers.tokenization_utils_base = base  # type: ignore[attr-defined]
    hub.snapshot_download = _refuse  # type: ignore[attr-defined]
    return {module.__name__: module for module in (transformers, base, hub)}


@contextmanager
def _without_the_hub() -> Iterator[None]:
    mine = {
        name: module
        for name, module in _stand_ins().items()
        if name.split(".")[0] not in sys.modules
    }
    sys.modules.update(mine)
    try:
        yield
    finally:
        for name, module in mine.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


@contextmanager
def _limits_left_alone() -> Iterator[None]:
    """Keep mlx-lm from setting the limit of open files when it is imported.

    WORKAROUND for mlx-lm 0.32 (https://github.com/ml-explore/mlx-lm/issues/1589): it lowers the
    hard limit to 4,096 for good, and fails where the limit is lower already.
    """
    set_limit = resource.setrlimit
    resource.setrlimit = lambda *_: None
    try:
        yield
    finally:
        resource.setrlimit = set_limit


def _import(*names: str) -> list[ModuleType]:
    with _without_the_hub(), _limits_left_alone():
        return [import_module(f"mlx_lm.{name}") for name in names]


if TYPE_CHECKING:
    from mlx_lm.models import (
        base,
        gemma,
        gemma2,
        gemma3,
        gemma3_text,
        gemma3n,
        gemma4,
        gemma4_text,
        recurrent_gemma,
    )
    from mlx_lm.models.cache import KVCache as kv_cache  # noqa: N813
    from mlx_lm.utils import infer_quant_config
else:
    base, gemma, gemma2, gemma3, gemma3_text = _import(
        "models.base", "models.gemma", "models.gemma2", "models.gemma3", "models.gemma3_text"
    )
    gemma3n, gemma4, gemma4_text, recurrent_gemma, _cache, _utils = _import(
        "models.gemma3n",
        "models.gemma4",
        "models.gemma4_text",
        "models.recurrent_gemma",
        "models.cache",
        "utils",
    )
    kv_cache = _cache.KVCache
    infer_quant_config = _utils.infer_quant_config
