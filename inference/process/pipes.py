"""Whole pickled objects over one-way pipes, without ever waiting longer than asked.

A pipe of `os.pipe`, not a socket: nothing here can reach another machine. Both ends run the same
code of the same installation, so pickle carries nothing that we did not write.
"""

from __future__ import annotations

import os
import pickle
import select
import struct
from collections import deque
from collections.abc import Callable

_HEADER = struct.Struct("<Q")
_READ_BYTES = 1 << 20
POLL_MS = 20  # how often a waiting end looks up


class PipeClosedError(Exception):
    """The other end is gone, or this one gave up in the middle of an object."""


class _End:
    """One end of a pipe; -1 once it is closed, so that a number used anew is never touched."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        os.set_blocking(fd, False)

    def close(self) -> None:
        """Close this end; calling it again does nothing."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)


class Writer(_End):
    """The writing end. One thread writes at a time."""

    def __init__(self, fd: int) -> None:
        super().__init__(fd)
        self._poll = select.poll()
        self._poll.register(fd, select.POLLOUT)

    def has_room(self) -> bool:
        """Whether the other end keeps up."""
        return bool(self._poll.poll(0))

    def send(self, thing: object, give_up: Callable[[], bool] = lambda: False) -> None:
        """Write one object whole, waiting for room.

        While it waits it asks `give_up`; after a True the pipe is of no more use.

        Raises:
            PipeClosedError: The reader is gone, or we gave up.
        """
        body = pickle.dumps(thing, pickle.HIGHEST_PROTOCOL)
        self.send_bytes(_HEADER.pack(len(body)) + body, give_up)

    def send_bytes(self, raw: bytes, give_up: Callable[[], bool] = lambda: False) -> None:
        """Write bytes as they are; as `send` otherwise."""
        rest = memoryview(raw)
        while rest:
            try:
                rest = rest[os.write(self.fd, rest) :]
            except BlockingIOError:
                if give_up():
                    raise PipeClosedError("the other end does not read") from None
                self._poll.poll(POLL_MS)
            except OSError as error:
                raise PipeClosedError("the other end is gone") from error


class Reader(_End):
    """The reading end. One thread reads at a time."""

    def __init__(self, fd: int) -> None:
        super().__init__(fd)
        self._poll = select.poll()
        self._poll.register(fd, select.POLLIN)
        self._bytes = bytearray()
        self._ready: deque[object] = deque()

    def receive(self, wait_ms: float) -> object | None:
        """Give the next object, or None when none is whole in time.

        Raises:
            PipeClosedError: The writer is gone and everything whole was read.
        """
        if not self._ready and self._poll.poll(wait_ms):
            self.pull()
        return self._ready.popleft() if self._ready else None

    def pull(self) -> None:
        """Take in what has come, without waiting."""
        try:
            raw = os.read(self.fd, _READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            raise PipeClosedError("the pipe is closed") from error
        if not raw:
            raise PipeClosedError("the other end is gone")
        self._bytes += raw
        at = 0
        while len(self._bytes) - at >= _HEADER.size:
            (size,) = _HEADER.unpack_from(self._bytes, at)
            end = at + _HEADER.size + size
            if len(self._bytes) < end:
                break
            self._ready.append(pickle.loads(self._bytes[at + _HEADER.size : end]))  # noqa: S301
            at = end
        del self._bytes[:at]
