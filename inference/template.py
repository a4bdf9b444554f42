"""Messages -> tokens: the model's own template composes, the user's words stay words.

A template is rendered with placeholders where the messages' texts belong. What the template itself
wrote is encoded with its control tokens; each text is encoded apart, as plain text, so that nothing
a person pastes can become a turn marker. Every prompt begins with exactly one BOS.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from jinja2 import TemplateError, TemplateSyntaxError
from jinja2.exceptions import SecurityError
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from inference.errors import RequestError
from inference.template_texts import MARK, TRANSCRIPT, TRANSCRIPT_STOPS, TURNS, TURNS_WITH_SYSTEM
from inference.types import (
    ChatPrompt,
    DeltaKind,
    Message,
    Prompt,
    RawPrompt,
    ReplyStyle,
    TokenPrompt,
)

TURN_OPENERS = ("<start_of_turn>", "<|turn>")
TURN_CLOSERS = ("<end_of_turn>", "<turn|>")
THOUGHT_OPENER, THOUGHT_CLOSER = "<|channel>", "<channel|>"
TEMPLATE_OWN = -1

# A text's place in the rendered template: a number in private-use brackets, with a space of a rare
# kind at either side that tells whether the template trims the text there.
_PAD, _OPEN, _CLOSE = "\u2003", "\ue0f0", "\ue0f1"
_PLACE = re.compile(f"({_PAD}?){_OPEN}(\\d+){_CLOSE}({_PAD}?)")
_CONTROL = re.compile(r"<[^<>\s]{1,60}>")


class Vocabulary(Protocol):
    """What composing needs of a tokenizer."""

    @property
    def bos_id(self) -> int:
        """The token that begins every text."""

    def encode(self, text: str) -> tuple[int, ...]:
        """Encode plain text: no BOS, and control tokens in it stay text."""

    def decode(self, ids: Sequence[int]) -> str:
        """Decode ids to text."""

    def id_of(self, name: str) -> int | None:
        """The id of the token with this very name."""


@dataclass(frozen=True, slots=True)
class TemplateForm:
    """Which template a model speaks through.

    Attributes:
        source: The model's own Jinja text; None takes Gemma's turns as the vocabulary has them.
    """

    style: ReplyStyle = "turns"
    source: str | None = None

    def text(self, vocabulary: Vocabulary) -> str:
        """The Jinja text that composes a conversation."""
        if self.style == "transcript":
            return TRANSCRIPT
        if self.source is not None:
            return self.source
        return TURNS if vocabulary.id_of("<|turn>") is None else TURNS_WITH_SYSTEM

    def digest(self, vocabulary: Vocabulary) -> str:
        """A short name of the template, for run records."""
        return hashlib.blake2b(self.text(vocabulary).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Composed:
    """A prompt as the model reads it.

    Attributes:
        ids: The token ids; for chat and raw prompts exactly one BOS, at the start.
        owners: For each token the index of its message, or `TEMPLATE_OWN`.
        marks: Lengths of prefixes that are worth keeping: turn ends, and the whole prompt.
        stop: Texts that end a reply in this style, beside the request's own.
        prefix_tokens: How many of the last tokens already belong to the reply.
        begins: Whether the reply's first token is thought or answer.
        trims_start: Whether spaces before the reply's first word belong to the template.
    """

    ids: tuple[int, ...]
    owners: tuple[int, ...]
    marks: tuple[int, ...]
    stop: tuple[str, ...] = ()
    prefix_tokens: int = 0
    begins: DeltaKind = "answer"
    trims_start: bool = False


@dataclass(slots=True)
class _Line:
    """A prompt being put together; `ids` and `owners` grow alike."""

    ids: list[int] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)

    def add(self, ids: Sequence[int], owner: int) -> None:
        self.ids.extend(ids)
        self.owners.extend([owner] * len(ids))


def compose(
    prompt: Prompt, form: TemplateForm, vocabulary: Vocabulary, fingerprint: str = ""
) -> Composed:
    """Turn a prompt into token ids; stored ids that `fingerprint` spoke are used as they are.

    Raises:
        RequestError: The prompt is empty, or the template refuses the conversation.
    """
    match prompt:
        case TokenPrompt():
            if not prompt.token_ids:
                raise RequestError("prompt.token_ids is empty; give at least one token.")
            ids = tuple(prompt.token_ids)
            return Composed(ids, (TEMPLATE_OWN,) * len(ids), (len(ids),))
        case RawPrompt():
            if not prompt.text and not prompt.prefix_ids:
                raise RequestError("prompt.text is empty; give some text to complete.")
            line = _Line()
            line.add((vocabulary.bos_id,), TEMPLATE_OWN)
            line.add(vocabulary.encode(prompt.text), 0)
            line.add(prompt.prefix_ids, TEMPLATE_OWN)
            return _composed(line, len(prompt.prefix_ids))
        case ChatPrompt():
            return _compose_chat(prompt, form, vocabulary, fingerprint)


def _composed(line: _Line, prefix_tokens: int = 0) -> Composed:
    marks = sorted({m for m in line.marks if 1 < m < len(line.ids)} | {len(line.ids)})
    return Composed(tuple(line.ids), tuple(line.owners), tuple(marks), prefix_tokens=prefix_tokens)


def _compose_chat(
    prompt: ChatPrompt, form: TemplateForm, vocabulary: Vocabulary, fingerprint: str
) -> Composed:
    _check(prompt.messages)
    pieces = _rendered(form.text(vocabulary), prompt)
    line = _Line()
    line.add((vocabulary.bos_id,), TEMPLATE_OWN)
    places = list(_PLACE.finditer(pieces))
    shown = {int(place[2]) for place in places}
    for i, message in enumerate(prompt.messages):
        if i not in shown and message.text.strip() and message.role != "assistant":
            raise RequestError(f"prompt.messages[{i}]: the model's template leaves it out.")
    at = 0
    for place in places:
        own, at = pieces[at : place.start()], place.end()
        space = own[len(own.rstrip(" ")) :]
        n_marks = len(line.marks)
        _add_own(line, own.rstrip(" "), vocabulary)
        i = int(place[2])
        message = prompt.messages[i]
        if i and prompt.messages[i - 1].role == "system" and len(line.marks) == n_marks:
            line.marks.append(len(line.ids))  # a system text inside of the first turn ends here
        if _spoken_here(message, vocabulary, fingerprint):
            line.add(message.token_ids, i)
        else:
            text = message.text if place[1] else message.text.lstrip()
            line.add(vocabulary.encode(space + (text if place[3] else text.rstrip())), i)
    _add_own(line, pieces[at:].rstrip(" "), vocabulary)
    header_end = len(line.ids)
    begins = _add_prefix(line, prompt, form, vocabulary)
    composed = _composed(line, len(line.ids) - header_end)
    is_transcript = form.style == "transcript"
    return replace(
        composed,
        stop=TRANSCRIPT_STOPS if is_transcript else (),
        begins=begins,
        trims_start=is_transcript and not composed.prefix_tokens,
    )


def _add_prefix(
    line: _Line, prompt: ChatPrompt, form: TemplateForm, vocabulary: Vocabulary
) -> DeltaKind:
    """Begin the reply with what it is to go on from; tell what follows."""
    opener, closer = vocabulary.id_of(THOUGHT_OPENER), vocabulary.id_of(THOUGHT_CLOSER)
    if prompt.prefix_ids:
        line.add(prompt.prefix_ids, TEMPLATE_OWN)
    elif prompt.prefix:
        if prompt.thinking and opener is not None and closer is not None:
            line.add((opener, *vocabulary.encode("thought\n"), closer), TEMPLATE_OWN)
        space = " " if form.style == "transcript" else ""
        line.add(vocabulary.encode(space + prompt.prefix), TEMPLATE_OWN)
    if opener is None or closer is None:
        return "answer"
    last = next((i for i in reversed(line.ids) if i in {opener, closer}), closer)
    return "thought" if last == opener else "answer"


def _add_own(line: _Line, text: str, vocabulary: Vocabulary) -> None:
    """Encode what the template itself wrote, its control tokens as control tokens."""
    openers = {i for name in TURN_OPENERS if (i := vocabulary.id_of(name)) is not None}
    for n, part in enumerate(text.split(MARK)):
        if n:
            line.marks.append(len(line.ids))
        for token_id, plain in _controls(part, vocabulary):
            if plain:
                line.add(vocabulary.encode(plain), TEMPLATE_OWN)
            elif token_id != vocabulary.bos_id:
                if token_id in openers:
                    line.marks.append(len(line.ids))
                line.add((token_id,), TEMPLATE_OWN)


def _controls(text: str, vocabulary: Vocabulary) -> Iterator[tuple[int, str]]:
    """Cut a template's text into control tokens (id, "") and plain text (-1, text)."""
    at = 0
    for found in _CONTROL.finditer(text):
        token_id = vocabulary.id_of(found[0])
        if token_id is None:
            continue
        if found.start() > at:
            yield -1, text[at : found.start()]
        yield token_id, ""
        at = found.end()
    if at < len(text):
        yield -1, text[at:]


