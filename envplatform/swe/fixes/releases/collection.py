"""Which release on a package index holds which side of which fix: data, and its form.

The data are our own measurement; how it was made stands at the head of the file.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from envplatform.errors import ConfigError
from envplatform.swe.fixes.instance import Release
from envplatform.swe.targets import SdistSource
from envplatform.toml_file import parse_toml

_Text = Annotated[str, StringConstraints(min_length=1, max_length=200)]
_TestId = Annotated[str, StringConstraints(min_length=1, max_length=4_000)]
"""Long, because parameters stand in it."""
_Repository = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$")
]
_BugName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+-[0-9]+$")]
_Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_Commit = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}$")]
_Prefix = Annotated[str, StringConstraints(pattern=r"^([A-Za-z0-9_-]+/)*$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedFix:
    """One published fix and the release that holds one side of it."""

    bug: str
    """`project-number`, as published."""
    repository: str
    """`owner/name`, as published."""
    licence: str
    """SPDX expression of the project."""
    fix_commit: str
    tests: tuple[str, ...]
    """Node ids of the tests that the fix mends, as published."""
    release: Release


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Fixes whose patches lie in one archive."""

    archive: SdistSource
    """Holds the patches."""
    fixes: tuple[CollectedFix, ...]
    digest: str
    """SHA-256 (hex) of the file that this was read from."""


def builtin_collection() -> Collection:
    """Read the data that ship with the package."""
    file = resources.files("envplatform") / "data" / "fixes" / "tests4py.toml"
    text = file.read_text(encoding="utf-8")
    return parse_collection(text, source="built-in fixes tests4py")


def parse_collection(text: str, *, source: str) -> Collection:
    """Read the text of a collection file.

    Raises:
        ConfigError: names `source`, every wrong key, what stands there and why; or
            the bug that stands there twice, or the repository without licence.
    """
    table = parse_toml(_CollectionTable, text, source=source)
    fixes = tuple(_fixes(table, source))
    bugs = [fix.bug for fix in fixes]
    if repeated := sorted({bug for bug in bugs if bugs.count(bug) > 1}):
        msg = f"{source}: listed twice: {', '.join(repeated)}"
        raise ConfigError(msg)
    archive = SdistSource(
        package=table.archive.project,
        version=table.archive.version,
        sha256=table.archive.sha256,
    )
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Collection(archive=archive, fixes=fixes, digest=digest)


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Archive(_Table):
    project: _Text
    version: _Text
    sha256: _Sha256


class _Fix(_Table):
    fix: _Commit
    tests: tuple[_TestId, ...] = ()


class _Release(_Archive):
    repository: _Repository
    prefix: _Prefix = ""
    fixed: dict[_BugName, _Fix] = Field(default_factory=dict)
    buggy: dict[_BugName, _Fix] = Field(default_factory=dict)

    def holding(self) -> Iterator[tuple[Release, str, _Fix]]:
        """Yield each bug with the release as holder of the right side."""
        for holds, bugs in (("fixed", self.fixed), ("buggy", self.buggy)):
            release = Release(
                project=self.project,
                version=self.version,
                sha256=self.sha256,
                holds="fixed" if holds == "fixed" else "buggy",
                prefix=self.prefix,
            )
            for bug, fix in bugs.items():
                yield release, bug, fix


class _CollectionTable(_Table):
    archive: _Archive
    licences: dict[_Repository, _Text]
    releases: tuple[_Release, ...]


def _fixes(table: _CollectionTable, source: str) -> Iterator[CollectedFix]:
    for entry in table.releases:
        if entry.repository not in table.licences:
            msg = f"{source}: licences has no {entry.repository!r}; add it"
            raise ConfigError(msg)
        for release, bug, fix in entry.holding():
            yield CollectedFix(
                bug=bug,
                repository=entry.repository,
                licence=table.licences[entry.repository],
                fix_commit=fix.fix,
                tests=fix.tests,
                release=release,
            )
