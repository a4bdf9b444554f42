"""Model folders are judged before they are opened; what is wrong is one plain sentence."""

from __future__ import annotations

import json
import struct

import mlx.core as mx
import pytest
from gguf.constants import GGMLQuantizationType
from mlx.utils import tree_flatten

from inference import (
    DeviceMemoryError,
    ModelFolderError,
    ModelVerified,
    Quantisation,
    fit_model,
    import_folder,
    summarise_model,
    verify_model,
)
from inference.loading import open_model
from inference.types import EngineOptions
from tests.gguf_files import write_gguf
from tests.model.families import FAMILY_NAMES, build, open_path

IDS = mx.array([[2, *range(40, 70)]])


@pytest.fixture
def folder(tmp_path):
    return build("gemma3", tmp_path / "tiny-it")


def change(folder, name, **changes):
    path = folder / name
    table = json.loads(path.read_text()) | changes
    path.write_text(json.dumps(table))


def complaint(source, tmp_path, **options):
    with pytest.raises(ModelFolderError) as caught:
        list(open_model(str(source), EngineOptions(tmp_path / "cache", **options), lambda: False))
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


def shard(folder):
    return folder / "model-00001-of-00002.safetensors"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("config.json", "{", "config.json is damaged"),
        ("config.json", "[]", "config.json is damaged"),
        ("config.json", '{"model_type": "llama"}', "'llama' model"),
        ("config.json", "{}", "'None' model"),
        ("config.json", '{"model_type": ["gemma3"]}', "model, and these can be opened"),
        ("model.safetensors.index.json", "nonsense", "index.json is damaged"),
        ("model.safetensors.index.json", '{"weight_map": {"a": "../x"}}', "index.json is damaged"),
        ("model.safetensors.index.json", '{"weight_map": {"a": "x.safetensors"}}', "lacks x"),
        ("tokenizer.json", "{}", "tokenizer.json is damaged"),
        ("tokenizer.json", "\x00", "tokenizer.json is damaged"),
        ("tokenizer_config.json", "{", "tokenizer_config.json is damaged"),
        ("tokenizer_config.json", '{"bos_token": "<nope>"}', "'<nope>'"),
        ("generation_config.json", "[1]", "generation_config.json is damaged"),
    ],
)
def test_a_damaged_small_file_is_named(folder, tmp_path, name, text, says):
    (folder / name).write_text(text)
    assert says in complaint(folder, tmp_path)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"num_hidden_layers": 10**9}, "num_hidden_layers"),
        ({"hidden_size": -64}, "hidden_size"),
        ({"vocab_size": "many"}, "vocab_size"),
        ({"head_dim": 0}, "head_dim"),
        ({"hidden_size": 128}, "shape"),
        ({"num_hidden_layers": 8}, "lacks the weight 'model.layers.7"),
        ({"num_hidden_layers": 6}, "does not know, 'model.layers.6"),
        ({"layer_types": ["full_attention", "sliding_attention"] * 4}, "no repeating pattern"),
        ({"num_key_value_heads": 3}, "shape"),
        ({"rope_scaling": {"rope_type": "spiral"}}, "does not describe"),
        ({"model_file": "evil.py"}, "run code"),
        ({"quantization_config": {"quant_method": "awq"}}, "packed by 'awq'"),
        ({"auto_map": {"AutoModel": "evil.Model"}}, "run code"),
    ],
)
def test_a_config_that_cannot_be_is_one_sentence(folder, tmp_path, changes, says):
    (folder / "evil.py").write_text("raise SystemExit('this ran')")
    change(folder, "config.json", **changes)
    assert says in complaint(folder, tmp_path)


def test_files_that_are_not_there_are_named(folder, tmp_path):
    assert "There is no model" in complaint(tmp_path / "nowhere", tmp_path)
    (tmp_path / "empty").mkdir()
    assert "no config.json" in complaint(tmp_path / "empty", tmp_path)
    shard(folder).unlink()
    assert shard(folder).name in complaint(folder, tmp_path)
    (folder / "tokenizer.json").unlink()
    (folder / "model.safetensors.index.json").unlink()
    assert "lacks the weight" in complaint(build_without_tokenizer(folder), tmp_path)


def build_without_tokenizer(folder):
    (folder / "tokenizer.json").write_text(
        (build("gemma3", folder / "x") / "tokenizer.json").read_text()
    )
    return folder


def with_header(folder, edit):
    """Rewrite the header of a shard, keeping the data behind it."""
    data = shard(folder).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    edit(header)
    text = json.dumps(header).encode()
    shard(folder).write_bytes(struct.pack("<Q", len(text)) + text + data[8 + length :])


