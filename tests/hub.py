"""A hub of the tests' own on this machine: the real one's endpoints, and faults on demand."""

from __future__ import annotations

import hashlib
import json
import random
import threading
import time
from collections import defaultdict, deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def blob_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def content_of(size: int, seed: int = 0) -> bytes:
    return random.Random(seed).randbytes(size)


class TestHub:
    """Serves repositories. `faults[name]` is a queue: each request of a file takes the next one.

    Faults: ("drop", n) closes after n bytes; ("stall", n) sends n bytes and then nothing;
    ("short", n) ends in good order after n bytes; ("corrupt",) changes a byte; ("status", code);
    ("loop",) redirects without end; ("no range",) answers a range with everything;
    ("wrong range",) answers with another part; ("slow", seconds) waits before each piece.
    """

    __test__ = False

    def __init__(self):
        self.repositories: dict[str, dict[str, bytes]] = {}
        self.faults: dict[str, deque] = defaultdict(deque)
        self.token = ""  # when set, it is asked for
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.ended = threading.Event()
        hub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                hub.seen.append((self.path, dict(self.headers)))
                try:
                    hub.answer(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.cdn = self.address.replace("127.0.0.1", "localhost")  # another host, as the hub's
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()

    def close(self):
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def put(self, repository: str, files: dict[str, bytes]) -> None:
        self.repositories[repository] = files

    def ranges(self, name: str) -> list[str]:
        return [h.get("Range", "") for path, h in self.seen if path.startswith(f"/cdn/{name}")]

    # ------------------------------------------------------------------------------ answers

    def answer(self, request) -> None:
        path = unquote(urlsplit(request.path).path)
        if path.startswith("/api/models/"):
            self.describe(request, path)
        elif path.startswith("/cdn/"):
            _, _, name, owner, repository = path.split("/", 4)
            self.send_file(request, name, self.repositories[f"{owner}/{repository}"][name])
        else:
            owner, repository, _, commit, name = path.lstrip("/").split("/", 4)
            files = self.repositories.get(f"{owner}/{repository}", {})
            if not self.let_in(request):
                return
            if name not in files or commit != COMMIT:
                self.refuse(request, 404)
            else:
                self.redirect(
                    request, f"{self.cdn}/cdn/{name}/{owner}/{repository}?signature=secret"
                )

    def let_in(self, request) -> bool:
        if self.token and request.headers.get("Authorization") != f"Bearer {self.token}":
            self.refuse(request, 403 if request.headers.get("Authorization") else 401)
            return False
        return True

    def describe(self, request, path: str) -> None:
        repository = path.removeprefix("/api/models/").split("/revision/")[0]
        if self.faults["api"]:
            fault = self.faults["api"].popleft()
            if fault[0] == "status":
                self.refuse(request, fault[1])
                return
        if not self.let_in(request):
            return
        if repository not in self.repositories:
            self.refuse(request, 404)
            return
        siblings = []
        for name, content in self.repositories[repository].items():
            entry = {"rfilename": name, "size": len(content), "blobId": blob_id(content)}
            if len(content) > 1000:
                sha256 = hashlib.sha256(content).hexdigest()
                entry["lfs"] = {"sha256": sha256, "size": len(content), "pointerSize": 134}
            siblings.append(entry)
        self.reply(request, 200, json.dumps({"sha": COMMIT, "siblings": siblings}).encode())

    def send_file(self, request, name: str, content: bytes) -> None:
        fault = self.faults[name].popleft() if self.faults[name] else ("none",)
        match fault:
            case ("status", code):
                self.refuse(request, code)
                return
            case ("loop",):
                self.faults[name].append(fault)
                self.redirect(request, request.path)
                return
            case ("corrupt",):
                content = bytes([content[0] ^ 1]) + content[1:]
        etag = f'"{hashlib.sha256(content).hexdigest()}"'
        start, code = 0, 200
        wanted = request.headers.get("Range", "")
        if wanted and fault != ("no range",) and request.headers.get("If-Range", etag) == etag:
            start, code = int(wanted.removeprefix("bytes=").rstrip("-")), 206
            if start >= len(content):
                self.refuse(request, 416)
                return
        body = content[start:]
        request.send_response(code)
        request.send_header("ETag", etag)
        shown = start + 1 if fault == ("wrong range",) else start
        if code == 206:
            request.send_header("Content-Range", f"bytes {shown}-{len(content) - 1}/{len(content)}")
        length = min(fault[1], len(body)) if fault[0] == "short" else len(body)
        request.send_header("Content-Length", str(length))
        request.end_headers()
        self.send_body(request, body[:length], fault)

    def send_body(self, request, body: bytes, fault) -> None:
        match fault:
            case ("drop", n):
                request.wfile.write(body[:n])
                request.wfile.flush()
                request.close_connection = True
            case ("stall", n):
                request.wfile.write(body[:n])
                request.wfile.flush()
                self.ended.wait(30)
                request.close_connection = True
            case ("slow", seconds):
                for at in range(0, len(body), 16_384):
                    request.wfile.write(body[at : at + 16_384])
                    request.wfile.flush()
                    time.sleep(seconds)
            case _:
                request.wfile.write(body)

    def redirect(self, request, where: str) -> None:
        request.send_response(302)
        request.send_header("Location", where)
        request.send_header("Content-Length", "0")
        request.end_headers()

    def refuse(self, request, code: int) -> None:
        request.send_response(code)
        if code == 429:
            request.send_header("Retry-After", "0")
        request.send_header("Content-Length", "0")
        request.end_headers()

    def reply(self, request, code: int, body: bytes) -> None:
        request.send_response(code)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)
