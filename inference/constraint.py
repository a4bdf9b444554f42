"""Structured answers: a JSON schema, a regex or a grammar says which tokens may come next.

`llguidance` walks the grammar on the CPU while the device computes the logits; its bit mask is
applied on the device. A thought is free; the answer after it is not.

Legend: B rows, V vocabulary, W words of 32 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import llguidance
import mlx.core as mx
import numpy as np
from llguidance.numpy import allocate_token_bitmask, fill_next_token_bitmask

from inference.errors import RequestError
from inference.types import Constraint

if TYPE_CHECKING:
    from inference.tokenizer import Tokenizer

Grammar = llguidance.LLMatcher
State = Literal["free", "start", "thought", "answer"]

# Where a schema leaves white space open, a model may fill pages with it.
_JSON: Any = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}


class Grammars:
    """Makes matchers for one vocabulary. Costs about a second; made when first needed."""

    def __init__(self, tokenizer: Tokenizer, end_ids: frozenset[int]) -> None:
        size = tokenizer.vocabulary_size
        words = _Words(tokenizer, min(end_ids))
        self._words = llguidance.LLTokenizer(
            llguidance.TokenizerWrapper(words), eos_token=sorted(i for i in end_ids if i < size)
        )

    def matcher(self, constraint: Constraint) -> Grammar:
        """Make a matcher.

        Raises:
            RequestError: The constraint is no valid one, or nothing conforms to it.
        """
        make = llguidance.LLMatcher
        try:
            match constraint.kind:
                case "json_schema":
                    grammar = make.grammar_from_json_schema(constraint.text, overrides=_JSON)
                case "regex":
                    grammar = make.grammar_from_regex(constraint.text)
                case "grammar":
                    grammar = make.grammar_from_lark(constraint.text)
                case _:
                    raise RequestError(
                        f"constraint.kind is {constraint.kind!r}; it must be json_schema, regex or "
                        "grammar."
                    )
            found = make(self._words, grammar)
            why = found.get_error()
        except (ValueError, TypeError) as error:
            found, why = None, str(error)
        if why:
            raise RequestError(f"constraint.text cannot be used: {_first_line(why)}")
        assert found is not None
        mask = allocate_token_bitmask(1, self._words.vocab_size)
        fill_next_token_bitmask(found, mask)
        if not mask.any():
            raise RequestError("constraint.text cannot be used: no text conforms to it.")
        return found


class _Words:
    """What `llguidance` asks of a tokenizer."""

    def __init__(self, tokenizer: Tokenizer, end_id: int) -> None:
        ids = range(tokenizer.vocabulary_size)
        self.eos_token_id = end_id
        self.bos_token_id = tokenizer.bos_id
        self.tokens = [tokenizer.token_bytes(i) for i in ids]
        self.special_token_ids = [i for i in ids if tokenizer.is_special(i)]
        self._tokenizer = tokenizer

    def __call__(self, text: bytes | str) -> list[int]:
        plain = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        return list(self._tokenizer.encode(plain))


class Masks:
    """The grammars of a batch's rows, and how far each is.

    Args:
        matchers: One a row; None leaves the row free.
        thinks: Whether each row may think before it answers.
        opener: The token that begins a thought.
        closer: The token that ends it.
        size: V.
    """

    def __init__(
        self,
        matchers: Sequence[Grammar | None],
        thinks: Sequence[bool],
        opener: int,
        closer: int,
        size: int,
    ) -> None:
        self._matchers = list(matchers)
        self._states: list[State] = [
            "free" if matcher is None else "start" if may_think else "answer"
            for matcher, may_think in zip(matchers, thinks, strict=True)
        ]
        self._opener, self._closer, self._size = opener, closer, size
        self._forced: dict[int, int] = {}

    def next(self) -> mx.array:
        """What each row may say next. Shapes: -> (B, V), bool."""
        words = allocate_token_bitmask(len(self._matchers), self._size)  # all ones
        for row, (matcher, state) in enumerate(zip(self._matchers, self._states, strict=True)):
            if matcher is not None and state in {"start", "answer"}:
                fill_next_token_bitmask(matcher, words, row)
            if state == "start":
                _allow(words[row], self._opener)
        for row, token in self._forced.items():
            words[row] = 0
            _allow(words[row], token)
        self._forced.clear()
        return expanded(mx.array(words.view(np.uint32)), self._size)

    def force(self, row: int, token: int) -> None:
        """Let a row say nothing but this token next."""
        self._forced[row] = token

    def consume(self, tokens: Sequence[int]) -> None:
        """Go on by one token in each row.

        Raises:
            RequestError: The grammar is too complex to be followed any further.
        """
        for row, token in enumerate(tokens):
            state, matcher = self._states[row], self._matchers[row]
            if state == "start":
                self._states[row] = "thought" if token == self._opener else "answer"
            elif state == "thought" and token == self._closer:
                self._states[row] = "answer"
                continue
            if matcher is None or self._states[row] != "answer":
                continue
            if not matcher.consume_token(token):
                why = _first_line(matcher.get_error())
                raise RequestError(f"constraint.text cannot be followed further: {why}")

    def keep(self, rows: Sequence[int]) -> None:
        """Go on with some rows alone."""
        self._matchers = [self._matchers[i] for i in rows]
        self._states = [self._states[i] for i in rows]


def _allow(words: np.ndarray, token: int) -> None:
    """Set a token's bit. Shapes: (W,), int32."""
    words.view(np.uint32)[token // 32] |= np.uint32(1 << token % 32)


def expanded(words: mx.array, size: int) -> mx.array:
    """Spread bits out. Shapes: (B, W), uint32 -> (B, V), bool."""
    bits = (words[:, :, None] >> mx.arange(32, dtype=mx.uint32)) & 1
    return bits.reshape(words.shape[0], -1)[:, :size].astype(mx.bool_)


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "it is not valid")
    return line if line.endswith(".") else line + "."
