"""Models are sized up, checked and imported from the terminal, on a tiny one of a family."""

import json

import pytest

from app.cli import main
from tests.model.families import build


@pytest.fixture
def tiny(tmp_path, cabochon_home):
    return build("gemma3", tmp_path / "tiny-gemma")


def run(capsys, *words):
    code = main(["models", *map(str, words), "--json"])
    out = capsys.readouterr().out
    return code, json.loads(out) if out else None


def test_the_sum_of_a_fit_is_spelled_out(tiny, capsys):
    code, found = run(capsys, "fit", tiny, "--context", 256, "--working-set", 10**9)
    assert (code, found["verdict"]) == (0, "fits")
    parts = ("weights_bytes", "cache_bytes", "scratch_bytes")
    assert found["total_bytes"] == sum(found[part] for part in parts)
    code, found = run(capsys, "fit", tiny, "--context", 256, "--working-set", 10_000)
    assert (code, found["verdict"]) == (1, "too big")


def test_a_whole_model_is_verified_and_a_damaged_one_is_not(tiny, capsys):
    assert run(capsys, "verify", tiny) == (
        0,
        {"name": str(tiny), "is_whole": True, "problems": []},
    )
    weights = max(tiny.glob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:-1024])
    code, found = run(capsys, "verify", tiny)
    assert code == 1
    assert weights.name in found["problems"][0]


def test_an_imported_model_is_listed_with_what_it_is(tiny, capsys):
    assert run(capsys, "import", tiny)[0] == 0
    assert run(capsys, "import", tiny, "--bits", 4, "--group", 32)[0] == 0
    code, listed = run(capsys, "list", "--details")
    models = {model["name"]: model for model in listed}
    packed = models["tiny-gemma-4bit"]
    assert packed["quantisation"].startswith("4")
    assert packed["disk_bytes"] < models["tiny-gemma"]["disk_bytes"]
    assert {fit["verdict"] for fit in packed["fits"]} == {"fits"}
    assert code == 0
    assert run(capsys, "import", tiny)[0] == 1
