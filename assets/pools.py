"""Limits of the pools that assets name: how many of their steps run at once.

`dagster.yaml` can give a default to all pools only; limits by name live in the
instance. `python -m assets.pools` sets them there, on the instance of $DAGSTER_HOME.
"""

from collections.abc import Mapping
from types import MappingProxyType

import dagster as dg

POOLS: Mapping[str, int] = MappingProxyType({"docker": 2, "gpu": 1, "llm": 4})
"""Pool to limit: steps that open sandboxes, use a GPU, or call a model server."""


def set_pool_limits(
    instance: dg.DagsterInstance, limits: Mapping[str, int] = POOLS
) -> None:
    """Give each pool its limit unless someone gave it one, in the UI say."""
    log = instance.event_log_storage
    known = {pool.name for pool in log.get_pool_limits() if not pool.from_default}
    for name, limit in limits.items():
        if name not in known:
            log.set_concurrency_slots(name, limit)


if __name__ == "__main__":
    with dg.DagsterInstance.get() as instance:
        set_pool_limits(instance)
