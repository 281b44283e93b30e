"""Requirements that a repository declares: those of its code, and named groups of them.

Read from pyproject.toml (also Poetry's tables), setup.cfg, setup.py and PKG-INFO.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from envplatform.swe.targets.drafting.metadata_file import PLACE, BuiltMetadata
from envplatform.swe.targets.drafting.reading import (
    Table,
    as_lines,
    as_text,
    as_texts,
    table,
    table_text,
)

_ANY_GROUP_DEPTH = 8
_Group = tuple[str, str, tuple[str, ...]]
"""Name of a group, where it stands, and its requirements."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A requirement as it is written, and where it stands."""

    requirement: str
    where: str


def caret_free(text: str) -> str:
    """Turn Poetry's `^1.2` and `~1.2` into what every tool reads."""
    pieces = (piece.strip() for piece in text.split(","))
    plain = (_plain(piece) for piece in pieces if piece not in {"", "*"})
    return ",".join(plain)


def _plain(piece: str) -> str:
    version = piece[1:].strip()
    steps = version.split(".")
    if piece[0] == "^":
        # What may change is all below the first step that is not zero.
        at = next((n for n, step in enumerate(steps) if step != "0"), len(steps) - 1)
        above = [*steps[:at], str(int(steps[at]) + 1)] if steps[at].isdigit() else []
        return f">={version}" + (f",<{'.'.join(above)}" if above else "")
    if piece[0] == "~" and not piece.startswith("~="):
        # `~1` lets the second step change, `~1.2` and `~1.2.3` the third.
        zeros = {1: ".0", 2: ".0"}.get(len(steps), "")
        return f"~={version}{zeros}"
    return f"=={piece}" if piece[0].isdigit() else piece


def declared_runtime(
    project: Table,
    config: Mapping[str, Mapping[str, str]],
    script: Table,
    built: BuiltMetadata,
) -> tuple[Asked, ...]:
    """What the code needs, from the first place that names anything."""
    modern = "pyproject.toml [project] dependencies"
    poetry = "pyproject.toml [tool.poetry.dependencies]"
    for where, found in (
        (modern, as_texts(table(project, "project").get("dependencies"))),
        (poetry, _poetry(table(project, "tool", "poetry", "dependencies"))),
        (
            "setup.cfg install_requires",
            as_lines(table_text(config, "options", "install_requires")),
        ),
        ("setup.py install_requires", as_texts(script.get("install_requires"))),
        (PLACE, built.runtime),
    ):
        if found:
            return tuple(Asked(requirement=one, where=where) for one in found)
    return ()


def _poetry(declared: Table) -> tuple[str, ...]:
    """Poetry's tables as requirements; optional ones and those without index are left."""
    found = []
    for name, said in declared.items():
        version = said if isinstance(said, str) else table(said).get("version")
        if (
            name == "python"
            or not isinstance(version, str)
            or table(said).get("optional")
        ):
            continue
        extras = ",".join(as_texts(table(said).get("extras")))
        markers = as_text(table(said).get("markers"))
        found.append(
            f"{name}{f'[{extras}]' if extras else ''}{caret_free(version)}"
            + (f"; {markers}" if markers else "")
        )
    return tuple(found)


def declared_groups(
    project: Table,
    config: Mapping[str, Mapping[str, str]],
    script: Table,
    built: BuiltMetadata,
) -> dict[str, tuple[Asked, ...]]:
    """Extras, dependency groups and what tests need, by name, in their order.

    PKG-INFO repeats what the other files say, so it is heard for other names only.
    """
    found: dict[str, list[Asked]] = {}
    for name, where, items in (*_in_project(project), *_in_setup(config, script)):
        asked = (Asked(requirement=one, where=where) for one in items)
        found.setdefault(name, []).extend(asked)
    named = {name for name, items in found.items() if items}
    for name, item in built.extras:
        if name not in named:
            asked_one = Asked(requirement=item, where=f"{PLACE} extra {name}")
            found.setdefault(name, []).append(asked_one)
    return {name: tuple(items) for name, items in found.items() if items}


def _in_project(project: Table) -> Iterator[_Group]:
    """Groups in pyproject.toml."""
    groups = table(project, "dependency-groups")
    for name in groups:
        where = f"pyproject.toml [dependency-groups] {name}"
        yield name, where, tuple(_grouped(groups, name))
    own = as_text(table(project, "project").get("name")).lower()
    extras = table(project, "project", "optional-dependencies")
    for name in extras:
        where = f"pyproject.toml [project.optional-dependencies] {name}"
        yield name, where, tuple(_extra(extras, own, name))
    poetry = table(project, "tool", "poetry", "group")
    for name in poetry:
        where = f"pyproject.toml [tool.poetry.group.{name}]"
        yield name, where, _poetry(table(poetry, name, "dependencies"))
    old = table(project, "tool", "poetry", "dev-dependencies")
    yield "dev", "pyproject.toml [tool.poetry.dev-dependencies]", _poetry(old)


def _in_setup(
    config: Mapping[str, Mapping[str, str]], script: Table
) -> Iterator[_Group]:
    """Groups in setup.cfg and setup.py."""
    for name in table(config, "options.extras_require"):
        lines = as_lines(table_text(config, "options.extras_require", name))
        yield name, f"setup.cfg extras {name}", lines
    for name, said in table(script, "extras_require").items():
        yield name, f"setup.py extras {name}", as_texts(said)
    needed = as_texts(script.get("tests_require"))
    yield "tests", "setup.py tests_require", needed
    lines = as_lines(table_text(config, "options", "tests_require"))
    yield "tests", "setup.cfg tests_require", lines


def _grouped(groups: Table, name: str, depth: int = 0) -> Iterator[str]:
    """Requirements of a dependency group, those of the groups that it includes too."""
    items = groups.get(name)
    for item in items if isinstance(items, (list, tuple)) else ():
        if isinstance(item, str):
            yield item
        elif depth < _ANY_GROUP_DEPTH and isinstance(item, Mapping):
            yield from _grouped(groups, as_text(item.get("include-group")), depth + 1)


def _extra(extras: Table, own: str, name: str, depth: int = 0) -> Iterator[str]:
    """Requirements of an extra; `own[other]` stands for those of another."""
    for item in as_texts(extras.get(name)):
        head, bracket, rest = item.partition("[")
        if bracket and head.strip().lower() == own and depth < _ANY_GROUP_DEPTH:
            for other in rest.partition("]")[0].split(","):
                yield from _extra(extras, own, other.strip(), depth + 1)
        else:
            yield item
