"""The configured target repositories as a Dagster resource."""

from functools import cache
from pathlib import Path

import dagster as dg

from envplatform.configuration import Configuration, load_configuration
from envplatform.store import Store
from envplatform.swe.repository_row import TargetRow, repository_of
from envplatform.swe.targets import (
    HealthyRepository,
    PackageIndex,
    configured_index,
    prepare,
)
from envplatform.swe.targets.catalogue import catalogue, find_target


class TargetsResource(dg.ConfigurableResource[HealthyRepository]):
    """Prepares repositories out of the download cache, or fills it."""

    path: str
    """Absolute path of envplatform.toml."""
    home: str
    """Absolute path of the folder that outlives runs, $ENVPLATFORM_HOME."""

    def names(self) -> tuple[str, ...]:
        """Return `target_names` of the file.

        Raises:
            ConfigError: envplatform.toml itself is wrong.
        """
        return target_names(load_configuration(Path(self.path)))

    async def prepare(self, name: str) -> HealthyRepository:
        """Fetch a target and build its image.

        Raises:
            ConfigError: it is not configured, or its file is wrong.
            TargetError: its files can't be had or are not what the target says.
        """
        target = find_target(load_configuration(Path(self.path)).targets, name)
        return await prepare(target, self._cache, index=_index())

    async def measured(self, row: TargetRow) -> HealthyRepository:
        """Prepare the repository that `row` was measured on.

        Raises:
            ConfigError: it is not configured any more.
            TargetError: it is another one by now.
        """
        settings = load_configuration(Path(self.path)).targets
        target = find_target(settings, row.repository)
        return await repository_of(row, target, self._cache, index=_index())

    @property
    def _cache(self) -> Path:
        return Store(Path(self.home)).cache_folder("targets")


def target_names(configuration: Configuration) -> tuple[str, ...]:
    """Partition keys of all configured targets, also of those that are wrong."""
    return tuple(catalogue(configuration.targets))


@cache
def _index() -> PackageIndex:
    """Ask pip for its settings once a process: that takes half a second."""
    return configured_index()
