"""Code into coloured spans, line by line while it grows and once more as a whole when it ended."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from pygments.lexer import ExtendedRegexLexer, Lexer, LexerContext, RegexLexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token as TokenType
from pygments.util import ClassNotFound

TokenKind = Any  # Pygments names its token types nowhere in public
Span = tuple[int, int, TokenKind]  # begin, length, type

LONGEST_LINE = 2000
LONGEST_TEXT = 200_000
COMMON = ("python", "javascript", "typescript", "bash", "json", "html", "css", "sql", "c", "rust")


def find_lexer(language: str) -> Lexer | None:
    """The lexer for a fence's language word, if there is one. Its first use reads a module."""
    if not language or language.lower() in {"text", "txt", "plain", "plaintext", "output"}:
        return None
    try:
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except (ClassNotFound, ImportError):
        return None


def language_name(language: str) -> str:
    """How a language is called above its code."""
    lexer = find_lexer(language) if len(language) < 20 else None
    return str(lexer.name) if lexer is not None else language


def is_resumable(lexer: Lexer) -> bool:
    """Whether a lexer can go on from the state in which it left the line before."""
    return isinstance(lexer, RegexLexer) and (
        type(lexer).get_tokens_unprocessed is RegexLexer.get_tokens_unprocessed
    )


class LineColours:
    """The coloured spans of a growing code text.

    Invariant: `spans[i]` belongs to line i; lines past the end are not coloured yet.
    """

    def __init__(self, language: str) -> None:
        self._lexer = find_lexer(language)
        self._resumable = self._lexer is not None and is_resumable(self._lexer)
        self._stack: tuple[str, ...] = ("root",)
        self._whole: Iterator[tuple[int, TokenKind, str]] | None = None
        self._finished = self._lexer is None
        self._characters = 0
        self.spans: list[list[Span]] = []

    def grow(self, lines: list[str], deadline: float) -> None:
        """Colour complete lines that came since the last time, until a moment passes."""
        if self._lexer is None or not self._resumable or self._whole is not None:
            return
        while len(self.spans) < len(lines) and time.perf_counter() < deadline:
            line = lines[len(self.spans)]
            spans, self._stack = self._lex(line, self._stack)
            self.spans.append(spans)

    def open_line(self, line: str) -> list[Span]:
        """The spans of the last line, which may still grow."""
        if self._lexer is None or not self._resumable:
            return []
        return self._lex(line, self._stack)[0]

    def _lex(self, line: str, stack: tuple[str, ...]) -> tuple[list[Span], tuple[str, ...]]:
        if len(line) > LONGEST_LINE:
            return [], stack
        context = LexerContext(line + "\n", 0, list(stack))
        spans: list[Span] = []
        try:
            for at, kind, text in ExtendedRegexLexer.get_tokens_unprocessed(
                self._lexer, None, context
            ):
                _add(spans, at, len(text), kind)
        except (TypeError, AttributeError, IndexError):
            # A lexer with callbacks of its own cannot be resumed; it colours the whole later.
            self._resumable = False
            return [], stack
        return spans, tuple(context.stack) or ("root",)

    def finish(self, text: str) -> None:
        """Begin to colour the whole text once more: some constructs span lines."""
        if self._lexer is None or len(text) > LONGEST_TEXT:
            self._finished = True
            return
        self._whole = self._lexer.get_tokens_unprocessed(text)
        self._again: list[list[Span]] = [[]]
        self._finished = False

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to be done by `work`."""
        return self._finished or self._whole is None

    def work(self, deadline: float) -> bool:
        """Go on colouring until a moment passes; true if lines changed."""
        if self._finished or self._whole is None:
            return False
        before = len(self._again)
        for count, (_, kind, text) in enumerate(self._whole):
            self._place(kind, text)
            if count % 16 == 15 and time.perf_counter() > deadline:
                break
        else:
            self._finished = True
            self._whole = None
        done = len(self._again) - (0 if self._finished else 1)
        first = max(before - 1, 0)
        self.spans[first:done] = self._again[first:done]
        return done > first

    def _place(self, kind: TokenKind, text: str) -> None:
        lines = text.split("\n")
        for i, piece in enumerate(lines):
            if i:
                self._again.append([])
                self._characters = 0
            if piece:
                _add(self._again[-1], self._characters, len(piece), kind)
                self._characters += len(piece)


def _add(spans: list[Span], at: int, length: int, kind: TokenKind) -> None:
    if kind is TokenType.Text or kind is TokenType.Text.Whitespace or kind is TokenType.Name:
        return
    if spans and spans[-1][2] is kind and spans[-1][0] + spans[-1][1] == at:
        spans[-1] = (spans[-1][0], spans[-1][1] + length, kind)
    else:
        spans.append((at, length, kind))
