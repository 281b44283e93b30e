"""What assets that open sandboxes have in common."""

import dagster as dg

from envplatform.sandbox.base import SandboxInfo

SANDBOX_RUNS = dg.BackfillPolicy.multi_run(max_partitions_per_run=50)
"""Partitions of sandbox work in one run: a lost run loses no more than these."""


def fallbacks(info: SandboxInfo) -> tuple[str, ...]:
    """What is worse about a sandbox than it might be, a sentence each."""
    if info.limits != "best_effort":
        return ()
    return (f"{info.kind} limits are enforced by polling: no control group here",)
