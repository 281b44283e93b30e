"""From fixes to patterns: what they have in common, whatever their order."""

import random
from dataclasses import replace

import pytest

from envplatform.patches import apply_patch
from envplatform.swe.fixes.reverse_patch import Analysis, ReversePatch, TrainingRow
from envplatform.swe.inducers.mined import MinedInducer, PatternLibrary
from envplatform.swe.inducers.mined.mining import Limits, mine
from envplatform.swe.inducers.mined.mining.fixes import both_sides
from envplatform.tree import File
from tests.swe.inducers_mined.samples import PATH, file_of, row_of

GUARDED = "def {0}({1}):\n    if {1} is None:\n        return {2}\n    return {1}.{3}\n"
BARE = "def {0}({1}):\n    return {1}.{3}\n"


def guard_fix(number: int, words: str) -> TrainingRow:
    """Return a fix that brought in a guard, in a repository of its own."""
    names = words.split()
    return row_of(
        GUARDED.format(*names),
        BARE.format(*names),
        name=f"fix-{number}",
        repository=f"ann/tool{number}",
        bug_type="boundary",
    )


GUARDS = [guard_fix(1, "area box 5 width"), guard_fix(2, "name user 7 label")]


def texts(library: PatternLibrary) -> list[str]:
    return [pattern.text for pattern in library.patterns]


def test_two_fixes_of_one_shape_are_one_pattern() -> None:
    (pattern, *_) = mine(GUARDS).patterns
    assert pattern.text == "if $name1 is None:\n    return $num1\n  ->\n(nothing)"
    assert (pattern.support, pattern.repositories) == (2, 2)
    assert pattern.fix_ids == ("fix-1", "fix-2")
    assert pattern.licences == ("MIT",)
    assert pattern.bug_type == "boundary"
    assert pattern.pattern_id.startswith("boundary-")
    assert pattern.example_correct == "if box is None:\n    return 5"
    assert pattern.example_defective == ""


def test_a_mined_pattern_is_a_bug_of_other_code() -> None:
    code = (
        "def size(items):\n    if items is None:\n        return 3\n    return items\n"
    )
    found = MinedInducer(library=mine(GUARDS)).propose(file_of(code), 5, 0)
    changed = apply_patch({PATH: File(code.encode())}, found.candidates[0].bug_patch)
    assert changed[PATH].data == b"def size(items):\n    return items\n"


CHANGES = [
    ("x = f(a) and g(b)", "x = f(a)", "$a and $b  ->  $a"),
    ("if a < b:\n    g()", "if a <= b:\n    g()", "$a < $b  ->  $a <= $b"),
    ("x = open(p, encoding='utf-8')", "x = open(p)",
     "open($args, encoding='utf-8', **$kwargs)  ->  open($args, **$kwargs)"),
    ("x = a.items()[1:]", "x = a.items()", "$a[1:]  ->  $a"),
    ("with a.lock:\n    g(b)", "g(b)", "with $a:\n    $body1\n  ->\n$body1"),
    ("x = f(a, b)", "x = f(a, a)",
     "$name1 = $a($b, $c)  ->  $name1 = $a($b, $b)"),
    ("return f(a, b)", "return f(a, c)",
     "return $a($b, $c)  ->  return $a($b, $other1)"),
]  # fmt: skip


@pytest.mark.parametrize(("correct", "defective", "text"), CHANGES)
def test_a_change_is_told_in_general_terms(
    correct: str, defective: str, text: str
) -> None:
    def indented(code: str) -> str:
        return "def go(a, b, c, p):\n    {}\n    return x\n".format(
            code.replace("\n", "\n    ")
        )

    limits = Limits(lone_of_fix=100, most_nodes=40, most_concrete=10)
    row = row_of(indented(correct), indented(defective))
    twin = row_of(
        indented(correct), indented(defective), name="fix-2", repository="bob/tool"
    )
    assert text in texts(mine([row], limits)) + texts(mine([row, twin], limits))


