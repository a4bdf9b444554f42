"""Run records and token details as small blobs: at most 60 bytes a token with 10 alternatives.

A blob is one zlib stream of: a format byte, the length of a JSON head, the head (everything that is
small), then columns of numbers. Token ids take 3 bytes, log-probabilities of spoken tokens are
float32, those of alternatives and the entropies are float16.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from app.codec import from_json, to_json
from app.store.rows import StoredToken
from inference import RunRecord

_FORMAT = 1
_HEAD = struct.Struct("<BI")
_MAX_ID = 1 << 24


def pack_ids(ids: Iterable[int]) -> bytes:
    """Pack token ids, 3 bytes each.

    Raises:
        ValueError: An id does not fit 3 bytes.
    """
    values = np.fromiter(ids, np.int64)
    if values.size and (values.min() < 0 or values.max() >= _MAX_ID):
        raise ValueError("a token id does not fit 24 bits")
    return values.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :3].tobytes()


def unpack_ids(packed: bytes) -> tuple[int, ...]:
    """Undo `pack_ids`."""
    rows = np.frombuffer(packed, np.uint8).reshape(-1, 3).astype(np.uint32)
    values = rows[:, 0] | rows[:, 1] << 8 | rows[:, 2] << 16
    return tuple(int(value) for value in values)


def pack_run(record: RunRecord, details: Sequence[StoredToken] = ()) -> bytes:
    """Pack a record and its token details, if any."""
    n_alternatives = max((len(d.alternatives) for d in details), default=0)
    small = replace(record, prompt_ids=(), token_ids=(), answer_ids=(), logprobs=())
    head = to_json(small) | {
        "counts": [len(record.prompt_ids), len(record.token_ids), len(record.answer_ids)],
        "n_logprobs": len(record.logprobs),
        "n_details": len(details),
        "n_alternatives": n_alternatives,
        # Usually every token has as many alternatives as were asked for.
        "short_of": {
            i: len(d.alternatives)
            for i, d in enumerate(details)
            if len(d.alternatives) != n_alternatives
        },
    }
    columns = [
        pack_ids(record.prompt_ids),
        pack_ids(record.token_ids),
        pack_ids(record.answer_ids),
        np.asarray(record.logprobs, "<f4").tobytes(),
        *_pack_details(details, n_alternatives),
    ]
    text = json.dumps(head, separators=(",", ":")).encode()
    return zlib.compress(_HEAD.pack(_FORMAT, len(text)) + text + b"".join(columns), 6)


def _pack_details(details: Sequence[StoredToken], n_alternatives: int) -> list[bytes]:
    pairs = [
        pair
        for d in details
        for pair in (*d.alternatives, *((0, -np.inf),) * (n_alternatives - len(d.alternatives)))
    ]
    return [
        pack_ids(d.token_id for d in details),
        np.asarray([min(d.n_characters, 0xFFFF) for d in details], "<u2").tobytes(),
        np.asarray([d.logprob for d in details], "<f4").tobytes(),
        np.asarray([d.entropy for d in details], "<f2").tobytes(),
        pack_ids(token_id for token_id, _ in pairs),
        np.asarray([logprob for _, logprob in pairs], "<f2").tobytes(),
    ]


class _Reader:
    """Takes one column after another from the bytes."""

    def __init__(self, packed: bytes, at: int) -> None:
        self._packed = packed
        self._at = at

    def take(self, n_bytes: int) -> bytes:
        """The next bytes."""
        taken = self._packed[self._at : self._at + n_bytes]
        self._at += n_bytes
        return taken

    def ids(self, n: int) -> tuple[int, ...]:
        """The next token ids."""
        return unpack_ids(self.take(3 * n))

    def numbers(self, n: int, kind: str) -> list[float]:
        """The next numbers of a numpy type."""
        size = np.dtype(kind).itemsize
        return [float(value) for value in np.frombuffer(self.take(size * n), kind)]


def unpack_run(packed: bytes) -> tuple[RunRecord, tuple[StoredToken, ...]]:
    """Undo `pack_run`.

    Raises:
        ValueError: The blob is damaged or of a newer format.
    """
    try:
        plain = zlib.decompress(packed)
        version, length = _HEAD.unpack_from(plain)
        head = json.loads(plain[_HEAD.size : _HEAD.size + length])
    except (zlib.error, struct.error) as error:
        raise ValueError("the run record is damaged") from error
    if version != _FORMAT:
        raise ValueError("the run record was written by a newer version")
    reader = _Reader(plain, _HEAD.size + length)
    n_prompt, n_tokens, n_answer = head["counts"]
    record = replace(
        from_json(RunRecord, head),
        prompt_ids=reader.ids(n_prompt),
        token_ids=reader.ids(n_tokens),
        answer_ids=reader.ids(n_answer),
        logprobs=tuple(reader.numbers(head["n_logprobs"], "<f4")),
    )
    return record, _unpack_details(reader, head)


def _unpack_details(reader: _Reader, head: dict[str, object]) -> tuple[StoredToken, ...]:
    n, width, short_of = head["n_details"], head["n_alternatives"], head["short_of"]
    if not (isinstance(n, int) and isinstance(width, int) and isinstance(short_of, dict)):
        raise ValueError("the run record is damaged")  # noqa: TRY004  (one error for damage)
    token_ids = reader.ids(n)
    n_characters = reader.numbers(n, "<u2")
    logprobs = reader.numbers(n, "<f4")
    entropies = reader.numbers(n, "<f2")
    ids = reader.ids(n * width)
    values = reader.numbers(n * width, "<f2")
    details = []
    for i in range(n):
        end = i * width + int(short_of.get(str(i), width))
        pairs = zip(ids[i * width : end], values[i * width : end], strict=True)
        details.append(
            StoredToken(token_ids[i], int(n_characters[i]), logprobs[i], entropies[i], tuple(pairs))
        )
    return tuple(details)
