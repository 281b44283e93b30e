"""The built-in fixes: Tests4Py's patches, with the releases that hold their files."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from envplatform.errors import PatchError
from envplatform.patches import FilePatch, Patch, parse_patch, render_patch
from envplatform.swe.fixes.instance import FixInstance, QuarantinedRow
from envplatform.swe.fixes.releases.collection import (
    CollectedFix,
    Collection,
    builtin_collection,
)
from envplatform.swe.fixes.releases.index import SdistIndex
from envplatform.swe.inducers.base import is_test_path
from envplatform.swe.targets import PackageIndex

_PATCH = re.compile(
    r"src/tests4py/projects/resources/(?P<project>[a-z0-9_]+)"
    r"/bug_(?P<number>[0-9]+)/fix\.patch"
)
_MAX_PATCH_BYTES = 1_000_000
REVISION = 1
"""Raised when the same archive and mapping give other instances."""


class BuiltinTests4Py:
    """Real fixes for which a package index is enough.

    The patches come from Tests4Py's own archive, whose digest is pinned. Where one
    changes tests too, these go to `test_patch`: releases often lack the tests, or have
    them in another state, and the fix would then not apply for their sake.
    """

    def __init__(
        self,
        name: str,
        cache: Path,
        *,
        index: PackageIndex,
        collection: Collection | None = None,
    ) -> None:
        self.name = name
        self._releases = SdistIndex(index=index, cache=cache)
        self._collection = collection or builtin_collection()

    def digest(self) -> str:
        """SHA-256 (hex) of the mapping and the archive's digest; asks nobody."""
        parts = (
            *(f"{REVISION}", self.name),
            *(self._collection.digest, self._collection.archive.sha256),
        )
        return hashlib.sha256(" ".join(parts).encode()).hexdigest()

    def read(self) -> Iterator[FixInstance | QuarantinedRow]:
        """Yield the fixes in the order of the mapping.

        Raises:
            FixSourceError: the archive of patches can't be had.
        """
        patches = self._patches()
        for fix in self._collection.fixes:
            yield self._instance(fix, patches)

    def _patches(self) -> Mapping[str, bytes | None]:
        """Patch by bug, of those in the collection; None: too large. About 1 MB."""
        bugs = {fix.bug for fix in self._collection.fixes}
        found: dict[str, bytes | None] = {}

        def is_wanted(path: str, size: int) -> bool:
            bug = _bug_of(path)
            if bug not in bugs:
                return False
            found[bug] = None
            return size <= _MAX_PATCH_BYTES

        for path, file in self._releases.read(self._collection.archive, is_wanted):
            found[_bug_of(path)] = file.data
        return found

    def _instance(
        self, fix: CollectedFix, patches: Mapping[str, bytes | None]
    ) -> FixInstance | QuarantinedRow:
        data = patches.get(fix.bug, b"")
        if not data:
            return self._quarantined(fix, is_too_large=data is None)
        patch, test_patch = split_tests(data.decode("utf-8", "surrogateescape"))
        return FixInstance(
            instance_id=fix.bug,
            source=self.name,
            repository=fix.repository.replace("/", "__"),
            origin="release",
            base_commit="",
            fix_commit=fix.fix_commit,
            release=fix.release,
            patch=patch,
            test_patch=test_patch,
            licence=fix.licence,
            fail_to_pass=fix.tests,
        )

    def _quarantined(self, fix: CollectedFix, *, is_too_large: bool) -> QuarantinedRow:
        archive = self._collection.archive
        detail = (
            f"the patch is over {_MAX_PATCH_BYTES:,} bytes"
            if is_too_large
            else "the archive has no patch of this name, or an empty one"
        )
        return QuarantinedRow(
            source=self.name,
            row=f"{archive.package} {archive.version}, {fix.bug}",
            instance_id=fix.bug,
            reason="too_large" if is_too_large else "missing_field",
            detail=detail,
        )


def split_tests(patch: str) -> tuple[str, str]:
    """Part a patch into what changes code or other files, and what changes tests.

    A patch that can't be read, or that changes tests alone, stays whole: the first.
    """
    try:
        files = parse_patch(patch).files
    except PatchError:
        return patch, ""
    tests = tuple(file for file in files if is_test_path(file.path))
    code = tuple(file for file in files if not is_test_path(file.path))
    if not tests or not code:
        return patch, ""
    return _printed(code), _printed(tests)


def _printed(files: tuple[FilePatch, ...]) -> str:
    return render_patch(Patch(files=files))


def _bug_of(path: str) -> str:
    match = _PATCH.fullmatch(path)
    return f"{match['project']}-{match['number']}" if match else ""
