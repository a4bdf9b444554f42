"""Models are found where they lie, judged by their heads, and removed only where they are ours."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend

from app.cli import main
from app.models.catalogue import read_catalogue, recommend, verdict
from app.models.errors import ModelError
from app.models.installed import Places, choose, find_installed, find_places, remove
from app.models.remote import check_repository
from app.models.token import TokenKeeper
from app.sizes import as_size, as_time
from tests.hub import TestHub, content_of

GB = 1024**3
CONFIG = {
    "model_type": "gemma3_text",
    "max_position_embeddings": 32768,
    "quantization": {"bits": 4, "group_size": 64},
}


def safetensors(n_bytes: int = 64) -> bytes:
    head = json.dumps({"a": {"dtype": "U8", "shape": [n_bytes], "data_offsets": [0, n_bytes]}})
    return struct.pack("<Q", len(head)) + head.encode() + bytes(n_bytes)


def gguf(architecture: str = "gemma3") -> bytes:
    key, word = b"general.architecture", architecture.encode()
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", len(key)) + key
    return head + struct.pack("<IQ", 8, len(word)) + word + bytes(100)


def put_model(folder: Path, config=CONFIG) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "model.safetensors").write_bytes(safetensors())
    (folder / "tokenizer.json").write_text("{}")
    return folder


@pytest.fixture
def places(tmp_path):
    return Places(tmp_path / "models", tmp_path / "hub", (tmp_path / "lmstudio",))


def only(places):
    (model,) = find_installed(places)
    return model


# ---------------------------------------------------------------------------------- finding


def test_the_apps_own_models_are_found(places):
    put_model(places.models / "someone--gemma")
    model = only(places)
    assert (model.name, model.place) == ("someone--gemma", "app")
    assert (model.family, model.quantisation, model.context_tokens) == ("Gemma 3", "4 bit", 32768)
    assert model.disk_bytes > 64
    assert model.problem == ""


def test_the_hubs_cache_is_found_at_the_commit_that_main_names(places):
    cached = places.hub / "models--google--gemma-3-1b-it"
    put_model(cached / "snapshots" / "aaa")
    put_model(cached / "snapshots" / "bbb")
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("aaa")
    model = only(places)
    assert model.source.endswith("aaa")
    assert (model.name, model.place) == ("google--gemma-3-1b-it", "hub")


def test_lm_studios_folder_is_found_with_each_gguf_file(places):
    folder = places.lmstudio[0] / "lmstudio-community" / "gemma-3-4b-it-GGUF"
    folder.mkdir(parents=True)
    for name in ("gemma-3-4b-it-Q4_K_M.gguf", "gemma-3-4b-it-Q8_0.gguf"):
        (folder / name).write_bytes(gguf())
    forms = {model.quantisation for model in find_installed(places)}
    assert forms == {"Q4_K_M", "Q8_0"}


def test_models_of_other_families_are_not_listed(places):
    put_model(places.models / "other", {"model_type": "llama"})
    folder = places.lmstudio[0] / "a" / "b"
    folder.mkdir(parents=True)
    (folder / "m.gguf").write_bytes(gguf("llama"))
    assert find_installed(places) == []


def test_what_is_being_fetched_is_not_listed(places):
    put_model(places.models / ".fetching" / "someone--gemma")
    assert find_installed(places) == []


def test_folders_that_are_not_there_hold_no_models(places):
    assert find_installed(places) == []


def test_the_places_follow_the_other_programs_own_rules(tmp_path):
    found = find_places(tmp_path, {"HOME": "/h"})
    assert found.hub == Path("/h/.cache/huggingface/hub")
    assert find_places(tmp_path, {"HOME": "/h", "HF_HOME": "/x"}).hub == Path("/x/hub")
    assert find_places(tmp_path, {"HOME": "/h", "HF_HUB_CACHE": "/y"}).hub == Path("/y")


# ---------------------------------------------------------------------------------- damage


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda f: (f / "model.safetensors").write_bytes(safetensors()[:-1]), "cut off"),
        (lambda f: (f / "model.safetensors").write_bytes(b"\xff" * 4000), "cut off"),
        (lambda f: (f / "model.safetensors").write_bytes(b""), "damaged"),
        (lambda f: (f / "model.safetensors").unlink(), "no weights"),
        (lambda f: (f / "tokenizer.json").unlink(), "tokenizer.json is missing"),
        (lambda f: (f / "config.json").write_text("{"), "config.json cannot be read"),
        (lambda f: (f / "config.json").write_text("[]"), "config.json cannot be read"),
        (
            lambda f: (f / "model.safetensors.index.json").write_text(
                '{"weight_map": {"a": "model-00002-of-00002.safetensors"}}'
            ),
            "model-00002-of-00002.safetensors is missing",
        ),
        (lambda f: (f / "model.safetensors.index.json").write_text("{}"), "cannot be read"),
    ],
)
def test_a_damaged_model_is_listed_as_damaged(places, spoil, problem):
    spoil(put_model(places.models / "m"))
    assert problem in only(places).problem


def test_a_damaged_gguf_file_is_listed_as_damaged(places):
    folder = places.models / "m"
    folder.mkdir(parents=True)
    (folder / "m.gguf").write_bytes(b"GGUF")
    assert "damaged" in only(places).problem


# ---------------------------------------------------------------------------------- choosing


def test_a_model_is_chosen_by_name_repository_or_path(places):
    put_model(places.models / "someone--gemma")
    models = find_installed(places)
    for name in ("someone--gemma", "someone/gemma", models[0].source):
        assert choose(models, name) == models[0]
    with pytest.raises(ModelError, match="no model called other"):
        choose(models, "other")


def test_removing_tells_the_bytes_and_leaves_nothing(places):
    put_model(places.models / "m")
    model = only(places)
    assert remove(model, places) == model.disk_bytes
    assert list(places.models.iterdir()) == []


def test_one_gguf_file_of_several_is_removed_alone(places):
    folder = places.models / "m"
    folder.mkdir(parents=True)
    for name in ("a-Q4_0.gguf", "b-Q8_0.gguf"):
        (folder / name).write_bytes(gguf())
    assert remove(find_installed(places)[0], places) == len(gguf())
    assert [path.name for path in folder.iterdir()] == ["b-Q8_0.gguf"]


def test_what_belongs_to_another_program_is_not_removed(places):
    folder = put_model(places.lmstudio[0] / "a" / "b")
    with pytest.raises(ModelError, match="another program"):
        remove(only(places), places)
    assert (folder / "model.safetensors").exists()


# ---------------------------------------------------------------------------------- catalogue


def test_the_catalogue_can_be_fetched_and_says_where_its_numbers_are_from():
    offers = read_catalogue()
    assert len({offer.repository for offer in offers}) == len(offers) >= 12
    for offer in offers:
        assert check_repository(offer.repository) == offer.repository
        assert offer.size_source
        assert offer.licence.startswith("https://")
        assert 0 < offer.minimum_memory_gb <= offer.comfortable_memory_gb


@pytest.mark.parametrize(
    ("memory_gb", "name"),
    [
        (8, "Gemma 3 1B"),
        (16, "Gemma 4 E4B"),
        (24, "Gemma 4 12B"),
        (32, "Gemma 4 26B-A4B"),
        (64, "Gemma 4 31B"),
    ],
)
def test_each_mac_has_one_recommended_model(memory_gb, name):
    offers = read_catalogue()
    limit = int(memory_gb * GB * 0.7)
    assert recommend(offers, memory_gb * GB, limit).name == name


def test_a_machine_for_which_everything_is_too_big_gets_no_recommendation():
    assert recommend(read_catalogue(), 8 * GB, 1_000) is None


@pytest.mark.parametrize(
    ("share", "word"), [(0.65, "fits"), (0.66, "tight"), (0.80, "tight"), (0.81, "too big")]
)
def test_the_verdict_follows_the_share(share, word):
    assert verdict(int(share * 1_000), 1_000) == word


def test_window_layers_stop_growing_with_the_context():
    offer = next(o for o in read_catalogue() if o.name == "Gemma 3 4B")
    growth = offer.needed_bytes(8_192) - offer.needed_bytes(4_096)
    assert growth == 4_096 * offer.bytes_per_token


# ---------------------------------------------------------------------------------- the token


class OneToken(KeyringBackend):
    priority = 1

    def __init__(self):
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service, username):
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.kept[service, username] = password

    def delete_password(self, service, username):
        del self.kept[service, username]


@pytest.fixture
def keychain():
    before, backend = keyring.get_keyring(), OneToken()
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


def test_the_token_is_kept_in_the_keychain(keychain):
    assert TokenKeeper().keep(" hf_x\n")
    assert TokenKeeper().read() == "hf_x"
    TokenKeeper().forget()
    assert TokenKeeper().read() == ""
    assert keychain.kept == {}


def test_without_a_keychain_the_token_is_kept_for_this_run():
    keeper = TokenKeeper()
    assert not keeper.keep("hf_x")
    assert keeper.read() == "hf_x"
    assert TokenKeeper().read() == ""
    keeper.forget()
    assert keeper.read() == ""


# ---------------------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1_000, "1.00 kB"),
        (999_700, "1.00 MB"),
        (4_300_000_000, "4.30 GB"),
        (151_000_000, "151 MB"),
        (18_400_000_000, "18.4 GB"),
        (2_000_000_000_000, "2000 GB"),
    ],
)
def test_sizes_are_said_with_three_digits(n_bytes, text):
    assert as_size(n_bytes) == text


def test_times_are_said_roughly():
    assert [as_time(s) for s in (5, 80, 200, 4_200)] == ["5 s", "80 s", "3 min", "1 h 10 min"]


# ---------------------------------------------------------------------------------- the terminal


@pytest.fixture
def terminal(cabochon_home, monkeypatch):
    server = TestHub()
    monkeypatch.setenv("HF_ENDPOINT", server.address)
    yield server
    server.close()


def run(capsys, *words):
    code = main(["models", *words])
    return code, capsys.readouterr()


def test_a_model_is_fetched_listed_and_removed_from_the_terminal(terminal, capsys):
    weights = safetensors(5_000)
    terminal.put(
        "someone/gemma",
        {
            "config.json": json.dumps(CONFIG).encode(),
            "model.safetensors": weights,
            "tokenizer.json": b"{}",
        },
    )
    code, said = run(capsys, "download", "someone/gemma", "--json")
    assert code == 0
    assert Path(json.loads(said.out)["path"]).is_dir()
    code, said = run(capsys, "list", "--json")
    listed = {model["name"]: model for model in json.loads(said.out)}
    assert listed["someone--gemma"]["repository"] == "someone/gemma"
    code, said = run(capsys, "remove", "someone/gemma")
    assert (code, said.out[-16:]) == (0, "are free again.\n")
    code, said = run(capsys, "list", "--json")
    assert "someone--gemma" not in said.out


def test_the_offline_setting_holds_in_the_terminal_too(terminal, cabochon_home, capsys):
    (cabochon_home / "data").mkdir(parents=True, exist_ok=True)
    (cabochon_home / "data" / "settings.json").write_text('{"offline": true}')
    code, said = run(capsys, "download", "someone/gemma")
    assert (code, terminal.seen) == (1, [])
    assert "offline switch" in said.err


def test_a_failed_download_is_listed_and_can_be_discarded(terminal, capsys):
    terminal.put("a/b", {"config.json": b"{}", "model.safetensors": content_of(90_000)})
    terminal.faults["model.safetensors"].append(("status", 410))
    code, said = run(capsys, "download", "a/b")
    assert code == 1
    assert "410" in said.err
    assert "a/b\tnot fetched whole yet" in run(capsys, "list")[1].out
    assert run(capsys, "download", "a/b", "--discard")[0] == 0
    assert "a/b" not in run(capsys, "list")[1].out


@pytest.mark.parametrize(
    "words", [("remove", "nothing"), ("verify", "nothing"), ("fit", "nothing"), ("import", "/no")]
)
def test_a_model_that_is_not_there_is_one_sentence(cabochon_home, capsys, words):
    code, said = run(capsys, *words)
    assert code == 1
    assert said.err.startswith("cabochon: There is no")
    assert said.err.count("\n") == 1
