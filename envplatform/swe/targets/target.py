"""A target repository as a value: where it comes from and how its suite is run.

Reading `target.toml` is `targetfile.py`; fetching and building is `prepare.py`.
"""

import fnmatch
import itertools
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal

from envplatform.swe.targets.surroundings import ImageSource, Service
from envplatform.tree import Tree

STEERING_FILES = frozenset(
    {
        "conftest.py",
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        ".pytest.toml",
        "tox.ini",
        "setup.cfg",
        "pyproject.toml",
        "sitecustomize.py",
        "usercustomize.py",
    }
)
"""Names of files that decide what tests do; a bug that lies there proves nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SdistSource:
    """One release on a package index, taken as a file and never built."""

    package: str
    version: str
    sha256: str
    """Hex digest of the archive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSource:
    """A folder on this machine."""

    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class GitSource:
    """A repository at one commit; its files are read, never checked out."""

    url: str = field(repr=False)
    """URL or absolute path, as git gets it. May hold credentials: not for messages."""
    commit: str
    """Full id, in hexadecimal digits."""


Source = SdistSource | FolderSource | GitSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """How the tests are run and what they may use."""

    directory: str = "."
    """Folder that the tests are run in, relative to the tree: a package of a monorepo.
    All other paths, and test ids, start at the tree nevertheless.
    """
    paths: tuple[str, ...] = (".",)
    """Files and folders handed to pytest, relative to the tree."""
    args: tuple[str, ...] = ()
    """Further options of pytest; the repository's own `addopts` are not used."""
    pythonpath: tuple[str, ...] = (".",)
    """Folders that code is imported from, relative to the tree."""
    results: Literal["pytest", "junit"] = "pytest"
    """Our plugin in pytest, or a report that `command` writes."""
    command: tuple[str, ...] = ()
    """Runs the suite, in `directory`; empty for pytest."""
    report: str = ""
    """JUnit XML that `command` writes, relative to the tree: a file, or a folder of
    `*.xml`; empty for pytest.
    """
    env: Mapping[str, str] = field(default_factory=dict)
    test_timeout_s: float = 20.0
    suite_timeout_s: float = 300.0
    memory_mb: int = 2048
    """For all processes and temporary files together."""
    disk_mb: int = 512
    processes: int = 128

    def command_files(self) -> tuple[str, ...]:
        """Sorted paths that `command` may start: who writes them decides the report.

        By place, seen from `directory`, and as modules after `-m`, those included that
        could stand in for one that is installed. Not what such a file goes on to use.
        """
        words = re.split(r"[\s;&|=<>()'\"`]+", " ".join(self.command))
        folders = dict.fromkeys((self.directory, *self.pythonpath))
        found = {_joined(self.directory, word) for word in words}
        for flag, module in itertools.pairwise(words):
            if flag == "-m":
                at = module.replace(".", "/")
                ends = (".py", "/__init__.py", "/__main__.py")
                found |= {_joined(f, at + end) for f in folders for end in ends}
        return tuple(sorted(path for path in found if not path.startswith((".", "/"))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Which files may be changed by a bug, and count for coverage."""

    roots: tuple[str, ...]
    """Files and folders, relative to the tree."""
    exclude: tuple[str, ...] = ()
    """Globs on paths; `*` crosses slashes. Tests inside the package, vendored code."""

    def holds(self, path: str) -> bool:
        """Whether `path` is a Python file below a root and not excluded."""
        inside = any(
            root in {".", path} or path.startswith(f"{root}/") for root in self.roots
        )
        excluded = any(fnmatch.fnmatchcase(path, glob) for glob in self.exclude)
        return inside and not excluded and path.endswith(".py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """What an installed package would say of itself; nothing is installed."""

    name: str
    version: str
    entry_points: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By group and name, as `module:attribute`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A healthy repository at one state, described but not yet fetched."""

    name: str
    """`owner__name`, the partition key."""
    source: Source
    license: str
    """SPDX expression."""
    python: tuple[str, ...]
    """Minor versions it may run on, the preferred one first; empty: what `image` has."""
    requirements: tuple[str, ...]
    """Exact pins, sorted; pytest and coverage are among them, or in `image`."""
    suite: Suite
    code: Code
    package: Package | None = None
    """For code that asks `importlib.metadata` about itself; None: it finds nothing."""
    image: ImageSource | None = None
    """What Docker shall run it in; None: our own image of interpreter and wheels."""
    services: tuple[Service, ...] = ()
    """Started in this order before each run of the suite, in its sandbox."""

    def is_test_file(self, path: str) -> bool:
        """Whether `path` belongs to the tests or decides how they run."""
        parts = PurePosixPath(path)
        if parts.name in STEERING_FILES or parts.suffix == ".pth":
            return True
        if path in self.suite.command_files():
            return True
        if self.code.holds(path):
            return False
        named = parts.stem.startswith("test_") or parts.stem.endswith("_test")
        below = any(
            path == test or path.startswith(f"{test}/") for test in self.suite.paths
        )
        return named or below or bool({"tests", "test"} & set(parts.parts[:-1]))

    def source_paths(self, tree: Tree) -> tuple[str, ...]:
        """Sorted paths of `tree` that a bug may be put into."""
        return tuple(
            path
            for path in sorted(tree)
            if self.code.holds(path) and not self.is_test_file(path)
        )


def _joined(folder: str, path: str) -> str:
    """Join and simplify; a path that leaves the tree begins with a dot."""
    return posixpath.normpath(posixpath.join(folder, path))
