"""What a suite needs beside its own code: what is declared, and what is imported."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from packaging.utils import canonicalize_name

from envplatform.swe.targets.drafting.declared import Declared
from envplatform.swe.targets.drafting.declared_needs import Asked
from envplatform.swe.targets.drafting.imports import (
    distribution_of,
    foreign,
    imported_by,
    plugins_used,
)
from envplatform.swe.targets.drafting.requirement_files import (
    development_files,
    runtime_files,
    test_files,
    tox_requirements,
)
from envplatform.swe.targets.drafting.resolve import plain_name
from envplatform.tree import Tree

_TESTS = re.compile(r"(unit[-_]?)?(tests?|testing)([-_](deps|requirements|require))?")
_DEVELOPMENT = re.compile(r"dev(el|elop|elopment)?([-_](deps|requirements))?")
_BASE = ("pytest", "coverage")


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """Requirements, the most certain first, and what is no requirement."""

    asked: tuple[Asked, ...]
    refused: tuple[str, ...]
    """Sentences for a person."""


def needs_of(
    tree: Tree, declared: Declared, tests: Iterable[str], code: Iterable[str]
) -> Needs:
    """Gather what `tests` and `code`, which are paths of files, need to run."""
    tests, code = list(tests), list(code)
    runtime = declared.runtime or runtime_files(tree)
    testing = _testing(tree, declared)
    imported = {**imported_by(tree, code), **imported_by(tree, tests)}
    theirs = {name: imported[name] for name in foreign(imported, tree, [*tests, *code])}
    if not testing:
        testing = tuple(_useful(_development(tree, declared), theirs))
    plain, refused = _sorted_out([*runtime, *testing], declared)
    names = {plain_name(one.requirement) for one in plain}
    base = [Asked(requirement=n, where="every suite") for n in _BASE if n not in names]
    extra = _extra(tree, tests, theirs, names)
    return Needs(asked=(*base, *plain, *extra), refused=refused)


def _testing(tree: Tree, declared: Declared) -> tuple[Asked, ...]:
    """Declared groups, else files, else tox."""
    found = _groups(declared, _TESTS)
    return found or test_files(tree) or tox_requirements(tree)


def _development(tree: Tree, declared: Declared) -> tuple[Asked, ...]:
    return _groups(declared, _DEVELOPMENT) + development_files(tree)


def _groups(declared: Declared, pattern: re.Pattern[str]) -> tuple[Asked, ...]:
    return tuple(
        one
        for name, items in declared.groups.items()
        if pattern.fullmatch(name.lower())
        for one in items
    )


def _useful(asked: Iterable[Asked], imported: Iterable[str]) -> Iterator[Asked]:
    """Of what is for development: plugins of pytest, and what is imported."""
    used = {canonicalize_name(distribution_of(name)) for name in imported}
    for one in asked:
        name = plain_name(one.requirement)
        if name and (name.startswith("pytest") or name == "hypothesis" or name in used):
            yield one


def _sorted_out(
    asked: Sequence[Asked], declared: Declared
) -> tuple[list[Asked], tuple[str, ...]]:
    own = canonicalize_name(declared.name.value) if declared.name else None
    plain: dict[str, Asked] = {}
    refused: list[str] = []
    for one in asked:
        name = plain_name(one.requirement)
        if name is None:
            refused.append(
                f"{one.requirement!r} ({one.where}) is no plain requirement, and is "
                "left out"
            )
        elif name != own:
            plain.setdefault(one.requirement, one)
    return list(plain.values()), tuple(dict.fromkeys(refused))


def _extra(
    tree: Tree, tests: Iterable[str], imported: dict[str, str], known: set[str | None]
) -> Iterator[Asked]:
    """What nobody declared and tests or code use all the same."""
    used = {
        plugin: f"a fixture or mark in {p}"
        for plugin, p in plugins_used(tree, tests).items()
    }
    used |= {distribution_of(n): f"imported in {p}" for n, p in imported.items()}
    for name in sorted(used):
        if canonicalize_name(name) not in known:
            yield Asked(requirement=name, where=used[name])
