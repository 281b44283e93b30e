"""`ReleaseHistory`: the files of releases, for instances that name one."""

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from envplatform.errors import FixSourceError
from envplatform.swe.fixes.history import Side
from envplatform.swe.fixes.instance import FixInstance, Release
from envplatform.swe.fixes.refusal import Refused
from envplatform.swe.fixes.releases.index import SdistIndex
from envplatform.swe.targets import PackageIndex, SdistSource
from envplatform.tree import File

MAX_FILE_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class _Kept:
    """Where a file of a release lies in the spool."""

    start: int
    size: int
    """In bytes; over the limit, the content was not kept."""
    executable: bool


class ReleaseHistory:
    """Reads the side of a fix that a release holds.

    An archive is gone through once, whatever number of instances want files of it.
    What they want is kept in a nameless temporary file, so memory grows with the
    number of files and not with their size.

    A release that can't be had fails the whole partition with `FixSourceError`: a
    refusal would say something about the fixes that nobody has looked at. A release
    that holds neither side is found out by who applies the patch.

    Archives are kept below `cache`, in the folder that target repositories use as well.
    """

    def __init__(
        self,
        cache: Path,
        *,
        index: PackageIndex,
        max_file_bytes: int = MAX_FILE_BYTES,
    ) -> None:
        self._releases = SdistIndex(index=index, cache=cache)
        self._max_file_bytes = max_file_bytes
        self._spool = tempfile.TemporaryFile()  # noqa: SIM115  closed in `close`
        self._kept: dict[SdistSource, dict[str, _Kept | None]] = defaultdict(dict)
        """By path in the release; None: the release lacks it."""

    def prefetch(self, wanted: Iterable[tuple[FixInstance, Sequence[str]]]) -> None:
        """Fetch every release named once, and keep the files wanted of it.

        Raises:
            FixSourceError: a release can't be had; names project and version.
        """
        asked: dict[SdistSource, set[str]] = defaultdict(set)
        for instance, paths in wanted:
            release = _release_of(instance)
            asked[_sdist(release)].update(release.prefix + path for path in paths)
        for sdist, names in asked.items():
            self._keep(sdist, names - self._kept[sdist].keys())

    def read(self, instance: FixInstance, paths: Sequence[str]) -> Side:
        """Read `paths` of the release; a link or folder there counts as absent.

        Raises:
            Refused: `too_large`, with path and limit.
            FixSourceError: as `prefetch`, for what was not fetched before.
        """
        self.prefetch([(instance, paths)])
        release = _release_of(instance)
        kept = self._kept[_sdist(release)]
        files: dict[str, File] = {}
        for path in paths:
            if (place := kept[release.prefix + path]) is not None:
                files[path] = self._load(path, place)
        return Side(which=release.holds, files=files)

    def licence(self, instance: FixInstance) -> str:
        """Nothing is known but what the row says."""
        return instance.licence

    def close(self) -> None:
        """Let the temporary file go."""
        self._spool.close()

    def _keep(self, sdist: SdistSource, paths: set[str]) -> None:
        if not paths:
            return
        found: dict[str, _Kept | None] = dict.fromkeys(paths)

        def is_kept(path: str, size: int) -> bool:
            if path not in paths:
                return False
            found[path] = _Kept(0, size, executable=False)
            return size <= self._max_file_bytes

        for path, file in self._releases.read(sdist, is_kept):
            start = self._spool.seek(0, 2)
            self._spool.write(file.data)
            found[path] = _Kept(start, len(file.data), file.executable)
        self._kept[sdist].update(found)

    def _load(self, path: str, place: _Kept) -> File:
        if place.size > self._max_file_bytes:
            detail = f"{path}: {place.size:,} bytes, over {self._max_file_bytes:,}"
            raise Refused(code="too_large", detail=detail)
        self._spool.seek(place.start)
        return File(self._spool.read(place.size), place.executable)


def _release_of(instance: FixInstance) -> Release:
    if instance.release is None:
        msg = f"{instance.instance_id}: names no release to read from"
        raise FixSourceError(msg)
    return instance.release


def _sdist(release: Release) -> SdistSource:
    return SdistSource(
        package=release.project, version=release.version, sha256=release.sha256
    )
