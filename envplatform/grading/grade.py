"""Running a verifier over what an agent left, in a sandbox the agent never saw.

Here: one grading and its ways to fail. Not here: what a verifier checks (that is in
the environment's tests), the gate (`gate`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from envplatform.bundle import TEST_SCRIPT, Environment, environment_digest
from envplatform.errors import DownloadTooLargeError
from envplatform.grading.broker import Served
from envplatform.grading.reward import MAX_REWARD_BYTES, RewardError, parse_reward
from envplatform.grading.runtime import with_byte_code
from envplatform.grading.sessions import WORKSPACE, limits_of, require_image
from envplatform.sandbox.base import ExecResult, Image, Sandbox, SandboxProvider
from envplatform.tree import Tree

TESTS = "/tests"
VERIFIER_LOGS = "/logs/verifier"
SERVED = "/logs/ws"
_NAME = "reward.json"
REWARD = f"{VERIFIER_LOGS}/{_NAME}"

_LOG_CHARACTERS = 4000

GradingFailure = Literal[
    "verifier_failed",  # test.sh ended with another exit code than 0
    "verifier_killed",  # by a signal: something in the workspace went for the verifier
    "verifier_timeout",
    "verifier_limit",  # memory, processes or disk used up
    "reward_missing",
    "reward_malformed",
]
"""Why a grading has no reward. Never an infrastructure error: those raise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grading:
    """What the verifier said of one final workspace."""

    environment_digest: str
    reward: float | None
    """0..1; None where the verifier gave no verdict, `failure` then says why."""
    components: Mapping[str, float] = field(default_factory=dict)
    """Score by criterion, `reward` included. Empty where there is no verdict."""
    failure: GradingFailure | None = None
    detail: str = ""
    """One line on the failure; empty without one."""
    log: str
    """End of the verifier's own output. May quote hidden tests: never for an agent."""
    seconds: float
    sandbox: str
    """Kind and version."""


async def grade(
    provider: SandboxProvider,
    environment: Environment,
    final_workspace: Tree,
    *,
    image: Image,
    served: Served | None = None,
    digest: str = "",
) -> Grading:
    """Grade `final_workspace` in a fresh sandbox of its own.

    `served`: what the environment's broker had in the end; the verifier finds it below
    /logs/ws. `digest`: the environment's, where it is known already.

    Raises:
        BundleError: `image` is not the one that the environment names.
        SandboxError: the sandbox failed; nothing is known of the workspace.
    """
    require_image(environment, image)
    limits = limits_of(environment, wall_s=environment.allowance.verifier_timeout_s)
    async with provider.open(image, limits) as sandbox:
        return await grade_in(
            sandbox, environment, final_workspace, served=served, digest=digest
        )


async def grade_in(
    sandbox: Sandbox,
    environment: Environment,
    final_workspace: Tree,
    *,
    served: Served | None = None,
    digest: str = "",
) -> Grading:
    """Grade in an open sandbox, in which nothing may lie yet.

    Raises:
        SandboxError: as `grade`.
    """
    limits = limits_of(environment, wall_s=environment.allowance.verifier_timeout_s)
    await sandbox.upload(final_workspace, WORKSPACE)
    await sandbox.upload(with_byte_code(environment.tests), TESTS)
    if served is not None:
        await sandbox.upload(served.files(), SERVED)
    await sandbox.upload({}, VERIFIER_LOGS)
    result = await sandbox.exec(["bash", f"{TESTS}/{TEST_SCRIPT}"], limits=limits)
    scores = _failure(result) or scores_of(await _written(sandbox), environment)
    failure, detail = scores if isinstance(scores, tuple) else (None, "")
    components = {} if isinstance(scores, tuple) else scores
    return Grading(
        environment_digest=digest or environment_digest(environment),
        reward=components.get("reward"),
        components=components,
        failure=failure,
        detail=detail,
        log=log_of(result.stdout + result.stderr),
        seconds=result.seconds,
        sandbox=f"{sandbox.info.kind} {sandbox.info.version}",
    )


Scores = Mapping[str, float] | tuple[GradingFailure, str]
"""By criterion; or why there are none, and one line more."""


def scores_of(reward: bytes | None, environment: Environment) -> Scores:
    """Read what a verifier that ended well wrote; None: nothing."""
    if reward is None:
        return "reward_missing", f"test.sh wrote no {REWARD}"
    try:
        return parse_reward(reward, environment.criteria)
    except RewardError as error:
        return "reward_malformed", str(error)


def log_of(output: bytes) -> str:
    """Return the end of a verifier's output."""
    return output.decode("utf-8", "replace")[-_LOG_CHARACTERS:]


async def _written(sandbox: Sandbox) -> bytes | None:
    # Bounded, and links are left out: a flood or a link left there must not look like
    # an infrastructure error.
    try:
        found = await sandbox.download(REWARD, max_bytes=MAX_REWARD_BYTES)
    except DownloadTooLargeError:
        return bytes(MAX_REWARD_BYTES + 1)  # as much as says that it is too long
    return found[_NAME].data if set(found) == {_NAME} else None


def _failure(result: ExecResult) -> tuple[GradingFailure, str] | None:
    match result.ending:
        case "exited" if result.exit_code == 0:
            return None
        case "exited":
            return "verifier_failed", f"test.sh ended with {result.exit_code}"
        case "signaled":
            return "verifier_killed", f"test.sh was killed by signal {result.signal}"
        case "timeout":
            return "verifier_timeout", f"test.sh ran for {result.seconds:.0f} s"
        case _:
            return "verifier_limit", f"test.sh ended with {result.ending}"
