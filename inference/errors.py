"""The errors that cross the door, each with one plain sentence for the user.

InferenceError
├── ModelFolderError       the model's files: missing, incomplete, damaged, unsupported
├── PromptTooLongError     the prompt does not fit the context
├── RequestError           an argument of a request is out of its range; names the argument
├── DriftError             the likeliest tokens after the prompt are not the expected ones
├── DeviceMemoryError      the device has no memory left
├── NumericError           the logits were not finite, even in float32
├── EngineBusyError        a second request while one is running
└── EngineLostError        the engine's process ended; the next request starts it again
"""

from __future__ import annotations


class InferenceError(Exception):
    """Something in the engine went wrong; the message is one sentence for the user."""


class ModelFolderError(InferenceError):
    """A model's files are missing, incomplete, damaged or of a kind that is not supported."""


class PromptTooLongError(InferenceError):
    """The prompt does not fit the context.

    Attributes:
        prompt_tokens: How many tokens the prompt has.
        context_tokens: How many fit.
    """

    def __init__(self, prompt_tokens: int, context_tokens: int) -> None:
        super().__init__(
            f"The conversation has {prompt_tokens:,} tokens and this model's limit is "
            f"{context_tokens:,}; shorten it, or choose what falls out in the settings."
        )
        self.prompt_tokens = prompt_tokens
        self.context_tokens = context_tokens

    def __reduce__(self) -> tuple[type[PromptTooLongError], tuple[int, int]]:
        return type(self), (self.prompt_tokens, self.context_tokens)


class RequestError(InferenceError):
    """An argument is wrong; the message names it. Nothing was changed."""


class DriftError(InferenceError):
    """The likeliest tokens after the prompt drifted from those expected; nothing was spoken.

    Attributes:
        expected: The expected ids, best first.
        actual: The ids found, best first.
    """

    def __init__(
        self, drift: float, limit: float, expected: tuple[int, ...], actual: tuple[int, ...]
    ) -> None:
        super().__init__(
            f"The likeliest next tokens drifted by {drift:.0%}, more than the {limit:.0%} allowed."
        )
        self.drift = drift
        self.limit = limit
        self.expected = expected
        self.actual = actual

    def __reduce__(
        self,
    ) -> tuple[type[DriftError], tuple[float, float, tuple[int, ...], tuple[int, ...]]]:
        return type(self), (self.drift, self.limit, self.expected, self.actual)


class DeviceMemoryError(InferenceError):
    """The device has too little memory for what was asked."""


class NumericError(InferenceError):
    """The numbers stopped being finite, even in float32. What was said stays said."""


class EngineBusyError(InferenceError):
    """A request came while another one was running."""


class EngineLostError(InferenceError):
    """The engine's process ended. What was said stays said; the next request starts it again."""
