"""The embedded model in a real rollout: plumbing, and no evidence of quality."""

from pathlib import Path

import pytest

from envplatform.errors import ModelError
from envplatform.llm.embedded import EMBEDDED_NAME, EmbeddedChatModel, embedded_gguf
from envplatform.rollout import (
    FENCED,
    NATIVE,
    Dialect,
    MiniPackage,
    MiniSweAgentHarness,
    Policy,
    RolloutLimits,
)
from envplatform.rollout.tool_loop import ToolLoopHarness
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.trajectories import Standards, faults
from tests.rollout.tiny import IMAGE, tiny_environment


def missing() -> str | None:
    try:
        embedded_gguf()
    except ModelError as error:
        return str(error)
    return None


@pytest.mark.skipif(missing() is not None, reason=str(missing()))
async def test_mini_swe_agent_fails_honestly_with_it(cache_folder: Path) -> None:
    harness = MiniSweAgentHarness(
        BubblewrapProvider(), MiniPackage(cache_folder), speaks="text"
    )
    async with EmbeddedChatModel() as model:
        found = await harness.run(
            tiny_environment(),
            Policy(model=model, answer_tokens=48),
            RolloutLimits(turns=2),
            image=IMAGE,
        )
    assert (found.policy, found.error_class) == (EMBEDDED_NAME, None)
    assert found.reward == 0.0
    assert found.ending in ("turn_limit", "no_action", "context_limit")
    assert set(faults(found, Standards())) >= {"low_reward", "not_submitted"}


@pytest.mark.skipif(missing() is not None, reason=str(missing()))
@pytest.mark.parametrize("dialect", [NATIVE, FENCED], ids=["native", "fenced"])
async def test_two_turns_come_back_as_a_whole_and_repeatable_record(
    dialect: Dialect,
) -> None:
    harness = ToolLoopHarness(BubblewrapProvider(), dialect=dialect)
    runs = []
    async with EmbeddedChatModel() as model:
        for _ in range(2):
            runs.append(  # noqa: PERF401  clearer as a loop of awaits
                await harness.run(
                    tiny_environment(),
                    Policy(model=model, answer_tokens=48),
                    RolloutLimits(turns=2),
                    image=IMAGE,
                )
            )
    first, again = runs
    assert first == again
    assert first.policy == EMBEDDED_NAME
    assert first.error_class is None
    assert first.reward in {0.0, 1.0}
    assert 1 <= len(first.steps) <= 2
    assert first.usage.completion_tokens > 0
