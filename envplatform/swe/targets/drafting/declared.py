"""What a repository says of itself: pyproject.toml, setup.cfg, setup.py, pytest's files.

What they leave to a build is taken from the PKG-INFO of an sdist, where there is one.

All of it is a stranger's text: what does not parse, or has another type than it should
have, is as if it were not there.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from envplatform.swe.targets.drafting.declared_needs import (
    Asked,
    caret_free,
    declared_groups,
    declared_runtime,
)
from envplatform.swe.targets.drafting.metadata_file import (
    PLACE,
    BuiltMetadata,
    built_metadata,
)
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
_ONE_LINE = re.compile(r"[^\x00-\x1f\[\]]{1,200}")
"""What a target.toml takes for a group, a name or a place of entry points."""


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
    """Read all of it; of pyproject.toml, setup.cfg, setup.py, PKG-INFO the first wins."""
    project = toml_of(tree, "pyproject.toml")
    config = ini_of(tree, "setup.cfg")
    script = setup_arguments(text_of(tree, "setup.py"))
    built = built_metadata(tree)
    pytest, where = _pytest(tree, project)
    return Declared(
        name=_name(project, config, script, built),
        version=_version(project, config, script, built),
        entry_points=_entry_points(project),
        licence=_licence(project, config, script),
        requires_python=_requires_python(project, config, script, built),
        classifiers=_classifiers(project, config, script),
        urls=_urls(project, config, script),
        runtime=declared_runtime(project, config, script, built),
        groups=declared_groups(project, config, script, built),
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
    project: Table,
    config: Mapping[str, Mapping[str, str]],
    script: Table,
    built: BuiltMetadata,
) -> Said | None:
    return _first(
        (as_text(table(project, "project").get("name")), "pyproject.toml"),
        (as_text(table(project, "tool", "poetry").get("name")), "pyproject.toml"),
        (as_text(table(config, "metadata").get("name")), "setup.cfg"),
        (as_text(script.get("name")), "setup.py"),
        (built.name, PLACE),
    )


def _version(
    project: Table,
    config: Mapping[str, Mapping[str, str]],
    script: Table,
    built: BuiltMetadata,
) -> Said | None:
    """A version that stands there as it is; not one that is read from elsewhere."""
    from_config = table_text(config, "metadata", "version")
    return _first(
        (as_text(table(project, "project").get("version")), "pyproject.toml"),
        (as_text(table(project, "tool", "poetry").get("version")), "pyproject.toml"),
        ("" if ":" in from_config else from_config, "setup.cfg"),
        (as_text(script.get("version")), "setup.py"),
        (built.version, PLACE),
    )


def _entry_points(project: Table) -> dict[str, dict[str, str]]:
    declared = {
        "console_scripts": table(project, "project", "scripts"),
        "gui_scripts": table(project, "project", "gui-scripts"),
    }
    others = table(project, "project", "entry-points")
    declared |= {group: table(others, group) for group in others}
    found = {
        group: dict(_points(points))
        for group, points in declared.items()
        if _ONE_LINE.fullmatch(group)
    }
    return {group: points for group, points in found.items() if points}


def _points(points: Table) -> Iterator[tuple[str, str]]:
    """Entry points of one group, without the extras that they ask for."""
    for name, said in points.items():
        place = re.sub(r"\s*\[[\w\s,.-]*\]$", "", as_text(said))
        if _ONE_LINE.fullmatch(name) and _ONE_LINE.fullmatch(place):
            yield name, place


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
    project: Table,
    config: Mapping[str, Mapping[str, str]],
    script: Table,
    built: BuiltMetadata,
) -> Said | None:
    poetry = table(project, "tool", "poetry", "dependencies").get("python")
    return _first(
        (as_text(table(project, "project").get("requires-python")), "pyproject.toml"),
        (caret_free(as_text(poetry)), "pyproject.toml"),
        (as_text(table(config, "options").get("python_requires")), "setup.cfg"),
        (as_text(script.get("python_requires")), "setup.py"),
        (built.requires_python, PLACE),
    )


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
