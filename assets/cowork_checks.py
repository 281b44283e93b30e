"""Asset checks over cowork environments: that nothing ungated, and nothing unshared, is out."""

import dagster as dg

from assets.cowork import cowork_environments
from assets.gate_checks import only_gated
from envplatform.bundle.row import EnvironmentRow
from envplatform.grading import may_publish
from resources.store import StoreResource


@dg.asset_check(
    asset=cowork_environments, name="only_gated_environments", blocking=True
)
def only_gated_cowork(store: StoreResource) -> dg.AssetCheckResult:
    """No environment was published that the gate did not pass."""
    return only_gated(store.open(), "cowork_environments", may_publish)


@dg.asset_check(asset=cowork_environments, name="users_matter", blocking=True)
def users_matter(store: StoreResource) -> dg.AssetCheckResult:
    """Of every environment with a user it was shown that ignoring the user fails."""
    rows = store.open().all_rows(EnvironmentRow, "cowork_environments")
    problems = [
        row.environment_id
        for row in rows
        if row.has_user and "user_matters=passed" not in row.checks
    ]
    return dg.AssetCheckResult(
        passed=not problems,
        severity=dg.AssetCheckSeverity.ERROR,
        metadata={
            "with a user": sum(row.has_user for row in rows),
            "problems": dg.MetadataValue.json(problems[:50]),
        },
    )
