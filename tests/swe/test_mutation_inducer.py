"""The `mutation` inducer as a whole: what it promises of its candidates."""

import ast
import hashlib
import os
import re
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envplatform.patches import apply_patch, diff_trees, patched_paths
from envplatform.swe.inducers.base import Skip, SourceFile, is_test_path
from envplatform.swe.inducers.mutation import OPERATORS, REVISION, MutationInducer
from envplatform.tree import File

SAMPLE = '''\
"""A sample with a place for every operator."""
# Comment that must survive.
TABLE = {"limit ": 10, "ratio": 0.5}


class Base:
    """Documented."""


class Stack(Base):
    """A stack that is strict."""

    def __init__(self, items=(), strict=True):
        self._items = list(items)  # copied
        self._strict = strict

    def size(self):
        """How many."""
        return len(self._items)

    def is_empty(self):
        return not self._items

    def push(self, item, times=1):
        if item is None and self._strict:
            raise ValueError("nothing")
        elif times < 1:
            return -1
        else:
            for _ in range(times):
                self._items.append(item)
        total = self.size() * 2 + times - 1
        total += 0
        return total if total > 3 else 3 - total

    def last(self, default=None):
        try:
            return self._items[-1]
        except IndexError:
            return default

    def names(self):
        with self.lock():
            found = []
            for item in self._items:
                found.append(str(item).strip().lower())
            return found[1:]
'''
PATH = "pkg/stack.py"
GOLDEN = {1: "566e95e9a127067c"}
"""REVISION to digest of all candidates of SAMPLE for two seeds."""


def sample(code: str = SAMPLE, *, covered: frozenset[int] | None = None) -> SourceFile:
    """Return `code` as a file of a repository."""
    return SourceFile(
        repository="ann__stack",
        commit="0123456789abcdef",
        path=PATH,
        data=code.encode(),
        covered=covered,
    )


def mutant(data: bytes, patch: str) -> bytes:
    """Return the file after the patch."""
    return apply_patch({PATH: File(data)}, patch)[PATH].data


def test_every_operator_finds_a_place_in_the_sample() -> None:
    """So that the tests below speak of all of them."""
    found = MutationInducer().candidates(sample(), 10_000, 0)
    assert {candidate.operator for candidate in found} >= set(OPERATORS) - {
        "comparison_swap",
        "operator_change",  # duplicates of flips may take their places
    }


@settings(deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(1, 30),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["    ", "\t", "  "]),
    st.sampled_from(["", "\ufeff"]),
    st.booleans(),
)
def test_every_candidate_compiles_differs_and_leads_back(
    seed: int,
    budget: int,
    line_end: str,
    indent: str,
    bom: str,
    final: bool,  # noqa: FBT001
) -> None:
    """Whatever the line ends, the indentation, a BOM, a missing final newline."""
    code = bom + SAMPLE.replace("    ", indent).replace("\n", line_end)
    file = sample(code if final else code.rstrip())
    proposal = MutationInducer().propose(file, budget, seed)
    assert len(proposal.candidates) == budget
    trees = {ast.dump(ast.parse(file.data))}
    for candidate in proposal.candidates:
        changed = mutant(file.data, candidate.bug_patch)
        compile(changed, PATH, "exec")
        tree = ast.dump(ast.parse(changed))
        assert tree not in trees
        trees.add(tree)
        if line_end == "\r\n":
            assert changed.count(b"\r\n") == changed.count(b"\n")
        oracle = diff_trees({PATH: File(changed)}, {PATH: File(file.data)})
        assert mutant(changed, oracle) == file.data


def test_candidates_say_where_they_are_and_what_they_are() -> None:
    """The row's fields agree with the patch."""
    healthy = SAMPLE.encode().split(b"\n")
    for candidate in MutationInducer().candidates(sample(), 200, 7):
        digest = hashlib.sha256(candidate.bug_patch.encode()).hexdigest()[:8]
        assert candidate.candidate_id == f"ann__stack.01234567.mutation.{digest}"
        assert re.fullmatch(r"[A-Za-z0-9_.-]+", candidate.candidate_id)
        assert patched_paths(candidate.bug_patch) == (PATH,)
        assert candidate.operator in OPERATORS
        assert (candidate.model, candidate.seed) == (None, 7)
        changed = mutant(SAMPLE.encode(), candidate.bug_patch).split(b"\n")
        assert changed[: candidate.line - 1] == healthy[: candidate.line - 1]
        assert changed[candidate.line - 1] != healthy[candidate.line - 1]


