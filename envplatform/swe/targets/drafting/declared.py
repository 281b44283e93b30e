"""What a repository says of itself: pyproject.toml, setup.cfg, setup.py, pytest's files.

All of it is a stranger's text: what does not parse, or has another type than it should
have, is as if it were not there.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from envplatform.swe.targets.drafting.reading import (
    Table,
    as_lines,
    as_text,
    as_texts,
    ini_of,
    table,
    table_text,
    text_of,
    toml_of,
)
from envplatform.swe.targets.drafting.setup_file import setup_arguments
from envplatform.tree import Tree

_PYTEST_PLACES = (
    ("pytest.ini", "pytest"),
    (".pytest.ini", "pytest"),
    ("tox.ini", "pytest"),
    ("setup.cfg", "tool:pytest"),
)
_ANY_GROUP_DEPTH = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A requirement as it is written, and where it stands."""

    requirement: str
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A value and where it stands."""

    value: str
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """The facts of one repository; None or empty where it is silent."""

    name: Said | None = None
    version: Said | None = None
    entry_points: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By group and name."""
    licence: Said | None = None
    requires_python: Said | None = None
    classifiers: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    runtime: tuple[Asked, ...] = ()
    groups: Mapping[str, tuple[Asked, ...]] = field(default_factory=dict)
    """Extras and dependency groups by name, in their order."""
    source_folder: str = ""
    """Folder that packages are imported from, where one is named."""
    written_at_build: tuple[str, ...] = ()
    """Files that a build writes and a checkout lacks."""
    pytest: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Settings of pytest as lists of words."""
    pytest_where: str = ""


def read_declared(tree: Tree) -> Declared:
    """Read all of it; the first of pyproject.toml, setup.cfg, setup.py to say wins."""
    project = toml_of(tree, "pyproject.toml")
    config = ini_of(tree, "setup.cfg")
    script = setup_arguments(text_of(tree, "setup.py"))
    pytest, where = _pytest(tree, project)
    return Declared(
        name=_name(project, config, script),
        version=_version(project, config, script),
        entry_points=_entry_points(project),
        licence=_licence(project, config, script),
        requires_python=_requires_python(project, config, script),
        classifiers=_classifiers(project, config, script),
        urls=_urls(project, config, script),
        runtime=_runtime(project, config, script),
        groups=_groups(project, config, script),
        source_folder=_source_folder(project, config, script),
        written_at_build=tuple(_written_at_build(project, tree)),
        pytest=pytest,
        pytest_where=where,
    )


def _first(*said: tuple[str, str]) -> Said | None:
    return next(
        (Said(value=value, where=where) for value, where in said if value), None
    )


def _name(
    project: Table, config: Mapping[str, Mapping[str, str]], script: Table
) -> Said | None:
    return _first(
        (as_text(table(project, "project").get("name")), "pyproject.toml"),
        (as_text(table(project, "tool", "poetry").get("name")), "pyproject.toml"),
        (as_text(table(config, "metadata").get("name")), "setup.cfg"),
        (as_text(script.get("name")), "setup.py"),
    )


def _version(
    project: Table, config: Mapping[str, Mapping[str, str]], script: Table
) -> Said | None:
    """A version that stands there as it is; not one that is read from elsewhere."""
    from_config = table_text(config, "metadata", "version")
    return _first(
        (as_text(table(project, "project").get("version")), "pyproject.toml"),
        (as_text(table(project, "tool", "poetry").get("version")), "pyproject.toml"),
        ("" if ":" in from_config else from_config, "setup.cfg"),
        (as_text(script.get("version")), "setup.py"),
    )


def _entry_points(project: Table) -> dict[str, dict[str, str]]:
    declared = {
        "console_scripts": table(project, "project", "scripts"),
        "gui_scripts": table(project, "project", "gui-scripts"),
    }
    others = table(project, "project", "entry-points")
    declared |= {group: table(others, group) for group in others}
    found = {
        group: {name: text for name, said in points.items() if (text := as_text(said))}
        for group, points in declared.items()
    }
    return {group: points for group, points in found.items() if points}


def _licence(
    project: Table, config: Mapping[str, Mapping[str, str]], script: Table
) -> Said | None:
    declared = table(project, "project").get("license")
    text = table(project, "project", "license").get("text")
    return _first(
        (as_text(declared), "pyproject.toml"),
        (as_text(text), "pyproject.toml"),
        (as_text(table(project, "tool", "poetry").get("license")), "pyproject.toml"),
        (as_text(table(config, "metadata").get("license")), "setup.cfg"),
        (as_text(script.get("license")), "setup.py"),
    )


def _requires_python(
    project: Table, config: Mapping[str, Mapping[str, str]], script: Table
) -> Said | None:
    poetry = table(project, "tool", "poetry", "dependencies").get("python")
    return _first(
        (as_text(table(project, "project").get("requires-python")), "pyproject.toml"),
        (caret_free(as_text(poetry)), "pyproject.toml"),
        (as_text(table(config, "options").get("python_requires")), "setup.cfg"),
        (as_text(script.get("python_requires")), "setup.py"),
    )


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


def _classifiers(
    project: Table, config: Mapping[str, Mapping[str, str]], script: Table
) -> tuple[str, ...]:
    return (
        *as_texts(table(project, "project").get("classifiers")),
        *as_texts(table(project, "tool", "poetry").get("classifiers")),
        *as_lines(table_text(config, "metadata", "classifiers")),
        *as_lines(table_text(config, "metadata", "classifier")),
        *as_texts(script.get("classifiers")),
    )


def _urls(
    project: Table, config: Mapping[str, Mapping[str, str]], script: Table
) -> tuple[str, ...]:
    named = [*table(project, "project", "urls").values()]
    poetry = table(project, "tool", "poetry")
    named += [poetry.get("repository"), poetry.get("homepage")]
    named += [table_text(config, "metadata", "url"), script.get("url")]
    return tuple(filter(None, map(as_text, named)))


def _runtime(
    project: Table, config: Mapping[str, Mapping[str, str]], script: Table
) -> tuple[Asked, ...]:
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


def _groups(
    project: Table, config: Mapping[str, Mapping[str, str]], script: Table
) -> dict[str, tuple[Asked, ...]]:
    found: dict[str, list[Asked]] = {}
    own = as_text(table(project, "project").get("name")).lower()

    def add(name: str, where: str, items: tuple[str, ...]) -> None:
        found.setdefault(name, []).extend(
            Asked(requirement=i, where=where) for i in items
        )

    groups = table(project, "dependency-groups")
    for name in groups:
        add(
            name,
            f"pyproject.toml [dependency-groups] {name}",
            tuple(_grouped(groups, name)),
        )
    extras = table(project, "project", "optional-dependencies")
    for name in extras:
        items = tuple(_extra(extras, own, name))
        add(name, f"pyproject.toml [project.optional-dependencies] {name}", items)
    poetry = table(project, "tool", "poetry", "group")
    for name in poetry:
        add(
            name,
            f"pyproject.toml [tool.poetry.group.{name}]",
            _poetry(table(poetry, name, "dependencies")),
        )
    old = table(project, "tool", "poetry", "dev-dependencies")
    add("dev", "pyproject.toml [tool.poetry.dev-dependencies]", _poetry(old))
    for name in table(config, "options.extras_require"):
        add(
            name,
            f"setup.cfg extras {name}",
            as_lines(table_text(config, "options.extras_require", name)),
        )
    for name, said in table(script, "extras_require").items():
        add(name, f"setup.py extras {name}", as_texts(said))
    add("tests", "setup.py tests_require", as_texts(script.get("tests_require")))
    add(
        "tests",
        "setup.cfg tests_require",
        as_lines(table_text(config, "options", "tests_require")),
    )
    return {name: tuple(items) for name, items in found.items() if items}


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


def _source_folder(
    project: Table, config: Mapping[str, Mapping[str, str]], script: Table
) -> str:
    setuptools = table(project, "tool", "setuptools")
    where = as_texts(table(setuptools, "packages", "find").get("where"))
    lines = as_lines(table_text(config, "options", "package_dir"))
    from_config = next(
        (line.lstrip("= ") for line in lines if line.startswith("=")), ""
    )
    said = (
        as_text(table(setuptools, "package-dir").get("")),
        where[0] if where else "",
        from_config,
        as_text(table(script, "package_dir").get("")),
    )
    folder = next(filter(None, said), "").strip("/")
    return "" if folder in {".", ".."} or folder.startswith("../") else folder


def _written_at_build(project: Table, tree: Tree) -> Iterator[str]:
    scm = table(project, "tool", "setuptools_scm")
    hatch = table(project, "tool", "hatch", "build", "hooks", "vcs")
    for said in (
        scm.get("write_to"),
        scm.get("version_file"),
        hatch.get("version-file"),
    ):
        path = as_text(said)
        if path and path not in tree:
            yield path


def _pytest(tree: Tree, project: Table) -> tuple[dict[str, tuple[str, ...]], str]:
    """Settings as pytest finds them: its own files first."""
    for path, section in _PYTEST_PLACES[:2]:
        if path in tree:
            return _words(table(ini_of(tree, path), section)), path
    pytest = table(project, "tool", "pytest")
    options = table(pytest, "ini_options") or pytest
    if options:
        return _words(options), "pyproject.toml"
    for path, section in _PYTEST_PLACES[2:]:
        found = table(ini_of(tree, path), section)
        if found:
            return _words(found), path
    return {}, ""


def _words(options: Table) -> dict[str, tuple[str, ...]]:
    return {
        key: tuple(value.split()) if isinstance(value, str) else as_texts(value)
        for key, value in options.items()
        if isinstance(value, (str, list, tuple))
    }
