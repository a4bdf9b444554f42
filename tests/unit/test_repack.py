"""GGUF's blocks, repacked, are the weights that the `gguf` package reads from them."""

from __future__ import annotations

import numpy as np
import pytest
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

from inference.errors import ModelFolderError
from inference.loading.repack import Loss, bits_of, is_exact, pack, repack
from tests.gguf_files import random_blocks

Kind = GGMLQuantizationType
EXACT = [Kind.Q4_0, Kind.Q4_1, Kind.Q5_0, Kind.Q5_1, Kind.Q8_0, Kind.Q4_K, Kind.Q5_K]
TO_8_BIT = [
    Kind.Q2_K, Kind.Q3_K, Kind.Q6_K, Kind.IQ4_NL, Kind.IQ4_XS, Kind.IQ3_S, Kind.IQ3_XXS,
    Kind.IQ2_S, Kind.IQ2_XS, Kind.IQ2_XXS, Kind.IQ1_S, Kind.IQ1_M, Kind.TQ1_0, Kind.TQ2_0,
    Kind.NVFP4,
]  # fmt: skip


def read_back(raw, kind, bits):
    """Undo MLX's packing the slow and obvious way."""
    loss = Loss()
    rows = []
    for affine in (repack(part, kind, loss) for part in np.array_split(raw, 2) if len(part)):
        stream = np.unpackbits(affine.weight.view(np.uint8), axis=1, bitorder="little")
        q = stream.reshape(len(stream), -1, bits) @ (1 << np.arange(bits))
        groups = q.reshape(*affine.scales.shape, 32).astype(np.float32)
        assert affine.biases is not None
        values = groups * affine.scales[..., None] + affine.biases[..., None]
        rows.append(values.reshape(len(stream), -1))
    return np.concatenate(rows), loss


@pytest.mark.parametrize("kind", EXACT, ids=lambda k: k.name)
def test_a_type_of_mlx_form_keeps_every_weight_bit_for_bit(kind):
    raw = random_blocks(kind, 24, 512)
    ours, loss = read_back(raw, kind, bits_of(kind))
    np.testing.assert_array_equal(ours, dequantize(raw, kind))
    assert is_exact(kind)
    assert loss.relative == 0


@pytest.mark.parametrize("kind", TO_8_BIT, ids=lambda k: k.name)
def test_any_other_type_becomes_8_bit_and_tells_its_error(kind):
    raw = random_blocks(kind, 8, 512, seed=1)
    expected = dequantize(raw, kind)
    ours, loss = read_back(raw, kind, 8)
    error = np.sqrt(np.square(ours - expected).mean() / np.square(expected).mean())
    assert error == pytest.approx(loss.relative, rel=1e-3, abs=1e-7)
    assert loss.relative < 0.012
    assert not is_exact(kind)


def test_a_group_of_one_value_is_kept():
    raw = np.zeros((1, 256), "<f2").view(np.uint8)
    ours, loss = read_back(raw + np.uint8(0x2C), Kind.F16, 8)
    assert len(np.unique(ours)) == 1
    assert loss.relative < 1e-7


def test_five_bits_are_one_little_endian_stream():
    q = np.arange(32, dtype=np.uint8)[None]
    whole = int.from_bytes(pack(q, 5).tobytes(), "little")
    assert [whole >> 5 * i & 31 for i in range(32)] == list(range(32))


def test_a_type_nobody_reads_is_one_sentence():
    raw = np.zeros((1, GGML_QUANT_SIZES[Kind.Q8_K][1]), np.uint8)
    with pytest.raises(ModelFolderError, match="Q8_K"):
        repack(raw, Kind.Q8_K, Loss())


def test_rows_that_are_no_whole_groups_are_one_sentence():
    with pytest.raises(ModelFolderError, match="whole groups"):
        repack(np.zeros((1, 40), np.uint8), Kind.F16, Loss())
