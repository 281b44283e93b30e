"""Asset checks over what was published. They assert; the filtering is the library's.

A failing check stops all partitions, so it must mean that something is wrong with the
platform, not with one environment.
"""

import random
from collections.abc import Callable

import dagster as dg

from assets.bugs import swe_environments
from assets.lineages import seed_environments
from envplatform.bundle import CheckResult, all_passed, environment_digest
from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import BundleError, StoreError
from envplatform.grading import may_publish
from envplatform.grading.kept import kept_environment
from envplatform.store import Store
from resources.store import StoreResource

SAMPLE = 50
"""Environments that are read in full, drawn by seed; of the others the row is read."""


Passes = Callable[[tuple[CheckResult, ...]], bool]
"""Whether an audit allows an environment to be published."""


@dg.asset_check(asset=swe_environments, name="only_gated_environments", blocking=True)
def only_gated_bugs(store: StoreResource) -> dg.AssetCheckResult:
    """No environment was published that the gate did not pass."""
    return only_gated(store.open(), "swe_environments", all_passed)


@dg.asset_check(asset=seed_environments, name="only_gated_environments", blocking=True)
def only_gated_seeds(store: StoreResource) -> dg.AssetCheckResult:
    """No environment was published that the gate did not pass."""
    return only_gated(store.open(), "seed_environments", may_publish)


def only_gated(opened: Store, asset: str, passes: Passes) -> dg.AssetCheckResult:
    """Look at all rows of an asset, and at a sample of its environments in full."""
    rows = opened.all_rows(EnvironmentRow, asset)
    problems = [f"{row.environment_id}: not gated" for row in rows if not row.gated]
    sample = random.Random(0).sample(rows, min(SAMPLE, len(rows)))  # noqa: S311  no secret
    problems += [
        problem for row in sample for problem in _problems(opened, row, passes)
    ]
    return dg.AssetCheckResult(
        passed=not problems,
        severity=dg.AssetCheckSeverity.ERROR,
        metadata={
            "environments": len(rows),
            "read in full": len(sample),
            "problems": dg.MetadataValue.json(problems[:SAMPLE]),
        },
    )


def _problems(store: Store, row: EnvironmentRow, passes: Passes) -> list[str]:
    try:
        environment = kept_environment(store, row)
    except (StoreError, BundleError) as error:
        return [f"{row.environment_id}: {error}"]
    if environment_digest(environment) == row.digest and passes(environment.audit):
        return []
    return [f"{row.environment_id}: its audit says otherwise"]
