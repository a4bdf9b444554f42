"""Which models are on this machine: the app's own, the hub's cache, LM Studio's folder.

Files are only looked at: heads and lists, never the weights, and nothing is moved. A model whose
files contradict themselves is listed as damaged, with the reason.
"""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from app.models.errors import ModelError
from app.models.manifest import read_manifest

Place = Literal["app", "hub", "lmstudio", "starter"]

FAMILIES = {
    "gemma": "Gemma 1",
    "gemma2": "Gemma 2",
    "gemma3": "Gemma 3",
    "gemma3_text": "Gemma 3",
    "gemma3n": "Gemma 3n",
    "gemma4": "Gemma 4",
    "gemma4_text": "Gemma 4",
    "gemma4_unified": "Gemma 4",
    "recurrent_gemma": "RecurrentGemma",
}
_HEADER_LIMIT = 100 * 1024**2  # Source: the safetensors format's own limit


@dataclass(frozen=True, slots=True)
class Installed:
    """One model that is here.

    Attributes:
        name: Unique among those listed together.
        source: What an engine opens.
        disk_bytes: What its files take.
        context_tokens: 0 where the files do not say.
        problem: Why it cannot be opened; empty when nothing speaks against it.
    """

    name: str
    source: str
    place: Place
    family: str
    quantisation: str
    disk_bytes: int
    context_tokens: int = 0
    repository: str = ""
    problem: str = ""


STARTER = Installed("Gemma 3 270M", "starter", "starter", "Gemma 3", "Q4_K_M", 0)


@dataclass(frozen=True, slots=True)
class Places:
    """Where models may lie.

    Attributes:
        models: The app's own folder, the only one that is ever written to.
    """

    models: Path
    hub: Path
    lmstudio: tuple[Path, ...]


def find_places(models: Path, environ: Mapping[str, str]) -> Places:
    """Find the folders that other programs use, by their own rules."""
    home = Path(environ.get("HOME", "~")).expanduser()
    cache = Path(environ.get("XDG_CACHE_HOME", home / ".cache"))
    hub_home = Path(environ.get("HF_HOME", cache / "huggingface"))
    hub = Path(environ.get("HF_HUB_CACHE", hub_home / "hub"))
    return Places(models, hub, (home / ".lmstudio/models", home / ".cache/lm-studio/models"))


def find_installed(places: Places) -> list[Installed]:
    """List every Gemma that is here, the app's own first."""
    found = [_look(folder, folder.name, "app") for folder in _folders(places.models)]
    cached = [p for p in _folders(places.hub) if p.name.startswith("models--")]
    found += [
        _look(snapshot, folder.name.removeprefix("models--"), "hub")
        for folder in cached
        if (snapshot := _snapshot(folder))
    ]
    publishers = [publisher for top in places.lmstudio for publisher in _folders(top)]
    found += [
        _look(folder, f"{publisher.name}--{folder.name}", "lmstudio")
        for publisher in publishers
        for folder in _folders(publisher)
    ]
    listed: dict[str, Installed] = {}
    for models in found:
        for model in models:
            listed.setdefault(model.name, model)
    return list(listed.values())


def _folders(top: Path) -> list[Path]:
    try:
        return sorted(p for p in top.iterdir() if p.is_dir() and not p.name.startswith("."))
    except OSError:
        return []


def _snapshot(cached: Path) -> Path | None:
    """The snapshot that a cached repository's main branch names, or its newest."""
    try:
        commit = (cached / "refs" / "main").read_text().strip()
    except OSError:
        commit = ""
    named = cached / "snapshots" / commit
    if commit and named.is_dir():
        return named
    snapshots = _folders(cached / "snapshots")
    return max(snapshots, key=lambda path: path.stat().st_mtime, default=None)


def _look(folder: Path, name: str, place: Place) -> list[Installed]:
    """Give the models of a folder: one in safetensors, or one for each GGUF file."""
    if (folder / "config.json").exists():
        model = _look_at_folder(folder, name, place)
        return [model] if model else []
    ggufs = sorted(folder.glob("*.gguf"))
    return [
        _look_at_gguf(path, name if len(ggufs) == 1 else f"{name}--{path.stem}", place)
        for path in ggufs
        if "gemma" in _architecture(path) or not _architecture(path)
    ]


def _look_at_folder(folder: Path, name: str, place: Place) -> Installed | None:
    manifest = read_manifest(folder)
    try:
        config = json.loads((folder / "config.json").read_bytes())
        _check_object(config)
        problem = ""
    except (OSError, ValueError) as error:
        config, problem = {}, f"config.json cannot be read ({type(error).__name__})"
    family = FAMILIES.get(str(config.get("model_type", "")), "")
    if not family and not problem:
        return None  # not a Gemma
    text = config.get("text_config") or config
    return Installed(
        name=name,
        source=str(folder),
        place=place,
        family=family,
        quantisation=_quantisation(config),
        disk_bytes=size_of(folder),
        context_tokens=_number(text.get("max_position_embeddings")),
        repository=manifest.repository if manifest else "",
        problem=problem or _wrong_with(folder),
    )


