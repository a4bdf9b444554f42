"""A GGUF file is read as it is written, in one part or several, and judged before it is used."""

from __future__ import annotations

import gguf
import numpy as np
import pytest
from gguf.constants import GGMLQuantizationType

from inference.errors import ModelFolderError
from inference.loading.convert import plan
from inference.loading.gguf_file import GgufFile
from tests.gguf_files import SCORES, TOKENS, TYPES, write_gguf

Kind = GGMLQuantizationType


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf", Kind.Q4_K)


def test_metadata_and_blocks_are_those_the_library_reads(path):
    ours, theirs = GgufFile([path]), gguf.GGUFReader(path)
    assert ours.text("general.architecture") == "gemma3"
    assert ours.texts("tokenizer.ggml.tokens") == TOKENS
    assert ours.numbers("tokenizer.ggml.scores").tolist() == SCORES
    assert ours.numbers("tokenizer.ggml.token_type").tolist() == TYPES
    assert set(ours.tensors) == {tensor.name for tensor in theirs.tensors}
    for tensor in theirs.tensors:
        entry = ours.tensors[tensor.name]
        assert entry.kind == tensor.tensor_type
        assert list(entry.shape) == tensor.shape[::-1].tolist()
        raw = np.ascontiguousarray(tensor.data).view(np.uint8).reshape(-1)
        np.testing.assert_array_equal(ours.raw(tensor.name).reshape(-1), raw)


@pytest.mark.parametrize("cut", [1, 100, 4000, 20_000, 300_000])
def test_parts_are_read_as_one_file(path, tmp_path, cut):
    data = path.read_bytes()
    parts = [tmp_path / "a", tmp_path / "b", tmp_path / "c"]
    for part, piece in zip(
        parts, (data[:cut], data[cut : cut + 777], data[cut + 777 :]), strict=True
    ):
        part.write_bytes(piece)
    whole, cut_up = GgufFile([path]), GgufFile(parts)
    assert cut_up.metadata.keys() == whole.metadata.keys()
    for name in whole.tensors:
        np.testing.assert_array_equal(cut_up.raw(name), whole.raw(name))


def test_a_file_cut_short_anywhere_is_one_sentence(path, tmp_path):
    data = path.read_bytes()
    short = tmp_path / "short.gguf"
    for n in [*range(0, 60, 7), 1000, 5000, len(data) // 2, len(data) - 1]:
        short.write_bytes(data[:n])
        with pytest.raises(ModelFolderError) as caught:
            plan(GgufFile([short]))
        assert str(caught.value).count("\n") == 0


@pytest.mark.parametrize(
    ("at", "value", "says"),
    [
        (0, b"GGML", "not a GGUF file"),
        (4, b"\x01\0\0\0", "version 1"),
        (4, b"\xff\xff\xff\xff", "version 4294967295"),
        (8, b"\xff" * 8, "tensors"),
        (16, b"\xff" * 8, "keys"),
        (24, b"\xff" * 8, "bytes in a text"),
    ],
)
def test_absurd_heads_are_one_sentence(path, tmp_path, at, value, says):
    data = bytearray(path.read_bytes())
    data[at : at + len(value)] = value
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(data)
    with pytest.raises(ModelFolderError, match=says):
        GgufFile([bad])


def test_random_bytes_are_one_sentence(tmp_path):
    bad = tmp_path / "noise.gguf"
    bad.write_bytes(np.random.default_rng(0).bytes(100_000))
    with pytest.raises(ModelFolderError, match="not a GGUF file"):
        GgufFile([bad])


def test_a_missing_file_is_one_sentence(tmp_path):
    with pytest.raises(ModelFolderError, match=r"gone\.gguf cannot be read"):
        GgufFile([tmp_path / "gone.gguf"])


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"gemma3__embedding_length": None}, "embedding_length"),
        ({"gemma3__embedding_length": 0}, "embedding_length"),
        ({"gemma3__block_count": 100_000}, "block_count"),
        ({"gemma3__embedding_length": 512}, "token embedding"),
        ({"tokenizer__ggml__tokens": TOKENS[:-1]}, "token embedding"),
        ({"general__alignment": 7}, "alignment"),
    ],
)
def test_a_config_that_cannot_be_is_one_sentence(tmp_path, changes, says):
    bad = write_gguf(tmp_path / "bad.gguf", **changes)
    with pytest.raises(ModelFolderError, match=says):
        plan(GgufFile([bad]))


def test_a_model_that_is_no_gemma_is_one_sentence(tmp_path):
    bad = write_gguf(tmp_path / "llama.gguf", arch="llama")
    with pytest.raises(ModelFolderError, match="'llama' model"):
        plan(GgufFile([bad]))
