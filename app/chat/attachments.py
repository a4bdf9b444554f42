"""Files that go with a message: read as text, told apart by kind, cut visibly when too long."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.store.rows import Attachment

MAX_BYTES = 50_000_000
MAX_CHARACTERS = 2_000_000
MAX_PAGES = 2_000
_CODE = frozenset(
    (
        *("bash", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "dart", "go", "h", "hpp", "html"),
        *("ini", "java", "jl", "js", "json", "jsx", "kt", "lua", "m", "mm", "php", "pl", "ps1"),
        *("py", "r", "rb", "rs", "scala", "scss", "sh", "sql", "swift", "tex", "toml", "ts"),
        *("tsx", "vue", "xml", "yaml", "yml", "zig"),
    )
)
_NO_TEXT = frozenset(
    (
        *("png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "heic", "heif", "avif"),
        *("svg", "ico", "psd", "mp3", "wav", "flac", "m4a", "ogg", "mp4", "mov", "mkv", "avi"),
        "webm",
    )
)


class AttachmentError(ValueError):
    """A file cannot be attached; the message is one sentence for the user."""


def read_attachment(path: Path) -> Attachment:
    """Read a file as an attachment whose tokens are not counted yet.

    Raises:
        AttachmentError: It is a picture, a sound, no text, damaged, or far too large.
    """
    suffix = path.suffix.lower().lstrip(".")
    if suffix in _NO_TEXT:
        raise AttachmentError(f"This model reads text only; {path.name} was not attached.")
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise AttachmentError(
                f"{path.name} has {size / 1e6:,.0f} MB, more than the {MAX_BYTES / 1e6:,.0f} MB "
                "that can be attached; attach a part of it."
            )
        if suffix == "pdf":
            return Attachment(path.name, "pdf", *_capped(_pdf_text(path)))
        content = path.read_bytes()
    except OSError as error:
        raise AttachmentError(f"{path.name} cannot be read: {error.strerror}.") from error
    kind = "csv" if suffix in ("csv", "tsv") else "code" if suffix in _CODE else "text"
    text, cut = _cap(_decode(content, path.name))
    return Attachment(path.name, kind, text, 0, cut)


def text_attachment(text: str, n: int = 1) -> Attachment:
    """Make an attachment from a long paste."""
    return Attachment(f"Pasted text {n}", "text", *_capped(text))


def cut_to(attachment: Attachment, max_tokens: int, count: Callable[[str], int]) -> Attachment:
    """Count an attachment's tokens and, where it is too long, keep only its beginning.

    Args:
        attachment: What was read.
        max_tokens: How many tokens it may cost.
        count: Counts the tokens of a text.
    """
    n_tokens = count(attachment.text)
    if n_tokens <= max_tokens:
        return Attachment(
            attachment.name, attachment.kind, attachment.text, n_tokens, attachment.cut
        )
    low, high = 0, len(attachment.text)
    while high - low > max(16, high // 200):
        middle = (low + high) // 2
        if count(attachment.text[:middle]) <= max_tokens:
            low = middle
        else:
            high = middle
    text = attachment.text[:low]
    end = max(text.rfind("\n"), text.rfind(" "))
    text = text[:end] if end > low * 0.9 else text
    return Attachment(attachment.name, attachment.kind, text, count(text), cut=True)


def _capped(text: str) -> tuple[str, int, bool]:
    kept, cut = _cap(text)
    return kept, 0, cut


def _cap(text: str) -> tuple[str, bool]:
    return text[:MAX_CHARACTERS], len(text) > MAX_CHARACTERS


def _decode(content: bytes, name: str) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    elif b"\0" in content[:8192]:
        raise AttachmentError(f"{name} is not a text file; this model reads text only.")
    else:
        encodings = ["utf-8-sig", "cp1252", "latin-1"]
    for encoding in encodings:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise AttachmentError(f"{name} is not a text file; this model reads text only.")


def _pdf_text(path: Path) -> str:
    from pypdf import PdfReader  # here, as it is a fifth of the window's start
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise AttachmentError(f"{path.name} is protected by a password and was not attached.")
        pages: list[str] = []
        length = 0
        for page in reader.pages[:MAX_PAGES]:
            pages.append(page.extract_text())
            length += len(pages[-1])
            if length > MAX_CHARACTERS:
                break
    # pypdf meets damaged files with errors of many kinds.
    except (PyPdfError, ValueError, KeyError, IndexError, TypeError, AttributeError,
            RecursionError, NotImplementedError) as error:  # fmt: skip
        if isinstance(error, AttachmentError):
            raise
        raise AttachmentError(f"{path.name} is a damaged PDF and was not attached.") from error
    text = "\n\n".join(pages).strip()
    if not text:
        raise AttachmentError(
            f"{path.name} has no text in it (it may be a scan); this model reads text only."
        )
    return text
