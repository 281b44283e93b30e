"""Which file holds which part of an environment, both ways, as pure functions.

Here: `Environment` to a tree of files and back. Not here: touching a disk (`disk`),
the texts Harbor reads (`harborfiles`), digests (`digest`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from envplatform.bundle import records
from envplatform.bundle.audit import CheckResult
from envplatform.bundle.consistency import checked
from envplatform.bundle.environment import (
    BASE_IMAGE,
    Allowance,
    Core,
    Dependency,
    Environment,
    ImageReference,
    Lineage,
    Permissions,
    Pillar,
    Provider,
    Resource,
    View,
)
from envplatform.bundle.harborfiles import dockerfile, requirements_txt, task_toml
from envplatform.errors import BundleError
from envplatform.tree import File, Tree, below

T = TypeVar("T")

IDENTITY = ".envp/identity.json"
AUDIT = ".envp/audit.json"
LINEAGE = ".envp/lineage.json"
CORE = ".envp/core.json"
GRAPH = ".envp/env.json"

_FOLDERS = {
    "workspace": "environment/workspace/",
    "served": "environment/served/",
    "tests": "tests/",
    "solution": "solution/",
    "user": ".envp/user/",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """The part of identity.json that says what the environment is."""

    environment_id: str
    pillar: Pillar
    description: str
    labels: Mapping[str, str]
    criteria: tuple[str, ...]
    image: ImageReference
    allowance: Allowance


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """env.json: what the task is about and how it may be reached; `ws` serves it."""

    providers: tuple[Provider, ...]
    resources: tuple[Resource, ...]
    views: tuple[View, ...]
    dependencies: tuple[Dependency, ...]
    permissions: Permissions


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """audit.json."""

    checks: tuple[CheckResult, ...]


def describe(environment: Environment) -> Description:
    """The descriptive fields, for identity.json."""
    return Description(
        environment_id=environment.environment_id,
        pillar=environment.pillar,
        description=environment.description,
        labels=environment.labels,
        criteria=environment.criteria,
        image=environment.image,
        allowance=environment.allowance,
    )


def content_files(environment: Environment) -> dict[str, File]:
    """Every file but identity.json and audit.json.

    Raises:
        BundleError: the environment's parts do not fit together.
    """
    checked(environment)
    graph = Graph(
        providers=environment.providers,
        resources=environment.resources,
        views=environment.views,
        dependencies=environment.dependencies,
        permissions=environment.permissions,
    )
    files = {
        "task.toml": File(task_toml(environment)),
        "instruction.md": File(environment.instruction.encode()),
        "environment/Dockerfile": File(
            dockerfile(environment.image, environment.core.facts.get(BASE_IMAGE, ""))
        ),
        "environment/requirements.txt": File(requirements_txt(environment.image)),
        CORE: File(records.dump(records.encode(environment.core))),
        GRAPH: File(records.dump(records.encode(graph))),
        LINEAGE: File(records.dump(records.encode(environment.lineage))),
    }
    for field, prefix in _FOLDERS.items():
        tree: Tree = getattr(environment, field)
        files.update({prefix + path: file for path, file in tree.items()})
    return files


def audit_file(environment: Environment) -> File:
    """audit.json; an empty list where no gate has run."""
    return File(records.dump(records.encode(Audit(checks=environment.audit))))


def parse(files: Tree, description: Description) -> Environment:
    """Rebuild the environment from its files.

    Raises:
        BundleError: a file is missing or malformed, or the parts do not fit together.
    """
    graph = _record(Graph, files, GRAPH)
    return checked(
        Environment(
            environment_id=description.environment_id,
            pillar=description.pillar,
            description=description.description,
            labels=description.labels,
            criteria=description.criteria,
            image=description.image,
            allowance=description.allowance,
            instruction=_instruction(files),
            workspace=below(files, _FOLDERS["workspace"]),
            tests=below(files, _FOLDERS["tests"]),
            solution=below(files, _FOLDERS["solution"]),
            user=below(files, _FOLDERS["user"]),
            core=_record(Core, files, CORE),
            lineage=_record(Lineage, files, LINEAGE),
            providers=graph.providers,
            resources=graph.resources,
            views=graph.views,
            dependencies=graph.dependencies,
            served=below(files, _FOLDERS["served"]),
            permissions=graph.permissions,
            audit=_record(Audit, files, AUDIT).checks,
        )
    )


def part(files: Tree, path: str) -> bytes:
    """Content of a file that must be there.

    Raises:
        BundleError: it is not.
    """
    if path not in files:
        msg = f"{path} is missing; this is not a complete environment"
        raise BundleError(msg)
    return files[path].data


def _record(kind: type[T], files: Tree, path: str) -> T:
    return records.decode(kind, records.load(part(files, path), path), path)


def _instruction(files: Tree) -> str:
    try:
        return part(files, "instruction.md").decode()
    except UnicodeDecodeError as error:
        msg = f"instruction.md is not UTF-8: {error}"
        raise BundleError(msg) from error
