"""Bug type and syntax tree of candidates, from the healthy tree and the patch."""

from dataclasses import replace

import pytest

from envplatform.patches import diff_trees
from envplatform.swe.candidate import BugCandidate
from envplatform.swe.diversity.describe import describe
from envplatform.tree import File, Tree
from tests.swe.small_repository import CANDIDATE, HEALTHY

CORE = "spans/core.py"
TEXT = HEALTHY[CORE].data


def candidate(
    after: bytes | None, *, path: str = CORE, tree: Tree = HEALTHY
) -> BugCandidate:
    """A candidate that leaves `after` in the file; None: it deletes the file."""
    defective = {name: file for name, file in tree.items() if name != path}
    if after is not None:
        defective[path] = File(after)
    patch = diff_trees(tree, defective)
    return replace(CANDIDATE, path=path, bug_patch=patch)


def described(after: bytes | None, *, path: str = CORE) -> BugCandidate:
    (found,) = describe([candidate(after, path=path)], HEALTHY)
    return found


def test_an_edge_of_a_range_is_a_boundary_bug() -> None:
    found = described(TEXT.replace(b"<= high", b"< high"))
    assert found.bug_type == "boundary"
    assert len(found.ast_digest) == 64


def test_the_healthy_side_is_the_fixed_one() -> None:
    """A bug that removes what a fix would add: a missing exception handler."""
    healthy: Tree = {
        "m.py": File(b"def f(x):\n    try:\n        return int(x)\n    except ValueError:\n        return 0\n")
    }  # fmt: skip
    bug = candidate(b"def f(x):\n    return int(x)\n", path="m.py", tree=healthy)
    (found,) = describe([bug], healthy)
    assert found.bug_type == "exception"


def test_nothing_else_of_a_candidate_changes() -> None:
    bug = candidate(TEXT.replace(b"<= high", b"< high"))
    (found,) = describe([bug], HEALTHY)
    assert replace(found, bug_type=None, ast_digest="") == bug


@pytest.mark.parametrize(
    "layout",
    [
        TEXT.replace(b"<= high", b"<  high"),
        TEXT.replace(b"<= high", b"< high  # the end"),
        b"# Above.\n\n" + TEXT.replace(b"<= high", b"< high"),
        TEXT.replace(b"<= high", b"< high").replace(b"\n\n\n", b"\n"),
        TEXT.replace(b"<= high", b"< high").replace(b"\n", b"\r\n"),
    ],
)
def test_layout_and_comments_make_no_other_bug(layout: bytes) -> None:
    plain = described(TEXT.replace(b"<= high", b"< high"))
    assert described(layout).ast_digest == plain.ast_digest


@pytest.mark.parametrize(
    "other",
    [
        TEXT.replace(b"<= high", b"> high"),
        TEXT.replace(b"low <=", b"low <"),
        TEXT.replace(b"<= high", b"< high").replace(b"+=", b"-="),
        TEXT.replace(b"<= high", b"< high").replace(b"def total", b"def totals"),
    ],
)
def test_another_syntax_tree_is_another_bug(other: bytes) -> None:
    plain = described(TEXT.replace(b"<= high", b"< high"))
    assert described(other).ast_digest != plain.ast_digest


def test_statements_that_share_a_line_are_told_apart() -> None:
    some = described(b"a = 1; b = 2\n" + TEXT)
    others = described(b"a = 1; b = 3\n" + TEXT)
    swapped = described(b"b = 2; a = 1\n" + TEXT)
    assert len({some.ast_digest, others.ast_digest, swapped.ast_digest}) == 3


def test_the_same_code_in_another_file_is_another_bug() -> None:
    some = described(b"x = 1\n")
    others = described(b"x = 1\n", path="spans/__init__.py")
    assert some.ast_digest != others.ast_digest


def test_a_deleted_file_is_described_too() -> None:
    found = described(None)
    assert found.bug_type is not None
    assert found.ast_digest


@pytest.mark.parametrize(
    "after",
    [
        b"def inside(:\n",
        b"x = " + b"(" * 5_000 + b")" * 5_000 + b"\n",
        b"x = '\xff'\n",
        b"import a" + b".a" * 30_000 + b"\n",
    ],
)
def test_what_does_not_parse_comes_back_as_it_was(after: bytes) -> None:
    bug = candidate(after)
    assert describe([bug], HEALTHY) == (bug,)


def test_what_parses_but_is_nested_too_deep_to_be_written_costs_no_other() -> None:
    deep = candidate(b"x = " + b"a." * 20_000 + b"a\n")
    fine = candidate(TEXT.replace(b"<= high", b"< high"))
    first, second = describe([deep, fine], HEALTHY)
    assert first == deep
    assert second.bug_type == "boundary"


def test_a_number_too_long_to_be_written_is_left_alone() -> None:
    huge = candidate(TEXT + b"x = 0x" + b"f" * 20_000 + b"\n")
    assert describe([huge], HEALTHY) == (huge,)


@pytest.mark.parametrize("patch", ["", "nonsense\n", CANDIDATE.bug_patch])
def test_a_patch_that_does_not_apply_comes_back_as_it_was(patch: str) -> None:
    bug = replace(CANDIDATE, bug_patch=patch)
    other: Tree = {CORE: File(b"nothing of it = 1\n")}
    assert describe([bug], other) == (bug,)


def test_other_files_than_python_say_nothing() -> None:
    bug = candidate(b"# other\n", path="README.md")
    assert describe([bug], HEALTHY) == (bug,)


def test_order_is_kept_over_files() -> None:
    bugs = [
        candidate(TEXT.replace(b"<= high", b"< high")),
        candidate(b"from spans.core import inside\n", path="spans/__init__.py"),
        candidate(TEXT.replace(b"+=", b"-=")),
    ]
    found = describe(bugs, HEALTHY)
    assert [each.bug_patch for each in found] == [each.bug_patch for each in bugs]
    assert found == tuple(describe([bug], HEALTHY)[0] for bug in bugs)
