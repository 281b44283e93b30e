"""A task becomes an environment in the store, or a reason; then nothing is kept."""

from dataclasses import replace
from pathlib import Path

from envplatform.bundle import ImageReference, write_environment
from envplatform.grading.publish import publish_task
from envplatform.grading.tasks import Task, task_of
from envplatform.rollout import attending
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.store import Store
from envplatform.tree import File, tree_digest
from envplatform.workspace.catalogue import SeedPlace
from tests.rollout.made_user import user_environment

GENEROUS = b"""#!/bin/sh
echo '{"reward": 1}' > /logs/verifier/reward.json
"""


def task(image: Image, *, test: bytes | None = None, **plan: object) -> Task:
    """The small environment with a user; `test` is another verifier."""
    environment = user_environment(**plan)
    if test is not None:
        tests = {"test.sh": File(test, executable=True)}
        core = replace(environment.core, grader_digest=tree_digest(tests))
        environment = replace(environment, tests=tests, core=core)
    found = ImageReference(
        name=image.name, python=image.python, requirements=(), digest=image.digest
    )
    return Task(name="made", environment=replace(environment, image=found), image=image)


def kept_in(home: Path) -> list[Path]:
    return list(home.rglob("task.toml"))


async def test_a_verifier_that_pays_for_nothing_is_refused_by_name(
    bubblewrap: BubblewrapProvider, bare_image: Image, tmp_path: Path
) -> None:
    store = Store(tmp_path)
    outcome = await publish_task(
        bubblewrap, store, task(bare_image, test=GENEROUS), attend=attending()
    )
    assert outcome.row is None
    assert outcome.refused is not None
    assert outcome.refused.name == "made"
    assert outcome.refused.reason == "nop_floor"
    assert outcome.refused.detail.startswith("failed: ")
    assert len(outcome.audit) > 1, "the whole audit is there to be looked at"
    assert kept_in(tmp_path) == []


async def test_what_can_not_be_opened_is_refused_and_not_an_error(
    bubblewrap: BubblewrapProvider, bare_image: Image, tmp_path: Path
) -> None:
    broken = task(bare_image, signals=[{"id": "x"}])
    outcome = await publish_task(
        bubblewrap, Store(tmp_path), broken, attend=attending()
    )
    assert outcome.row is None
    assert outcome.audit == ()
    assert outcome.refused is not None
    assert outcome.refused.reason == "no_environment"
    assert "plan.json" in outcome.refused.detail


def test_an_environment_on_disk_is_a_task_on_its_own_image(
    bare_image: Image, tmp_path: Path
) -> None:
    made = task(bare_image)
    folder = tmp_path / "imported"
    write_environment(made.environment, folder)
    place = SeedPlace(name="imported", folder=folder)
    found = task_of(place, python="3.8", cache=tmp_path)
    assert found == replace(made, name="imported")
