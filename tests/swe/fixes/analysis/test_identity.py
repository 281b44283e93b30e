import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.errors import PatchError
from envplatform.patches import diff_trees
from envplatform.swe.fixes.analysis.change import FileLines
from envplatform.swe.fixes.analysis.ngrams import (
    MAX_KEPT,
    ngrams_of_patch,
    pack_ngrams,
    unpack_ngrams,
)
from envplatform.swe.fixes.analysis.paths import has_generated_header, path_kind
from envplatform.swe.fixes.analysis.shingles import NearDuplicates, signature
from envplatform.swe.fixes.analysis.tokens import context_tokens
from tests.swe.fixes.analysis.analysis_sides import BUGGY, FIXED, analysed, sides_of

_NAMES = st.from_regex(r"[a-z]{3,9}_x", fullmatch=True)
_LONG = [f"value_{n} = compute_{n}(first_{n}, second_{n})\n" for n in range(20)]


def _reformat(source: str) -> str:
    return ast.unparse(ast.parse(source)) + "\n"


def test_reformatting_keeps_the_code_digest() -> None:
    one = analysed(BUGGY, FIXED)
    other = analysed(_reformat(BUGGY), _reformat(FIXED))
    assert one.code_digest == other.code_digest
    assert one.change_digest != other.change_digest


@given(_NAMES, _NAMES)
def test_renaming_locals_keeps_the_code_digest(one: str, other: str) -> None:
    if one == other:
        return

    def renamed(source: str) -> str:
        return (
            source.replace("result", one)
            .replace("item.", f"{other}.")
            .replace("item in", f"{other} in")
            .replace("(self, item,", f"(self, {other},")
        )

    assert (
        analysed(renamed(BUGGY), renamed(FIXED)).code_digest
        == analysed(BUGGY, FIXED).code_digest
    )


def test_another_operator_gives_another_code_digest() -> None:
    other = FIXED.replace(">=", "==")
    assert analysed(BUGGY, other).code_digest != analysed(BUGGY, FIXED).code_digest


def test_the_reverse_change_has_another_code_digest() -> None:
    assert analysed(FIXED, BUGGY).code_digest != analysed(BUGGY, FIXED).code_digest


def test_unchanged_code_around_does_not_enter_the_code_digest() -> None:
    more = "\n\ndef other(a):\n    return a\n"
    one = analysed(BUGGY, FIXED)
    assert analysed(BUGGY + more, FIXED + more).code_digest == one.code_digest


def test_a_tiny_change_has_neither_code_digest_nor_signature() -> None:
    found = analysed("x = a == b\n", "x = a != b\n")
    assert (found.code_digest, found.minhash) == ("", "")


def test_equal_changes_have_equal_signatures_whatever_the_file() -> None:
    one = FileLines(path="a.py", removed=(), added=tuple(s.encode() for s in _LONG))
    other = FileLines(path="b.py", removed=(), added=one.added)
    assert signature([one]) == signature([other]) != ""


def test_removed_and_added_lines_do_not_look_alike() -> None:
    lines = tuple(line.encode() for line in _LONG)
    near = NearDuplicates(0.7)
    for change in (
        FileLines(path="a.py", removed=(), added=lines),
        FileLines(path="a.py", removed=lines, added=()),
    ):
        assert near.find_or_add(signature([change])) is None


@pytest.mark.parametrize(("changed", "found"), [(1, True), (10, False)])
def test_near_duplicates_are_those_that_share_most_shingles(
    changed: int, *, found: bool
) -> None:
    lines = [line.encode() for line in _LONG]
    other = [
        *lines[changed:],
        *(b"w%d = q%d.z%d[%d]\n" % (n, n, n, n) for n in range(changed)),
    ]
    near = NearDuplicates(0.7)
    near.find_or_add(signature([FileLines(path="a", removed=(), added=tuple(lines))]))
    answer = near.find_or_add(
        signature([FileLines(path="a", removed=(), added=tuple(other))])
    )
    assert (answer is not None) is found


