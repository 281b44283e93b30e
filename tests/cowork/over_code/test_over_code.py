"""A colleague around a bug: what stays byte for byte, what is drawn, what the gate says."""

import json
import subprocess
import sys
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest

from envplatform.bundle import Environment, environment_digest
from envplatform.cowork.over_code import gate_with_colleague, with_colleague
from envplatform.cowork.over_code.composing import NOTE_CRITERIA
from envplatform.errors import BundleError
from envplatform.grading.gate import may_publish
from envplatform.grading.sessions import image_reference
from envplatform.grading.shingles import text_of
from envplatform.res.staged import staged
from envplatform.rollout import attending
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.user.sidecar import read_user
from envplatform.workspace import Interface
from tests.swe.small_repository import small_environment

SEEDS = range(24)


@pytest.fixture
def code(bare_image: Image) -> Environment:
    """An environment of code; nothing of it is run."""
    return small_environment(bare_image)


def test_the_codes_own_grader_oracle_and_facts_stay(code: Environment) -> None:
    made = with_colleague(code, seed=1)
    below = "code/"
    for mine, theirs in ((made.tests, code.tests), (made.solution, code.solution)):
        kept = {
            path.removeprefix(below): file
            for path, file in mine.items()
            if path.startswith(below)
        }
        assert kept == theirs
    assert made.workspace == code.workspace
    assert code.core.facts.items() <= made.core.facts.items()
    assert made.criteria == (*code.criteria, *NOTE_CRITERIA)
    assert made.lineage.parent == environment_digest(code)
    assert "the docs say true" not in made.instruction
    assert b"the docs say true" in Interface(made).read("report/issue.md")
    assert made.instruction.endswith(code.instruction.rpartition("---")[2])


def test_the_same_seed_gives_the_same_bytes_and_all_changes_are_drawn(
    code: Environment,
) -> None:
    made = [with_colleague(code, seed=seed) for seed in SEEDS]
    again = with_colleague(code, seed=SEEDS[3])
    assert environment_digest(again) == environment_digest(made[3])
    assert len({environment_digest(one) for one in made}) == len(SEEDS)
    changes = {one.core.facts["facet change"] for one in made}
    assert changes == {"merge", "freeze", "rule"}


@pytest.mark.parametrize("seed", SEEDS)
def test_what_the_user_changes_can_be_changed_and_the_number_is_told_nowhere(
    code: Environment, seed: int
) -> None:
    made = with_colleague(code, seed=seed)
    plan = read_user(made.user)
    (after,) = staged(made).twins.values()
    changed = {path for path in made.served if made.served[path] != after.served[path]}
    assert changed == {plan.signals[0].changes[0].path}
    (number,) = plan.facts[0].literals
    public = [made.instruction, *(text_of(one.data) for one in after.served.values())]
    assert all(number not in text for text in public)


def test_what_is_no_environment_of_code_is_refused(code: Environment) -> None:
    made = with_colleague(code, seed=1)
    with pytest.raises(BundleError, match="is of the pillar cowork"):
        with_colleague(made, seed=1)
    old = replace(code, image=replace(code.image, python="3.9"))
    with pytest.raises(BundleError, match=r"runs on Python 3\.9"):
        with_colleague(old, seed=1)
    served = replace(code, views=made.views)
    with pytest.raises(BundleError, match="serves its evidence already"):
        with_colleague(served, seed=1)


def test_a_score_of_the_note_that_is_no_number_counts_for_nothing(
    tmp_path: Path,
) -> None:
    judge = resources.files("envplatform.cowork.over_code") / "inside" / "judge.py"
    seedlib = resources.files("envplatform.workspace") / "inside" / "seedlib.py"
    (tmp_path / "judge.py").write_bytes(judge.read_bytes())
    (tmp_path / "seedlib.py").write_bytes(seedlib.read_bytes())
    scores = {"none": "nan", "minus": "-inf", "more": "2", "half": "0.5"}
    told = [f"{name!r}: lambda _: float({of!r})" for name, of in scores.items()]
    (tmp_path / "verifier.py").write_text(f"CRITERIA = {{{', '.join(told)}}}\n")
    program = "import json, judge; print(json.dumps(judge._note()))"
    done = subprocess.run(
        [sys.executable, "-B", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == {"none": 0, "minus": 0, "more": 1, "half": 0.5}


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_neither_a_stale_note_nor_one_without_a_repair_passes(
    bubblewrap: SandboxProvider, suite_image: Image
) -> None:
    made = with_colleague(small_environment(suite_image), seed=1)
    assert made.image == image_reference(suite_image)
    audit = await gate_with_colleague(
        bubblewrap, made, image=suite_image, attend=attending()
    )
    said = {one.name: (one.status, one.evidence) for one in audit}
    assert may_publish(audit), said
    assert said["user_matters"][1].startswith("work that ignores the user gets 0.75,")
    assert "a note without the repair gets 0, " in said["note_alone"][1]
    assert said["controlled_failures"][1].count(" 0.875") == 3
