"""How the explorer fares in cowork environments, by scenario."""

import asyncio
from collections.abc import Sequence
from statistics import mean

from benchmarks.report import progress
from envplatform.bundle.row import EnvironmentRow
from envplatform.cowork.keeping import Shard
from envplatform.evaluation.explored_levels import ExplorerTries
from envplatform.grading.kept import kept_environment
from envplatform.store import Store


def explored_by_scenario(
    store: Store,
    shard: Shard,
    rows: Sequence[EnvironmentRow],
    *,
    per_scenario: int,
    turns: int,
) -> dict[str, object]:
    """Return Pass@1 by scenario over the first environments of each; empty for none.

    A user inside takes part. The explorer reads, and a task's own solution works on
    what it has read: a failure is one of acquisition.
    """
    if not per_scenario:
        return {}
    workshop = shard.workshop
    tries = ExplorerTries(provider=workshop.provider, image=workshop.image, turns=turns)
    passed: dict[str, list[bool]] = {}
    for row in rows:
        of = passed.setdefault(row.scenario, [])
        if len(of) < per_scenario:
            environment = kept_environment(store, row)
            tried = asyncio.run(tries(environment, root=environment))
            of.append(tried.passed)
    for scenario, of in sorted(passed.items()):
        progress(f"explorer in {scenario}: {sum(of)} of {len(of)}")
    return {
        "explorer_turns": turns,
        "explorer_pass_by_scenario": {
            name: round(mean(of), 3) for name, of in sorted(passed.items())
        },
    }
