"""How a model speaks: its template, what ends a reply, what is never said, its sampling.

Every source is read and what they say is united: generation_config.json, tokenizer_config.json,
config.json, the template's own turn end, and the keys that a GGUF file had.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inference.errors import ModelFolderError
from inference.loading.json_file import read_json
from inference.template import THOUGHT_OPENER, TURN_CLOSERS, TemplateForm
from inference.types import Sampling

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from inference.tokenizer import Tokenizer

MAX_TEMPLATE_BYTES = 1 << 20
BASE_NOTE = (
    "{name} is a base model: it has read a lot but was never taught to chat. It continues texts "
    "and gives short, simple answers; an instruction-tuned Gemma converses far better."
)
_NEVER_SAID = (
    *("<pad>", "<bos>", "<unk>", "<mask>", "[multimodal]"),
    *("<start_of_image>", "<end_of_image>", "<image_soft_token>"),
    *("<start_of_audio>", "<end_of_audio>", "<audio_soft_token>"),
    *("<|image|>", "<|image>", "<image|>", "<|audio|>", "<|audio>", "<audio|>", "<|video|>"),
)
_SOFT_TOKEN_KEY = re.compile(r"(?:image|audio|video|boi|eoi|boa|eoa)_token_(?:id|index)")
_TUNED_NAME = re.compile(r"(?i)(?:^|[-_ .])(?:it|instruct|chat)(?:$|[-_ .])")


@dataclass(frozen=True, slots=True)
class Speech:
    """How a model speaks.

    Attributes:
        is_base: It was not taught to take turns.
    """

    name: str
    template: TemplateForm
    end_ids: frozenset[int]
    forbidden_ids: frozenset[int]
    sampling: Sampling
    is_base: bool
    can_think: bool
    note: str


def bos_name(folder: Path) -> str:
    """Give the name of the token that begins every prompt."""
    return _token_name(read_json(folder / "tokenizer_config.json").get("bos_token")) or "<bos>"


def speech(config: dict[str, Any], folder: Path, tokenizer: Tokenizer) -> Speech:
    """Read how a model speaks from its folder.

    Raises:
        ModelFolderError: One of its files is damaged.
    """
    gguf = config.get("gguf")
    gguf = gguf if isinstance(gguf, dict) else {}
    generation = read_json(folder / "generation_config.json")
    of_tokenizer = read_json(folder / "tokenizer_config.json")
    source = _template(folder, of_tokenizer, gguf)
    name = str(gguf.get("name") or folder.resolve().name)
    is_base = source is None and not _TUNED_NAME.search(name)
    size = tokenizer.vocabulary_size
    end_ids = frozenset(
        i for i in _end_ids(config, generation, of_tokenizer, gguf, tokenizer) if 0 <= i < size
    )
    never = {tokenizer.id_of(token) for token in _NEVER_SAID} | set(_soft_tokens(config))
    return Speech(
        name=name,
        template=TemplateForm("transcript" if is_base else "turns", source),
        end_ids=end_ids,
        forbidden_ids=frozenset(i for i in never if i is not None and 0 <= i < size) - end_ids,
        sampling=_sampling(generation),
        is_base=is_base,
        can_think=source is not None and THOUGHT_OPENER in source,
        note=BASE_NOTE.format(name=name) if is_base else "",
    )


def looks_tuned(config: dict[str, Any], folder: Path) -> bool:
    """Tell whether a model was taught to take turns: it has a template, or its name says so."""
    gguf = config.get("gguf")
    gguf = gguf if isinstance(gguf, dict) else {}
    source = _template(folder, read_json(folder / "tokenizer_config.json"), gguf)
    name = str(gguf.get("name") or folder.resolve().name)
    return source is not None or _TUNED_NAME.search(name) is not None


def _template(folder: Path, of_tokenizer: dict[str, Any], gguf: dict[str, Any]) -> str | None:
    path = folder / "chat_template.jinja"
    if path.is_file():
        if path.stat().st_size > MAX_TEMPLATE_BYTES:
            raise ModelFolderError(f"{path.name} is too large to be true; fetch the model again.")
        try:
            return path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ModelFolderError(f"{path.name} cannot be read; fetch the model again.") from error
    for found in (
        of_tokenizer.get("chat_template"),
        read_json(folder / "chat_template.json").get("chat_template"),
        gguf.get("chat_template"),
    ):
        if isinstance(found, list):  # several, each with a name
            named = {t.get("name"): t.get("template") for t in found if isinstance(t, dict)}
            found = named.get("default")  # noqa: PLW2901
        if isinstance(found, str) and found:
            return found
    return None


def _end_ids(
    config: dict[str, Any],
    generation: dict[str, Any],
    of_tokenizer: dict[str, Any],
    gguf: dict[str, Any],
    tokenizer: Tokenizer,
) -> Iterator[int]:
    text = config.get("text_config")
    for table in (generation, config, text if isinstance(text, dict) else {}):
        yield from _ids(table.get("eos_token_id"))
    special = gguf.get("special")
    if isinstance(special, dict):
        for key in ("eos", "eot", "eom"):
            yield from _ids(special.get(key))
    for name in (_token_name(of_tokenizer.get("eos_token")), "<eos>", *TURN_CLOSERS):
        found = tokenizer.id_of(name) if name else None
        if found is not None:
            yield found


def _ids(value: object) -> Iterator[int]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, int) and not isinstance(item, bool):
            yield item


def _soft_tokens(config: dict[str, Any]) -> Iterator[int]:
    for key, value in config.items():
        if _SOFT_TOKEN_KEY.fullmatch(key):
            yield from _ids(value)


def _token_name(value: object) -> str:
    if isinstance(value, dict):
        value = value.get("content")
    return value if isinstance(value, str) else ""


def _sampling(generation: dict[str, Any]) -> Sampling:
    """What generation_config.json recommends; Gemma's own defaults for the rest."""
    usual = Sampling()

    def number(key: str, default: float, low: float, high: float) -> float:
        value = generation.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return default
        return value if math.isfinite(value) and low <= value <= high else default

    return Sampling(
        temperature=number("temperature", usual.temperature, 0, 5),
        top_k=int(number("top_k", usual.top_k, 0, 1 << 20)),
        top_p=number("top_p", usual.top_p, 1e-3, 1),
        min_p=number("min_p", usual.min_p, 0, 1),
        repetition_penalty=number("repetition_penalty", usual.repetition_penalty, 0.1, 10),
    )
