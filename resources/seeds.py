"""The configured seeds as a Dagster resource."""

from pathlib import Path

import dagster as dg

from envplatform.bundle import Environment
from envplatform.configuration import Configuration, load_configuration
from envplatform.grading.images import image_of
from envplatform.grading.tasks import Task, task_of
from envplatform.sandbox.base import Image
from envplatform.store import Store
from envplatform.workspace.catalogue import catalogue, find_seed


class SeedsResource(dg.ConfigurableResource[Task]):
    """Makes seeds ready for the gate; images come out of the download cache."""

    path: str
    """Absolute path of envplatform.toml."""
    home: str
    """Absolute path of the folder that outlives runs, $ENVPLATFORM_HOME."""

    def names(self) -> tuple[str, ...]:
        """Return `seed_names` of the file.

        Raises:
            ConfigError: envplatform.toml itself is wrong.
        """
        return seed_names(load_configuration(Path(self.path)))

    def task(self, name: str) -> Task:
        """Make one ready.

        Raises:
            ConfigError: it is not configured, or can't be found.
            BundleError: the environment can't be read, or is not what its digest says.
            TargetError: its image can't be built.
            SandboxUnavailableError: its Python is not on this machine.
        """
        configuration = load_configuration(Path(self.path))
        settings = configuration.seeds
        seed = find_seed(settings, name, wanted=configuration.res.seeds)
        return task_of(seed, python=settings.python, cache=self._cache)

    def image(self, environment: Environment) -> Image:
        """Build the image that an environment runs on.

        Raises:
            TargetError: it can't be built.
            SandboxUnavailableError: its Python is not on this machine.
        """
        return image_of(environment, self._cache)

    @property
    def _cache(self) -> Path:
        return Store(Path(self.home)).cache_folder("targets")


def seed_names(configuration: Configuration) -> tuple[str, ...]:
    """Partition keys of all configured seeds, also of those that are wrong."""
    return tuple(catalogue(configuration.seeds, wanted=configuration.res.seeds))
