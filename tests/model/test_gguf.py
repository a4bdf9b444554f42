"""GGUF files of every type are converted, opened and speak with the weights that they hold."""

from __future__ import annotations

import json
import threading

import mlx.core as mx
import numpy as np
import pytest
from gguf.constants import GGMLQuantizationType
from gguf.quants import dequantize

from inference.errors import InferenceError, ModelFolderError
from inference.loading import OpenedModel, open_model
from inference.types import EngineOptions, Loading
from tests.gguf_files import TOKENS, WIDTH, random_blocks, write_gguf
from tests.model.families import open_path

Kind = GGMLQuantizationType
EXACT = [Kind.Q4_0, Kind.Q4_1, Kind.Q5_0, Kind.Q5_1, Kind.Q8_0, Kind.Q4_K, Kind.Q5_K, Kind.MXFP4]
OTHERS = [Kind.Q6_K, Kind.Q3_K, Kind.Q2_K, Kind.IQ4_XS, Kind.TQ2_0]
IDS = [2, *range(6, 40)]


def events(path, cache_dir, should_stop=lambda: False):
    return list(open_model(str(path), EngineOptions(cache_dir), should_stop))


@pytest.mark.parametrize("kind", [*EXACT, *OTHERS], ids=lambda k: k.name)
def test_a_file_of_any_type_is_opened_with_the_weights_it_holds(tmp_path, kind):
    opened = open_path(write_gguf(tmp_path / "tiny.gguf", kind), tmp_path / "cache")
    raw = random_blocks(kind, len(TOKENS), WIDTH, seed=sum(b"token_embd.weight"))
    expected = dequantize(raw, kind)
    ours = np.array(opened.network.embed(mx.arange(len(TOKENS))[None])[0])
    loss = np.sqrt(np.square(ours - expected).mean() / np.square(expected).mean())
    assert loss == 0 if kind in EXACT else 0 < loss < 0.01
    assert bool(opened.config["gguf"]["errors"]) == (kind in OTHERS)
    assert mx.isfinite(opened.network(mx.array([IDS]))).all().item()


@pytest.mark.parametrize("kind", [Kind.F32, Kind.F16, Kind.BF16], ids=lambda k: k.name)
def test_a_file_of_plain_numbers_is_opened(tmp_path, kind):
    opened = open_path(write_gguf(tmp_path / "tiny.gguf", kind), tmp_path / "cache")
    assert mx.isfinite(opened.network(mx.array([IDS]))).all().item()


@pytest.mark.parametrize("arch", ["gemma", "gemma2", "gemma3"])
def test_every_architecture_of_gguf_is_opened(tmp_path, arch):
    opened = open_path(write_gguf(tmp_path / "tiny.gguf", Kind.Q8_0, arch), tmp_path / "cache")
    assert mx.isfinite(opened.network(mx.array([IDS]))).all().item()
    norm = np.array(opened.network.final_norm.weight)
    assert abs(norm.mean()) < 0.1  # the one that the file adds is gone


def test_a_file_with_a_template_speaks_in_turns(tmp_path):
    changes = {"tokenizer__chat_template": "{{ bos_token }}", "general__name": "Tiny IT"}
    opened = open_path(write_gguf(tmp_path / "tiny.gguf", **changes), tmp_path / "cache")
    assert opened.info.reply_style == "turns"
    assert opened.template.source == "{{ bos_token }}"
    assert opened.end_ids == {1, TOKENS.index("<end_of_turn>")}


def test_the_second_start_converts_nothing(tmp_path):
    path = write_gguf(tmp_path / "tiny.gguf")
    first = {e.what for e in events(path, tmp_path / "cache") if isinstance(e, Loading)}
    second = {e.what for e in events(path, tmp_path / "cache") if isinstance(e, Loading)}
    assert "Converting the model" in first
    assert "Converting the model" not in second


