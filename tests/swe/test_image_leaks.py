"""In which guises a hidden file is known again; the search of a real image is elsewhere."""

import hashlib
import py_compile
import subprocess
from pathlib import Path

import pytest

from envplatform.swe.image_leaks import _wanted
from envplatform.swe.inside.find_copies import _copied

TEXT = b"def add(a, b):\n    return a + b\n"
WANTED = [_wanted("pkg/calc.py", TEXT)]


def copied(at: Path) -> list[str]:
    """What that file gives away."""
    return _copied(at, at.stat().st_size, WANTED)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The hidden file under another name, in a git repository."""
    path = tmp_path / "calc.py"
    path.write_bytes(TEXT)
    for words in (["init", "-q"], ["add", "calc.py"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return path


def test_the_same_bytes_are_a_copy_and_others_of_that_length_are_not(
    source: Path,
) -> None:
    assert copied(source) == ["pkg/calc.py"]
    source.write_bytes(TEXT.replace(b"+", b"-"))
    assert copied(source) == []


def test_byte_code_is_known_by_name_and_length_of_its_source(
    source: Path, tmp_path: Path
) -> None:
    there = tmp_path / "__pycache__" / "calc.cpython-311.pyc"
    other = tmp_path / "__pycache__" / "else.cpython-311.pyc"
    for at in (there, other):
        py_compile.compile(
            str(source),
            cfile=str(at),
            invalidation_mode=py_compile.PycInvalidationMode.TIMESTAMP,
        )
    assert copied(there) == ["pkg/calc.py"]
    assert copied(other) == []


def test_git_has_it_loose_and_packed(source: Path, tmp_path: Path) -> None:
    name = hashlib.sha1(
        b"blob %d\0" % len(TEXT) + TEXT, usedforsecurity=False
    ).hexdigest()
    objects = tmp_path / ".git" / "objects"
    assert copied(objects / name[:2] / name[2:]) == ["pkg/calc.py"]
    subprocess.run(
        ["git", "pack-objects", "-q", str(objects / "pack" / "pack")],
        cwd=source.parent,
        input=name.encode(),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (index,) = (objects / "pack").glob("*.idx")
    assert copied(index) == ["pkg/calc.py"]
