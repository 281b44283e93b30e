"""An npm registry on this machine, with one package."""

import base64
import contextlib
import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from envplatform.registries import NpmRegistry, NpmRelease


def tarball(files: Mapping[str, bytes]) -> bytes:
    """Files below `package/`, as npm packs them."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(f"package/{name}")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def integrity(data: bytes) -> str:
    """As npm writes it."""
    return f"sha512-{base64.b64encode(hashlib.sha512(data).digest()).decode()}"


@dataclass
class MadeRegistry:
    """What it answers with, and what it was asked."""

    data: bytes
    package: str = "@made/data"
    document: bytes | None = None
    """In place of what npm would say of the version."""
    url: str = ""
    asked: list[str] = field(default_factory=list)

    @property
    def registry(self) -> NpmRegistry:
        """How it is asked."""
        return NpmRegistry(url=self.url)

    @property
    def release(self) -> NpmRelease:
        """The one version that it has."""
        return NpmRelease(
            package=self.package, version="1.0.0", integrity=integrity(self.data)
        )

    def answer(self, path: str) -> bytes | None:
        """What stands at `path`; None: nothing."""
        self.asked.append(path)
        if path == "/t.tgz":
            return self.data
        if path == f"/{self.package.replace('/', '%2F')}/1.0.0":
            known = {"dist": {"tarball": f"{self.url}t.tgz"}}
            return self.document or json.dumps(known).encode()
        return None


@contextlib.contextmanager
def serving(made: MadeRegistry) -> Iterator[MadeRegistry]:
    """Serve it until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = made.answer(self.path)
            self.send_response(404 if data is None else 200)
            self.send_header("Content-Length", str(len(data or b"")))
            self.end_headers()
            self.wfile.write(data or b"")

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_port}/"
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
