"""The gate: every check over one environment. A filter over rows, never a judge of sandboxes."""

from envplatform.bundle import CheckResult, Environment
from envplatform.grading.checks import (
    determinism,
    leak_scan,
    nop_floor,
    oracle_max,
    reset,
)
from envplatform.grading.evidence import collect_evidence
from envplatform.sandbox.base import Image, SandboxProvider


async def run_gate(
    provider: SandboxProvider,
    environment: Environment,
    *,
    image: Image,
    repeats: int = 3,
) -> tuple[CheckResult, ...]:
    """Run every check; keep the result as the environment's `audit`.

    `bundle.all_passed` says whether the environment may be published.

    Raises:
        BundleError: the environment is inconsistent or `image` is another one.
        SandboxError: a sandbox failed; nothing is concluded, retry.
    """
    evidence = await collect_evidence(
        provider, environment, image=image, repeats=repeats
    )
    return (
        oracle_max(evidence),
        nop_floor(evidence),
        determinism(evidence),
        leak_scan(evidence),
        await reset(provider, environment, image=image),
    )
