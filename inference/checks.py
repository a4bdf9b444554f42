"""Arguments are judged before anything is done with them: one sentence that names the argument."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from inference.errors import RequestError

if TYPE_CHECKING:
    from inference.types import Sampling


def check_sampling(sampling: Sampling, vocabulary_size: int) -> None:
    """Raise a `RequestError` that names the first value which is out of its range."""
    ranges = {
        "temperature": (0.0, 100.0),
        "top_k": (0, None),
        "top_p": (0.0, 1.0),
        "min_p": (0.0, 1.0),
        "xtc_probability": (0.0, 1.0),
        "xtc_threshold": (0.0, 1.0),
        "repetition_penalty": (1e-3, 100.0),
        "repetition_window": (0, None),
        "presence_penalty": (-100.0, 100.0),
        "frequency_penalty": (-100.0, 100.0),
    }
    for name, (least, most) in ranges.items():
        value = getattr(sampling, name)
        whole = name in {"top_k", "repetition_window"}
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            kind = "a whole number" if whole else "a number"
            raise RequestError(f"sampling.{name} is {value!r}; it must be {kind}.")
        if not (least <= value and (most is None or value <= most)):  # NaN fails too
            limits = f"at least {least}" if most is None else f"from {least} to {most}"
            raise RequestError(f"sampling.{name} is {value}; it must be {limits}.")
    if sampling.top_p == 0:
        raise RequestError("sampling.top_p is 0; it must be above 0, and 1 keeps every token.")
    for token_id, bias in sampling.logit_bias:
        if not 0 <= token_id < vocabulary_size:
            raise RequestError(f"sampling.logit_bias names token {token_id}, which does not exist.")
        if math.isnan(bias) or bias == math.inf:
            raise RequestError(f"sampling.logit_bias of token {token_id} is {bias}.")
    seed = sampling.seed
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise RequestError(f"sampling.seed is {seed!r}; it must be a whole number.")
    if seed is not None and not 0 <= seed < 2**63:
        raise RequestError(f"sampling.seed is {seed}; it must be from 0 to 2**63 - 1.")
