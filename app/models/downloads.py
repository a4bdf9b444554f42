"""The one file in the program that opens connections, and only when a visible button was pressed.

It speaks the public HTTP API of the hub: what a repository consists of, and one file of it from a
byte onwards. Every request is listed before its answer is used; one switch blocks them all. The
access token goes to the hub's own host and is never carried along to where the hub redirects.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

import httpx2

from app.models.errors import (
    ConnectionFailedError,
    LicenceNeededError,
    ModelError,
    NotFoundError,
    OfflineError,
)
from app.models.remote import RemoteModel, check_repository, check_revision, read_answer

if TYPE_CHECKING:
    from app.models.request_log import RequestLog

_log = logging.getLogger(__name__)

HUB = "https://huggingface.co"
_MOST_REDIRECTS = 5
_LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Waits:
    """How long to wait for what.

    Attributes:
        connect_seconds: For a connection.
        stall_seconds: For the next bytes; a server that sends nothing for so long is given up.
    """

    connect_seconds: float = 10.0
    stall_seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class Transfer:
    """A file on its way.

    Attributes:
        start: The byte that the pieces begin with; 0 where the server cannot or will not resume.
        etag: Names this content; for `If-Range` after an interruption.
        pieces: The bytes as they come.
    """

    start: int
    etag: str
    pieces: Iterator[bytes]


class Hub:
    """The hub, or a server that speaks like it. One thread uses it; `abort` is for any other."""

    def __init__(
        self,
        requests: RequestLog,
        *,
        is_offline: Callable[[], bool],
        token: Callable[[], str] = lambda: "",
        endpoint: str = HUB,
        waits: Waits | None = None,
    ) -> None:
        """Prepare it; nothing is sent yet.

        Args:
            requests: Where every request is listed.
            is_offline: The user's switch, asked before each request.
            token: Gives the access token, or nothing; asked only after a server wanted one.
            endpoint: The hub's address.
            waits: How long to wait.
        """
        self._requests = requests
        self._is_offline = is_offline
        self._token = token
        self._endpoint = endpoint.rstrip("/")
        self._sends_token = False
        waits = waits or Waits()
        self._client = httpx2.Client(
            follow_redirects=False,
            timeout=httpx2.Timeout(waits.stall_seconds, connect=waits.connect_seconds),
            headers={"User-Agent": "Cabochon", "Accept-Encoding": "identity"},
        )
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    def look_up(self, repository: str, revision: str = "main") -> RemoteModel:
        """Ask what a repository consists of at a revision, with sizes and digests.

        Raises:
            ModelError: See the tree in `errors`.
        """
        name, revision = check_repository(repository), check_revision(revision)
        url = f"{self._endpoint}/api/models/{name}/revision/{quote(revision, safe='')}?blobs=true"
        with self._answer(name, url, {}) as response:
            try:
                response.read()
                answer = response.json()
            except httpx2.HTTPError as error:
                raise _failed(error) from error
            except ValueError as error:
                raise ConnectionFailedError("The hub's answer cannot be read.") from error
        return read_answer(name, answer)

    @contextmanager
    def open(
        self, model: RemoteModel, name: str, start: int = 0, etag: str = ""
    ) -> Iterator[Transfer]:
        """Begin to fetch one file from a byte onwards.

        Raises:
            ModelError: See the tree in `errors`; also while the pieces are read.
        """
        path = quote(name)
        url = f"{self._endpoint}/{model.repository}/resolve/{model.commit}/{path}"
        headers = {"Range": f"bytes={start}-"} if start else {}
        if start and etag:
            headers["If-Range"] = etag
        with self._answer(model.repository, url, headers) as response:
            goes_on = response.status_code == 206
            if goes_on and _first_byte(response) != start:
                raise ConnectionFailedError("The server sent another part than was asked for.")
            yield Transfer(
                start if goes_on else 0,
                response.headers.get("ETag", ""),
                self._pieces(response),
            )

    def abort(self) -> None:
        """Break off what is under way. Safe from any thread."""
        with self._lock, suppress(OSError):
            if self._socket is not None:
                self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    # --------------------------------------------------------------------------- inside

    def _pieces(self, response: httpx2.Response) -> Iterator[bytes]:
        try:
            yield from response.iter_raw()  # as they come: what waits would be lost
        except httpx2.HTTPError as error:
            raise _failed(error) from error

    @contextmanager
    def _answer(
        self, repository: str, url: str, headers: dict[str, str]
    ) -> Iterator[httpx2.Response]:
        """Send a request, follow where it is redirected, and give the last answer."""
        for _ in range(_MOST_REDIRECTS):
            with self._sent(url, self._authorised(url, headers)) as response:
                status = response.status_code
                if status in (301, 302, 303, 307, 308):
                    url = str(response.url.join(response.headers.get("Location", "")))
                    continue
                if status in (401, 403) and not self._sends_token and self._token():
                    self._sends_token = True  # somebody gave one, and now it is asked for
                    continue
                if status == 416:
                    headers = {}  # we have more than there is: begin anew
                    continue
                if status not in (200, 206):
                    raise self._refusal(repository, response)
                yield response
                return
        raise ConnectionFailedError("The hub redirects without end.", may_retry=False)

    def _authorised(self, url: str, headers: dict[str, str]) -> dict[str, str]:
        is_hub = url.startswith(f"{self._endpoint}/")
        if self._sends_token and is_hub and (token := self._token()):
            return headers | {"Authorization": f"Bearer {token}"}
        return headers

    @contextmanager
    def _sent(self, url: str, headers: dict[str, str]) -> Iterator[httpx2.Response]:
        """Send one request, and list it whatever becomes of it."""
        address = httpx2.URL(url)
        if self._is_offline():
            raise OfflineError("The offline switch is on; nothing was sent.")
        if address.scheme != "https" and address.host not in _LOCAL_HOSTS:
            raise ModelError(
                f"The address of {address.host} is not a secure one; nothing was sent."
            )
        outcome, received = "failed", 0
        try:
            request = self._client.build_request("GET", address, headers=headers)
            response = self._client.send(request, stream=True)
            outcome = str(response.status_code)
            self._hold(response)
            try:
                yield response
            finally:
                received = response.num_bytes_downloaded
                self._hold(None)
                response.close()
        except httpx2.HTTPError as error:
            outcome = type(error).__name__
            raise _failed(error) from error
        finally:
            self._requests.add(address.host, address.path, outcome, received)

    def _hold(self, response: httpx2.Response | None) -> None:
        """Remember the connection under way, so that `abort` can reach it."""
        held = None
        if response is not None and "network_stream" in response.extensions:
            held = response.extensions["network_stream"].get_extra_info("socket")
        with self._lock:
            self._socket = held

    def _refusal(self, repository: str, response: httpx2.Response) -> ModelError:
        status = response.status_code
        if status in (401, 403):
            return LicenceNeededError(repository, f"{HUB}/{repository}")
        if status == 404:
            return NotFoundError(f"The hub has no {repository} with that revision or file.")
        if status == 429:
            wait = _seconds(response.headers.get("Retry-After", ""))
            return ConnectionFailedError(
                "The hub asks us to wait; what was fetched is kept.", retry_after_seconds=wait
            )
        return ConnectionFailedError(
            f"The hub answers with an error ({status}); what was fetched is kept.",
            retry_after_seconds=_seconds(response.headers.get("Retry-After", "")),
            may_retry=status >= 500 or status == 408,
        )


def _failed(error: httpx2.HTTPError) -> ConnectionFailedError:
    _log.info("A request failed: %s", type(error).__name__)
    if isinstance(error, httpx2.TimeoutException):
        return ConnectionFailedError(
            "The server sends nothing any more; what was fetched is kept. Try again later."
        )
    return ConnectionFailedError(
        "The connection was lost; what was fetched is kept. Look at the network and try again."
    )


def _first_byte(response: httpx2.Response) -> int:
    """The start of `Content-Range: bytes 5-9/10`, or -1."""
    unit, _, rest = response.headers.get("Content-Range", "").partition(" ")
    start = rest.partition("-")[0]
    return int(start) if unit == "bytes" and start.isdigit() else -1


def _seconds(text: str) -> float:
    return min(float(text), 120.0) if text.isdigit() else 0.0
