"""A task written by hand: a folder of data, and the environment that it describes.

    seed.toml        facts, resources, views, permissions, criteria, faults
    instruction.md   the goal, as the agent reads it
    served/          what the broker holds
    workspace/       what the agent finds in /workspace
    verifier.py      `grade(final)`: a score from 0 to 1 for every criterion
    rubric.json      what a judge looks for, where code can't tell; may be left out
    oracle.py        solves the task through the command `ws` alone
    user/plan.json   the user inside, where there is one

Verifier and oracle run in sandboxes only. Both find `seedlib.py` beside them.
"""

from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from envplatform.bundle import (
    Allowance,
    Core,
    Environment,
    ImageReference,
    Lineage,
    Permissions,
    Provider,
    Resource,
    View,
)
from envplatform.bundle.environment import (
    Operation,
    ProviderKind,
    ResourceKind,
    ViewKind,
)
from envplatform.errors import BundleError
from envplatform.toml_file import parse_toml
from envplatform.tree import File, below, tree_digest
from envplatform.workspace.fault import Fault, check_faults
from envplatform.workspace.programs import (
    READ_ME,
    frozen_digests,
    grader_files,
    oracle_files,
)

SEED = "seed.toml"
_VERIFIER, _ORACLE, _RUBRIC = "verifier.py", "oracle.py", "rubric.json"
_PARTS = ("served/", "workspace/", "user/")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Provider(_Part):
    name: str
    kind: ProviderKind


class _Resource(_Part):
    name: str
    kind: ResourceKind
    provider: str
    location: str


class _View(_Part):
    name: str
    kind: ViewKind
    source: str = ""
    options: dict[str, Any] = {}
    about: str = ""
    listed: bool = True


class _Permissions(_Part):
    operations: tuple[Operation, ...] = ("list", "read", "search", "query", "act")
    writable_names: tuple[str, ...] = ()


class Seed(_Part):
    """seed.toml."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")
    title: str
    scenario: str
    capabilities: tuple[str, ...]
    license: Literal["Apache-2.0", "CC-BY-4.0", "MIT"]
    criteria: tuple[str, ...] = Field(min_length=1)
    """Besides `reward`, which is their mean."""
    facts: dict[str, str]
    """What the goal rests on, for who reads the core."""
    transformable: tuple[str, ...] = ()
    """Resources that a transformation may show otherwise."""
    provider: tuple[_Provider, ...]
    resource: tuple[_Resource, ...]
    view: tuple[_View, ...]
    permissions: _Permissions = _Permissions()
    fault: tuple[Fault, ...]
    agent_timeout_s: int = 1800


def builtin_seeds() -> tuple[str, ...]:
    """Return the names of the seeds that ship, sorted."""
    return tuple(sorted(entry.name for entry in _folder().iterdir() if entry.is_dir()))


def read_seed(name: str) -> tuple[Seed, dict[str, File]]:
    """Return a seed that ships, and all files of its folder.

    Raises:
        BundleError: there is none of this name.
        ConfigError: its seed.toml is wrong; names the key.
    """
    if name not in builtin_seeds():
        msg = f"there is no seed {name!r}; there are {', '.join(builtin_seeds())}"
        raise BundleError(msg)
    files = dict(_files(_folder() / name, ""))
    seed = parse_toml(Seed, files[SEED].data.decode(), source=f"{name}/{SEED}")
    check_faults(seed.fault, seed.criteria)
    return seed, files


def seed_environment(name: str, image: ImageReference) -> Environment:
    """Return the environment that a seed describes, on `image`.

    Raises:
        BundleError: its parts do not fit together.
        ConfigError: as `read_seed`.
    """
    seed, files = read_seed(name)
    parts = {prefix: below(files, prefix) for prefix in _PARTS}
    graders = {name: files[name] for name in (_VERIFIER, _RUBRIC) if name in files}
    tests = grader_files(graders, seed.criteria)
    goal = files["instruction.md"].data.decode()
    workspace = {"README.md": File(READ_ME), **parts["workspace/"]}
    return Environment(
        environment_id=f"seed.{name}",
        pillar="res",
        instruction=goal,
        workspace=workspace,
        tests=tests,
        solution=oracle_files({_ORACLE: files[_ORACLE]}),
        image=image,
        core=Core(
            goal=goal,
            facts=seed.facts,
            grader_digest=tree_digest(tests),
            observables=("file:/logs/ws/**", "file:/workspace/**"),
            frozen=frozen_digests(seed.resource, parts["served/"]),
            transformable=tuple(sorted(seed.transformable)),
        ),
        lineage=Lineage(producer="hand", seed=0, origin={"seed": name}),
        criteria=("reward", *seed.criteria),
        description=seed.title,
        labels={"license": seed.license, "scenario": seed.scenario},
        allowance=Allowance(agent_timeout_s=seed.agent_timeout_s),
        permissions=Permissions(
            operations=seed.permissions.operations,
            writable_names=seed.permissions.writable_names,
        ),
        providers=tuple(Provider(**one.model_dump()) for one in seed.provider),
        resources=tuple(Resource(**one.model_dump()) for one in seed.resource),
        views=tuple(View(**one.model_dump()) for one in seed.view),
        served=parts["served/"],
        user=parts["user/"],
    )


def _folder() -> Traversable:
    return resources.files("envplatform") / "data" / "seeds"


def _files(folder: Traversable, prefix: str) -> list[tuple[str, File]]:
    found: list[tuple[str, File]] = []
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.name == "__pycache__":
            continue
        path = f"{prefix}{entry.name}"
        if entry.is_dir():
            found += _files(entry, f"{path}/")
        else:
            found.append((path, File(entry.read_bytes())))
    return found