def _spoken_here(message: Message, vocabulary: Vocabulary, fingerprint: str) -> bool:
    """Whether the stored ids are this model's own and still say the message's text."""
    return (
        message.role == "assistant"
        and bool(message.token_ids)
        and bool(fingerprint)
        and message.spoken_by == fingerprint
        and _words(vocabulary.decode(message.token_ids)) == _words(message.text)
    )


def _words(text: str) -> str:
    """A text without what a reply's reader leaves out at its edges."""
    return text.rstrip("\ufffd").strip()


def _check(messages: Sequence[Message]) -> None:
    if not any(m.text.strip() for m in messages):
        raise RequestError("prompt.messages is empty; write a message first.")
    for i, message in enumerate(messages):
        if message.role == "system" and i:
            raise RequestError(f"prompt.messages[{i}]: only the first message may be the system's.")
    if all(m.role == "system" for m in messages):
        raise RequestError("prompt.messages has only the system's; write a message first.")


# ------------------------------------------------------------------------------ rendering


def _rendered(source: str, prompt: ChatPrompt) -> str:
    """Render the template over placeholders, folding the system turn where it knows none."""
    turns = _merged(prompt.messages)
    names = {"bos_token": "<bos>", "eos_token": "<eos>"}
    values = {"thinking": prompt.thinking, "enable_thinking": prompt.thinking, **names}
    try:
        return _render(source, turns, values)
    except RequestError:
        if turns[0]["role"] != "system" or len(turns) < 2:
            raise
    system, first, *rest = turns
    content = (
        f"{system['content']}\n\n{first['content']}" if system["content"] else first["content"]
    )
    return _render(source, [{**first, "content": content}, *rest], values)


def _merged(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Put placeholders for the texts; neighbours of one role become one turn."""
    turns: list[dict[str, str]] = []
    for i, message in enumerate(messages):
        content = f"{_PAD}{_OPEN}{i}{_CLOSE}{_PAD}" if message.text.strip() else ""
        if turns and turns[-1]["role"] == message.role:
            both = (turns[-1]["content"], content)
            turns[-1]["content"] = "\n\n".join(c for c in both if c)
        else:
            turns.append({"role": message.role, "content": content})
    return turns


def _render(source: str, turns: list[dict[str, str]], values: Mapping[str, object]) -> str:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols]
    )
    environment.globals["raise_exception"] = _refuse
    try:
        return environment.from_string(source).render(
            messages=turns,
            add_generation_prompt=True,
            **values,
        )
    except TemplateSyntaxError as error:
        raise RequestError(f"The model's chat template is damaged: {error.message}.") from error
    except (TemplateError, SecurityError, TypeError, ValueError, KeyError) as error:
        why = str(error).rstrip(".")
        raise RequestError(
            f"The model's chat template refuses this conversation: {why}."
        ) from error


def _refuse(message: str) -> str:
    raise TemplateError(message)