def test_comments_far_from_the_change_and_style_stay() -> None:
    """Only few lines differ: nothing is printed anew from the tree."""
    for candidate in MutationInducer().candidates(sample(), 200, 7):
        changed = mutant(SAMPLE.encode(), candidate.bug_patch)
        assert b"# Comment that must survive.\n" in changed
        if not candidate.operator.endswith(("_remove", "_method", "_methods")):
            assert candidate.bug_patch.count("\n-") <= 6


def test_the_same_seed_gives_the_same_candidates_in_another_process() -> None:
    """String hashes, set orders and addresses of that process play no part."""
    program = (
        "import sys; from envplatform.swe.inducers.base import SourceFile;"
        "from envplatform.swe.inducers.mutation import MutationInducer;"
        f"f = SourceFile(repository='ann__stack', commit='0123456789abcdef',"
        f" path={PATH!r}, data=sys.stdin.buffer.read());"
        "print(*[c.candidate_id for c in MutationInducer().candidates(f, 60, 3)])"
    )
    here = [c.candidate_id for c in MutationInducer().candidates(sample(), 60, 3)]
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            input=SAMPLE.encode(),
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
        )
        assert done.stdout.decode().split() == here


def test_another_seed_gives_other_candidates() -> None:
    """Else seeds would buy nothing."""
    few = [
        tuple(c.candidate_id for c in MutationInducer().candidates(sample(), 10, seed))
        for seed in range(4)
    ]
    assert len(set(few)) == 4


def test_a_larger_budget_only_adds() -> None:
    """What a small run verified, a larger one finds in its cache."""
    small = MutationInducer().propose(sample(), 15, 5).candidates
    large = MutationInducer().propose(sample(), 60, 5).candidates
    assert large[:15] == small
    assert len(large) == 60


def test_operators_share_the_budget() -> None:
    """Plain code has many assignments and few slices; a budget shows all kinds."""
    found = MutationInducer().propose(sample(), 40, 1).candidates
    counts = Counter(candidate.operator for candidate in found)
    assert len(counts) >= 18
    assert max(counts.values()) <= 4


def test_uncovered_places_are_skipped_and_counted() -> None:
    """P2F could not see bugs there; silence would hide that blind spot."""
    everything = MutationInducer().propose(sample(), 10_000, 1)
    line = SAMPLE.split("\n").index("        return len(self._items)") + 1
    some = MutationInducer().propose(sample(covered=frozenset({line})), 10_000, 1)
    lines = {c.line for c in some.candidates if not c.operator.startswith("class_")}
    assert lines == {line}
    assert some.skipped["uncovered"] > 50
    assert "uncovered" not in everything.skipped
    none = MutationInducer().propose(sample(covered=frozenset()), 10_000, 1)
    assert none.candidates == ()


def test_a_lost_method_counts_as_covered_by_its_body_alone() -> None:
    """The `def` line runs at import, for every test."""
    line = SAMPLE.split("\n").index("    def size(self):") + 1
    found = MutationInducer().propose(sample(covered=frozenset({line})), 10_000, 1)
    assert "class_remove_method" not in {c.operator for c in found.candidates}


def test_duplicates_by_syntax_tree_are_counted() -> None:
    """`a + b` has one flip, whoever proposes it."""
    found = MutationInducer().propose(sample("def f(a, b):\n    return a + b\n"), 99, 1)
    operators = sorted(candidate.operator for candidate in found.candidates)
    assert operators in (
        ["arithmetic_flip", "operand_swap"],
        ["operand_swap", "operator_change"],
    )
    assert found.skipped == {"duplicate": 1}


