"""The hand-over with its user inside: what changes under way is part of the task."""

from contextlib import AsyncExitStack

from envplatform.bundle import ImageReference
from envplatform.grading import Final, apply_solution, grade, open_environment
from envplatform.rollout import attended
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.user import review
from envplatform.workspace import seed_environment

ANSWER_S = 60.0


async def test_work_that_misses_what_the_user_changed_falls_short(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    reference = ImageReference(
        name=bare_image.name,
        python=bare_image.python,
        requirements=(),
        digest=bare_image.digest,
    )
    environment = seed_environment("oncall_handover", reference)
    finals: list[Final] = []
    for with_user in (False, True):
        async with AsyncExitStack() as stack:
            opening = open_environment(
                bubblewrap, environment, image=bare_image, answer_s=ANSWER_S
            )
            opened = await stack.enter_async_context(opening)
            if with_user:
                user = await stack.enter_async_context(attended(opened))
                assert user is not None
                await apply_solution(opened.sandbox, environment)
                assert [turn.signal for turn in user.turns] == ["came_in", "tell"]
                assert review(user.plan, user.turns) == ()
            else:
                await apply_solution(opened.sandbox, environment)
            finals.append(await opened.final())
    alone, heard = finals
    scores = [
        await grade(
            bubblewrap, environment, workspace, image=bare_image, served=heard.served
        )
        for workspace in (alone.workspace, heard.workspace)
    ]
    missed, full = (one.components for one in scores)
    assert set(full.values()) == {1}
    lower = {name for name in full if missed[name] < full[name]} - {"reward"}
    assert lower == {"handover", "incidents", "details", "vendors", "follow_ups"}
