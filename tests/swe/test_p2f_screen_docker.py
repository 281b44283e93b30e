"""The warm screen in Docker says what it says in bubblewrap."""

import pytest

from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.swe.p2f import measure_baseline
from tests.swe.test_p2f_screen import BUG, KILLERS, ODD, SAME, answers_of, changed, shop

pytestmark = pytest.mark.docker


async def test_the_screen_answers_as_in_bubblewrap(
    docker_provider: SandboxProvider, suite_image: Image
) -> None:
    """Odd candidates, and one that ends the sandbox, between plain ones."""
    repository = shop(suite_image)
    baseline = await measure_baseline(docker_provider, repository)
    killer = f"{KILLERS['kills everything']}; return 2"
    asked = [
        *(ODD[name] for name in ("daemon", "tamper", "delete", "chmod", "exit")),
        (SAME, "no_failure"),
        (("return amount * 2", killer), "cold"),
        (BUG, "survives"),
    ]
    candidates = [changed(repository, *change) for change, _ in asked]
    answers = await answers_of(docker_provider, repository, baseline, candidates)
    assert [answer.said for answer in answers] == [said for _, said in asked]
