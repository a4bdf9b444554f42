"""A request's prompt as it is read: composed, and cut where it has grown past its limit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from inference.errors import PromptTooLongError
from inference.overflow import REPLY_SHARE, first_kept
from inference.types import ChatPrompt

if TYPE_CHECKING:
    from inference.model import Model
    from inference.template import Composed
    from inference.types import GenerationRequest


def context_limit(model: Model, request: GenerationRequest) -> int:
    """How many tokens prompt and reply may have together."""
    asked = request.context_tokens
    return min(model.info.context_tokens, asked) if asked else model.info.context_tokens


def fitted(model: Model, request: GenerationRequest) -> tuple[Composed, int]:
    """Compose a request's prompt; tell also how many messages were left out for it to fit.

    Raises:
        PromptTooLongError: It does not fit, by the policy that the user chose.
    """
    limit = context_limit(model, request)
    composed, dropped = model.compose(request.prompt), 0
    prompt = request.prompt
    if isinstance(prompt, ChatPrompt) and len(composed.ids) > limit - limit // REPLY_SHARE:
        roles = [message.role for message in prompt.messages]
        tokens, frame = _message_tokens(composed, len(roles))
        first = first_kept(request.context_policy, roles, tokens, limit, frame)
        n_system = next((i for i, role in enumerate(roles) if role != "system"), len(roles))
        dropped = first - n_system
        if dropped:
            kept = (*prompt.messages[:n_system], *prompt.messages[first:])
            composed = model.compose(replace(prompt, messages=kept))
    if len(composed.ids) >= limit and request.context_policy != "rotate":
        raise PromptTooLongError(len(composed.ids), limit)
    return composed, dropped


def _message_tokens(composed: Composed, n_messages: int) -> tuple[list[int], int]:
    """How many tokens each message takes, with the template's own before it; and the rest."""
    tokens, waiting = [0] * n_messages, 0
    for owner in composed.owners:
        waiting += 1
        if owner >= 0:
            tokens[owner] += waiting
            waiting = 0
    return tokens, waiting
