"""From proven bugs to gated environments: what is chosen, kept, refused and lost."""

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.bundle import (
    all_passed,
    read_environment,
)
from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import SandboxError
from envplatform.grading.kept import kept_environment, lost
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.store import Store
from envplatform.swe.environment import assemble_environment
from envplatform.swe.gradable import gradable
from envplatform.swe.issue import issue_for
from envplatform.swe.publish import (
    REVISION,
    Proven,
    Refused,
    choose,
    proven_of,
    publish,
)
from envplatform.swe.verifier.files import verifier_digest
from envplatform.tree import File, tree_digest
from tests.fakes import DeadProvider
from tests.swe.small_repository import (
    CANDIDATE,
    FAIL_TO_PASS,
    PASS_TO_PASS,
    VERDICT,
    small_environment,
    small_repository,
)

BARE = Image(name="bare", python="3.11", requirements=(), digest="0" * 64, site=None)
BUG = Proven(candidate=CANDIDATE, verdict=VERDICT)
Published = tuple[tuple[EnvironmentRow, ...], tuple[Refused, ...]]


def other(name: str, **changes: object) -> Proven:
    """A bug of another id whose verdict says something else."""
    return Proven(
        candidate=replace(CANDIDATE, candidate_id=name),
        verdict=replace(VERDICT, candidate_id=name, **changes),  # type: ignore[arg-type]
    )


UNPROVEN = other("unproven", rejection="no_failure", fail_to_pass=())
ASTRAY = other("astray", fail_to_pass=("spans/core.py::test_inside",))
WRONG = other("wrong", fail_to_pass=PASS_TO_PASS[:1])


async def published(
    provider: SandboxProvider, store: Store, image: Image, *bugs: Proven
) -> Published:
    return await publish(
        provider, store, small_repository(image), bugs, seed=0, concurrency=2
    )


async def test_a_proof_becomes_a_gated_environment_once(
    bubblewrap: SandboxProvider, suite_image: Image, tmp_path: Path
) -> None:
    store = Store(tmp_path)
    (row,), refused = await published(bubblewrap, store, suite_image, BUG)
    assert refused == ()
    assert row.gated
    assert row.fail_to_pass == 1
    assert row.licence == "Apache-2.0"
    folder = store.directory("environments", row.digest)
    environment = read_environment(folder, digest=row.digest)
    assert all_passed(environment.audit)
    assert sorted(row.checks) == sorted(
        f"{check.name}=passed" for check in environment.audit
    )
    # A killed run goes on: what passed once needs no sandbox, others still do.
    dead = DeadProvider()
    assert await published(dead, store, suite_image, BUG) == ((row,), ())
    assert dead.asked == 0
    with pytest.raises(SandboxError):
        await published(dead, store, suite_image, BUG, WRONG)
    # An environment that the store has lost is not taken for one that is there.
    shutil.rmtree(folder)
    assert lost(store, [row]) == (row,)
    with pytest.raises(SandboxError):
        await published(dead, store, suite_image, BUG)


async def test_what_the_gate_refuses_is_a_reason_and_no_row(
    bubblewrap: SandboxProvider, suite_image: Image, tmp_path: Path
) -> None:
    """The proof names a test that passes on the defective code, too."""
    store = Store(tmp_path)
    told: list[tuple[int, int]] = []
    rows, refused = await publish(
        bubblewrap, store, small_repository(suite_image), [WRONG, ASTRAY],
        seed=0, concurrency=1, told=lambda *counts: told.append(counts),
    )  # fmt: skip
    assert rows == ()
    assert [(each.candidate_id, each.reason) for each in refused] == [
        ("wrong", "nop_floor"),
        ("astray", "no_environment"),
    ]
    assert refused[0].detail.startswith("failed: ")
    assert told == [(1, 2), (2, 2)]
    assert not (tmp_path / "directories").exists()


async def test_a_sandbox_that_fails_costs_no_other_environment(tmp_path: Path) -> None:
    """The others are done when the error is raised, so a rerun does the rest."""
    told: list[tuple[int, int]] = []
    with pytest.raises(SandboxError):
        await publish(
            DeadProvider(), Store(tmp_path), small_repository(BARE),
            [BUG, ASTRAY, WRONG],
            seed=0, concurrency=1, told=lambda *counts: told.append(counts),
        )  # fmt: skip
    assert told == [(1, 3)]


DOCTEST = "spans/core.py::spans.core.inside"


