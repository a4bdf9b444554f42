"""What loading hands to the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inference.families.network import Network
    from inference.layout import CacheLayout
    from inference.template import TemplateForm
    from inference.tokenizer import Tokenizer
    from inference.types import ModelInfo


@dataclass(frozen=True, slots=True, eq=False)
class OpenedModel:
    """A model that is ready to be asked. It belongs to the thread that opened it.

    Attributes:
        config: config.json as it was read.
        layout: What each cache keeps; the same as the network's.
        template: How a conversation becomes a prompt.
        end_ids: Every token that ends a reply, from every source that names one.
        forbidden_ids: Tokens that are never spoken: padding, images, sound, and ids that the
            network has and the tokenizer has not.
    """

    network: Network
    tokenizer: Tokenizer
    config: dict[str, Any]
    info: ModelInfo
    layout: CacheLayout
    template: TemplateForm
    end_ids: frozenset[int]
    forbidden_ids: frozenset[int]
