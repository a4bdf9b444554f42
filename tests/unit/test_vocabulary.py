"""A tokenizer is rebuilt from the vocabulary of a GGUF file, of either kind."""

from __future__ import annotations

import pytest

from inference.errors import ModelFolderError
from inference.loading.gguf_file import GgufFile
from inference.loading.vocabulary import write_tokenizer
from inference.tokenizer import Tokenizer
from tests.gguf_files import SCORES, TOKENS, TYPES, write_gguf

MARKED = [*TOKENS, "<|channel>", "<channel|>", "hea", "he"]


def rebuilt(tmp_path, **changes):
    path = tmp_path / "tokenizer.json"
    write_tokenizer(GgufFile([write_gguf(tmp_path / "tiny.gguf", **changes)]), path)
    return Tokenizer.from_file(path)


def words(tokenizer, text):
    return [tokenizer.piece(i) for i in tokenizer.encode(text)]


def test_a_higher_score_merges_first(tmp_path):
    assert words(rebuilt(tmp_path), " the th") == ["▁the", "▁th"]
    scores = list(SCORES)
    scores[TOKENS.index("th")] = -900.0  # later than `▁t` would be, which is no piece
    assert words(rebuilt(tmp_path, tokenizer__ggml__scores=scores), " the") == ["▁the"]


def test_merges_are_taken_in_their_order(tmp_path):
    changes = {
        "tokenizer__ggml__model": "gemma4",
        "tokenizer__ggml__tokens": MARKED,
        "tokenizer__ggml__token_type": [*TYPES, 4, 4, 1, 1],
        "tokenizer__ggml__scores": [*SCORES, 0.0, 0.0, 0.0, 0.0],
    }
    merges = ["h e", "he a", "t h", "▁ th"]
    tokenizer = rebuilt(tmp_path, tokenizer__ggml__merges=merges, **changes)
    assert words(tokenizer, " theat") == ["▁", "t", "hea", "t"]
    merges = ["t h", "▁ th", "h e", "he a"]
    tokenizer = rebuilt(tmp_path, tokenizer__ggml__merges=merges, **changes)
    assert words(tokenizer, " theat") == ["▁th", "e", "a", "t"]


def test_markers_that_a_file_calls_user_defined_stay_text(tmp_path):
    tokenizer = rebuilt(
        tmp_path,
        tokenizer__ggml__model="gemma4",
        tokenizer__ggml__tokens=MARKED,
        tokenizer__ggml__token_type=[*TYPES, 4, 4, 1, 1],
        tokenizer__ggml__scores=[*SCORES, 0.0, 0.0, 0.0, 0.0],
        tokenizer__ggml__merges=["t h"],
    )
    text = "<|channel>the<channel|><start_of_turn>"
    ids = tokenizer.encode(text)
    assert not {TOKENS.index("<start_of_turn>"), len(TOKENS), len(TOKENS) + 1} & set(ids)
    assert tokenizer.decode(ids) == text
    assert tokenizer.is_special(len(TOKENS))


def test_user_defined_text_is_one_token(tmp_path):
    types = list(TYPES)
    types[TOKENS.index("\n")] = 4
    tokenizer = rebuilt(tmp_path, tokenizer__ggml__token_type=types)
    assert words(tokenizer, "a\nb") == ["a", "\n", "b"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tokenizer__ggml__model": "gpt2"}, "of the kind 'gpt2'"),
        ({"tokenizer__ggml__model": "gemma4"}, "no merges"),
        ({"tokenizer__ggml__model": "gemma4", "tokenizer__ggml__merges": ["th"]}, "two halves"),
        ({"tokenizer__ggml__scores": SCORES[:-1]}, "scores"),
        ({"tokenizer__ggml__token_type": TYPES[:-1]}, "types"),
        ({"tokenizer__ggml__tokens": None}, "0 tokens"),
        ({"tokenizer__ggml__unknown_token_id": 10**6}, "unknown token"),
    ],
)
def test_a_vocabulary_that_cannot_be_is_one_sentence(tmp_path, changes, says):
    with pytest.raises(ModelFolderError, match=says):
        rebuilt(tmp_path, **changes)