def test_doctests_in_the_code_leave_an_environment_its_other_tests() -> None:
    """Their output too: an issue speaks of what counts."""
    tests = (DOCTEST, *FAIL_TO_PASS)
    report = f"{DOCTEST}\nE  Expected True\n\n{FAIL_TO_PASS[0]}\nE  assert False\n"
    repository = small_repository(BARE)
    verdict = replace(VERDICT, fail_to_pass=tests, failure_report=report)
    found = gradable(repository, verdict)
    assert found.fail_to_pass == FAIL_TO_PASS
    assert found.failure_report == f"{FAIL_TO_PASS[0]}\nE  assert False\n"
    alone = replace(VERDICT, fail_to_pass=(DOCTEST,))
    assert gradable(repository, alone) == alone


ABOUT_MESSAGES = b"""import pytest

from spans import inside


def test_message():
    with pytest.raises(AssertionError, match="where False = inside"):
        assert inside(9, 1, 3)
"""


async def test_a_suite_about_messages_of_assertions_is_graded_with_them(
    bubblewrap: SandboxProvider, suite_image: Image, tmp_path: Path
) -> None:
    """Verifiers do without what rewriting of assertions costs, unless tests need it."""
    healthy = small_repository(suite_image)
    repository = replace(
        healthy,
        tree={**healthy.tree, "tests/test_messages.py": File(ABOUT_MESSAGES)},
    )
    bug = other(
        "messages",
        pass_to_pass=(*PASS_TO_PASS, "tests/test_messages.py::test_message"),
        fail_to_pass=(DOCTEST, *FAIL_TO_PASS),
    )
    store = Store(tmp_path)
    (row,), _ = await publish(
        bubblewrap, store, repository, [bug], seed=0, concurrency=1
    )
    assert row.gated
    assert (row.fail_to_pass, row.fail_to_pass_left_out) == (1, 1)
    environment = kept_environment(store, row)
    assert json.loads(environment.tests["job.json"].data)["args"] == []
    plain = small_environment(suite_image)
    assert json.loads(plain.tests["job.json"].data)["args"] == ["--assert=plain"]


def test_an_environment_moves_only_with_the_revision() -> None:
    """Published environments are reused by revision: raise it when this changes.

    The verifier's code is left out: its digest alone makes environments anew.
    """
    repository = small_repository(BARE)
    issue = issue_for(repository, CANDIDATE, VERDICT, seed=0)
    environment = assemble_environment(repository, CANDIDATE, VERDICT, issue=issue)
    data = {
        path: file
        for path, file in environment.tests.items()
        if not path.endswith(".py") or path.startswith(("hidden/", "visible/"))
    }
    told = {"instruction.md": File(environment.instruction.encode())}
    parts = (told, environment.workspace, environment.solution, data)
    digests = [tree_digest(part)[:12] for part in parts]
    assert (REVISION, digests) == (
        6,
        ["5f399093fda2", "6e26caac0038", "ce5dbaefd013", "99f955cca246"],
    )


def test_other_code_of_the_verifier_is_another_environment() -> None:
    """What `swe_environments` names as its tool is in every environment."""
    environment = small_environment(BARE)
    code = {
        path: file
        for path, file in environment.tests.items()
        if path.endswith(".py") and not path.startswith(("hidden/", "visible/"))
    }
    assert tree_digest(code) == verifier_digest()


def test_only_what_is_proven_and_proposed_is_joined() -> None:
    candidates = [bug.candidate for bug in (BUG, UNPROVEN, WRONG)]
    verdicts = [other("foreign").verdict, UNPROVEN.verdict, VERDICT]
    assert proven_of(candidates, verdicts) == (BUG,)


operators = st.lists(st.sampled_from("abcd"), max_size=20)


def bugs_of(kinds: Sequence[str]) -> list[Proven]:
    return [
        Proven(
            candidate=replace(CANDIDATE, candidate_id=f"c{number:02}", operator=kind),
            verdict=VERDICT,
        )
        for number, kind in enumerate(kinds)
    ]


@given(kinds=operators, limit=st.integers(1, 25), seed=st.integers(0, 3))
def test_the_choice_is_even_sorted_and_repeatable(
    kinds: list[str], limit: int, seed: int
) -> None:
    bugs = bugs_of(kinds)
    chosen = choose(bugs, limit=limit, seed=seed)
    assert len(chosen) == min(limit, len(bugs))
    ids = [bug.candidate.candidate_id for bug in chosen]
    assert ids == sorted(set(ids))
    assert choose(bugs[::-1], limit=limit, seed=seed) == chosen
    # No operator has two more than another that has some left.
    count = Counter(bug.candidate.operator for bug in chosen)
    left = Counter(kinds)
    left.subtract(count)
    for kind in set(kinds):
        if left[kind]:
            assert count[kind] >= max(count.values()) - 1
