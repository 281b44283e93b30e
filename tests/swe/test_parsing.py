"""Hostile Python: parsing it costs no more than its size allows."""

import pytest

from envplatform.swe.fixes.analysis.source import read_source
from envplatform.swe.fixes.bug_types.source import read_source as read_classified
from envplatform.swe.inducers.mutation.source import parse_source
from envplatform.swe.parsing import parse_or_none, parse_python
from envplatform.tree import File

DOTS = 20_000
LONG = b"import a" + b".a" * DOTS + b"\n"
"""Python would take half a gigabyte for it, and 10 GB for five times as much."""


@pytest.mark.parametrize(
    "source",
    [
        LONG,
        b"from a" + b".a" * DOTS + b" import b\n",
        b"import a" + b".a\\\r" * DOTS + b"\n",
        b"import a" + b".a\\\r\n" * DOTS + b"\n",
        b"# coding: utf-7\nimport a" + b"+AC4-a" * DOTS + b"\n",
        b"# coding: unicode_escape\nimport a" + b"\\x2ea" * DOTS + b"\n",
    ],
    ids=["import", "from", "CR", "CRLF", "utf-7", "escapes"],
)
def test_a_long_dotted_name_is_refused_however_it_is_written(source: bytes) -> None:
    with pytest.raises(SyntaxError, match="too long"):
        parse_python(source)


def test_every_reader_of_foreign_files_is_guarded() -> None:
    assert read_source(File(LONG)).state == "does_not_parse"
    assert read_classified(LONG) is None
    assert parse_source(LONG) == "syntax_error"


@pytest.mark.parametrize(
    "source",
    [
        b"# coding: nonsense\nx = 1\n",
        b"# coding: rot13\nk = 1\n",
        b"\xff\xfe",
        b"x = '\0'\n",
        b"(" * 5000,
        "x = '\udc80'\n",
        "def f(:\n",
    ],
)
def test_what_is_no_python_is_none(source: bytes | str) -> None:
    assert parse_or_none(source) is None


def test_ordinary_files_are_taken() -> None:
    many = b"import a.b.c\n" * 5_000 + b"x = a.b.c.d\n" * 5_000
    for source in (many, "\ufeffx = 1\n".encode(), b"# coding: latin-1\nx = '\xe9'\n"):
        assert parse_or_none(source) is not None
