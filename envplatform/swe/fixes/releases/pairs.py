"""`ReleasePairs`: fixes read off consecutive releases of a package.

Each instance is one function, method or assignment that differs between two final
releases. The correct side is the newer release's file as it was released; the defective
one is the same file with this one unit as the older release had it. The sides travel
with the instance, and no release is needed afterwards.

Nothing is run. That a new or changed test names the unit is the only evidence, and the
instance says so: its test may pass on both sides, and the change may be a feature.
"""

import hashlib
import logging
import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from envplatform.errors import PatchError
from envplatform.patches import diff_trees
from envplatform.swe.fixes.instance import FileVersions, FixInstance, QuarantinedRow
from envplatform.swe.fixes.releases.comparison import UnitChange, compare_releases
from envplatform.swe.fixes.releases.index import SdistIndex, UnsoundReleaseError
from envplatform.swe.fixes.releases.metadata import PackageFacts, read_facts
from envplatform.swe.targets import PackageIndex, SdistSource
from envplatform.tree import File, Tree

REVISION = 1
"""Raised when the same releases give other instances."""
_LOG = logging.getLogger(__name__)
_PAIRS = 10
_MAX_FILE_BYTES = 1_000_000
_MAX_CHANGED_BYTES = 50_000_000
_MAX_TEST_PATCH = 100_000
_SHOWN_TESTS = 5
_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]")

_Digests = Mapping[str, bytes]
"""SHA-256 of each Python file of a release, by path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Two releases, and what differs between them."""

    old: SdistSource
    new: SdistSource
    before: Tree
    after: Tree

    @property
    def name(self) -> str:
        return f"{self.new.package} {self.old.version} to {self.new.version}"


class ReleasePairs:
    """The newest releases of one package, compared two by two, oldest pair first."""

    def __init__(
        self,
        name: str,
        package: str,
        cache: Path,
        *,
        index: PackageIndex,
        licence: str = "",
        pairs: int = _PAIRS,
    ) -> None:
        self.name = name
        self._package = package
        self._releases = SdistIndex(index=index, cache=cache)
        self._licence = licence
        self._pairs = pairs

    def digest(self) -> str:
        """SHA-256 (hex) of settings and of the releases that the index has now.

        And of the Python that runs: which files parse depends on it.

        Raises:
            FixSourceError: the index does not answer, or has no such package.
        """
        parts = [f"{REVISION} {platform.python_version()} {self._pairs}"]
        parts += [self.name, self._package, self._licence]
        parts += (f"{sdist.version} {sdist.sha256}" for sdist in self._newest())
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def read(self) -> Iterator[FixInstance | QuarantinedRow]:
        """Yield an instance for each changed unit that a changed test names.

        An archive that is unsound costs its own pairs. Two releases are in memory at a
        time, and of them only Python files that differ.

        Raises:
            FixSourceError: the index does not answer, or has no such package.
        """
        releases = self._newest()
        facts = self._facts(releases[-1]) if releases else PackageFacts()
        for old, new in pairwise(releases):
            try:
                pair = self._compared(old, new)
            except UnsoundReleaseError as error:
                yield self._quarantined(f"{old.version} to {new.version}", str(error))
                continue
            yield from self._instances(pair, facts)

    def _newest(self) -> tuple[SdistSource, ...]:
        return self._releases.final_releases(self._package)[-self._pairs - 1 :]

    def _facts(self, release: SdistSource) -> PackageFacts:
        def is_wanted(path: str, size: int) -> bool:
            return path == "PKG-INFO" and size <= _MAX_FILE_BYTES

        try:
            files = dict(self._releases.read(release, is_wanted))
        except UnsoundReleaseError:
            return PackageFacts()  # its pairs are quarantined, with the reason
        return read_facts(files["PKG-INFO"].data) if files else PackageFacts()

    def _compared(self, old: SdistSource, new: SdistSource) -> _Pair:
        was, now = self._digests(old), self._digests(new)
        changed = {path for path, digest in now.items() if was.get(path) != digest}
        return _Pair(
            old=old,
            new=new,
            before=self._load(old, changed),
            after=self._load(new, changed),
        )

    def _digests(self, release: SdistSource) -> _Digests:
        files = self._releases.read(release, _is_code)
        return {path: hashlib.sha256(file.data).digest() for path, file in files}

    def _load(self, release: SdistSource, paths: set[str]) -> dict[str, File]:
        """Read `paths`, the first so many bytes of them."""
        left = _MAX_CHANGED_BYTES

        def is_wanted(path: str, size: int) -> bool:
            nonlocal left
            if path not in paths or not _is_code(path, size) or size > left:
                return False
            left -= size
            return True

        return dict(self._releases.read(release, is_wanted))

    def _instances(
        self, pair: _Pair, facts: PackageFacts
    ) -> Iterator[FixInstance | QuarantinedRow]:
        comparison = compare_releases(pair.before, pair.after)
        _LOG.info(
            "%s: %d changes kept, dropped: %s",
            pair.name,
            len(comparison.changes),
            comparison.dropped,
        )
        for change in comparison.changes:
            try:
                yield self._instance(pair, change, facts)
            except PatchError as error:
                row = f"{pair.old.version} to {pair.new.version}, {change.unit}"
                yield self._quarantined(row, str(error))

    def _instance(
        self, pair: _Pair, change: UnitChange, facts: PackageFacts
    ) -> FixInstance:
        repository = facts.repository or f"pypi__{_UNSAFE.sub('-', self._package)}"
        place = f"{change.path} {change.unit}".encode("utf-8", "surrogateescape")
        versions = _UNSAFE.sub("_", f"{pair.old.version}-{pair.new.version}")
        return FixInstance(
            instance_id=f"{repository}-{versions}-{hashlib.sha256(place).hexdigest()[:8]}",
            source=self.name,
            repository=repository,
            origin="inline",
            base_commit="",
            versions=(
                FileVersions(
                    path=change.path,
                    before=_text(change.before),
                    after=_text(change.after),
                ),
            ),
            patch=diff_trees(
                {change.path: File(change.before)}, {change.path: File(change.after)}
            ),
            test_patch=_test_patch(pair, change),
            problem_statement=_account(pair, change),
            licence=self._licence or facts.licence,
        )

    def _quarantined(self, row: str, detail: str) -> QuarantinedRow:
        return QuarantinedRow(
            source=self.name,
            row=f"{self._package} {row}",
            instance_id="",
            reason="unreadable",
            detail=detail,
        )


def _is_code(path: str, size: int) -> bool:
    return path.endswith(".py") and size <= _MAX_FILE_BYTES


def _test_patch(pair: _Pair, change: UnitChange) -> str:
    """Change of the files with the tests that name the unit; empty if it is large."""
    paths = {test.path for test in change.tests}
    old = {path: pair.before[path] for path in paths if path in pair.before}
    patch = diff_trees(old, {path: pair.after[path] for path in paths})
    return patch if len(patch) <= _MAX_TEST_PATCH else ""


def _account(pair: _Pair, change: UnitChange) -> str:
    tests = [test.node_id for test in change.tests[:_SHOWN_TESTS]]
    return (
        f"{pair.name}: the {change.kind} {change.unit} in {change.path} changed, and "
        f"new or changed tests name it: {', '.join(tests)}. No test was run: this may "
        "be a feature, or not be tested at all."
    )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
