"""Arguments are judged before anything is done with them: one sentence that names the argument."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from inference.errors import RequestError
from inference.types import ChatPrompt, GenerationRequest, Prompt, RawPrompt, Sampling, TokenPrompt

MOST_ALTERNATIVES: Final = 100
MOST_AHEAD: Final = 32  # steps in flight; what a cache can always take back is 64
MOST_STOPS: Final = 64
POLICIES: Final = ("stop", "oldest", "rolling", "rotate")


def check_request(request: GenerationRequest, vocabulary_size: int) -> None:
    """Raise a `RequestError` that names the first argument which is wrong."""
    check_prompt(request.prompt, vocabulary_size)
    check_sampling(request.sampling, vocabulary_size)
    whole_number("max_tokens", request.max_tokens, least=0)
    whole_number("context_tokens", request.context_tokens, least=2)
    whole_number("thinking_tokens", request.thinking_tokens, least=0)
    whole_number("alternatives", request.alternatives, least=0, most=MOST_ALTERNATIVES)
    whole_number("read_back_tokens", request.read_back_tokens, least=1, most=MOST_AHEAD)
    if request.context_policy not in POLICIES:
        raise RequestError(
            f"context_policy is {request.context_policy!r}; it must be {' or '.join(POLICIES)}."
        )
    if not isinstance(request.stop, tuple) or len(request.stop) > MOST_STOPS:
        raise RequestError(f"stop must be a tuple of at most {MOST_STOPS} texts.")
    if not all(isinstance(text, str) and text for text in request.stop):
        raise RequestError("stop has an empty text; each must have at least one character.")
    if request.kv_bits not in {None, 4, 8}:
        raise RequestError(f"kv_bits is {request.kv_bits!r}; it must be 4, 8 or nothing.")
    check_ids("expected_top_k", request.expected_top_k, vocabulary_size)
    drift = request.max_drift
    if not isinstance(drift, (int, float)) or not 0 <= drift <= 1:
        raise RequestError(f"max_drift is {drift}; it must be from 0 to 1.")
    whole_number("profile_every", request.profile_every, least=0)
    if request.probe is not None:
        for step in request.probe.steps:
            whole_number("probe.steps", step, least=0)
    if request.constraint is not None:
        check_text("constraint.text", request.constraint.text)
    if request.draft is not None:
        whole_number("draft.max_tokens", request.draft.max_tokens, least=1, most=MOST_AHEAD)


def check_prompt(prompt: Prompt, vocabulary_size: int) -> None:
    """Raise a `RequestError` where a prompt has a wrong type or ids that do not exist."""
    match prompt:
        case TokenPrompt():
            check_ids("prompt.token_ids", prompt.token_ids, vocabulary_size)
        case RawPrompt():
            check_text("prompt.text", prompt.text)
            check_ids("prompt.prefix_ids", prompt.prefix_ids, vocabulary_size)
        case ChatPrompt():
            for i, message in enumerate(prompt.messages):
                check_text(f"prompt.messages[{i}].text", message.text)
                name = f"prompt.messages[{i}].token_ids"
                check_ids(name, message.token_ids, vocabulary_size)
                if message.role not in {"system", "user", "assistant"}:
                    raise RequestError(f"prompt.messages[{i}].role is {message.role!r}.")
            check_text("prompt.prefix", prompt.prefix)
            check_ids("prompt.prefix_ids", prompt.prefix_ids, vocabulary_size)
        case _:
            raise RequestError("prompt must be a ChatPrompt, a RawPrompt or a TokenPrompt.")


def check_text(name: str, text: object) -> None:
    """Raise where an argument is no text."""
    if not isinstance(text, str):
        raise RequestError(f"{name} must be text, not {type(text).__name__}.")


def check_ids(name: str, ids: Iterable[int], vocabulary_size: int) -> None:
    """Raise where an id is not in the vocabulary."""
    for token_id in ids:
        if isinstance(token_id, bool) or not isinstance(token_id, int):
            raise RequestError(f"{name} has {token_id!r}, which is no token id.")
        if not 0 <= token_id < vocabulary_size:
            raise RequestError(
                f"{name} has {token_id}; this model's token ids are 0 to {vocabulary_size - 1:,}."
            )


def whole_number(name: str, value: object, *, least: int, most: int | None = None) -> None:
    """Raise where an argument is no whole number in its range; None is fine."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int):
        raise RequestError(f"{name} is {value!r}; it must be a whole number.")
    if value < least or (most is not None and value > most):
        limits = f"at least {least}" if most is None else f"from {least} to {most}"
        raise RequestError(f"{name} is {value}; it must be {limits}.")


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
