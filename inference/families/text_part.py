"""A multimodal checkpoint of which only the text network is used: every call goes to that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import mlx.core as mx

    from inference.families.network import Caches, Network


class TextPart:
    """The calls of `Network`, handed on to `language_model`; stands before mlx-lm's class."""

    language_model: Network

    @property
    def final_norm(self) -> Any:  # noqa: ANN401
        """The norm before the head."""
        return self.language_model.final_norm

    def embed(self, ids: mx.array) -> mx.array:
        """Give the tokens' embeddings, unscaled."""
        return self.language_model.embed(ids)

    def hidden(
        self,
        ids: mx.array,
        cache: Caches | None = None,
        input_embeddings: mx.array | None = None,
        attention_bias: mx.array | None = None,
    ) -> mx.array:
        """Give the final norm's states."""
        return self.language_model.hidden(ids, cache, input_embeddings, attention_bias)

    def head(self, hidden: mx.array) -> mx.array:
        """Give the logits in float32."""
        return self.language_model.head(hidden)

    def __call__(
        self,
        ids: mx.array,
        cache: Caches | None = None,
        input_embeddings: mx.array | None = None,
        attention_bias: mx.array | None = None,
    ) -> mx.array:
        """Give the logits in float32."""
        return self.language_model(ids, cache, input_embeddings, attention_bias)
