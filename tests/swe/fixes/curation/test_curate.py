from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.configuration import CurationSettings
from envplatform.patches import diff_trees
from envplatform.swe.fixes.curation.curate import curate, funnel
from envplatform.swe.fixes.curation.hashes import join_sets
from envplatform.swe.fixes.curation.held_out import (
    HeldOut,
    HeldOutFix,
    builtin_set,
    hash_set,
)
from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.refusal import REJECTIONS
from envplatform.swe.fixes.reverse_patch import (
    Analysis,
    CuratedPatch,
    ReverseFacts,
)
from tests.swe.fixes.analysis.analysis_sides import BUGGY, FIXED, sides_of
from tests.swe.fixes.curation.curation_facts import facts_of, facts_of_sides

SETTINGS = CurationSettings()
NOTHING = HeldOut()
SIDES = sides_of({"core.py": BUGGY}, {"core.py": FIXED})


def _curated(
    *facts: ReverseFacts,
    settings: CurationSettings = SETTINGS,
    held_out: HeldOut = NOTHING,
) -> list[CuratedPatch]:
    return list(curate(lambda: facts, settings, held_out))


def _own_set(instance_patch: str, *, with_sides: bool) -> HeldOut:
    instance = FixInstance(
        instance_id="held-1",
        source="own",
        repository="other__place",
        origin="git",
        base_commit="0" * 40,
        patch=instance_patch,
    )
    fix = HeldOutFix(instance=instance, sides=SIDES if with_sides else None)
    return join_sets([hash_set("own", [fix])])


def test_a_good_one_is_kept_and_carries_its_figures() -> None:
    (row,) = _curated(facts_of_sides("a", SIDES))
    assert (row.rejection, row.detail, row.duplicate_of) == ("", "", "")
    assert (row.changed_lines, row.code_files) == (6, 1)


def test_refused_ones_get_no_row() -> None:
    assert _curated(facts_of("a", Analysis(), refusal="no_patch")) == []


@pytest.mark.parametrize(
    ("analysis", "code", "detail"),
    [
        (Analysis(code_paths=("a", "b", "c", "d")), "too_many_files", "4, at most 3"),
        (Analysis(changed_lines=201), "too_many_lines", "201, at most 200"),
        (Analysis(context_tokens=65_537), "over_context", "65,537, at most 65,536"),
        (Analysis(flags=("same_code",)), "same_code", REJECTIONS["same_code"]),
    ],
)
def test_limits_are_named_with_figure_and_limit(
    analysis: Analysis, code: str, detail: str
) -> None:
    (row,) = _curated(facts_of("a", analysis))
    assert (row.rejection, row.detail) == (code, detail)


def test_the_first_code_of_the_table_is_the_one_on_the_row() -> None:
    analysis = Analysis(changed_lines=999, flags=("no_code", "not_utf8"))
    assert _curated(facts_of("a", analysis))[0].rejection == "no_code"
    analysis = replace(analysis, flags=("not_utf8",))
    assert _curated(facts_of("a", analysis))[0].rejection == "too_many_lines"


def test_a_licence_outside_the_policy_is_rejected() -> None:
    (row,) = _curated(facts_of("a", Analysis(), licence="GPL-3.0-only"))
    assert row.rejection == "licence"


def test_an_exact_repeat_names_the_first() -> None:
    rows = _curated(facts_of_sides("a", SIDES), facts_of_sides("b", SIDES))
    assert [row.rejection for row in rows] == ["", "duplicate"]
    assert rows[1].duplicate_of == "a"


def test_the_same_change_in_a_fork_is_a_duplicate_of_its_shape() -> None:
    rows = _curated(
        facts_of_sides("a", SIDES), facts_of_sides("b", SIDES, repository="fork__name")
    )
    assert [row.rejection for row in rows] == ["", "duplicate_code"]


def test_marked_repeats_are_kept_and_say_what_they_repeat() -> None:
    settings = CurationSettings(duplicates="mark")
    rows = _curated(
        facts_of_sides("a", SIDES), facts_of_sides("b", SIDES), settings=settings
    )
    assert [(row.rejection, row.duplicate_of) for row in rows] == [("", ""), ("", "a")]


def test_none_is_dropped_for_the_sake_of_one_that_was_rejected() -> None:
    first = facts_of_sides("a", SIDES)
    first = replace(first, licence="GPL-3.0-only")
    rows = _curated(first, facts_of_sides("b", SIDES))
    assert [row.rejection for row in rows] == ["licence", ""]