def test_what_all_repositories_agree_on_is_part_of_the_pattern() -> None:
    rows = [
        row_of(f"{x} = {y}.timeout or 5\n", f"{x} = {y}.timeout\n", name=f"fix-{n}",
               repository=f"ann/{n}")
        for n, (x, y) in enumerate([("a", "b"), ("left", "right")])
    ]  # fmt: skip
    assert "$name1 = $name2.timeout or 5\n" not in texts(mine(rows[:1]))
    assert any(".timeout" in text for text in texts(mine(rows)))


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    rows = [
        *GUARDS,
        guard_fix(3, "go it 'x' y"),
        *(
            row_of(f"def go(a, b):\n    {x}\n", f"def go(a, b):\n    {y}\n",
                   name=f"other-{n}", repository=f"bob/{n}")
            for n, (x, y, _) in enumerate(CHANGES)
        ),
    ]  # fmt: skip
    shuffled = random.Random(seed).sample(rows, len(rows))  # noqa: S311
    assert mine(shuffled) == mine(rows)
    assert mine([*rows, *shuffled]) == mine(rows)


def test_a_pattern_that_would_match_everything_is_left_out() -> None:
    rows = [
        row_of(f"{x} = {y}\n{x}()\n", f"{x}()\n", name=f"fix-{n}", repository=f"a/{n}")
        for n, (x, y) in enumerate([("a", "b"), ("left", "right")])
    ]
    assert "$name1 = $name2  ->  (nothing)" not in texts(mine(rows))
    assert "$name1 = $name2  ->  (nothing)" in texts(
        mine(rows, Limits(least_fixed_deleted=1))
    )


def test_a_pattern_of_one_repository_that_holds_its_own_words_is_left_out() -> None:
    row = row_of(
        "def go(a):\n    return a(retry_count=1, hard_limit=2, soft_limit=3)\n",
        "def go(a):\n    return a(retry_count=1, hard_limit=2)\n",
    )
    assert not any("retry_count" in text for text in texts(mine([row])))


NOTHING = [
    row_of("x = (\n", "x = [\n"),  # no Python
    row_of("x = 1\n", "x = 2\n", path="tests/test_x.py"),
    row_of("x = 1\n", "x = 2\n", path="x.txt"),
    row_of("__dollar_a = f(1)\n", "__dollar_a = f()\n"),
    row_of("# a\nx = 1\n", "# b\nx = 1\n"),
]


@pytest.mark.parametrize("row", NOTHING, ids=lambda row: row.code[0].fixed[:6])
def test_a_row_that_says_nothing_costs_no_other(row: TrainingRow) -> None:
    assert mine([row]).patterns == ()
    assert mine([row, *GUARDS]) == mine(GUARDS)


def test_a_patch_that_does_not_fit_adds_nothing() -> None:
    good = row_of("x = 1\n", "x = 2\n")
    bad = row_of("y = 1\n", "y = 2\n")
    mixed = replace(good, bug_patch=bad.bug_patch)
    assert list(both_sides(mixed)) == []


def test_reverse_patches_give_what_training_rows_give() -> None:
    def reverse(row: TrainingRow, refusal: str = "") -> ReversePatch:
        return ReversePatch(
            instance_id=row.instance_id,
            source="s",
            repository=row.repository,
            licence=row.licence,
            created_at="",
            refusal=refusal,
            detail="",
            rung="strict",
            bug_patch=row.bug_patch,
            code=row.code,
            analysis=Analysis(bug_type=row.bug_type),
        )

    assert mine(map(reverse, GUARDS)) == mine(GUARDS)
    assert mine([reverse(row, "patch_path") for row in GUARDS]).patterns == ()


def test_code_that_is_nested_deep_raises_nothing() -> None:
    deep = "x = " + "(" * 90 + "a" + ")" * 90 + "+1" * 700 + "\n"
    mine([row_of(deep, deep.replace("+1", "+2"))])
