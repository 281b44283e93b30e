"""The few endpoints of a Hugging Face hub that reading a data set needs, on a socket."""

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

COMMIT = "c0ffee" + "0" * 34


_RESOLVE = f"/datasets/made/fixes/resolve/{COMMIT}/"
_ABOUT = {"/api/datasets/made/fixes", "/api/datasets/made/fixes/revision/main"}


@dataclass(slots=True)
class Hub:
    """One data set, `made/fixes`, and what was asked of it."""

    files: Mapping[str, bytes]
    url: str = ""
    requests: list[str] = field(default_factory=list)
    """Method and path, in order."""
    tokens: list[str | None] = field(default_factory=list)


class _Server(ThreadingHTTPServer):
    def __init__(self, hub: Hub) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.hub = hub
        hub.url = f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def _answer(self, *, body: bool) -> None:
        assert isinstance(self.server, _Server)
        hub = self.server.hub
        hub.requests.append(f"{self.command} {self.path}")
        hub.tokens.append(self.headers.get("Authorization"))
        path = unquote(self.path).partition("?")[0]
        name = path.removeprefix(_RESOLVE)
        if path in _ABOUT:
            siblings = [{"rfilename": name} for name in hub.files]
            about = {"id": "made/fixes", "sha": COMMIT, "siblings": siblings}
            self._send(200, json.dumps(about).encode(), body=body)
        elif name in hub.files:
            self._send(200, hub.files[name], body=body)
        else:
            self._send(404, b"{}", body=body)

    def _send(self, status: int, data: bytes, *, body: bool) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
        self.send_header("X-Repo-Commit", COMMIT)
        if status == 404:
            self.send_header("X-Error-Code", "RepoNotFound")
        self.end_headers()
        if body:
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep quiet."""


@contextmanager
def serve_hub(files: Mapping[str, bytes]) -> Iterator[Hub]:
    """Serve `files` as the newest commit of `made/fixes` until the block ends."""
    hub = Hub(files)
    server = _Server(hub)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