def first(header):
    return next(entry for name, entry in header.items() if name != "__metadata__")


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda h: first(h).update(data_offsets=[0, 10**12]), "ends behind"),
        (lambda h: first(h).update(data_offsets=[-4, 4]), "ends behind"),
        (lambda h: first(h).update(data_offsets=[0]), "incomplete"),
        (lambda h: first(h).update(shape=[1 << 50, 1 << 50]), "ends behind"),
        (lambda h: first(h).update(shape=[3]), "does not fit its bytes"),
        (lambda h: first(h).update(shape="wide"), "incomplete"),
        (lambda h: first(h).update(dtype="F12"), "unknown kind"),
        (
            lambda h: h.update(extra={"dtype": "F32", "shape": [], "data_offsets": [0, 4]}),
            "overlap",
        ),
    ],
)
def test_a_header_that_does_not_fit_its_file_is_one_sentence(folder, tmp_path, edit, says):
    with_header(folder, edit)
    assert says in complaint(folder, tmp_path)


@pytest.mark.parametrize("size", [0, 4, 8, 100, 20_000])
def test_a_shard_cut_short_is_one_sentence(folder, tmp_path, size):
    shard(folder).write_bytes(shard(folder).read_bytes()[:size])
    assert "model-00001-of-00002.safetensors is damaged" in complaint(folder, tmp_path)


def test_an_unknown_weight_is_named_and_towers_are_dropped_by_name(tmp_path):
    folder = build("gemma3_multimodal", tmp_path / "tiny-it")
    plain = open_path(folder, tmp_path / "cache").network(IDS)
    extra = {"vision_tower.x.weight": mx.zeros((4, 4)), "multi_modal_projector.y": mx.zeros((4,))}
    add_shard(folder, extra)
    assert mx.array_equal(open_path(folder, tmp_path / "cache").network(IDS), plain)
    assert summarise_model(str(folder)).skipped == ("the vision projector", "the vision tower")
    add_shard(folder, extra | {"language_model.model.extra.weight": mx.zeros((4,))})
    assert "extra.weight" in complaint(folder, tmp_path)


def test_heads_of_several_tokens_and_shared_keys_are_skipped(tmp_path):
    folder = build("gemma4_shared", tmp_path / "tiny-it")
    plain = open_path(folder, tmp_path / "cache").network(IDS)
    layer = "language_model.model.layers.6.self_attn"
    add_shard(
        folder,
        {
            "mtp.head.weight": mx.zeros((4,)),
            f"{layer}.k_proj.weight": mx.zeros((16, 64)),
            f"{layer}.v_proj.weight": mx.zeros((16, 64)),
            f"{layer}.k_norm.weight": mx.zeros((16,)),
        },
    )
    assert mx.array_equal(open_path(folder, tmp_path / "cache").network(IDS), plain)
    assert summarise_model(str(folder)).skipped == ("the heads that predict several tokens",)


def add_shard(folder, weights):
    path = folder / "model-extra.safetensors"
    mx.save_safetensors(str(path), weights)
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    index["weight_map"] |= dict.fromkeys(weights, path.name)
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


@pytest.mark.parametrize("family", FAMILY_NAMES)
def test_names_as_the_hub_has_them_are_those_of_conversions(family, tmp_path):
    folder = build(family, tmp_path / "tiny-it")
    opened = open_path(folder, tmp_path / "cache")
    hub = {
        "gemma3_multimodal": ("language_model.model.", "model.language_model."),
        "gemma4_shared": ("language_model.model.", "model.language_model."),
    }.get(family)
    if hub is None:
        assert all(not name.startswith("language_model") for name in names(opened))
        return
    weights = {}
    for file in folder.glob("model-*.safetensors"):
        weights |= {k.replace(*hub): v for k, v in mx.load(str(file)).items()}
        file.unlink()
    (folder / "model.safetensors.index.json").unlink()
    mx.save_safetensors(str(folder / "model.safetensors"), weights)
    renamed = open_path(folder, tmp_path / "cache")
    assert mx.array_equal(renamed.network(IDS), opened.network(IDS))


def names(opened):
    return [name for name, _ in tree_flatten(opened.network.parameters())]


# ------------------------------------------------------------------------------------- fit


def test_a_model_that_is_too_big_is_refused_with_the_sum_before_it_is_read(folder, tmp_path):
    options = EngineOptions(tmp_path / "cache", working_set_bytes=1_000_000)
    with pytest.raises(DeviceMemoryError, match=r"Too big: weights .* \+ .* = .* of the") as caught:
        list(open_model(str(folder), options, lambda: False))
    assert str(caught.value).endswith("Choose a smaller model or quantisation.")


