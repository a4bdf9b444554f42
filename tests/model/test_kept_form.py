"""The form that a GPU holds: weights as they are stored, and the same answers."""

from __future__ import annotations

import mlx.core as mx
import pytest
from gguf.constants import GGMLQuantizationType
from mlx.utils import tree_flatten

from inference.loading.folder import build_network, judge_folder
from inference.loading.weights import count_parameters, fill, held_bytes, prepare
from tests.gguf_files import write_gguf
from tests.model.families import FAMILY_NAMES, build, open_path

Kind = GGMLQuantizationType
IDS = mx.array([[2, *range(40, 64)]])


def kept(folder):
    """The network of a folder with its weights as they are stored."""
    judged = judge_folder(folder)
    network = build_network(judged)
    weights, quantised = prepare(network, judged.files)
    told = held_bytes(network, weights, widen=False)
    for _ in fill(network, weights, quantised, widen=False, should_stop=lambda: False):
        pass
    return network, told


def dtypes(network):
    return {str(v.dtype).removeprefix("mlx.core.") for _, v in tree_flatten(network.parameters())}


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_kept_weights_say_what_widened_ones_say(tmp_path, family):
    folder = build(family, tmp_path / "tiny-it", bits=4)
    network, told = kept(folder)
    widened = open_path(folder, tmp_path / "cache")
    assert mx.abs(network(IDS) - widened.network(IDS)).max().item() < 2e-3
    assert "uint32" in dtypes(network)
    assert count_parameters(network) == widened.info.n_parameters
    held = sum(v.nbytes for _, v in tree_flatten(network.parameters()))
    assert held == told
    assert held < widened.info.weights_bytes / 3


@pytest.mark.parametrize(
    "kind",
    [Kind.Q4_0, Kind.Q4_K, Kind.Q5_0, Kind.Q8_0, Kind.Q6_K, Kind.MXFP4],
    ids=lambda k: k.name,
)
def test_a_gguf_files_own_quantisation_is_kept(tmp_path, kind):
    widened = open_path(write_gguf(tmp_path / "tiny.gguf", kind), tmp_path / "cache")
    (place,) = (tmp_path / "cache" / "models").glob("*/config.json")
    network, _ = kept(place.parent)
    assert mx.abs(network(IDS) - widened.network(IDS)).max().item() < 2e-3
    assert dtypes(network) == {"uint32", "float32"} | ({"uint8"} if kind is Kind.MXFP4 else set())


@pytest.mark.parametrize(("stored", "held"), [(mx.float16, "float32"), (mx.bfloat16, "bfloat16")])
def test_float16_is_widened_and_bfloat16_is_kept(tmp_path, stored, held):
    folder = build("gemma3", tmp_path / "tiny-it")
    for file in folder.glob("*.safetensors"):
        narrow = {k: v.astype(stored) for k, v in mx.load(str(file)).items()}
        mx.save_safetensors(str(file), narrow)
    network, _ = kept(folder)
    assert dtypes(network) == {held}
    assert network(IDS).dtype == mx.float32
    assert mx.isfinite(network(IDS)).all().item()
