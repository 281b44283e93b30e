"""The gate over real sandboxes: an honest environment, and one fault at a time."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from envplatform.bundle import CheckResult, Environment, all_passed
from envplatform.grading import run_gate
from envplatform.grading.checks import reset
from envplatform.sandbox.base import (
    Door,
    Image,
    Limits,
    Sandbox,
    SandboxProvider,
)
from envplatform.tree import File
from tests.bundle.sample import SOLUTION, TESTS, sample_environment


def _script(text: str) -> dict[str, File]:
    return {"test.sh": File(f"#!/bin/sh\n{text}\n".encode(), executable=True)}


def _on(image: Image, environment: Environment) -> Environment:
    reference = replace(environment.image, digest=image.digest)
    return replace(environment, image=reference)


async def _statuses(
    provider: SandboxProvider, environment: Environment, image: Image
) -> Mapping[str, CheckResult]:
    audit = await run_gate(provider, _on(image, environment), image=image)
    return {check.name: check for check in audit}


async def test_an_honest_environment_passes_every_check(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    checks = await _statuses(bubblewrap, sample_environment(), bare_image)
    assert all_passed(tuple(checks.values())), checks
    assert "3 gradings, each reward 1" in checks["oracle_max"].evidence
    assert "3 gradings, each reward 0" in checks["nop_floor"].evidence


WRITE = "> /logs/verifier/reward.json"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        (
            sample_environment(tests=_script(f"echo '{{\"reward\": 1}}' {WRITE}")),
            {"nop_floor": "failed", "oracle_max": "passed"},
        ),
        (
            sample_environment(tests=_script(f"echo '{{\"reward\": 0}}' {WRITE}")),
            {"oracle_max": "failed", "nop_floor": "passed"},
        ),
        (
            sample_environment(tests=_script("exit 0")),
            {"oracle_max": "failed", "nop_floor": "failed", "determinism": "failed"},
        ),
        (
            sample_environment(
                tests=_script(
                    f'echo "{{\\"reward\\": 0.$(od -An -N4 -tu4 /dev/urandom | tr -d \' \')}}" {WRITE}'
                )
            ),
            {"determinism": "failed", "oracle_max": "failed"},
        ),
        (
            sample_environment(solution={"solve.sh": File(b"exit 3\n")}),
            {
                "oracle_max": "failed",
                "determinism": "not_run",
                "leak_scan": "not_run",
                "reset": "passed",
            },
        ),
        (
            sample_environment(
                workspace={
                    "answer.txt": File(b"41\n"),
                    "copy": File(TESTS["test.sh"].data),
                }
            ),
            {"leak_scan": "failed", "oracle_max": "passed"},
        ),
        (
            sample_environment(
                workspace={
                    "answer.txt": File(b"41\n"),
                    "how": File(SOLUTION["solve.sh"].data),
                }
            ),
            {"leak_scan": "failed"},
        ),
    ],
    ids=["generous", "merciless", "silent", "random", "no-oracle", "leak", "told"],
)
async def test_one_fault_is_one_failed_check(
    bubblewrap: SandboxProvider,
    bare_image: Image,
    environment: Environment,
    expected: Mapping[str, str],
) -> None:
    checks = await _statuses(bubblewrap, environment, bare_image)
    found = {name: checks[name].status for name in expected}
    assert found == expected, checks
    assert not all_passed(tuple(checks.values()))


class KeepingProvider(SandboxProvider):
    """A real sandbox that, against the rules, is never made fresh."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.info = sandbox.info
        self._sandbox = sandbox

    @asynccontextmanager
    async def open(
        self,
        image: Image,  # noqa: ARG002
        limits: Limits = Limits(),  # noqa: ARG002, B008  frozen
        *,
        doors: Sequence[Door] = (),  # noqa: ARG002
    ) -> AsyncIterator[Sandbox]:
        """Hand out the same one again."""
        yield self._sandbox


async def test_what_a_session_left_behind_is_noticed(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    environment = _on(bare_image, sample_environment())
    async with bubblewrap.open(bare_image) as sandbox:
        keeping = KeepingProvider(sandbox)
        result = await reset(keeping, environment, image=bare_image)
    assert result.status == "failed"
    assert "+ d 755 /home/agent/d/e" in result.evidence


class TellingProvider(SandboxProvider):
    """Opens real sandboxes that hold the tests from the start."""

    def __init__(self, real: SandboxProvider) -> None:
        self.info = real.info
        self._real = real

    @asynccontextmanager
    async def open(
        self,
        image: Image,
        limits: Limits = Limits(),  # noqa: B008  frozen
        *,
        doors: Sequence[Door] = (),
    ) -> AsyncIterator[Sandbox]:
        """Open one and put the tests where the agent can read them."""
        async with self._real.open(image, limits, doors=doors) as sandbox:
            await sandbox.upload(TESTS, "/tests")
            yield sandbox


async def test_tests_in_sight_of_the_agent_are_noticed(
    bubblewrap: SandboxProvider, bare_image: Image
) -> None:
    environment = _on(bare_image, sample_environment())
    result = await reset(TellingProvider(bubblewrap), environment, image=bare_image)
    assert result.status == "failed"
    assert "the agent can see" in result.evidence
    assert "/tests/test.sh" in result.evidence
