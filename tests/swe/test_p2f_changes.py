"""Which lines a patch touches, which tests run them, and what changes nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.patches import diff_trees
from envplatform.swe.p2f import Baseline, Coverage
from envplatform.swe.p2f.changes import (
    affected_tests,
    apply_change,
    fingerprint,
    is_inert,
)
from envplatform.tree import File, Tree

SOURCE = """\
import os


def first(a,
          b=1):
    x = (a +
         b)
    if x:
        return x
    return 0


@staticmethod
def second():
    match os.name:
        case "nt":
            return 1
    return 2
"""
BEFORE: Tree = {"m.py": File(SOURCE.encode())}


def change_to(source: str) -> tuple[str, Tree]:
    """Patch and tree of another text for m.py."""
    after: Tree = {"m.py": File(source.encode())}
    return diff_trees(BEFORE, after), after


def baseline_of(
    by_test: dict[str, tuple[int, ...]],
    *,
    imported: tuple[int, ...] = (),
    shared: tuple[int, ...] = (),
) -> Baseline:
    """A baseline with these lines of m.py."""
    coverage = Coverage(
        by_test={test: {"m.py": lines} for test, lines in by_test.items()},
        imported={"m.py": imported},
        shared={"m.py": shared},
        statements={},
    )
    return Baseline(
        repository="a__b",
        commit="",
        stable=tuple(by_test),
        unstable=(),
        broken={},
        seconds_by_test={},
        suite_s=1,
        coverage=coverage,
        runs=4,
        sandbox="bubblewrap 0",
    )


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("return 0", "return 1", (10,)),
        ("    if x:\n        return x\n", "", (8, 9)),
        ("    return 0\n", "    x = 1\n    return 0\n", (9, 10)),
        ("import os\n", "import sys\nimport os\n", (1,)),
    ],
)
def test_touched_lines(old: str, new: str, lines: tuple[int, ...]) -> None:
    """Replaced and removed lines; both neighbours of what is inserted."""
    patch, after = change_to(SOURCE.replace(old, new, 1))
    change = apply_change(BEFORE, patch)
    assert change.lines == {"m.py": lines}
    assert change.tree == after


LINES = st.lists(st.sampled_from(["a\n", "b\n", "c = 1\n", "\n"]), max_size=12)


@given(LINES, LINES)
def test_every_removed_line_is_touched(old: list[str], new: list[str]) -> None:
    """For any two texts: what is gone from the healthy file counts as touched."""
    before: Tree = {"m.py": File("".join(old).encode())}
    after: Tree = {"m.py": File("".join(new).encode())}
    patch = diff_trees(before, after)
    if not patch:
        return
    touched = apply_change(before, patch).lines["m.py"]
    kept = [line for n, line in enumerate(old, 1) if n not in touched]
    rest = iter(new)
    assert all(any(line == other for other in rest) for line in kept)
    assert all(1 <= n <= len(old) + 1 for n in touched)


@pytest.mark.parametrize(
    ("old", "new", "tests"),
    [
        ("         b)", "         2)", {"long", "short"}),  # second line of a statement
        ("return x", "return 3", {"long"}),
        ("return 0", "return 1", {"short"}),
        ("return 2", "return 3", set()),
    ],
)
def test_which_tests_run_a_change(old: str, new: str, tests: set[str]) -> None:
    """Coverage counts a statement by its first line; a change may lie further on."""
    baseline = baseline_of({"long": (6, 8, 9), "short": (6, 8, 10)})
    change = apply_change(BEFORE, change_to(SOURCE.replace(old, new))[0])
    assert affected_tests(baseline, BEFORE, change) == frozenset(tests)


@pytest.mark.parametrize("old", ["b=1", "import os", "@staticmethod"])
def test_what_runs_at_import_may_reach_every_test(old: str) -> None:
    """Signatures, imports and decorators run before any test."""
    baseline = baseline_of({"long": (6,)}, imported=(1, 4, 13))
    change = apply_change(BEFORE, change_to(SOURCE.replace(old, old + " # x"))[0])
    assert affected_tests(baseline, BEFORE, change) is None


def test_what_runs_in_a_wide_fixture_may_reach_every_test() -> None:
    """Whichever test came first ran it."""
    baseline = baseline_of({"long": (6,)}, shared=(10,))
    change = apply_change(BEFORE, change_to(SOURCE.replace("return 0", "return 1"))[0])
    assert affected_tests(baseline, BEFORE, change) is None


@pytest.mark.parametrize(
    ("old", "new", "inert"),
    [
        ("import os", "import os  # the system", True),
        ("    x = (a +\n         b)", "    x = (a + b)", True),
        ("\n\n\n", "\n\n", True),
        ("return 0", "return 0.0", False),
        ("return 0", "return 1", False),
    ],
)
def test_comments_and_layout_are_inert(old: str, new: str, *, inert: bool) -> None:
    """The syntax tree decides."""
    change = apply_change(BEFORE, change_to(SOURCE.replace(old, new, 1))[0])
    assert is_inert(BEFORE, change) is inert


def test_the_same_bug_in_other_clothes() -> None:
    """Layout does not make a second bug."""
    patches = [
        change_to(SOURCE.replace("return 0", new))[0]
        for new in ("return 1", "return  1", "return 2")
    ]
    prints = [fingerprint(apply_change(BEFORE, patch)) for patch in patches]
    assert prints[0] == prints[1] != prints[2]


def test_source_that_does_not_parse_stands_for_itself() -> None:
    """Another version's grammar, or a real syntax error: the sandbox decides."""
    patch, _ = change_to(SOURCE.replace("return 0", "return ("))
    change = apply_change(BEFORE, patch)
    assert not is_inert(BEFORE, change)
    deep: Tree = {"m.py": File(b"(" * 10_000)}
    other = apply_change(deep, diff_trees(deep, {"m.py": File(b"x = 1\n")}))
    assert not is_inert(deep, other)


def test_a_file_that_moves_away_touches_all_its_lines() -> None:
    """Whoever imported it under its old name fails now."""
    patch = "diff --git a/m.py b/n.py\nrename from m.py\nrename to n.py\n"
    change = apply_change(BEFORE, patch)
    assert change.lines["m.py"] == tuple(range(1, SOURCE.count("\n") + 1))
    assert change.tree == {"n.py": BEFORE["m.py"]}
