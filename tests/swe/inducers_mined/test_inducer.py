"""The `mined` inducer as a whole: what it promises of its candidates."""

import ast
import os
import subprocess
import sys
import time
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from envplatform.patches import apply_patch, diff_trees, patched_paths
from envplatform.swe.inducers.base import Inducer
from envplatform.swe.inducers.mined import MinedInducer, library_of
from envplatform.swe.inducers.mined.library_file import default_library
from envplatform.swe.inducers.named import inducers_named
from envplatform.tree import File
from tests.swe.inducers_mined.samples import PATH, file_of, inducer_of, pattern_of

SAMPLE = '''\
"""A stack. No test looks here."""
# Comment that must survive.


class Stack(Base):
    """A stack that is strict."""

    def __init__(self, items=(), strict=True, **options):
        super().__init__(**options)
        self._items = list(items)  # copied
        self._strict = strict
        self._count = 0

    def push(self, item, times=1):
        if item is None and self._strict:
            raise ValueError("nothing")
        if times is None:
            times = 1
        for index in range(times + 1):
            if not index:
                continue
            self._items.append(str(item).strip().lower())
            self._count += 1
        return self._items.copy()

    def pop(self, default=None, first=False):
        if not first:
            return default
        try:
            return self._items[len(self._items) - 1]
        except (KeyError, OSError):
            return sorted(self._items, reverse=True)[1:]
'''
INDUCER: Inducer = MinedInducer(library=default_library())


def mutant(data: bytes, patch: str) -> bytes:
    """Return the file after the patch."""
    return apply_patch({PATH: File(data)}, patch)[PATH].data


