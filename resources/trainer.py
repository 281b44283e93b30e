"""Where training runs: a process here, or a container, through Dagster Pipes.

Messages go through a file: lines of a log of 40 kB and more are lost on the way.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dagster as dg
from dagster._core.errors import DagsterPipesExecutionError
from dagster_docker import PipesDockerClient
from dagster_pipes import DagsterPipesError
from docker.errors import DockerException
from docker.models.containers import Container
from docker.types import DeviceRequest

import envplatform
from envplatform.configuration import TrainingSettings, load_configuration
from envplatform.errors import TrainingError
from envplatform.learning.training.order import TrainingOrder, write_order
from envplatform.learning.training.supervise import command, failure_of
from envplatform.learning.training.workfolder import WorkFolder
from envplatform.sandbox.owners import LABEL, current_owner

_CODE = Path(envplatform.__file__).resolve().parents[1]
"""The folder that holds our packages; a container sees it, and runs the same code."""
_MESSAGES = "messages.jsonl"


class TrainerResource(dg.ConfigurableResource[None]):
    """Trains as an order says, live in the log of the step under way."""

    path: str
    """Absolute path of envplatform.toml."""

    def train(self, order: TrainingOrder, folder: Path) -> Path:
        """Train in `folder`; returns the published checkpoint's folder.

        A training that was killed goes on from its last whole checkpoint if the same is
        ordered in the same folder again.

        Raises:
            TrainingError: it can't be carried out; says what to change.
        """
        settings = load_configuration(Path(self.path)).training
        place = WorkFolder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        write_order(order, place.order)
        place.error.unlink(missing_ok=True)
        reader = _Reader(str(folder / _MESSAGES))
        # Pipes asks an asset's context by names that Dagster gave up.
        context = dg.AssetExecutionContext.get().op_execution_context
        given = command(place.order, "--alone", f"--seconds={settings.timeout_seconds}")
        try:
            if settings.runner == "docker":
                given[0] = "python"
                client = _DockerClient(message_reader=reader)
                client.run_once(context, given, order, place, settings)
            else:
                dg.PipesSubprocessClient(message_reader=reader).run(
                    context=context, command=given
                )
        except (DagsterPipesExecutionError, DagsterPipesError) as error:
            raise TrainingError(failure_of(place, str(error))) from error
        return place.result


class _Reader(dg.PipesFileMessageReader):
    """Says how many write without the warning that Dagster has for asking itself."""

    @property
    def expected_writer_count(self) -> int:
        """One: the process."""
        return 1


class _DockerClient(PipesDockerClient):
    """Removes its container, which Dagster's own leaves behind."""

    _container: Container | None = None

    def run_once(
        self,
        context: dg.OpExecutionContext,
        given: list[str],
        order: TrainingOrder,
        place: WorkFolder,
        settings: TrainingSettings,
    ) -> None:
        """Run `given` in a container of its own.

        Raises:
            TrainingError: the engine refuses.
        """
        try:
            self.run(
                context=context,
                image=settings.image,
                command=given,
                container_kwargs=container_arguments(order, place, settings),
            )
        except DockerException as error:
            msg = f"training in a container of {settings.image} failed: {error}"
            raise TrainingError(msg) from error
        finally:
            if self._container is not None:
                self._container.remove(force=True)

    def _create_container(self, *args: Any, **given: Any) -> Container:  # noqa: ANN401  Dagster's own
        self._container = super()._create_container(*args, **given)
        return self._container


def container_arguments(
    order: TrainingOrder, place: WorkFolder, settings: TrainingSettings
) -> Mapping[str, Any]:
    """How a training's container is created: what it sees, no network, its GPUs.

    Everything lies at the same path inside as here; only the work folder is writable.
    """
    seen = [order.base, order.rows, order.template, order.parent, _CODE]
    volumes = {
        str(path): {"bind": str(path), "mode": "ro"}
        for path in seen
        if path is not None
    }
    volumes[str(place.root)] = {"bind": str(place.root), "mode": "rw"}
    requests = [DeviceRequest(count=settings.gpus, capabilities=[["gpu"]])]
    return {
        "device_requests": requests if settings.gpus else [],
        "environment": {"PYTHONPATH": str(_CODE), "HOME": str(place.root)},
        "labels": {LABEL: current_owner().label()},
        "network_mode": "none",
        "shm_size": "1g",
        "user": f"{os.getuid()}:{os.getgid()}",
        "volumes": volumes,
    }
