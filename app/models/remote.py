"""What the hub says a model consists of, and which of its files we want."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from app.models.errors import ModelError, NotFoundError

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_REVISION = re.compile(r"[\w][\w./-]{0,254}", re.ASCII)
_WANTED = (".safetensors", ".json", ".jinja", ".model", ".txt", ".md")
_WANTED_NAMES = ("LICENSE", "NOTICE", "USE_POLICY")
_MOST_FILES = 1_000


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file as the hub describes it.

    Attributes:
        sha256: Of its content; given for large files, else empty.
        blob_id: Git's name of its content; given for small files.
    """

    name: str
    size: int
    sha256: str = ""
    blob_id: str = ""


@dataclass(frozen=True, slots=True)
class RemoteModel:
    """A repository at one commit."""

    repository: str
    commit: str
    files: tuple[RemoteFile, ...]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


def check_repository(text: str) -> str:
    """Take a pasted repository id or its page's address; give the id.

    Raises:
        ModelError: It is neither.
    """
    name = text.strip().removeprefix("https://huggingface.co/").strip("/")
    name = name.split("/tree/")[0].split("/blob/")[0].split("?")[0]
    if not _REPOSITORY.fullmatch(name) or ".." in name:
        raise ModelError(f"“{text.strip()[:100]}” is no repository id; one looks like owner/name.")
    return name


def check_revision(text: str) -> str:
    """Let only names of branches, tags and commits pass."""
    if not _REVISION.fullmatch(text) or ".." in text:
        raise ModelError(f"“{text[:100]}” is no name of a revision.")
    return text


def read_answer(repository: str, answer: object) -> RemoteModel:
    """Read the hub's description of a repository, trusting nothing of it.

    Raises:
        ModelError: It makes no sense, or names a file outside its folder.
    """
    if not isinstance(answer, Mapping):
        raise ModelError(f"The hub's answer about {repository} makes no sense.")
    commit = answer.get("sha")
    siblings = answer.get("siblings")
    if not isinstance(commit, str) or not re.fullmatch(r"[0-9a-f]{7,64}", commit):
        raise ModelError(f"The hub does not tell which commit of {repository} it means.")
    if not isinstance(siblings, list) or len(siblings) > _MOST_FILES:
        raise ModelError(f"The hub's list of the files of {repository} makes no sense.")
    return RemoteModel(repository, commit, tuple(_read_file(entry) for entry in siblings))


def _read_file(entry: object) -> RemoteFile:
    if not isinstance(entry, Mapping):
        raise ModelError("The hub's list of files makes no sense.")
    name, size, lfs = entry.get("rfilename"), entry.get("size"), entry.get("lfs")
    blob_id = entry.get("blobId")
    if not isinstance(name, str) or not _is_inside(name):
        raise ModelError(f"The hub names a file outside of its folder: {str(name)[:100]!r}.")
    if not isinstance(size, int) or size < 0:
        raise ModelError(f"The hub does not tell the size of {name}.")
    sha256 = lfs.get("sha256", lfs.get("oid", "")) if isinstance(lfs, Mapping) else ""
    return RemoteFile(name, size, str(sha256 or ""), "" if sha256 else str(blob_id or ""))


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return (
        bool(name)
        and not path.is_absolute()
        and ".." not in path.parts
        and not set(name) & set('\\:\0"')
        and len(name) < 200
    )


def choose_files(model: RemoteModel, gguf: str = "") -> RemoteModel:
    """Keep the files that a model needs: weights, config, tokenizer, template, licence.

    Args:
        model: What the repository has.
        gguf: Which GGUF file, in a repository of several.

    Raises:
        ModelError: There are no weights of a kind that can be opened, or a choice is needed.
    """
    ggufs = [file for file in model.files if file.name.lower().endswith(".gguf")]
    has_safetensors = any(file.name.endswith(".safetensors") for file in model.files)
    if gguf or (ggufs and not has_safetensors):
        return RemoteModel(model.repository, model.commit, (_choose_gguf(model, ggufs, gguf),))
    if not has_safetensors:
        raise ModelError(
            f"{model.repository} has no weights that can be opened (safetensors or GGUF)."
        )
    files = [file for file in model.files if _is_wanted(file.name)]
    return RemoteModel(model.repository, model.commit, tuple(files))


def _is_wanted(name: str) -> bool:
    path = PurePosixPath(name)
    if name == "cabochon.json":  # the name of our own list
        return False
    if len(path.parts) > 1:  # other formats and pictures live in folders of their own
        return False
    return path.suffix in _WANTED or path.stem.upper() in _WANTED_NAMES


def _choose_gguf(model: RemoteModel, ggufs: list[RemoteFile], wanted: str) -> RemoteFile:
    if wanted:
        for file in ggufs:
            if file.name == wanted:
                return file
        raise NotFoundError(f"{model.repository} has no file {wanted}.")
    if len(ggufs) == 1:
        return ggufs[0]
    names = ", ".join(file.name for file in ggufs[:12])
    raise ModelError(f"{model.repository} has several GGUF files; name one of them: {names}.")