@settings(max_examples=30)
@given(
    st.integers(0, 2**32),
    st.integers(1, 12),
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
    file = file_of(code if final else code.rstrip())
    proposal = INDUCER.propose(file, budget, seed)
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
    ids = {pattern.pattern_id for pattern in default_library().patterns}
    healthy = SAMPLE.encode().split(b"\n")
    for candidate in INDUCER.candidates(file_of(SAMPLE), 50, 7):
        assert candidate.candidate_id.startswith("ann__tool.01234567.mined.")
        assert patched_paths(candidate.bug_patch) == (PATH,)
        assert candidate.operator in ids
        assert (candidate.inducer, candidate.model, candidate.seed) == (
            "mined",
            None,
            7,
        )
        changed = mutant(SAMPLE.encode(), candidate.bug_patch).split(b"\n")
        assert changed[: candidate.line - 1] == healthy[: candidate.line - 1]
        assert changed[candidate.line - 1] != healthy[candidate.line - 1]
        assert candidate.bug_patch.count("\n-") <= 6


def test_the_same_seed_gives_the_same_candidates_in_another_process() -> None:
    program = (
        "import sys; from envplatform.swe.inducers.base import SourceFile;"
        "from envplatform.swe.inducers.mined import MinedInducer;"
        "from envplatform.swe.inducers.mined.library_file import default_library;"
        f"f = SourceFile(repository='ann__tool', commit='0123456789abcdef',"
        f" path={PATH!r}, data=sys.stdin.buffer.read());"
        "i = MinedInducer(library=default_library());"
        "print(*[c.candidate_id for c in i.candidates(f, 20, 3)])"
    )
    here = [c.candidate_id for c in INDUCER.candidates(file_of(SAMPLE), 20, 3)]
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=SAMPLE.encode(),
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().split() == here


def test_a_larger_budget_adds_to_a_smaller_one_and_another_seed_differs() -> None:
    few, many, other = (
        [c.candidate_id for c in INDUCER.candidates(file_of(SAMPLE), budget, seed)]
        for budget, seed in ((5, 1), (15, 1), (15, 2))
    )
    assert many[:5] == few
    assert many != other


def test_a_small_budget_is_spent_on_many_kinds_of_bug() -> None:
    types = {p.pattern_id: p.bug_type for p in default_library().patterns}
    found = INDUCER.candidates(file_of(SAMPLE), 8, 0)
    assert len({types[candidate.operator] for candidate in found}) >= 6


def test_places_that_no_test_runs_are_counted_and_left_out() -> None:
    covered = frozenset({14})
    proposal = INDUCER.propose(file_of(SAMPLE, covered=covered), 50, 0)
    assert {candidate.line for candidate in proposal.candidates} <= {14, 15}
    assert proposal.skipped["uncovered"] > 10


def test_a_name_never_loses_its_meaning_unless_the_pattern_says_so() -> None:
    code = "def go(a):\n    total = a\n    return total\n"
    for allowed in (False, True):
        pattern = pattern_of(
            "$name1 = $a", "", level="statements", may_break_names=allowed
        )
        proposal = inducer_of(pattern).propose(file_of(code), 5, 0)
        assert len(proposal.candidates) == int(allowed)
        assert proposal.skipped == ({} if allowed else {"undefined_name": 1})
    unknown = inducer_of(pattern_of("$a + 1", "helper($a)"))
    assert unknown.propose(file_of("def go(a):\n    return a + 1\n"), 5, 0).skipped == {
        "undefined_name": 1
    }


def test_another_variable_is_one_that_was_set_before() -> None:
    code = "def go(self, a, b):\n    c = a\n    print(a)\n    d = b\n    return d\n"
    found = inducer_of(pattern_of("print($name1)", "print($other1)"))
    seen = Counter(
        mutant(code.encode(), candidate.bug_patch).split(b"\n")[2].strip()
        for seed in range(40)
        for candidate in found.candidates(file_of(code), 5, seed)
    )
    assert seen.keys() == {b"print(b)", b"print(c)"}


def test_what_can_not_be_looked_at_is_refused_with_a_reason() -> None:
    refused = {
        b"x = (": "syntax_error",
        b"x = '\xff'": "not_utf8",
        b"x = 1\n": "no_site",
        b"#" * 2**21 + b"#\n": "too_large",
    }
    for data, reason in refused.items():
        assert INDUCER.propose(file_of(data), 5, 0).skipped == {reason: 1}


def test_code_inside_of_texts_decorators_and_guards_stays() -> None:
    code = (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    x = str(1)\n"
        "@str(1)\ndef go(a: str(1)) -> str(1):\n    return f'{str(a)}'\n"
    )
    found = inducer_of(pattern_of("str($a)", "$a"))
    assert found.propose(file_of(code), 5, 0).skipped == {"no_site": 1}


def test_a_huge_file_takes_bounded_time() -> None:
    """Thousands of lines: some seconds, whatever else the machine does."""
    body = "def f{0}(a, b):\n    if a is None and b:\n        return a.get(b, {0})\n"
    code = "".join(body.format(n) for n in range(1_500))
    started = time.process_time()
    found = list(INDUCER.candidates(file_of(code), 3, 0))
    assert len(found) == 3
    assert time.process_time() - started < 60


def test_hostile_nesting_raises_nothing() -> None:
    deep = "def go(a):\n    return a" + " + str(a)" * 900 + "\n"
    brackets = "def go(a):\n    return " + "[" * 90 + "str(a)" + "]" * 90 + "\n"
    for code in (deep, brackets):
        INDUCER.propose(file_of(code), 5, 0)
    long = "def go(a):\n    return a + 0x" + "f" * 10_000 + "\n"
    assert INDUCER.propose(file_of(long), 5, 0).candidates == ()


def test_the_inducer_is_known_by_its_name_and_takes_the_library_it_is_given() -> None:
    library = library_of([pattern_of("len($a)", "$a")])
    own, shipped, empty = (
        inducers_named(["mined"], library=given)[0]
        for given in (library, None, library_of([]))
    )
    code = "def go(a):\n    return len(a)\n"
    assert [c.operator for c in own.candidates(file_of(code), 5, 0)] == ["p-1"]
    for inducer in (shipped, empty):
        assert inducer.propose(file_of(code), 5, 0).skipped == {"no_site": 1}