def test_a_damaged_conversion_is_made_again(tmp_path):
    path = write_gguf(tmp_path / "tiny.gguf")
    before = open_path(path, tmp_path / "cache")
    (weights,) = (tmp_path / "cache" / "models").glob("*/model.safetensors")
    for damage in (
        lambda: weights.write_bytes(weights.read_bytes()[:-7] + b"damaged"),
        lambda: weights.write_bytes(weights.read_bytes()[:1000]),
        weights.unlink,
        (weights.parent / "manifest.json").unlink,
        (weights.parent / "tokenizer.json").unlink,
    ):
        damage()
        after = open_path(path, tmp_path / "cache")
        ids = mx.array([IDS])
        assert mx.array_equal(after.network(ids), before.network(ids))
        assert after.info.fingerprint == before.info.fingerprint
    assert [p.name for p in weights.parent.parent.iterdir() if ".half." in p.name] == []


def test_stopping_leaves_nothing_behind_and_the_next_start_works(tmp_path):
    path = write_gguf(tmp_path / "tiny.gguf")
    for patience in (0, 1, 5, 20):
        asked = iter([False] * patience + [True] * 1000)
        with pytest.raises(InferenceError, match="stopped"):
            events(path, tmp_path / "cache", lambda asked=asked: next(asked))
        assert list((tmp_path / "cache").glob("models/*/manifest.json")) == []
        assert list((tmp_path / "cache").glob("models/.*.half.*")) == []
    assert isinstance(events(path, tmp_path / "cache")[-1], OpenedModel)


def test_a_dropped_generator_leaves_nothing_behind(tmp_path):
    loading = open_model(
        str(write_gguf(tmp_path / "tiny.gguf")), EngineOptions(tmp_path / "cache"), lambda: False
    )
    for event in loading:
        if event.what == "Converting the model":
            break
    loading.close()
    assert list((tmp_path / "cache").glob("models/.*.half.*")) == []


def test_two_at_once_take_turns(tmp_path):
    path = write_gguf(tmp_path / "tiny.gguf")
    cache = tmp_path / "cache"
    first = open_model(str(path), EngineOptions(cache), lambda: False)
    for event in first:
        if event.what == "Converting the model":
            break
    seen = []
    waits = threading.Event()

    def second():
        for event in open_model(str(path), EngineOptions(cache), lambda: False):
            if isinstance(event, Loading):
                seen.append(event.what)
                if event.what.startswith("Waiting"):
                    waits.set()
        mx.clear_streams()

    thread = threading.Thread(target=second)
    thread.start()
    assert waits.wait(20)
    *_, opened = first
    thread.join(20)
    assert isinstance(opened, OpenedModel)
    assert "Converting the model" not in seen
    assert "Reading the weights" in seen


def test_a_weight_that_the_network_does_not_know_is_named(tmp_path):
    path = write_gguf(tmp_path / "tiny.gguf")
    data = path.read_bytes().replace(b"blk.1.ffn_gate.weight", b"blk.1.ffn_fate.weight")
    path.write_bytes(data)
    with pytest.raises(ModelFolderError, match=r"blk\.1\.ffn_fate\.weight"):
        events(path, tmp_path / "cache")


def test_a_conversion_tells_what_it_lost(tmp_path):
    opened = open_path(write_gguf(tmp_path / "tiny.gguf", Kind.Q6_K), tmp_path / "cache")
    (place,) = (tmp_path / "cache").glob("models/*/config.json")
    errors = json.loads(place.read_text())["gguf"]["errors"]
    assert 0.001 < errors["Q6_K"] < 0.01
    assert "Q6_K" in opened.info.conversion


def test_the_one_file_of_a_folder_is_opened(tmp_path):
    folder = tmp_path / "publisher" / "tiny"
    folder.mkdir(parents=True)
    write_gguf(folder / "tiny.gguf")
    (folder / "mmproj-tiny.gguf").write_bytes(b"GGUF")
    assert open_path(folder, tmp_path / "cache").info.name == "Tiny"
    write_gguf(folder / "other.gguf")
    with pytest.raises(ModelFolderError, match="no config"):
        events(folder, tmp_path / "cache")


def test_a_file_that_is_one_of_several_is_one_sentence(tmp_path):
    path = write_gguf(tmp_path / "tiny-00001-of-00002.gguf", split__count=2)
    with pytest.raises(ModelFolderError, match="one of several"):
        events(path, tmp_path / "cache")