def test_a_signature_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="version"):
        NearDuplicates(0.7).find_or_add("00000000")


def test_a_patch_and_its_reverse_have_the_ngrams_of_the_sides() -> None:
    sides = sides_of({"a.py": BUGGY}, {"a.py": FIXED})
    fix = diff_trees(sides.buggy, sides.fixed)
    grams = ngrams_of_patch(fix)
    assert grams
    assert grams == ngrams_of_patch(sides.bug_patch)
    assert unpack_ngrams(analysed(BUGGY, FIXED).ngrams) == tuple(sorted(grams))


def test_ngrams_do_not_depend_on_context_lines() -> None:
    head = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n"
    line = "".join(_LONG[:2]).replace("\n", " ; ")
    bare = f"{head}@@ -1,0 +2 @@\n+{line}\n"
    wide = f"{head}@@ -1,2 +1,3 @@\n x = 1\n+{line}\n y = 2\n"
    assert ngrams_of_patch(bare) == ngrams_of_patch(wide) != frozenset()


def test_boilerplate_tests_and_prose_have_no_ngrams() -> None:
    init = (
        "def __init__(self, *args, **kwargs):\n    super().__init__(*args, **kwargs)\n"
    )
    text = "".join(_LONG)
    patch = diff_trees(
        sides_of({}, {}).buggy,
        sides_of({}, {"a.py": init, "tests/test_a.py": text, "a.md": text}).fixed,
    )
    assert ngrams_of_patch(patch) == frozenset()


def test_no_diff_has_no_ngrams_but_an_error() -> None:
    with pytest.raises(PatchError):
        ngrams_of_patch("hello\n")


@given(st.sets(st.integers(0, 2**64 - 1), max_size=300))
def test_packed_ngrams_come_back_as_the_smallest(ngrams: set[int]) -> None:
    assert unpack_ngrams(pack_ngrams(ngrams)) == tuple(sorted(ngrams)[:MAX_KEPT])


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src/core.py", "code"),
        ("setup.py", "code"),
        ("pkg/testing.py", "code"),
        ("pkg/conftest.py", "test"),
        ("pkg/core_test.py", "test"),
        ("Tests/helper.py", "test"),
        ("pkg/third_party/tests/test_x.py", "generated"),
        ("alembic/versions/3f_add.py", "excluded"),
        ("pkg/migrations/__init__.py", "code"),
        ("versioneer.py", "excluded"),
        ("pkg/_version.py", "excluded"),
        ("pkg/version.py", "code"),
        ("pkg/core.pyi", "other"),
    ],
)
def test_a_path_says_what_it_is(path: str, kind: str) -> None:
    assert path_kind(path) == kind


@pytest.mark.parametrize(
    "header",
    [
        b"# Generated by the protocol buffer compiler.  DO NOT EDIT!\nx = 1\n",
        b'"""This file was generated by hand-o-matic."""\nx = 1\n',
        b"#!/usr/bin/env python\n\n# This is an auto-generated file\nx = 1\n",
    ],
)
def test_generated_headers_are_told_by_their_words(header: bytes) -> None:
    assert has_generated_header(header)


@pytest.mark.parametrize(
    "header",
    [
        b"x = 1\n# widths generated from\n# http://example.org/table.txt\n",
        b'"""Reports generated by users."""\nx = 1\n',
        b"# keys are generated from names\nx = 1\n",
    ],
)
def test_talk_about_generating_makes_no_generated_file(header: bytes) -> None:
    assert not has_generated_header(header)


def test_estimated_tokens_grow_with_bytes_and_lines() -> None:
    assert context_tokens([]) == 0
    assert context_tokens([b"x = 1\n"]) < context_tokens([b"x = 1\ny\n"])
    assert context_tokens([b"a" * 3200]) > 800
