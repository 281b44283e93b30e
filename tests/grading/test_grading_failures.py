"""A verifier that gives no verdict is named as such, and never counts as 0 or 1."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from envplatform.bundle import environment_digest
from envplatform.errors import BundleError, SandboxError
from envplatform.grading import grade
from envplatform.grading.grade import REWARD
from envplatform.sandbox.base import Ending, ExecResult, Image
from envplatform.tree import File
from tests.bundle.sample import WORKSPACE, sample_environment
from tests.fakes import ScriptedProvider

IMAGE = Image(name="bare", python="3.11", requirements=(), digest="0" * 64, site=None)


def _result(
    ending: Ending = "exited", exit_code: int | None = 0, stdout: bytes = b""
) -> ExecResult:
    return ExecResult(
        ending=ending,
        exit_code=exit_code,
        signal=9 if ending == "signaled" else None,
        stdout=stdout,
        stderr=b"",
        truncated=False,
        seconds=1.5,
    )


def _verifier(verdict: ExecResult, reward: bytes | None) -> ScriptedProvider:
    def answer(argv: Sequence[str]) -> ExecResult:
        return {"bash": verdict}[argv[0]]

    leaves = {} if reward is None else {REWARD: File(reward)}
    return ScriptedProvider(answer, leaves=leaves)


async def test_a_verdict_is_taken_from_reward_json_in_a_sandbox_of_its_own() -> None:
    provider = _verifier(_result(stdout=b"log"), b'{"reward": 0.5}')
    environment = sample_environment()
    grading = await grade(provider, environment, WORKSPACE, image=IMAGE)
    assert (grading.reward, grading.failure) == (0.5, None)
    assert grading.environment_digest == environment_digest(environment)
    assert grading.log == "log"
    (sandbox,) = provider.opened
    assert sandbox.commands == [("bash", "/tests/test.sh")]
    assert {"/workspace/answer.txt", "/tests/test.sh"} <= sandbox.files.keys()
    assert not any(path.startswith("/solution") for path in sandbox.files)


@pytest.mark.parametrize(
    ("verdict", "failure"),
    [
        (_result(exit_code=1), "verifier_failed"),
        (_result("signaled", None), "verifier_killed"),
        (_result("timeout", None), "verifier_timeout"),
        (_result("out_of_memory", None), "verifier_limit"),
        (_result("process_limit", None), "verifier_limit"),
        (_result("disk_limit", None), "verifier_limit"),
    ],
)
async def test_a_broken_verifier_has_no_say_even_with_a_full_reward(
    verdict: ExecResult, failure: str
) -> None:
    """The reward file may have been put there by who killed the verifier."""
    provider = _verifier(verdict, b'{"reward": 1}')
    grading = await grade(provider, sample_environment(), WORKSPACE, image=IMAGE)
    assert (grading.reward, grading.components) == (None, {})
    assert grading.failure == failure
    assert grading.detail


@pytest.mark.parametrize(
    ("reward", "failure"),
    [
        (None, "reward_missing"),
        (b"", "reward_malformed"),
        (b'{"reward": 2}', "reward_malformed"),
        (b"{" + b" " * 70_000, "reward_malformed"),
    ],
)
async def test_a_missing_or_malformed_reward_is_a_failure_and_not_zero(
    reward: bytes | None, failure: str
) -> None:
    provider = _verifier(_result(), reward)
    grading = await grade(provider, sample_environment(), WORKSPACE, image=IMAGE)
    assert grading.reward is None
    assert grading.failure == failure


async def test_another_image_is_refused_before_anything_runs() -> None:
    provider = _verifier(_result(), None)
    other = replace(IMAGE, digest="1" * 64)
    with pytest.raises(BundleError, match="rebuild the image"):
        await grade(provider, sample_environment(), WORKSPACE, image=other)
    assert provider.opened == []


async def test_a_failing_sandbox_is_no_verdict_on_the_workspace() -> None:
    def answer(argv: Sequence[str]) -> ExecResult:
        msg = f"lost the daemon at {argv[0]}"
        raise SandboxError(msg)

    with pytest.raises(SandboxError, match="lost the daemon"):
        await grade(
            ScriptedProvider(answer), sample_environment(), WORKSPACE, image=IMAGE
        )
