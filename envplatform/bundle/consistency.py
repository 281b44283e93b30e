"""What must hold between the parts of an environment. Pure: touches no disk, runs nothing."""

import re
from types import MappingProxyType

from envplatform.bundle.environment import (
    BASE_IMAGE,
    SOLVE_SCRIPT,
    TEST_SCRIPT,
    Environment,
    ImageReference,
    Provider,
    Resource,
    View,
)
from envplatform.bundle.repository import check_repository
from envplatform.errors import BundleError
from envplatform.tree import Tree, TreeError, checked_path, tree_digest

_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_LABEL = re.compile(r"[a-z][a-z0-9_]{0,63}")
_IMAGE_PARTS = MappingProxyType(
    {
        "name": re.compile(r"[a-z0-9_.-]+"),
        "python": re.compile(r"[0-9]+\.[0-9]+"),
        "digest": re.compile(r"[0-9a-f]{64}"),
    }
)
_BASE = re.compile(r"[A-Za-z0-9][A-Za-z0-9./:@_-]{0,255}")
_PIN = re.compile(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+_-]+")
_TAKEN_IN_TESTS = frozenset({"Dockerfile", "docker-compose.yaml", "test.bat"})
"""Names at the top of tests/ that would make Harbor build or run something else."""


def checked(environment: Environment) -> Environment:
    """Return `environment` if its parts fit together.

    Raises:
        BundleError: names the field and what is wrong with it.
    """
    _check_names(environment)
    _check_image(environment.image)
    base = environment.core.facts.get(BASE_IMAGE)
    named = base is None or bool(_BASE.fullmatch(base))
    _require(f"core.facts.{BASE_IMAGE}", named, f"is odd: {base!r}")
    for name in ("workspace", "tests", "solution", "served", "user"):
        _check_tree(name, getattr(environment, name))
    _require("workspace", bool(environment.workspace), "must not be empty")
    check_repository(environment.workspace)
    _require("tests", TEST_SCRIPT in environment.tests, f"lacks {TEST_SCRIPT}")
    taken = _TAKEN_IN_TESTS.intersection(environment.tests)
    _require("tests", not taken, f"may not hold {sorted(taken)}")
    _require("solution", SOLVE_SCRIPT in environment.solution, f"lacks {SOLVE_SCRIPT}")
    _require("instruction", bool(environment.instruction.strip()), "must not be empty")
    _require("criteria", "reward" in environment.criteria, "lack 'reward'")
    _check_graph(environment)
    grader = tree_digest(environment.tests)
    _require(
        "core.grader_digest",
        environment.core.grader_digest == grader,
        f"is not the digest of the tests, {grader}",
    )
    return environment


def _check_names(environment: Environment) -> None:
    identifier = environment.environment_id
    _require(
        "environment_id",
        bool(_IDENTIFIER.fullmatch(identifier)) and ".." not in identifier,
        "may hold letters, digits, '.', '_', '-' only, no '..', up to 200 characters",
    )
    for label in environment.labels:
        _require(
            "labels", bool(_LABEL.fullmatch(label)), f"hold the odd name {label!r}"
        )
    for text in (environment.description, *environment.labels.values()):
        _require("description and labels", _utf8(text), f"hold {text!r}, not UTF-8")
    _require("instruction", _utf8(environment.instruction), "is not UTF-8")


def _check_graph(environment: Environment) -> None:
    graph = (environment.providers, environment.resources, environment.views)
    providers, resources, views = (_unique_names(part) for part in graph)
    for resource in environment.resources:
        known = resource.provider in providers
        _require(f"resource {resource.name}", known, "names no provider")
    for view in environment.views:
        known = not view.source or view.source in resources
        _require(f"view {view.name}", known, f"shows no resource: {view.source!r}")
    for edge in environment.dependencies:
        known = {edge.view, edge.needs} <= views
        _require("dependencies", known, f"hold {edge.view!r} -> {edge.needs!r}")
    answered = bool(environment.user) or "say" not in environment.permissions.operations
    _require("permissions", answered, "hold 'say', but there is no user to answer")


def _unique_names(
    entries: tuple[Provider, ...] | tuple[Resource, ...] | tuple[View, ...],
) -> frozenset[str]:
    names = [entry.name for entry in entries]
    twice = next((name for name in names if names.count(name) > 1), "")
    _require("env.json", not twice, f"holds {twice!r} twice")
    return frozenset(names)


def _check_image(image: ImageReference) -> None:
    # These end up in a Dockerfile: a line break in one would be an instruction.
    for name, pattern in _IMAGE_PARTS.items():
        value = getattr(image, name)
        _require(f"image.{name}", bool(pattern.fullmatch(value)), f"is odd: {value!r}")
    for pin in image.requirements:
        _require("image.requirements", bool(_PIN.fullmatch(pin)), f"hold {pin!r}")


def _check_tree(name: str, tree: Tree) -> None:
    for path in tree:
        try:
            parts = checked_path(path).split("/")
        except TreeError as error:
            msg = f"{name}: {error}"
            raise BundleError(msg) from error
        folders = ("/".join(parts[:depth]) for depth in range(1, len(parts)))
        clash = next((folder for folder in folders if folder in tree), None)
        _require(name, clash is None, f"holds {clash!r} as a file and as a folder")


def _require(where: str, holds: bool, what: str) -> None:  # noqa: FBT001  reads as an assertion
    if not holds:
        msg = f"{where} {what}"
        raise BundleError(msg)


def _utf8(text: str) -> bool:
    return text.encode("utf-8", "replace") == text.encode("utf-8", "surrogatepass")
