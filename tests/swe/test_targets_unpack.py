"""Archives from outside: what is taken, left out and refused."""

import gzip
import io
import tarfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envplatform.errors import TargetError
from envplatform.swe.targets import stream_sdist, unpack_sdist
from envplatform.tree import File, Tree


def member(
    name: str, data: bytes = b"", **fields: object
) -> tuple[tarfile.TarInfo, bytes]:
    """One entry of an archive."""
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in fields.items():
        setattr(info, key, value)
    return info, data


def archive(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    """Write a `.tar.gz`."""
    with tarfile.open(path, "w:gz") as out:
        for info, data in members:
            if info.size == len(data):
                out.addfile(info, io.BytesIO(data))
            elif out.fileobj is not None:  # a lie that tarfile would not write
                out.fileobj.write(info.tobuf())
    return path


PATHS = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=9)
    .filter(lambda name: name not in {".", ".."}),
    min_size=1,
    max_size=3,
).map("/".join)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.dictionaries(PATHS, st.tuples(st.binary(max_size=50), st.booleans())))
def test_what_was_packed_is_unpacked(
    tmp_path: Path, content: dict[str, tuple[bytes, bool]]
) -> None:
    """Bytes and executable bits, without the top folder."""
    folders = {
        path.rsplit("/", n)[0] for path in content for n in (1, 2) if "/" in path
    }
    tree: Tree = {
        path: File(data, executable)
        for path, (data, executable) in content.items()
        if path not in folders
    }
    members = [
        member(f"pkg-1.0/{path}", file.data, mode=0o755 if file.executable else 0o644)
        for path, file in tree.items()
    ]
    top = member("pkg-1.0", type=tarfile.DIRTYPE)
    assert unpack_sdist(archive(tmp_path / "x.tar.gz", top, *members)) == tree


def test_links_and_devices_are_left_out(tmp_path: Path) -> None:
    """They are no content, and a way out."""
    path = archive(
        tmp_path / "x.tar.gz",
        member("p/a.py", b"x"),
        member("p/link", type=tarfile.SYMTYPE, linkname="/etc/passwd"),
        member("p/hard", type=tarfile.LNKTYPE, linkname="p/a.py"),
        member("p/fifo", type=tarfile.FIFOTYPE),
        member("p/dev", type=tarfile.CHRTYPE),
        member("p/empty", type=tarfile.DIRTYPE),
    )
    assert unpack_sdist(path) == {"a.py": File(b"x")}


BAD = {
    "leaves": [member("p/../../x", b"")],
    "absolute": [member("/etc/passwd", b"")],
    "a dot": [member("p/./x", b"")],
    "twice": [member("p/x", b"1"), member("p/x", b"2")],
    "two tops": [member("p/x", b""), member("q/x", b"")],
    "no top": [member("x", b"")],
    "empty": [],
    "claims a big file": [member("p/x", b"", size=10**9)],
    "claims more than there is": [member("p/x", b"", size=50_000)],
}


@pytest.mark.parametrize("name", BAD)
def test_bad_archives_are_refused(name: str, tmp_path: Path) -> None:
    """With the archive's name, and nothing written."""
    with pytest.raises(TargetError, match=r"x\.tar\.gz"):
        unpack_sdist(archive(tmp_path / "x.tar.gz", *BAD[name]))
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.tar.gz"]


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    """Little archive, many bytes or many files."""
    big = archive(
        tmp_path / "big.tar.gz", *(member(f"p/{n}", bytes(999)) for n in "abc")
    )
    assert len(unpack_sdist(big, max_bytes=2_997)) == 3
    with pytest.raises(
        TargetError, match=r"big.*more than 20,000 files or 2,996 bytes"
    ):
        unpack_sdist(big, max_bytes=2_996)
    with pytest.raises(TargetError, match="more than 2 files"):
        unpack_sdist(big, max_files=2)


def test_what_is_not_wanted_is_passed_over_and_counts_all_the_same(
    tmp_path: Path,
) -> None:
    """By path and size; the limits are about the archive."""
    path = archive(tmp_path / "x.tar.gz", *(member(f"p/{n}", bytes(99)) for n in "ab"))

    def is_wanted(path: str, size: int) -> bool:
        return path == "b" and size == 99

    assert dict(stream_sdist(path, wanted=is_wanted)) == {"b": File(bytes(99))}
    with pytest.raises(TargetError, match="197 bytes"):
        list(stream_sdist(path, wanted=is_wanted, max_bytes=197))


def test_damage_is_refused(tmp_path: Path) -> None:
    """Cut off, not gzip, not tar, not an sdist."""
    whole = archive(tmp_path / "w.tar.gz", member("p/x", b"x" * 1000)).read_bytes()
    for name, data in {
        "cut.tar.gz": whole[:-20],
        "text.tar.gz": b"hello",
        "notar.tar.gz": gzip.compress(b"hello" * 1000),
        "x.zip": b"PK\x03\x04",
    }.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(TargetError, match=name.replace(".", r"\.")):
            unpack_sdist(tmp_path / name)
