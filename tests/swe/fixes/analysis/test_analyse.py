import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.swe.fixes.analysis.analyse import analyse, analysis_digest
from envplatform.swe.fixes.refusal import REJECTIONS
from tests.swe.fixes.analysis.analysis_sides import BUGGY, FIXED, analysed, sides_of


def test_a_plain_fix_has_figures_hashes_and_no_flag() -> None:
    found = analysed(BUGGY, FIXED)
    assert found.code_paths == ("package/core.py",)
    assert (found.flags, found.changed_lines, found.hunks) == ((), 6, 1)
    assert found.change_digest
    assert found.code_digest
    assert found.fixed_blobs != found.buggy_blobs


def test_blob_ids_are_those_of_git() -> None:
    found = analysed("hello\n", "hello = 1\n")
    assert found.buggy_blobs == ("ce013625030ba8dba906f756967f9e9ca394464a",)


def test_paths_are_sorted_by_what_they_are() -> None:
    found = analyse(
        sides_of(
            {},
            {
                "README.md": "x\n",
                "pkg/a.py": "a = 1\n",
                "pkg/_vendor/b.py": "b = 1\n",
                "pkg/migrations/0001_x.py": "c = 1\n",
                "tests/test_a.py": "assert 1\n",
                "uv.lock": "x\n",
            },
        )
    )
    assert found.code_paths == ("pkg/a.py",)
    assert found.test_paths == ("tests/test_a.py",)
    assert found.other_paths == (
        "README.md",
        "pkg/_vendor/b.py",
        "pkg/migrations/0001_x.py",
        "uv.lock",
    )


@pytest.mark.parametrize(
    ("path", "flag"),
    [
        ("docs/index.rst", "no_code"),
        ("tests/test_core.py", "test_only"),
        ("pkg/_vendor/six.py", "generated"),
        ("pkg/schema_pb2.py", "generated"),
        ("pkg/_version.py", "excluded_path"),
        ("app/migrations/0002_add.py", "excluded_path"),
        ("poetry.lock", "excluded_path"),
        ("demo.ipynb", "excluded_path"),
    ],
)
def test_a_change_without_code_is_flagged_by_what_it_is(path: str, flag: str) -> None:
    assert analysed("x = 1\n", "x = 2\n", path).flags == (flag,)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = (1,2)\n", "x = (\n    1,\n    2,\n)  # pair\n"),
        ("def f():\n    '''Old.'''\n    return 1\n", "def f():\n    return 1\n"),
        ("import a\nimport b\n\nx = a\n", "import b, a\n\nx = a\n"),
        ("class A:\n    x = 1\n", "class A:\n    '''New.'''\n\n    x = 1\n"),
        ("x = 1\r\ny = 2\r\n", "x = 1\ny = 2\n"),
        ("print 'a' # old\n", "print 'a'\n"),
    ],
    ids=["format", "docstring", "imports", "class", "line ends", "no Python 3"],
)
def test_what_leaves_the_code_as_it_was_is_same_code(before: str, after: str) -> None:
    assert "same_code" in analysed(before, after).flags


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1\n", "x = True\n"),
        ("import a\nx = 1\nimport b\n", "import b\nx = 1\nimport a\n"),
        ("if x:\n    y()\n    z()\n", "if x:\n    y()\nz()\n"),
        ("x = 'a'\n", "x = b'a'\n"),
        ("print 'a'\n", "print 'b'\n"),
        ("@one\ndef f(): pass\n", "@two\ndef f(): pass\n"),
    ],
    ids=["constant", "imports apart", "indent", "bytes", "no Python 3", "decorator"],
)
def test_what_changes_the_code_is_not_same_code(before: str, after: str) -> None:
    assert "same_code" not in analysed(before, after).flags


def test_a_side_that_does_not_parse_is_flagged() -> None:
    assert analysed("def f(:\n    pass\n", FIXED).flags == ("does_not_parse",)


@pytest.mark.parametrize("empty", ["", "\n  \n"])
def test_a_blank_side_is_an_incomplete_hunk(empty: str) -> None:
    assert "incomplete_hunk" in analysed(empty, FIXED).flags


