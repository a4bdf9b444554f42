"""A model that cannot be opened is one sentence on the command line, and exit code 1."""

import json

import pytest

from app.cli import main


def folder(path, **files):
    path.mkdir()
    for name, content in files.items():
        (path / name.replace("__", ".")).write_bytes(content)
    return path


@pytest.fixture
def model(tmp_path, request):
    """One of the damaged models."""
    match request.param:
        case "missing":
            return tmp_path / "nowhere"
        case "random bytes":
            file = tmp_path / "model.gguf"
            file.write_bytes(bytes(range(256)) * 64)
            return file
        case "truncated":
            file = tmp_path / "model.gguf"
            file.write_bytes(b"GGUF\x03\0\0\0" + b"\xff" * 16)
            return file
        case "no config":
            return folder(tmp_path / "m", model__safetensors=b"\0" * 64)
        case "no Gemma":
            config = json.dumps({"model_type": "llama"}).encode()
            return folder(tmp_path / "m", config__json=config, model__safetensors=b"\0" * 64)
    raise AssertionError(request.param)


@pytest.mark.parametrize(
    "model", ["missing", "random bytes", "truncated", "no config", "no Gemma"], indirect=True
)
def test_a_model_that_cannot_be_opened_is_one_sentence(model, capsys, cabochon_home):
    assert main(["generate", "--prompt", "x", "--model", str(model)]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("cabochon: ")
    assert told.err.count("\n") == 1
    assert "Traceback" not in told.err


def test_without_the_starter_the_two_ways_are_told(monkeypatch, capsys, cabochon_home):
    monkeypatch.setattr("inference.loading.starter._PACKAGE", "no_such_package")
    assert main(["generate", "--prompt", "x"]) == 1
    err = capsys.readouterr().err
    assert "starter" in err
    assert "model folder" in err
