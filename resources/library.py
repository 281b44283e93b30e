"""Sources of the library as a Dagster resource."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg

from envplatform.configuration import LibrarySettings, load_configuration
from envplatform.cowork.library.collect import Collected
from envplatform.cowork.library.gather import gather
from envplatform.cowork.library.sourcefile import (
    configured_limits,
    configured_sources,
)
from envplatform.store import Store


class LibraryResource(dg.ConfigurableResource[Collected]):
    """Reads what `[cowork.library]` names; downloads lie in the store's cache."""

    path: str
    """Absolute path of envplatform.toml."""
    home: str
    """Absolute path of the folder that outlives runs, $ENVPLATFORM_HOME."""

    def collected(self) -> Iterator[Collected]:
        """Each configured source in turn, its contents in the store.

        Raises:
            ConfigError: envplatform.toml is wrong.
            StoreError: the store failed.
        """
        settings = self._settings
        return gather(
            configured_sources(settings),
            Store(Path(self.home)),
            configured_limits(settings),
        )

    @property
    def _settings(self) -> LibrarySettings:
        return load_configuration(Path(self.path)).cowork.library