def test_a_file_that_breaks_off_inside_a_line_is_an_incomplete_hunk() -> None:
    whole = "x = 1\nname = value\n"
    assert analysed("x = 1\nname = val", whole).flags == ("incomplete_hunk",)


def test_an_appended_function_is_a_complete_hunk() -> None:
    assert analysed("x = 1", "x = 1\n\n\ndef f():\n    return x\n").flags == ()


@pytest.mark.parametrize(
    ("data", "flags"),
    [
        ("x = 'ä'\n".encode("latin-1"), ("not_utf8",)),
        (b"# -*- coding: latin-1 -*-\nx = '\xe4'\n", ("not_utf8",)),
        (b"\xef\xbb\xbfx = 1\ny = 2\n", ()),
        ("x = '\x0c\u2028'\ny = 2\n".encode(), ()),
        (b"x = 1\r\ny = 2\r", ()),
    ],
    ids=["latin-1", "cookie", "BOM", "form feed and U+2028", "lone CR"],
)
def test_bytes_of_all_kinds_are_taken_or_flagged(
    data: bytes, flags: tuple[str, ...]
) -> None:
    assert analysed(data, data + b"z = 3\n").flags == flags


_HOSTILE = {
    "10 MB of parentheses": "(" * 10_000_000,
    "deep operators": "x = " + "-" * 100_000 + "1\n",
    "deep calls": "x = a" + "()" * 50_000 + "\n",
    "deep attributes": "x = a" + ".b" * 2_500 + "\n",
    "long sum": "x = " + "+".join(["1"] * 50_000) + "\n",
    "dotted import": "import a" + ".a" * 100_000 + "\n",
    "dotted import, continued": "from a" + ".a\\\n" * 60_000 + " import b\n",
    "huge number": "x = 0x" + "f" * 500_000 + "\n",
    "10 MB of code": "x = f(1)\n" * 1_100_000,
    "elif": "if 1:\n pass\n" + "elif 1:\n pass\n" * 20_000,
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("source", _HOSTILE.values(), ids=_HOSTILE)
def test_hostile_source_ends_neither_the_process_nor_the_patience(source: str) -> None:
    found = analysed(source, source + "y = 2\n")
    assert set(found.flags) <= set(REJECTIONS)


def test_a_file_too_large_to_look_into_is_over_every_budget() -> None:
    source = "x = f(1)\n" * 200_000
    assert analysed(source, source + "y = 2\n").flags == ("over_context",)


def test_flags_stand_in_the_order_of_the_table() -> None:
    flags = analysed(b"", b"x = '\xe4'\n").flags
    assert flags == tuple(code for code in REJECTIONS if code in flags)
    assert flags == ("incomplete_hunk", "not_utf8")


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_any_two_files_can_be_analysed(before: bytes, after: bytes) -> None:
    before, after = (data.replace(b"\0", b"") for data in (before, after))
    sides = sides_of({"a.py": before}, {"a.py": after})
    assert analyse(sides) == analyse(sides)


def test_the_digest_changes_with_either_side() -> None:
    digests = {
        analysis_digest(sides_of({"a.py": one}, {"a.py": other}))
        for one, other in (("x", "y"), ("x", "z"), ("w", "y"))
    }
    assert len(digests) == 3


def test_a_number_of_five_thousand_digits_is_no_error() -> None:
    huge = f"x = 0x{'f' * 5000}\n"
    assert analysed("y = 1\n", f"y = 1\n{huge}").changed_lines == 1
    assert analysed(f"y = 1\n{huge}", f"{huge}y = 1\n").changed_lines == 2


def test_a_file_that_does_not_parse_on_one_side_is_no_new_file() -> None:
    found = analysed('print "x"\n', "import os\nprint(os)\n")
    assert "does_not_parse" in found.flags
    assert (found.bug_type, found.bug_evidence) == ("other", ("does_not_parse",))


def test_a_file_that_does_not_parse_leaves_the_type_to_the_others() -> None:
    broken = {"a.py": 'print "x"\n'}, {"a.py": "import os\nprint(os)\n"}
    whole = {"b.py": BUGGY}, {"b.py": FIXED}
    both = sides_of({**broken[0], **whole[0]}, {**broken[1], **whole[1]})
    alone = analyse(sides_of(*whole))
    assert analyse(both).bug_evidence == alone.bug_evidence
