"""Seeds made ready for the gate: the environment, its image, and faults to try on it."""

import sys
from dataclasses import dataclass
from pathlib import Path

from envplatform.bundle import Environment, read_environment
from envplatform.grading.images import image_of
from envplatform.grading.sessions import image_reference
from envplatform.sandbox.base import Image
from envplatform.sandbox.images import build_image
from envplatform.workspace import Fault, read_seed, seed_environment
from envplatform.workspace.catalogue import SeedPlace

_BARE = "bare"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What the gate takes."""

    name: str
    environment: Environment
    image: Image
    faults: tuple[Fault, ...] = ()
    """What its author says its grader must notice; none for environments on disk."""


def task_of(seed: SeedPlace, *, python: str | None, cache: Path) -> Task:
    """Make a seed ready; what ships runs on `python`, what is imported on its own image.

    `python`: a minor version; None: the running one.

    Raises:
        BundleError: the environment can't be read, or is not what its digest says.
        TargetError: its image can't be built.
        SandboxUnavailableError: Python of that version is not on this machine.
    """
    if seed.folder is None:
        running = "{}.{}".format(*sys.version_info[:2])
        return _builtin(seed.name, build_image(_BARE, python or running, (), cache))
    environment = read_environment(seed.folder)
    image = image_of(environment, cache)
    return Task(name=seed.name, environment=environment, image=image)


def _builtin(name: str, image: Image) -> Task:
    reference = image_reference(image)
    seed, _ = read_seed(name)
    return Task(
        name=name,
        environment=seed_environment(name, reference),
        image=image,
        faults=seed.fault,
    )
