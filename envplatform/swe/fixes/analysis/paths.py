"""What a changed file is, by its path and its first lines."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from envplatform.tree import Tree

PathKind = Literal["code", "test", "generated", "excluded", "other"]
"""Only `code` is supervision; `generated` and `excluded` are told apart in `flags`."""

_TEST_FOLDERS = frozenset({"test", "tests", "testing", "unittests", "test_data"})
_TEST_FILE = re.compile(r"(test_.*|.*_tests?|tests?|conftest)\.py")
_VENDORED_FOLDERS = frozenset(
    {
        "_vendor",
        "_vendored",
        "vendor",
        "vendored",
        "vendored_packages",
        "third_party",
        "third-party",
        "thirdparty",
        "node_modules",
        "site-packages",
        "extern",
        "_generated",
        "generated",
    }
)
_GENERATED_FILE = re.compile(r".*_pb2(_grpc)?\.pyi?|.*_pb2_grpc\.py|.*_generated\.py")
_EXCLUDED_FILE = re.compile(
    r"_version\.py|version\.py|__version__\.py|__about__\.py|_about\.py|versioneer\.py"
    r"|.*\.ipynb|.*\.lock|package-lock\.json|pnpm-lock\.yaml|go\.sum"
)
_MIGRATION_FOLDERS = frozenset({"migrations"})
_ALEMBIC = ("alembic", "versions")

_HEADER_BYTES = 2_000
_COMMENT = re.compile(rb"^[ \t]*#(.*)", re.MULTILINE)
_GENERATED_HEADER = re.compile(
    rb"@generated\b|(?<!not )\b(auto[- ]?)?generated (by|from|using|automatically|code)\b"
    rb"|\bthis (file|module|code) (is|was|has been) (auto[- ]?|automatically )generated\b"
    rb"|\bgenerated file\b.{0,60}\bdo not (edit|modify)\b|\bdo not (edit|modify)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SortedPaths:
    """Changed paths by kind, each sorted. `other` holds all that is no Python code."""

    code: tuple[str, ...]
    test: tuple[str, ...]
    generated: tuple[str, ...]
    excluded: tuple[str, ...]
    other: tuple[str, ...]


def sort_paths(buggy: Tree, fixed: Tree) -> SortedPaths:
    """Sort the paths whose files differ by what they are."""
    kinds: dict[PathKind, list[str]] = {
        "code": [],
        "test": [],
        "generated": [],
        "excluded": [],
        "other": [],
    }
    for path in sorted(buggy.keys() | fixed.keys()):
        sides = [tree[path] for tree in (buggy, fixed) if path in tree]
        if buggy.get(path) == fixed.get(path):
            continue
        kind = path_kind(path)
        if kind == "code" and any(has_generated_header(file.data) for file in sides):
            kind = "generated"
        kinds[kind].append(path)
    return SortedPaths(**{kind: tuple(paths) for kind, paths in kinds.items()})


def path_kind(path: str) -> PathKind:
    """Tell what a file is by its path alone. Letters' case does not matter.

    A vendored library's own tests are vendored. Stubs and Cython are `other`: they
    are no input of the Python inducer.
    """
    *folders, name = PurePosixPath(path.lower()).parts
    if _EXCLUDED_FILE.fullmatch(name):
        return "excluded"
    if not name.endswith(".py"):
        return "other"
    if _VENDORED_FOLDERS.intersection(folders) or _GENERATED_FILE.fullmatch(name):
        return "generated"
    if _TEST_FOLDERS.intersection(folders) or _TEST_FILE.fullmatch(name):
        return "test"
    alembic = tuple(folders[-2:]) == _ALEMBIC
    migration = _MIGRATION_FOLDERS.intersection(folders) and name != "__init__.py"
    return "excluded" if alembic or migration else "code"


def has_generated_header(data: bytes) -> bool:
    """Tell whether a comment among the first lines says that a program wrote this."""
    head = data[:_HEADER_BYTES]
    return any(_GENERATED_HEADER.search(text) for text in _COMMENT.findall(head))
