"""A model never solves what it described."""

from dataclasses import replace

import pytest

from envplatform.bundle import Environment
from envplatform.errors import ConfigError
from envplatform.rollout import Policy, RolloutLimits, ToolLoopHarness
from envplatform.trajectories import Trajectory
from tests.fakes import DeadProvider
from tests.llm.serving import model_for
from tests.model_server import model_server
from tests.rollout.tiny import IMAGE, tiny_environment


def described_by(model: str) -> Environment:
    environment = tiny_environment()
    lineage = replace(environment.lineage, origin={"issue_model": model})
    return replace(environment, lineage=lineage)


async def solved_by_scripted(environment: Environment) -> Trajectory:
    with model_server([]) as server:
        async with model_for(server, attempts=1) as model:
            return await ToolLoopHarness(DeadProvider()).run(
                environment, Policy(model=model), RolloutLimits(), image=IMAGE
            )


@pytest.mark.parametrize("writer", ["scripted", "Scripted"])
async def test_who_wrote_the_issue_is_refused_as_its_solver(writer: str) -> None:
    with pytest.raises(ConfigError, match="name another model"):
        await solved_by_scripted(described_by(writer))


async def test_others_may_try() -> None:
    """They get as far as the sandbox, which is dead here."""
    for environment in (described_by("another"), tiny_environment()):
        trajectory = await solved_by_scripted(environment)
        assert trajectory.error_class == "SandboxError"
