"""The user's `envplatform.toml` as a Dagster resource."""

from pathlib import Path

import dagster as dg

from envplatform.configuration import Configuration, load_configuration


class ConfigurationResource(dg.ConfigurableResource[Configuration]):
    """Reads the file anew at each use, so that an edit counts from the next run on."""

    path: str
    """Absolute path of envplatform.toml."""

    def load(self) -> Configuration:
        """Read the file.

        Raises:
            ConfigError: names file, key and remedy.
        """
        return load_configuration(Path(self.path))