def _check_object(config: object) -> None:
    """Refuse a JSON text that is no object."""
    if not isinstance(config, dict):
        raise ValueError("no object")  # noqa: TRY004  (what a bad JSON text raises)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _quantisation(config: dict[str, Any]) -> str:
    packed = config.get("quantization") or config.get("quantization_config")
    if isinstance(packed, dict) and isinstance(packed.get("bits"), int):
        return f"{packed['bits']} bit"
    return str(config.get("torch_dtype") or config.get("dtype") or "").replace("bfloat", "bf")


def _wrong_with(folder: Path) -> str:
    """What is wrong with a folder's files; empty when nothing is seen."""
    weights = sorted(folder.glob("*.safetensors"))
    try:
        index = json.loads((folder / "model.safetensors.index.json").read_bytes())
        wanted = set(index["weight_map"].values())
    except FileNotFoundError:
        wanted = set()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "model.safetensors.index.json cannot be read"
    missing = sorted(wanted - {path.name for path in weights})
    if missing:
        return f"{missing[0]} is missing"
    if not weights:
        return "it has no weights"
    for path in weights:
        if problem := _wrong_with_file(path):
            return problem
    if not (folder / "tokenizer.json").is_file():
        return "tokenizer.json is missing"
    return ""


def _wrong_with_file(path: Path) -> str:
    """Whether a safetensors file ends where its head says."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if length > min(size - 8, _HEADER_LIMIT):
                return f"{path.name} is damaged or was cut off"
            head = json.loads(file.read(length))
        ends = [entry["data_offsets"][1] for key, entry in head.items() if key != "__metadata__"]
    except (OSError, ValueError, struct.error, KeyError, TypeError, IndexError, AttributeError):
        return f"{path.name} is damaged"
    if max(ends, default=0) + 8 + length != size:
        return f"{path.name} is damaged or was cut off"
    return ""


def _look_at_gguf(path: Path, name: str, place: Place) -> Installed:
    architecture = _architecture(path)
    words = path.stem.replace(".", "-").split("-")
    form = next((word for word in reversed(words) if word[:1] in "QFBqfb" and "_" in word), "")
    return Installed(
        name=name,
        source=str(path),
        place=place,
        family=FAMILIES.get(architecture, architecture.replace("gemma", "Gemma ").strip()),
        quantisation=form or "GGUF",
        disk_bytes=path.stat().st_size,
        problem="" if architecture else f"{path.name} is damaged",
    )


def _architecture(path: Path) -> str:
    """The architecture that a GGUF file names near its beginning; empty if it is none."""
    key = b"general.architecture"
    with path.open("rb") as file:
        head = file.read(65_536)
    at = head.find(key)
    if not head.startswith(b"GGUF") or at < 0:
        return ""
    start = at + len(key)
    kind, length = struct.unpack_from("<IQ", head, start)
    word = head[start + 12 : start + 12 + length]
    return word.decode(errors="replace") if kind == 8 and length < 100 else ""


def size_of(folder: Path) -> int:
    """What a folder's files take on the disk, links followed."""
    return sum(path.stat().st_size for path in _files(folder))


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def choose(models: list[Installed], name: str) -> Installed:
    """Find a model by its name, its repository or its path.

    Raises:
        ModelError: There is no such model here.
    """
    wanted = name.rstrip("/")
    for model in models:
        if wanted in (model.name, model.repository, model.source, model.name.replace("--", "/", 1)):
            return model
    raise ModelError(f"There is no model called {name} here; `cabochon models list` shows them.")


def remove(model: Installed, places: Places) -> int:
    """Delete a model of the app's own folder.

    Returns:
        The bytes that are free again.

    Raises:
        ModelError: It belongs to another program, or cannot be deleted.
    """
    path = Path(model.source)
    if model.place != "app" or places.models not in path.parents:
        raise ModelError(
            f"{model.name} belongs to another program and was only found; remove it there."
        )
    whole = path if path.is_dir() else path.parent
    if whole != path and len([p for p in whole.iterdir() if p.suffix == ".gguf"]) > 1:
        whole = path
    freed = size_of(whole) if whole.is_dir() else whole.stat().st_size
    try:
        if whole.is_dir():
            doomed = whole.with_name(f".removed-{whole.name}")
            shutil.rmtree(doomed, ignore_errors=True)
            whole.rename(doomed)  # it is gone from the list in one step
            shutil.rmtree(doomed)
        else:
            whole.unlink()
    except OSError as error:
        raise ModelError(f"{model.name} cannot be deleted ({error.strerror or error}).") from error
    return freed
