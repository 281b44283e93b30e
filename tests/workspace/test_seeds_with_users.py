"""Seeds with a user inside: solvable while it takes part, and not by who ignores it."""

import pytest

from envplatform.bundle import ImageReference
from envplatform.grading import apply_solution, grade, open_environment
from envplatform.rollout import attended
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.user import review
from envplatform.workspace import builtin_seeds, read_seed, seed_environment

WITH_USER = [
    name
    for name in builtin_seeds()
    if any(path.startswith("user/") for path in read_seed(name)[1])
]


@pytest.mark.parametrize("name", WITH_USER)
async def test_the_oracle_copes_with_its_user_and_its_absence_is_no_answer(
    bubblewrap: SandboxProvider, bare_image: Image, name: str
) -> None:
    """What was right with nobody there is stale once the user has had its say."""
    reference = ImageReference(
        name=bare_image.name,
        python=bare_image.python,
        requirements=(),
        digest=bare_image.digest,
    )
    environment = seed_environment(name, reference)
    async with open_environment(bubblewrap, environment, image=bare_image) as opened:
        async with attended(opened) as user:
            await apply_solution(opened.sandbox, environment)
        final = await opened.final()
    assert user is not None
    assert not review(user.plan, user.turns)
    fired = {turn.signal for turn in user.turns}
    assert {one.id for one in user.plan.signals if one.required} <= fired
    async with open_environment(bubblewrap, environment, image=bare_image) as alone:
        await apply_solution(alone.sandbox, environment)
        stale = await alone.final()
    rewards = [
        (
            await grade(
                bubblewrap,
                environment,
                state.workspace,
                image=bare_image,
                served=final.served,
            )
        ).reward
        for state in (final, stale)
    ]
    assert rewards[0] == 1
    assert rewards[1] is not None
    assert rewards[1] < 1
