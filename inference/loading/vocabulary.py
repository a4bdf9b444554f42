"""Rebuild a tokenizer from the vocabulary that a GGUF file carries, as a tokenizer.json.

A `llama` vocabulary has SentencePiece's scores: a higher score merges earlier, and every way to cut
a piece into two pieces is a merge of that piece's rank. A `gemma4` vocabulary has its merges.

Control tokens are no part of the merges, so text that looks like one stays text.

Source: sentencepiece/src/bpe_model.cc; llama.cpp src/llama-vocab.cpp (token types).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from json.encoder import encode_basestring as quoted
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from inference.errors import ModelFolderError

if TYPE_CHECKING:
    from inference.loading.gguf_file import GgufFile

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
MAX_TOKENS = 1 << 20
SPACE = "▁"
_AFTER_MERGES = "]}}"
_MARKER = re.compile(r"<\|[^<>]*>|<[^<>]*\|>")  # Gemma 4's own; the file calls some user-defined


def write_tokenizer(gguf: GgufFile, path: Path) -> None:
    """Write a tokenizer.json that cuts text as the file's vocabulary says.

    Half a million merges are written as they are found, so that they are never held at once.

    Raises:
        ModelFolderError: The vocabulary is missing, damaged or of another kind.
    """
    tokens = gguf.texts("tokenizer.ggml.tokens")
    types = _types(gguf, tokens)
    kind = gguf.text("tokenizer.ggml.model")
    if kind == "llama":
        merges = _merges_by_score(gguf, tokens, types)
    elif kind == "gemma4":
        merges = _merges_by_list(gguf)
    else:
        raise ModelFolderError(
            f"The vocabulary is of the kind {kind!r}, and Gemma's are 'llama' and 'gemma4'; "
            "choose a Gemma model."
        )
    unknown = _unknown(gguf, tokens)
    vocabulary: dict[str, int] = {}
    for i, token in enumerate(tokens):
        vocabulary.setdefault(token, i)
    told: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": _added(tokens, types),
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": SPACE},
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": SPACE}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
            ],
        },
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": unknown,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": True,
            "byte_fallback": True,
            "ignore_merges": False,
            "vocab": vocabulary,
            "merges": [],
        },
    }
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    before, after = text[: -len(_AFTER_MERGES)], text[-len(_AFTER_MERGES) :]
    assert after == _AFTER_MERGES
    with path.open("w", encoding="utf-8") as file:
        file.write(before)
        separator = ""
        for some in _batches(merges):
            pairs = (f"[{quoted(left)},{quoted(right)}]" for left, right in some)
            file.write(separator + ",".join(pairs))
            separator = ","
        file.write(after)


def _batches(merges: Iterator[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    while some := list(islice(merges, 4096)):
        yield some


def _types(gguf: GgufFile, tokens: list[str]) -> np.ndarray:
    types = gguf.numbers("tokenizer.ggml.token_type")
    if not tokens or len(tokens) > MAX_TOKENS or len(types) != len(tokens):
        raise ModelFolderError(
            f"The GGUF file's vocabulary is damaged ({len(tokens):,} tokens, {len(types):,} types);"
            " fetch the model again."
        )
    return types


def _unknown(gguf: GgufFile, tokens: list[str]) -> str:
    index = int(gguf.number("tokenizer.ggml.unknown_token_id", 3))
    if not 0 <= index < len(tokens):
        raise ModelFolderError(
            f"The GGUF file names the unknown token {index:,}, which it does not have; "
            "fetch the model again."
        )
    return tokens[index]


def _added(tokens: list[str], types: np.ndarray) -> list[dict[str, Any]]:
    """Control and user-defined tokens, which no merge makes."""
    return [
        {
            "id": int(i),
            "content": tokens[i],
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": bool(types[i] != USER_DEFINED or _MARKER.fullmatch(tokens[i])),
        }
        for i in np.flatnonzero(np.isin(types, (UNKNOWN, CONTROL, USER_DEFINED)))
        if tokens[i]
    ]


def _merges_by_score(
    gguf: GgufFile, tokens: list[str], types: np.ndarray
) -> Iterator[tuple[str, str]]:
    scores = gguf.numbers("tokenizer.ggml.scores")
    if len(scores) != len(tokens) or not np.isfinite(scores).all():
        raise ModelFolderError(
            f"The GGUF file's vocabulary is damaged ({len(scores):,} scores); "
            "fetch the model again."
        )
    normal = np.flatnonzero(types == NORMAL)
    pieces = {tokens[i] for i in normal}
    for i in normal[np.argsort(-scores[normal], kind="stable")]:
        token = tokens[i]
        for cut in range(1, len(token)):
            left, right = token[:cut], token[cut:]
            if left in pieces and right in pieces:
                yield left, right


def _merges_by_list(gguf: GgufFile) -> Iterator[tuple[str, str]]:
    """Each merge is written as its two halves with a space between them."""
    merges = gguf.texts("tokenizer.ggml.merges")
    if not merges:
        raise ModelFolderError("The GGUF file has no merges; fetch another conversion.")
    for merge in merges:
        left, space, right = merge.partition(" ")
        if not (left and space and right):
            raise ModelFolderError(
                "The GGUF file's vocabulary is damaged: a merge has no two halves; "
                "fetch the model again."
            )
        yield left, right
