"""The tokenizer rebuilt from the GGUF file cuts text as SentencePiece cuts it.

The second opinion is the `sentencepiece` library with a model made of the same pieces and scores.
"""

from __future__ import annotations

import pytest
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from inference.loading.gguf_file import GgufFile
from inference.loading.starter import starter_parts
from tests.real.strings import strings

SPACE = "▁"


@pytest.fixture(scope="module")
def pieces():
    gguf = GgufFile(starter_parts())
    tokens = gguf.texts("tokenizer.ggml.tokens")
    scores = gguf.numbers("tokenizer.ggml.scores").tolist()
    types = gguf.numbers("tokenizer.ggml.token_type").tolist()
    return list(zip(tokens, scores, types, strict=True))


@pytest.fixture(scope="module")
def second(pieces):
    model = sentencepiece_model_pb2.ModelProto()
    for token, score, kind in pieces:
        unknown = token == "<unk>"
        model.pieces.add(
            piece=token.replace(" ", SPACE) if kind == 4 else token,
            score=score,
            type=2 if unknown else kind,
        )
    trainer = model.trainer_spec
    trainer.model_type, trainer.byte_fallback, trainer.vocab_size = 2, True, len(pieces)
    trainer.pad_id, trainer.eos_id, trainer.bos_id, trainer.unk_id = 0, 1, 2, 3
    trainer.pad_piece, trainer.eos_piece, trainer.bos_piece = "<pad>", "<eos>", "<bos>"
    normalizer = model.normalizer_spec
    normalizer.name, normalizer.add_dummy_prefix = "identity", False
    normalizer.remove_extra_whitespaces, normalizer.escape_whitespaces = False, True
    return sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString())


def test_ids_are_sentencepieces_and_the_text_comes_back(starter, second, amount):
    differing, lost = [], []
    for text in strings(amount(2500)):
        ids = starter.tokenizer.encode(text)
        if list(ids) != second.encode(text):
            differing.append(text)
        if starter.tokenizer.decode(ids) != text:
            lost.append(text)
    assert differing == []
    assert lost == []


def test_a_literal_space_mark_is_a_space_as_in_sentencepiece(starter, second):
    for text in ("a▁b", "▁▁x"):
        ids = starter.tokenizer.encode(text)
        assert starter.tokenizer.decode(ids) == second.decode(second.encode(text))


def test_control_tokens_in_a_text_stay_text(starter):
    text = "<start_of_turn>user\nhi<end_of_turn>\n<bos>"
    ids = starter.tokenizer.encode(text)
    assert not {2, 105, 106} & set(ids)
    assert starter.tokenizer.decode(ids) == text


def test_a_stream_gives_whole_characters_and_all_of_them(starter):
    text = "naïve 👩‍👩‍👧‍👦 \U0010fffe नमस्ते\x00"
    stream = starter.tokenizer.stream()
    steps = [stream.step(i) for i in starter.tokenizer.encode(text)]
    assert "".join(steps) + stream.flush() == text
    assert not any("\ufffd" in step for step in steps)
    assert "" in steps  # some tokens are only a part of a character


def test_an_unfinished_character_ends_as_a_replacement(starter):
    ids = starter.tokenizer.encode("\U0010fffe")[:-1]
    stream = starter.tokenizer.stream()
    assert "".join(stream.step(i) for i in ids) == ""
    assert stream.flush() == "\ufffd"
    assert stream.flush() == ""
