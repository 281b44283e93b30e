"""Fetching an sdist from an index, a real HTTP server on this machine."""

import hashlib
import io
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from envplatform.errors import TargetError
from envplatform.registries.indexes import parse_pip_config
from envplatform.swe.targets import PackageIndex, SdistSource, fetch_sdist, unpack_sdist
from envplatform.tree import File


def sdist() -> bytes:
    """A small archive."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        info = tarfile.TarInfo("made-1.0/made.py")
        info.size = 5
        archive.addfile(info, io.BytesIO(b"x = 1"))
    return out.getvalue()


SDIST = sdist()
SOURCE = SdistSource(
    package="made", version="1.0", sha256=hashlib.sha256(SDIST).hexdigest()
)


@dataclass
class Index:
    """A simple-API index with one package, and what it was asked."""

    url: str = ""
    data: bytes = SDIST
    failures: int = 0
    """Requests still to be answered with 503."""
    cut: bool = False
    """Whether archives end too early."""
    asked: list[str] = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    """Answers for `index`."""

    index: Index

    def do_GET(self) -> None:
        """One page of links, or the archive."""
        self.index.asked.append(self.path)
        if self.index.failures > 0:
            self.index.failures -= 1
            self.send_error(503)
        elif self.path == "/simple/made/":
            name = "made-1.0.tar.gz"
            page = f'<a href="/{name}#sha256={SOURCE.sha256}">{name}</a>'
            self._answer("text/html", page.encode())
        elif self.path == "/made-1.0.tar.gz":
            self._answer("application/gzip", self.index.data)
        else:
            self.send_error(404)

    def _answer(self, kind: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[:50] if self.index.cut and kind != "text/html" else data)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.fixture
def index() -> Iterator[Index]:
    """A running index."""
    index = Index()
    handler = type("Bound", (Handler,), {"index": index})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    index.url = f"http://127.0.0.1:{server.server_port}/simple/"
    yield index
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_release_is_fetched_once(index: Index, tmp_path: Path) -> None:
    """The second time, nobody is asked."""
    first = fetch_sdist(SOURCE, tmp_path, index=PackageIndex(url=index.url))
    assert unpack_sdist(first) == {"made.py": File(b"x = 1")}
    asked = list(index.asked)
    assert fetch_sdist(SOURCE, tmp_path, index=PackageIndex(url=index.url)) == first
    assert index.asked == asked


def test_a_damaged_copy_is_fetched_anew(index: Index, tmp_path: Path) -> None:
    """The cache is checked each time."""
    kept = fetch_sdist(SOURCE, tmp_path, index=PackageIndex(url=index.url))
    kept.write_bytes(b"rotten")
    again = fetch_sdist(SOURCE, tmp_path, index=PackageIndex(url=index.url))
    assert again.read_bytes() == SDIST


def test_an_archive_with_another_digest_is_refused(
    index: Index, tmp_path: Path
) -> None:
    """And not kept."""
    index.data = SDIST + b"x"
    with pytest.raises(TargetError, match=r"made 1\.0: the archive's sha256 is"):
        fetch_sdist(SOURCE, tmp_path, index=PackageIndex(url=index.url))
    assert not list(tmp_path.rglob("*.tar.gz"))


@pytest.mark.parametrize(
    ("source", "part"),
    [
        (
            SdistSource(package="gone", version="1.0", sha256="0" * 64),
            "no such package",
        ),
        (
            SdistSource(package="made", version="9.9", sha256="0" * 64),
            "no sdist of this",
        ),
    ],
)
def test_what_is_not_there_is_named(
    source: SdistSource, part: str, index: Index, tmp_path: Path
) -> None:
    """Package or version."""
    with pytest.raises(TargetError, match=f"{source.package} {source.version}.*{part}"):
        fetch_sdist(source, tmp_path, index=PackageIndex(url=index.url))


def test_a_failing_index_is_asked_again(index: Index, tmp_path: Path) -> None:
    """Twice 503, then it is there."""
    index.failures = 2
    assert fetch_sdist(SOURCE, tmp_path, index=PackageIndex(url=index.url)).is_file()


def test_an_index_that_stays_down_is_named_without_its_password(
    index: Index, tmp_path: Path
) -> None:
    """The status, not the address."""
    index.failures = 10**6
    url = index.url.replace("http://", "http://user:secret@")
    with pytest.raises(TargetError, match=r"made 1\.0.*HTTP 503") as caught:
        fetch_sdist(SOURCE, tmp_path, index=PackageIndex(url=url))
    assert "secret" not in str(caught.value)


def test_a_cut_connection_leaves_nothing_behind(index: Index, tmp_path: Path) -> None:
    """Half an archive is never visible."""
    index.cut = True
    with pytest.raises(TargetError, match=r"made 1\.0"):
        fetch_sdist(SOURCE, tmp_path, index=PackageIndex(url=index.url))
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_pip_s_settings_are_honoured() -> None:
    """The environment wins over files; what is unknown is skipped."""
    listing = """
global.index-url='https://global.example/simple'
user.index-url='https://user.example/simple'
:env:.index-url='https://env.example/simple'
global.cert='/some/ca.pem'
global.timeout='60'
nonsense
"""
    found = parse_pip_config(listing)
    assert found.url == "https://env.example/simple"
    assert found.certificate == "/some/ca.pem"
    assert parse_pip_config("") == PackageIndex()
