"""The configured seeds as a Dagster resource."""

from pathlib import Path

import dagster as dg

from envplatform.configuration import load_configuration
from envplatform.grading.tasks import Task, task_of
from envplatform.store import Store
from envplatform.workspace.catalogue import catalogue, find_seed


class SeedsResource(dg.ConfigurableResource[Task]):
    """Makes seeds ready for the gate; images come out of the download cache."""

    path: str
    """Absolute path of envplatform.toml."""
    home: str
    """Absolute path of the folder that outlives runs, $ENVPLATFORM_HOME."""

    def names(self) -> tuple[str, ...]:
        """Partition keys of all configured seeds, also of those that are wrong.

        Raises:
            ConfigError: envplatform.toml itself is wrong.
        """
        return tuple(catalogue(load_configuration(Path(self.path)).seeds))

    def task(self, name: str) -> Task:
        """Make one ready.

        Raises:
            ConfigError: it is not configured, or can't be found.
            BundleError: the environment can't be read, or is not what its digest says.
            TargetError: its image can't be built.
            SandboxUnavailableError: its Python is not on this machine.
        """
        settings = load_configuration(Path(self.path)).seeds
        cache = Store(Path(self.home)).cache_folder("targets")
        seed = find_seed(settings, name)
        return task_of(seed, python=settings.python, cache=cache)
