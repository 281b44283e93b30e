"""Archives: equal for equal files, whole again, and harmless where a stranger made them."""

import io
import tarfile
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.bundle.archive import pack, unpack
from envplatform.errors import BundleError
from envplatform.tree import File

TREE = {
    "a/b.txt": File(b"x" * 1000),
    "run": File(b"", executable=True),
    f"deep/{'n' * 150}/{'m' * 90}": File(b"long"),
    "\udcff": File(b"no UTF-8"),
}
_HEADER, _SIZE, _SUM = 512, slice(124, 136), slice(148, 156)


def test_what_is_packed_comes_back_and_order_decides_nothing() -> None:
    packed = pack(TREE)
    assert unpack(packed) == TREE
    assert pack(dict(reversed(TREE.items()))) == packed


def tampered(size: bytes) -> bytes:
    """An archive whose first member says that it has another size."""
    data = bytearray(pack({"a": File(b"x" * 1024), "b": File(b"y")}))
    data[_SIZE] = size.ljust(12, b"\0")
    data[_SUM] = b" " * 8
    data[_SUM] = b"%06o\0 " % sum(data[:_HEADER])
    return bytes(data)


def base_256(number: int) -> bytes:
    return b"\xff" + (256**11 + number).to_bytes(11, "big")


def with_member(change: Callable[[tarfile.TarInfo], None]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        member = tarfile.TarInfo("a")
        change(member)
        archive.addfile(member, io.BytesIO(b"\0" * member.size))
    return stream.getvalue()


def link(member: tarfile.TarInfo) -> None:
    member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"


def hard_link(member: tarfile.TarInfo) -> None:
    member.type, member.linkname = tarfile.LNKTYPE, "../x"


def device(member: tarfile.TarInfo) -> None:
    member.type = tarfile.CHRTYPE


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("data", "told"),
    [
        (tampered(base_256(-1024)), "impossible size, -1024"),
        (tampered(base_256(-512)), "impossible size, -512"),
        (tampered(b"77777777777"), "impossible size"),
        (tampered(b"00000077777"), "ends within"),
        (tampered(b"nonsense"), "no whole tar"),
        (with_member(link), "no plain file"),
        (with_member(hard_link), "no plain file"),
        (with_member(device), "no plain file"),
        (with_member(lambda one: setattr(one, "name", "../up")), "clean relative"),
        (with_member(lambda one: setattr(one, "name", "/etc/x")), "clean relative"),
        (with_member(lambda one: setattr(one, "name", "a//b")), "clean relative"),
        (pack({"a": File(b"1")})[:-9216] + pack({"a": File(b"2")}), "twice"),
        (b"", "no whole tar"),
        (b"no tar at all" * 100, "no whole tar"),
    ],
)
def test_a_strangers_archive_is_refused_by_name(data: bytes, told: str) -> None:
    with pytest.raises(BundleError, match=told):
        unpack(data)


@pytest.mark.timeout(120)
@given(st.binary(min_size=12, max_size=12), st.integers(0, 500), st.binary(max_size=8))
def test_no_header_makes_it_run_for_ever(size: bytes, at: int, noise: bytes) -> None:
    data = bytearray(tampered(size))
    data[at : at + len(noise)] = noise
    try:
        files = unpack(bytes(data))
    except BundleError:
        return
    assert sum(len(file.data) for file in files.values()) <= len(data)
