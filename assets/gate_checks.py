"""Asset checks over what was published. They assert; the filtering is the library's.

A failing check stops all partitions, so it must mean that something is wrong with the
platform, not with one environment.
"""

import random

import dagster as dg

from assets.bugs import swe_environments
from envplatform.bundle import all_passed, environment_digest, read_environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import BundleError, StoreError
from envplatform.store import Store
from envplatform.swe.publish import DIRECTORY_KIND
from resources.store import StoreResource

SAMPLE = 50
"""Environments that are read in full, drawn by seed; of the others the row is read."""


@dg.asset_check(asset=swe_environments, blocking=True)
def only_gated_environments(store: StoreResource) -> dg.AssetCheckResult:
    """No environment was published that the gate did not pass."""
    opened = store.open()
    rows = opened.all_rows(EnvironmentRow, "swe_environments")
    problems = [f"{row.environment_id}: not gated" for row in rows if not row.gated]
    sample = random.Random(0).sample(rows, min(SAMPLE, len(rows)))  # noqa: S311  no secret
    problems += [problem for row in sample for problem in _problems(opened, row)]
    return dg.AssetCheckResult(
        passed=not problems,
        severity=dg.AssetCheckSeverity.ERROR,
        metadata={
            "environments": len(rows),
            "read in full": len(sample),
            "problems": dg.MetadataValue.json(problems[:SAMPLE]),
        },
    )


def _problems(store: Store, row: EnvironmentRow) -> list[str]:
    try:
        folder = store.directory(DIRECTORY_KIND, row.digest)
        environment = read_environment(folder, digest=row.digest)
    except (StoreError, BundleError) as error:
        return [f"{row.environment_id}: {error}"]
    if environment_digest(environment) == row.digest and all_passed(environment.audit):
        return []
    return [f"{row.environment_id}: its audit says otherwise"]
