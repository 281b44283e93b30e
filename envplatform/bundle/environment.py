"""What an environment is, as a value; the one noun all pillars meet in.

Here: the fields. Not here: what must hold between them (`consistency`), files
(`layout`, `disk`), digests (`digest`), running anything (`grading`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from envplatform.bundle.audit import CheckResult
from envplatform.tree import Tree

Pillar = Literal["swe", "res", "cowork"]
ResourceKind = Literal["content", "key", "state", "schema"]
ProviderKind = Literal["file", "sqlite", "http", "git"]
ViewKind = Literal[
    "content",
    "folder",
    "page",
    "lookup",
    "gate",
    "job",
    "transition",
    "index",
    "version",
    "table",
    "service",
    "history",
]
"""What `ws` can serve; what each does, and its options, stand there."""
DependencyKind = Literal["cursor", "handle", "job", "key", "schema", "version"]
Operation = Literal[
    "list", "read", "search", "query", "act", "call", "write", "edit", "delete", "say"
]

TEST_SCRIPT = "test.sh"
SOLVE_SCRIPT = "solve.sh"
BASE_IMAGE = "base_image"
"""The fact that says what the image stands upon where that is no plain Python: what
`FROM` takes, by digest where a registry has it, else a name that one engine knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageReference:
    """Which image the environment starts from; resolved by who runs it."""

    name: str
    python: str
    """Minor version, `3.11`."""
    requirements: tuple[str, ...]
    """Exact pins, `name==version`, sorted."""
    digest: str
    """SHA-256 (hex) of the image's content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What agent and verifier may use, each. The network is never part of it."""

    agent_timeout_s: int = 1800
    verifier_timeout_s: int = 600
    cpus: int = 1
    memory_mb: int = 2048
    disk_mb: int = 1024
    processes: int = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """What the agent may touch; the broker and the harness enforce it."""

    tools: tuple[str, ...] = ("shell",)
    writable: tuple[str, ...] = ("/workspace", "/tmp")  # noqa: S108  inside the sandbox
    network: Literal["none"] = "none"
    operations: tuple[Operation, ...] = ("list", "read", "search", "query", "act")
    """What it may ask the broker for."""
    writable_names: tuple[str, ...] = ()
    """Names of views that it may change; one that ends in a slash means all below."""
    calls: int = 100_000
    """Requests to the broker in one session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One thing the task is about, held by a provider."""

    name: str
    kind: ResourceKind
    provider: str
    location: str
    """Where the provider keeps it; a path for `file`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One public name, what it shows and how; served by `ws`."""

    name: str
    kind: ViewKind
    source: str = ""
    """Name of the resource that it shows; empty for kinds that need none."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """By kind; JSON values."""
    about: str = ""
    """Told to the agent."""
    listed: bool = True
    """Whether `list` tells of it; other names must be known to be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    """One view can only be used with what another one tells."""

    view: str
    needs: str
    kind: DependencyKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """What holds resources."""

    name: str
    kind: ProviderKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """What no transformation of the environment may change."""

    goal: str
    facts: Mapping[str, str]
    """What the goal rests on, by name: commit, counts of tests, source record."""
    grader_digest: str
    """`tree_digest` of the tests."""
    observables: tuple[str, ...]
    """What the grader reads, `file:/workspace/**`. Sorted."""
    frozen: Mapping[str, str]
    """Name of a resource to the digest it must keep."""
    transformable: tuple[str, ...] = ()
    """Names of resources that a transformation may re-present. Sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What making the environment cost. Outside its identity."""

    tokens: int = 0
    seconds: float = 0.0
    usd: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """Where the environment comes from. All but `spent` is part of its identity."""

    producer: str
    """Inducer, proposer or family that made it."""
    seed: int
    parent: str | None = None
    """Digest of the environment it was derived from."""
    origin: Mapping[str, str] = field(default_factory=dict)
    """Ids of source records: repository, commit, candidate."""
    plan: tuple[str, ...] = ()
    """Operators in the order they were applied."""
    bindings: Mapping[str, str] = field(default_factory=dict)
    model: str | None = None
    spent: Spending = Spending()


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """One executable task with its verifier and its proof of solvability."""

    environment_id: str
    """Safe as a file name."""
    pillar: Pillar
    instruction: str
    """The goal as the agent reads it."""
    workspace: Tree
    """Initial content of /workspace. Never empty. With `.git` or without; one that
    `repository` would not make of the other files is refused.
    """
    tests: Tree
    """Content of /tests while grading; holds `test.sh`. Never shown to the agent."""
    solution: Tree
    """Content of /solution for the oracle; holds `solve.sh`. Never shown to the agent."""
    image: ImageReference
    core: Core
    lineage: Lineage
    criteria: tuple[str, ...] = ("reward",)
    """Keys that reward.json must have, each 0..1; `reward` is always one of them."""
    description: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Shown in task.toml's metadata; must not give the answer away."""
    allowance: Allowance = Allowance()
    permissions: Permissions = Permissions()
    providers: tuple[Provider, ...] = ()
    resources: tuple[Resource, ...] = ()
    views: tuple[View, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    served: Tree = field(default_factory=dict)
    """What the broker holds at the beginning. The agent reaches it by views only."""
    user: Tree = field(default_factory=dict)
    """The user policy's files (.envp/user). Empty where no user takes part."""
    audit: tuple[CheckResult, ...] = ()
    """The gate's verdicts. Outside the identity; empty where no gate has run."""
