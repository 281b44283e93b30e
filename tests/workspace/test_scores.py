"""What `grade.py` makes of scores that are none."""

from dataclasses import replace

import pytest

from envplatform.bundle import Environment
from envplatform.cowork.blueprint import plan_shard
from envplatform.cowork.families import family
from envplatform.grading.grade import grade
from envplatform.grading.sessions import image_reference
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.tree import File, tree_digest
from tests.made_cowork import FAMILY, made_environment


@pytest.fixture
def environment(bare_image: Image) -> Environment:
    (blueprint,) = plan_shard(2, 1, [family(FAMILY)])
    return made_environment(blueprint, image=image_reference(bare_image))


@pytest.mark.parametrize(
    ("score", "counts"),
    [("nan", 0), ("-nan", 0), ("inf", 1), ("-inf", 0), ("-1", 0), ("0.5", 0.5)],
)
async def test_a_score_that_is_no_number_counts_for_nothing(
    score: str,
    counts: float,
    environment: Environment,
    bubblewrap: BubblewrapProvider,
    bare_image: Image,
) -> None:
    names = [name for name in environment.criteria if name != "reward"]
    verifier = f"CRITERIA = dict.fromkeys({names}, lambda final: float('{score}'))\n"
    tests = {**environment.tests, "verifier.py": File(verifier.encode())}
    core = replace(environment.core, grader_digest=tree_digest(tests))
    judged = replace(environment, tests=tests, core=core)
    graded = await grade(bubblewrap, judged, {}, image=bare_image)
    assert set(graded.components.values()) == {counts}
    assert graded.reward == counts
