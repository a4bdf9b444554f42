"""Which addresses a link may lead to, and how an address is shown before it is opened."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

SCHEMES = ("http", "https", "mailto")
LONGEST = 2048
BARE = re.compile(r"https?://[^\s<>\"'`|\\^{}\u3000-\u303f\uff00-\uffef]+")
TRAILING = ".,;:!?*_~"


def safe_address(address: str) -> str:
    """The address if it may be followed after a click, else nothing."""
    if len(address) > LONGEST or any(ord(c) <= 32 or ord(c) == 127 for c in address):
        return ""
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return ""
    if parts.scheme not in SCHEMES:
        return ""
    if parts.scheme != "mailto" and not host:
        return ""
    return address


def shown_address(address: str) -> str:
    """The address as it will be opened, names in foreign scripts spelled in plain letters."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    if host.isascii():
        return address
    try:
        plain = host.encode("idna").decode("ascii")
    except UnicodeError:
        plain = ascii(host)
    return address.replace(host, plain, 1)


def split_bare_links(text: str) -> list[tuple[str, str]]:
    """Cut a text into (text, address) pieces; the address is empty for plain text."""
    pieces: list[tuple[str, str]] = []
    at = 0
    for found in BARE.finditer(text):
        address = found.group().rstrip(TRAILING)
        while address.endswith((")", "]")) and address.count("(") < address.count(")"):
            address = address[:-1].rstrip(TRAILING)
        if not safe_address(address):
            continue
        if found.start() > at:
            pieces.append((text[at : found.start()], ""))
        at = found.start() + len(address)
        pieces.append((address, address))
    if at < len(text):
        pieces.append((text[at:], ""))
    return pieces