@pytest.mark.parametrize(
    ("path", "data", "reason"),
    [
        ("a.txt", b"x", "not_python"),
        ("tests/helpers.py", b"x = 1\n", "touches_tests"),
        ("pkg/test_a.py", b"x = 1\n", "touches_tests"),
        ("a.py", b"def f(:\n", "syntax_error"),
        ("a.py", b"print 'two'\n", "syntax_error"),
        ("a.py", b"x = 1\0\n", "syntax_error"),
        ("a.py", b"return 1\n", "syntax_error"),
        ("a.py", b"# -*- coding: nonsense -*-\nx = 1\n", "syntax_error"),
        ("a.py", b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "not_utf8"),
        ("a.py", b"# -*- coding: latin-1 -*-\nx = '\xc3\xa9'\n", "not_utf8"),
        ("a.py", b"x = '\xe9'\n", "not_utf8"),
        ("a.py", "x = 1\n".encode("utf-16"), "not_utf8"),
        ("a.py", b"", "no_site"),
        ("a.py", b"# nothing\n", "no_site"),
        ("a.py", b"x = " + b"-" * 100_000 + b"1\n", "too_deep"),
        ("a.py", b"x = 1\n" * 400_000, "too_large"),
    ],
)
def test_files_that_can_t_be_used_are_counted_by_reason(
    path: str, data: bytes, reason: Skip
) -> None:
    """An expected refusal is a figure, not an exception."""
    file = SourceFile(repository="a__b", commit="0" * 8, path=path, data=data)
    proposal = MutationInducer().propose(file, 10, 0)
    assert proposal.candidates == ()
    assert proposal.skipped == {reason: 1}


@pytest.mark.parametrize(
    "data",
    [
        b"# -*- coding: latin-1 -*-\ndef f(a):\n    return a + 1\n",
        b"def f(a):\n    s = '\xe2\x80\xa8\xc3\xa9'; return a + 1\n",
        b"\x0cdef f(a):\n\x0c\n    return a + 1\n",
        b"def f(a):\r    return a + 1\r",
        b"def f(a):\n\treturn a + 1",
        b"def f(a): return a + 1",
        b"def f(a):\n    return '\\d' + a\n",
        b"def f(a):\n    return (a\n        # why\n        + 1)\n",
        b"def f(a):\n    return a \\\n        + 1\n",
    ],
)
def test_odd_but_legal_files_are_handled(data: bytes) -> None:
    """Cookies, U+2028, form feeds, lone CR, tabs, one-liners, old escapes, joints."""
    file = SourceFile(repository="a__b", commit="0" * 8, path=PATH, data=data)
    found = MutationInducer().propose(file, 10, 0).candidates
    flips = [c for c in found if c.operator in {"arithmetic_flip", "operator_change"}]
    assert mutant(data, flips[0].bug_patch) == data.replace(b"+", b"-")


def test_a_budget_of_nothing_proposes_nothing() -> None:
    """Zero is a budget."""
    assert MutationInducer().propose(sample(), 0, 0).candidates == ()


def test_ten_thousand_lines_are_handled() -> None:
    """Each mutant is compared within its top-level statement alone."""
    code = "".join(
        f"def f{n}(a, b):\n    # {n}\n    if a < {n}:\n        return b\n\n\n"
        for n in range(1_700)
    )
    found = MutationInducer().propose(sample(code), 5, 0).candidates
    assert len(found) == 5


def test_seconds_come_from_the_clock_that_was_given() -> None:
    """And none are claimed without one."""
    ticks = iter(range(100))
    timed = MutationInducer(clock=lambda: float(next(ticks)))
    assert [c.cost.seconds for c in timed.candidates(sample(), 3, 0)] == [1.0] * 3
    plain = MutationInducer().candidates(sample(), 3, 0)
    assert [c.cost.seconds for c in plain] == [0.0] * 3


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/a.py", True),
        ("pkg/test/a.py", True),
        ("pkg/conftest.py", True),
        ("pkg/a_test.py", True),
        ("pkg/tests.py", True),
        ("pkg/testing.py", False),
        ("pkg/attest.py", False),
        ("contest/a.py", False),
    ],
)
def test_what_counts_as_a_test(path: str, expected: bool) -> None:  # noqa: FBT001
    """Tests and their fixtures; product code with test in its name is product."""
    assert is_test_path(path) is expected


def test_output_moves_only_with_the_revision() -> None:
    """Stored candidates are found again by REVISION: if this fails, add one to it."""
    inducer = MutationInducer()
    rows = [
        f"{candidate.operator} {candidate.line}\n{candidate.bug_patch}"
        for seed in (0, 1)
        for candidate in inducer.candidates(sample(), 10_000, seed)
    ]
    digest = hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]
    assert digest == GOLDEN[REVISION], "candidates changed: raise REVISION, record it"