def test_a_near_repeat_is_rejected_with_its_similarity() -> None:
    lines = [f"value_{n} = compute_{n}(first_{n}, second_{n})\n" for n in range(30)]
    one = sides_of({"a.py": "x = 1\n"}, {"a.py": "x = 1\n" + "".join(lines)})
    other = sides_of({"a.py": "x = 1\n"}, {"a.py": "x = 1\n" + "".join(lines[2:])})
    rows = _curated(facts_of_sides("a", one), facts_of_sides("b", other))
    assert [row.rejection for row in rows] == ["", "near_duplicate"]
    assert rows[1].detail.startswith("a, similarity 0.")


def test_tiny_changes_of_one_idiom_are_no_repeats() -> None:
    pairs = [("a == b", "a != b"), ("c == d", "c != d")]
    rows = _curated(
        *(
            facts_of_sides(f, sides_of({"a.py": f"x = {f}\n"}, {"a.py": f"x = {g}\n"}))
            for f, g in pairs
        )
    )
    assert [row.rejection for row in rows] == ["", ""]


@pytest.mark.parametrize(
    "repository", ["Django__django", "psf__requests", "kennethreitz__requests"]
)
def test_held_out_repositories_count_in_any_case_and_by_older_names(
    repository: str,
) -> None:
    held_out = join_sets([builtin_set("swe-bench-verified")])
    facts = facts_of_sides("a", SIDES, repository=repository)
    (row,) = _curated(facts, held_out=held_out)
    assert row.rejection == "held_out_repository"
    assert row.detail == "swe-bench-verified"


def test_a_file_of_an_own_set_is_recognised_byte_for_byte() -> None:
    held_out = _own_set(SIDES.bug_patch, with_sides=True)
    (row,) = _curated(facts_of_sides("a", SIDES), held_out=held_out)
    assert row.rejection == "held_out_file"
    assert row.detail.startswith("own, blob ")


def test_lines_of_an_own_set_are_recognised_from_its_patch_alone() -> None:
    fix = diff_trees(SIDES.buggy, SIDES.fixed)
    held_out = _own_set(fix.removesuffix("\n"), with_sides=False)
    elsewhere = sides_of({"x.py": "import q\n" + BUGGY}, {"x.py": "import q\n" + FIXED})
    (row,) = _curated(facts_of_sides("a", elsewhere), held_out=held_out)
    assert row.rejection == "held_out_lines"
    assert row.detail.startswith("own, ")


@pytest.mark.parametrize("duplicates", ["drop", "mark"])
@pytest.mark.parametrize(("fork", "original"), [("a", "b"), ("b", "a")])
def test_a_fork_of_a_held_out_repository_is_not_kept(
    fork: str, original: str, duplicates: str
) -> None:
    settings = CurationSettings.model_validate({"duplicates": duplicates})
    facts = [
        facts_of_sides(fork, SIDES, repository="fork__django"),
        facts_of_sides(original, SIDES, repository="django__django"),
    ]
    facts.sort(key=lambda one: one.instance_id)
    held_out = join_sets([builtin_set("swe-bench-verified")])
    rows = {
        row.instance_id: row
        for row in _curated(*facts, settings=settings, held_out=held_out)
    }
    assert rows[original].rejection == "held_out_repository"
    assert rows[fork].rejection == "duplicate_code"
    assert rows[fork].detail == f"{original}, held out, similarity 1.00"


def test_what_repeats_a_held_out_patch_goes_with_it_whatever_its_licence() -> None:
    original = facts_of_sides("b", SIDES, repository="django__django")
    original = replace(original, licence="GPL-3.0-only")
    fork = facts_of_sides("a", SIDES, repository="fork__django")
    held_out = join_sets([builtin_set("swe-bench-verified")])
    rows = _curated(fork, original, held_out=held_out)
    assert [row.rejection for row in rows] == ["duplicate_code", "licence"]


_FLAGS = st.sets(st.sampled_from(["no_code", "same_code", "not_utf8"]), max_size=2)


@given(
    st.lists(
        st.tuples(
            _FLAGS, st.integers(0, 400), st.sampled_from(["", "a" * 64, "b" * 64])
        )
    ),
    st.sampled_from(["drop", "mark"]),
)
def test_the_funnel_adds_up(
    rows: list[tuple[set[str], int, str]], duplicates: str
) -> None:
    settings = CurationSettings.model_validate({"duplicates": duplicates})
    facts = [
        facts_of(
            str(n),
            Analysis(
                flags=tuple(sorted(flags)),
                changed_lines=lines,
                change_digest=f"{n}",
                code_digest=digest,
            ),
        )
        for n, (flags, lines, digest) in enumerate(rows)
    ]
    curated = _curated(*facts, settings=settings)
    counts = funnel(curated)
    assert sum(counts.values()) == len(facts)
    assert list(counts) == [*REJECTIONS, "kept"]
    assert counts["kept"] == sum(not row.rejection for row in curated)
