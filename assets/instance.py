"""The parts of the Dagster instance that `dagster.yaml` names.

All of them lie in `$ENVPLATFORM_HOME/dagster`, else in `.envplatform/dagster` below
the working directory, which for `dagster dev` in a checkout is the checkout; YAML
alone can't say "else". Runs, events and schedules are kept in sqlite there, or in
Postgres if `ENVPLATFORM_POSTGRES_URL` is set. Nothing here knows an asset.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from dagster._config.config_schema import UserConfigSchema
from dagster._core.storage.base_storage import DagsterStorage
from dagster._core.storage.local_compute_log_manager import LocalComputeLogManager
from dagster._core.storage.root import LocalArtifactStorage
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from dagster._serdes import ConfigurableClassData

from assets.event_log import BATCH_SIZE, BATCH_VARIABLE, BatchingSqliteEventLog
from envplatform.configuration import home_folder
from envplatform.errors import ConfigError

POSTGRES_VARIABLE = "ENVPLATFORM_POSTGRES_URL"
_POSTGRES_SCHEME = "postgresql+psycopg2://"


def dagster_folder() -> Path:
    """Where this process keeps what belongs to Dagster."""
    return home_folder(os.environ, checkout=Path.cwd()) / "dagster"


class Storage(DagsterSqliteStorage):
    """Runs, events and schedules: sqlite, unless the environment names Postgres."""

    def __init__(
        self, base_dir: str, inst_data: ConfigurableClassData | None = None
    ) -> None:
        super().__init__(base_dir, inst_data)
        # The same files as the parent's, which did no more than create them.
        self._event_log_storage = BatchingSqliteEventLog(
            str(Path(base_dir, "history", "runs"))
        )

    @classmethod
    def config_type(cls) -> UserConfigSchema:
        """Nothing stands in dagster.yaml."""
        return {}

    @classmethod
    def from_config_value(  # type: ignore[override]  # Dagster's own narrows it likewise
        cls, inst_data: ConfigurableClassData, config_value: Mapping[str, Any]
    ) -> DagsterStorage:
        """Open the storage that the environment asks for.

        Raises:
            ConfigError: the URL of Postgres has another scheme than its driver's.
        """
        del config_value
        # Read by Dagster at each event, from the environment only. Every process that
        # writes events opens its storage here first.
        os.environ.setdefault(BATCH_VARIABLE, str(BATCH_SIZE))
        url = os.environ.get(POSTGRES_VARIABLE)
        if url is None:
            return cls.from_local(str(dagster_folder()), inst_data)
        return _postgres(url, inst_data)


def _postgres(url: str, inst_data: ConfigurableClassData) -> DagsterStorage:
    if not url.startswith(_POSTGRES_SCHEME):
        msg = (
            f"{POSTGRES_VARIABLE} must start with {_POSTGRES_SCHEME}: without the"
            " driver's name SQLAlchemy looks for another driver"
        )
        raise ConfigError(msg)
    from dagster_postgres import DagsterPostgresStorage  # noqa: PLC0415  an extra

    return DagsterPostgresStorage(postgres_url=url, inst_data=inst_data)


class Artifacts(LocalArtifactStorage):
    """Files that Dagster itself keeps of runs."""

    @classmethod
    def config_type(cls) -> UserConfigSchema:
        """Nothing stands in dagster.yaml."""
        return {}

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> Self:
        """Keep them in our folder."""
        del config_value
        return cls(str(dagster_folder()), inst_data)


class ComputeLogs(LocalComputeLogManager):
    """What steps write to stdout and stderr."""

    @classmethod
    def config_type(cls) -> UserConfigSchema:
        """Nothing stands in dagster.yaml."""
        return {}

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> Self:
        """Keep them in our folder."""
        del config_value
        folder = str(dagster_folder() / "storage")
        return cls(base_dir=folder, inst_data=inst_data)