def test_windows_stop_growing_and_the_sum_is_spelled_out(folder):
    short = fit_model(str(folder), 8, 10**9)
    longer = fit_model(str(folder), 508, 10**9)
    row = 2 * 16 * 4  # keys and values of one head of 16, float32
    assert short.cache_bytes == 8 * 7 * row
    assert longer.cache_bytes == (8 * 6 + 508) * row
    assert longer.total_bytes == longer.weights_bytes + longer.cache_bytes + longer.scratch_bytes
    assert longer.verdict == "fits"
    assert "508 tokens" in longer.sentence


def test_the_borders_are_65_and_80_percent(folder):
    total = fit_model(str(folder), 512, 10**9).total_bytes
    for share, verdict in ((0.64, "fits"), (0.66, "tight"), (0.79, "tight"), (0.81, "too big")):
        assert fit_model(str(folder), 512, int(total / share)).verdict == verdict


# ---------------------------------------------------------------------------- verify, summary


def verdict(source, tmp_path):
    *_, found = verify_model(str(source), EngineOptions(tmp_path / "cache"), lambda: False)
    assert isinstance(found, ModelVerified)
    return found


def test_verify_finds_a_whole_model_good_and_a_damaged_one_bad(folder, tmp_path):
    good = verdict(folder, tmp_path)
    assert good.problem == ""
    assert good.summary.family == "Gemma 3"
    assert not good.summary.is_base
    shard(folder).write_bytes(shard(folder).read_bytes()[:-1])
    bad = verdict(folder, tmp_path)
    assert "damaged" in bad.problem
    assert bad.summary is None


def test_a_gguf_file_tells_before_it_is_converted_what_will_change(tmp_path):
    summary = summarise_model(str(write_gguf(tmp_path / "a.gguf", GGMLQuantizationType.Q6_K)))
    assert summary.inexact == "Weights of the type Q6_K become 8 bit."
    assert summary.is_base
    exact = summarise_model(str(write_gguf(tmp_path / "b.gguf", GGMLQuantizationType.Q4_K)))
    assert exact.inexact == ""


# ---------------------------------------------------------------------------------- import


@pytest.mark.parametrize(
    "form",
    [
        Quantisation(4, 32),
        Quantisation(8, 64),
        Quantisation(3, 32),
        Quantisation(4, 32, "mxfp4"),
        Quantisation(8, 32, "mxfp8"),
        Quantisation(4, 16, "nvfp4"),
    ],
    ids=str,
)
@pytest.mark.parametrize("family", ["gemma4_moe", "recurrent"])
def test_a_plain_folder_is_quantised_on_import(tmp_path, family, form):
    source = build(family, tmp_path / "plain-it")
    place = tmp_path / "new" / "packed-it"
    fractions = [e.fraction for e in import_folder(source, place, form, lambda: False)]
    assert fractions == sorted(fractions)
    packed, plain = open_path(place, tmp_path / "cache"), open_path(source, tmp_path / "cache")
    ours = packed.network.embed(IDS)
    parts = mx.quantize(plain.network.embed(IDS), form.group, form.bits, form.mode)
    expected = mx.dequantize(*parts, group_size=form.group, bits=form.bits, mode=form.mode)
    assert mx.abs(ours - expected).max().item() < 1e-5
    assert packed.info.n_parameters == plain.info.n_parameters
    assert summarise_model(str(place)).disk_bytes < summarise_model(str(source)).disk_bytes
    assert [p.name for p in place.parent.iterdir()] == ["packed-it"]


def test_a_form_that_cannot_be_is_one_sentence():
    for form in ((7, 32, "affine"), (4, 16, "affine"), (8, 32, "mxfp4"), (4, 32, "nvfp4")):
        with pytest.raises(ModelFolderError, match="choose"):
            Quantisation(*form)


def test_an_import_that_is_stopped_leaves_nothing(tmp_path):
    source = build("gemma3", tmp_path / "plain-it")
    asked = iter([False] * 5 + [True])
    with pytest.raises(Exception, match="stopped"):
        list(import_folder(source, tmp_path / "new" / "x", Quantisation(), lambda: next(asked)))
    assert list((tmp_path / "new").iterdir()) == []


def test_what_is_quantised_is_not_quantised_again(tmp_path):
    source = build("gemma3", tmp_path / "packed-it", bits=4)
    with pytest.raises(ModelFolderError, match="already"):
        list(import_folder(source, tmp_path / "x", Quantisation(), lambda: False))
