"""From a reply that begins to what the engine is asked. Pure."""

from __future__ import annotations

from app.chat.beginning import Begun
from app.settings import Settings
from app.store.store import is_temporary
from inference import ChatPrompt, GenerationRequest, ModelInfo, Prompt, RawPrompt, Sampling


def make_prompt(begun: Begun) -> Prompt:
    """Make the prompt: turns to answer, or plain text to complete."""
    if begun.settings.raw:
        text = "".join(message.text for message in begun.prompt)
        if begun.prefix_ids:
            return RawPrompt(text, begun.prefix_ids)
        return RawPrompt(text + begun.reply.text)
    return ChatPrompt(
        begun.prompt, begun.reply.text, begun.prefix_ids, thinking=begun.settings.thinking
    )


def make_request(begun: Begun, settings: Settings, info: ModelInfo | None) -> GenerationRequest:
    """Make the request: the conversation's own settings, then the app's, then the model's.

    Args:
        begun: The reply that begins.
        settings: The app's settings.
        info: The loaded model, if any; its recommended sampling is the default.
    """
    own = begun.settings
    default = info.default_sampling if info else Sampling()
    temporary = is_temporary(begun.conversation_id)
    return GenerationRequest(
        prompt=make_prompt(begun),
        sampling=own.sampling or default,
        max_tokens=own.max_tokens,
        stop=own.stop,
        conversation="" if temporary else str(begun.conversation_id),
        context_tokens=own.context_tokens or settings.context_tokens,
        context_policy=own.context_policy or settings.context_policy,
        alternatives=settings.alternatives,
        thinking_tokens=own.thinking_tokens,
        constraint=own.constraint,
        kv_bits=settings.kv_bits,
    )
