"""Sources and histories of fixes as a Dagster resource."""

from pathlib import Path

import dagster as dg

from envplatform.configuration import FixesSettings, load_configuration
from envplatform.store import Store
from envplatform.swe.fixes.places import Histories
from envplatform.swe.fixes.sources.base import Source
from envplatform.swe.fixes.sources.opening import open_sources


class FixesResource(dg.ConfigurableResource[Source]):
    """Opens what `[fixes]` names; mirrors and downloads lie in the store's cache."""

    path: str
    """Absolute path of envplatform.toml."""
    home: str
    """Absolute path of the folder that outlives runs, $ENVPLATFORM_HOME."""

    def sources(self) -> tuple[Source, ...]:
        """The configured sources, in order.

        Raises:
            ConfigError: envplatform.toml is wrong, or two sources share a name.
            FixSourceError: a source is absent.
        """
        return open_sources(self._settings.sources, cache=self.cache)

    def histories(self, repository: str) -> Histories:
        """Whatever holds the files of one repository's fixes; the caller closes it."""
        return Histories(repository, self._settings, self.cache)

    @property
    def cache(self) -> Path:
        """Folder of mirrors and downloads; may be deleted at any time."""
        return Store(Path(self.home)).cache_folder("fixes")

    @property
    def _settings(self) -> FixesSettings:
        return load_configuration(Path(self.path)).fixes
