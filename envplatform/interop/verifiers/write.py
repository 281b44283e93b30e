"""Environments as an installable package with a taskset, for verifiers 0.4.

pyproject.toml
envplatform_tasks/           the taskset `envplatform-tasks`, and tasks/ by name
images/<digest>/             what an image is built from; many tasks share one
"""

import json
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path

from envplatform.bundle import BASE_IMAGE, Environment, read_environment
from envplatform.bundle.archive import pack
from envplatform.bundle.harborfiles import AGENT_USER, dockerfile, requirements_txt
from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import BundleError, ExportError, StoreError
from envplatform.grading.kept import DIRECTORY_KIND
from envplatform.interop.exporting import Exported
from envplatform.store import Store
from envplatform.store.names import encode_name

PACKAGE, TASKSET = "envplatform_tasks", "envplatform-tasks"
_DIGEST_SHOWN = 12
_INIT = f'''\
"""The taskset `{TASKSET}`: environments that envplatform wrote."""

from {PACKAGE}.taskset import EnvironmentTaskset

__all__ = ["EnvironmentTaskset"]
'''
_PROJECT = f"""\
[project]
name = "{TASKSET}"
version = "0.1.0"
description = "Environments that envplatform wrote, as a taskset."
requires-python = ">=3.11"
dependencies = ["verifiers>=0.4,<0.5"]

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[tool.hatch.build.targets.wheel]
packages = ["{PACKAGE}"]
"""


def write_taskset(
    store: Store, rows: Iterable[EnvironmentRow], folder: Path, told: Exported
) -> None:
    """Write each environment that needs no broker; all others are left out, and named.

    Of several with one name the first is written.
    """
    package = folder / PACKAGE
    (package / "tasks").mkdir(parents=True)
    (folder / "pyproject.toml").write_text(_PROJECT, encoding="utf-8")
    (package / "__init__.py").write_text(_INIT, encoding="utf-8")
    inside = resources.files(f"{__package__}.inside") / "taskset.py"
    (package / "taskset.py").write_bytes(inside.read_bytes())
    for row in rows:
        try:
            source = store.directory(DIRECTORY_KIND, row.digest)
            environment = read_environment(source, digest=row.digest)
            _write_task(environment, row.digest, package / "tasks")
        except (BundleError, StoreError, ExportError) as error:
            told.leave_out(row.environment_id, error)
            continue
        _write_image(environment, folder / "images")
        told.written += 1


def image_tag(environment: Environment) -> str:
    """The name that a task expects its image to be built under."""
    return f"{TASKSET}:{environment.image.digest[:_DIGEST_SHOWN]}"


def _write_task(environment: Environment, digest: str, tasks: Path) -> None:
    if environment.views or environment.user:
        msg = "it is served by a broker, which verifiers does not start beside a task"
        raise ExportError(msg)
    folder = tasks / encode_name(environment.environment_id)
    if folder.exists():
        msg = "another environment of this name is written already"
        raise ExportError(msg)
    archives = {
        "workspace.tar": pack(environment.workspace),
        "tests.tar": pack(environment.tests),
        "solution.tar": pack(environment.solution),
    }
    folder.mkdir()
    for name, data in archives.items():
        (folder / name).write_bytes(data)
    task = _task(environment, digest, folder.name)
    text = json.dumps(task, indent=1, sort_keys=True) + "\n"
    (folder / "task.json").write_text(text, encoding="utf-8")


def _task(environment: Environment, digest: str, name: str) -> Mapping[str, object]:
    allowance = environment.allowance
    return {
        "id": name,
        "name": environment.environment_id,
        "description": environment.description,
        "prompt": environment.instruction,
        "image": image_tag(environment),
        "workdir": "/workspace",
        "agent_user": AGENT_USER,
        "network_allow": [],
        "digest": digest,
        "criteria": list(environment.criteria),
        "timeout": {
            "agent": allowance.agent_timeout_s,
            "scoring": allowance.verifier_timeout_s,
        },
        "resources": {
            "cpu": allowance.cpus,
            "memory": allowance.memory_mb / 1024,
            "disk": allowance.disk_mb / 1024,
        },
    }


def _write_image(environment: Environment, images: Path) -> None:
    """Write what an image is built from; nothing of one task is in it."""
    folder = images / environment.image.digest[:_DIGEST_SHOWN]
    if folder.exists():
        return
    folder.mkdir(parents=True)
    base = environment.core.facts.get(BASE_IMAGE, "")
    (folder / "Dockerfile").write_bytes(dockerfile(environment.image, base))
    (folder / "requirements.txt").write_bytes(requirements_txt(environment.image))
    (folder / "workspace").mkdir()
    (folder / "workspace" / ".keep").touch()
