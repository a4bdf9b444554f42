"""Text to token ids and back. Never adds BOS; control tokens in a text stay text.

A Gemma token is a piece of text with `▁` for a space, one byte (`<0x0A>`), or a control token.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from pathlib import Path

import tokenizers

from inference.errors import ModelFolderError

SPACE = "▁"
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


class Tokenizer:
    """A read-only tokenizer; safe from any thread.

    Attributes:
        bos_id: The id that begins every prompt.
        vocabulary_size: One more than the largest id.
    """

    def __init__(self, inner: tokenizers.Tokenizer, bos: str = "<bos>") -> None:
        """Take a tokenizer as it is.

        Args:
            inner: Nobody else may change it afterwards.
            bos: The name of the token that begins a prompt.

        Raises:
            ModelFolderError: It has no such token.
        """
        inner.encode_special_tokens = True
        self._inner = inner
        added = inner.get_added_tokens_decoder()
        self.vocabulary_size = max(
            inner.get_vocab_size(with_added_tokens=True), 1 + max(added, default=-1)
        )
        bos_id = inner.token_to_id(bos)
        if bos_id is None:
            raise ModelFolderError(
                f"The tokenizer has no token {bos!r}; choose another conversion of the model."
            )
        self.bos_id: int = bos_id
        self._special = frozenset(i for i, token in added.items() if token.special)

    @classmethod
    def from_file(cls, path: Path, bos: str = "<bos>") -> Tokenizer:
        """Read a tokenizer.json.

        Raises:
            ModelFolderError: It is missing or damaged.
        """
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ModelFolderError(
                f"{path.name} cannot be read; fetch the model again, or choose another."
            ) from error
        try:
            inner = tokenizers.Tokenizer.from_str(text)
        except Exception as error:
            raise ModelFolderError(
                f"{path.name} is damaged or of an unknown kind; fetch the model again."
            ) from error
        return cls(inner, bos)

    def encode(self, text: str) -> tuple[int, ...]:
        """Cut a text into tokens."""
        return tuple(self._inner.encode(text, add_special_tokens=False).ids)

    def decode(self, ids: Iterable[int]) -> str:
        """Join tokens; bytes that are no UTF-8 become U+FFFD."""
        stream = self.stream()
        return "".join([stream.step(i) for i in ids]) + stream.flush()

    def token_text(self, token_id: int) -> str:
        """Show one token: control tokens by name, lone bytes as `<0x..>`, unknown ids empty."""
        piece = self._inner.id_to_token(token_id) or ""
        return piece if token_id in self._special else piece.replace(SPACE, " ")

    def is_special(self, token_id: int) -> bool:
        """Tell whether a token is a control token."""
        return token_id in self._special

    def id_of(self, name: str) -> int | None:
        """Give the id of a token by its exact name."""
        found: int | None = self._inner.token_to_id(name)
        return found

    def piece(self, token_id: int) -> str:
        """Give a token as the vocabulary writes it; empty if there is none."""
        return self._inner.id_to_token(token_id) or ""

    def token_bytes(self, token_id: int) -> bytes:
        """Give the bytes that a token adds to the text; those of its name for a control token."""
        piece = self.piece(token_id)
        if byte := _BYTE.fullmatch(piece):
            return bytes([int(byte[1], 16)])
        return (piece if token_id in self._special else piece.replace(SPACE, " ")).encode()

    def stream(self) -> TextStream:
        """Begin to turn a reply's tokens into text as they come."""
        return TextStream(self)


class TextStream:
    """Whole characters only: bytes wait until their character is complete."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._bytes = codecs.getincrementaldecoder("utf-8")("replace")

    def step(self, token_id: int) -> str:
        """Give the text that this token completes; may be empty."""
        piece = self._tokenizer.piece(token_id)
        if byte := _BYTE.fullmatch(piece):
            return self._bytes.decode(bytes([int(byte[1], 16)]))
        waiting = self._bytes.decode(b"", final=True)
        self._bytes.reset()
        return waiting + (
            piece if self._tokenizer.is_special(token_id) else piece.replace(SPACE, " ")
        )

    def flush(self) -> str:
        """Give what is left: U+FFFD for an unfinished character, else nothing."""
        rest = self._bytes.decode(b"", final=True)
        self._bytes.reset()
        return rest
