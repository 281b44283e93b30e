"""What a source is and what of it is taken, as values. The shipped list is read here.

The list is data: `sources.toml`. Each file rule says under which licence its files are
and where that is stated, because many packages ship data of others.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from pathlib import Path

from envplatform.cowork.library.resource import Kind, SourceKind
from envplatform.registries import NpmRelease, Release
from envplatform.store.values import digest_json

REVISION = 1
"""Raised by hand when the same source gives other rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRule:
    """What holds for the files that match; the first rule that does counts."""

    files: tuple[str, ...]
    """Patterns of paths; `*` passes over slashes, too."""
    licence: str = ""
    licence_source: str = ""
    attribution: str = ""
    refuse: str = ""
    """If given, the files are refused for want of a licence, and this says why."""
    kind: Kind | None = None
    """None: by the file's name."""
    text_field: str = ""
    """Of a document that is the field of a JSON object."""

    def matches(self, path: str) -> bool:
        """Whether it holds for a path."""
        return _is_among(path, self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class LicenceList:
    """A Data Package descriptor in the source that states licences file by file."""

    path: str
    root: str
    """Folder that its paths start from; empty or with a slash at its end."""
    names: Mapping[str, str]
    """Title, name or address of a licence, as the list has them, to SPDX."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """Files on this machine."""

    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """One commit of a repository."""

    url: str
    commit: str
    """Full object id."""


Origin = Release | NpmRelease | Git | Folder


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSpec:
    """One source of the library."""

    name: str
    """Safe as a file name; first part of its resource ids."""
    origin: Origin
    include: tuple[str, ...]
    exclude: tuple[str, ...] = ()
    rules: tuple[FileRule, ...] = ()
    licence_list: LicenceList | None = None

    def asks_for(self, path: str) -> bool:
        """Whether a file of this path is looked at."""
        return _is_among(path, self.include) and not _is_among(path, self.exclude)

    def rule(self, path: str) -> FileRule | None:
        """What is said of a path; None: nothing."""
        return next((rule for rule in self.rules if rule.matches(path)), None)

    @property
    def kind(self) -> SourceKind:
        """What it is read from."""
        match self.origin:
            case Release():
                return "pypi"
            case NpmRelease():
                return "npm"
            case Git():
                return "git"
            case Folder():
                return "folder"

    @property
    def version(self) -> str:
        """Version or commit; empty for a folder."""
        match self.origin:
            case Release(version=version) | NpmRelease(version=version):
                return version
            case Git(commit=commit):
                return commit
            case Folder():
                return ""

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of all that is said here, but for where a folder lies."""
        return digest_json([REVISION, self.name, self._origin(), self._asked()])

    def _origin(self) -> list[str]:
        match self.origin:
            case Release(package=package, sha256=pin):
                return ["pypi", package, self.version, pin]
            case NpmRelease(package=package, integrity=pin):
                return ["npm", package, self.version, pin]
            case Git(commit=commit):
                return ["git", commit]
            case Folder():
                return ["folder"]

    def _asked(self) -> list[object]:
        listed = self.licence_list
        return [
            list(self.include),
            list(self.exclude),
            [_plain(rule) for rule in self.rules],
            [listed.path, listed.root, dict(listed.names)] if listed else None,
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is too much, and which licences are taken."""

    rows: int = 20_000
    """Kept of one table at most."""
    file_bytes: int = 64_000_000
    """Of one file, unpacked."""
    source_files: int = 20_000
    source_bytes: int = 500_000_000
    columns: int = 256
    licences: frozenset[str] = field(default_factory=frozenset)
    """SPDX identifiers taken beside the shipped ones."""


def shipped_text() -> str:
    """The shipped list, as it stands in `sources.toml`."""
    return _shipped()


@cache
def _shipped() -> str:
    folder = resources.files("envplatform") / "cowork" / "library"
    return (folder / "sources.toml").read_text("utf-8")


def _is_among(path: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in patterns)


def _plain(rule: FileRule) -> list[object]:
    return [
        list(rule.files),
        rule.licence,
        rule.licence_source,
        rule.attribution,
        rule.refuse,
        rule.kind,
        rule.text_field,
    ]
