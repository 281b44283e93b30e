"""A simple-API package index on a real socket, with archives made on the spot."""

import hashlib
import io
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from envplatform.swe.fixes.instance import Release
from envplatform.swe.targets import PackageIndex

Content = bytes | tarfile.TarInfo
"""Of a file, or an entry that stands as it is."""


def sdist(top: str, files: dict[str, Content]) -> bytes:
    """Pack a `.tar.gz` with one top folder. Paths are taken as they are."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as archive:
        for path, content in files.items():
            if isinstance(content, tarfile.TarInfo):
                content.name = f"{top}/{path}"
                archive.addfile(content)
                continue
            info = tarfile.TarInfo(f"{top}/{path}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def link(target: str) -> tarfile.TarInfo:
    """A symbolic link."""
    info = tarfile.TarInfo()
    info.type = tarfile.SYMTYPE
    info.linkname = target
    return info


@dataclass
class MadeIndex:
    """What the index has, and what it was asked."""

    url: str = ""
    archives: dict[str, dict[str, bytes]] = field(default_factory=dict)
    """Package to file name to bytes."""
    attributes: dict[str, str] = field(default_factory=dict)
    """File name to attributes of its link."""
    served: dict[str, bytes] = field(default_factory=dict)
    """File name to what is sent in its place."""
    is_cut: bool = False
    """Whether archives end too early."""
    is_down: bool = False
    asked: list[str] = field(default_factory=list)

    @property
    def index(self) -> PackageIndex:
        """As the code under test takes it."""
        return PackageIndex(url=self.url)

    def add(self, package: str, version: str, files: dict[str, Content]) -> str:
        """Publish a release and return its SHA-256."""
        name = f"{package}-{version}.tar.gz"
        data = sdist(f"{package}-{version}", files)
        self.archives.setdefault(package, {})[name] = data
        return hashlib.sha256(data).hexdigest()

    def release(
        self, files: dict[str, Content], *, holds: str = "fixed", prefix: str = ""
    ) -> Release:
        """Publish `made 1.0` and name it as the holder of one side."""
        return Release(
            project="made",
            version="1.0",
            sha256=self.add("made", "1.0", files),
            holds="fixed" if holds == "fixed" else "buggy",
            prefix=prefix,
        )

    @property
    def downloads(self) -> list[str]:
        """Archives asked for."""
        return [path for path in self.asked if path.endswith(".tar.gz")]


class _Handler(BaseHTTPRequestHandler):
    made: MadeIndex

    def do_GET(self) -> None:
        """A page of links, or an archive."""
        self.made.asked.append(self.path)
        package, _, name = self.path.removeprefix("/simple/").partition("/")
        files = self.made.archives.get(package)
        if self.made.is_down:
            self.send_error(503)
        elif files is None or name not in {"", *files}:
            self.send_error(404)
        elif name:
            self._answer("application/gzip", self.made.served.get(name, files[name]))
        else:
            page = "".join(self._link(package, name) for name in files)
            self._answer("text/html", page.encode())

    def _link(self, package: str, name: str) -> str:
        digest = hashlib.sha256(self.made.archives[package][name]).hexdigest()
        more = self.made.attributes.get(name, "")
        url = f"/simple/{package}/{name}#sha256={digest}"
        return f'<a href="{url}" {more}>{name}</a>'

    def _answer(self, kind: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        cut = self.made.is_cut and kind != "text/html"
        self.wfile.write(data[: len(data) // 2] if cut else data)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@contextmanager
def serving() -> Iterator[MadeIndex]:
    """Run an empty index."""
    made = MadeIndex()
    handler = type("Bound", (_Handler,), {"made": made})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_port}/simple/"
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
