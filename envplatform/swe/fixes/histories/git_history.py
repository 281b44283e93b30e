"""The files of a git repository at the commits that fixes start from.

All that a batch of instances needs is brought in at most three requests: commits that
the mirror lacks, branches and tags if the server gives none by id, and the blobs.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from envplatform.swe.fixes.histories.licence_files import (
    licence_blobs,
    read_licence,
)
from envplatform.swe.fixes.histories.mirror import (
    CLONE_TIMEOUT_S,
    Mirror,
    open_mirror,
)
from envplatform.swe.fixes.histories.objects import Entry, ObjectReader
from envplatform.swe.fixes.history import Side
from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.refusal import Refused
from envplatform.tree import File

MAX_FILE_BYTES = 8 * 2**20
"""Larger files are refused; no code that a model reads is near it."""
_COMMIT = re.compile(r"[0-9a-fA-F]{7,64}")
_FULL = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
FILE_MODES: Mapping[str, bool] = {"100644": False, "100664": False, "100755": True}
"""Modes of plain files to the executable bit; 100664 stands in very old histories."""

_Missing = Literal["absent", "lost"]
"""The commit has no such path, or the mirror lacks the tree that would tell."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What stands at a path, or at that folder of it where the way ends."""

    path: str
    entry: Entry


class GitHistory:
    """Reads what patches name, at their base commits, from a mirror."""

    def __init__(self, mirror: Mirror, *, max_file_bytes: int = MAX_FILE_BYTES) -> None:
        self._mirror = mirror
        self._objects = ObjectReader(mirror.folder)
        self._max_file_bytes = max_file_bytes
        self._roots: dict[str, str] = {}
        """Commit as published to its root tree."""
        self._licences: dict[tuple[str, ...], str] = {}
        """Licence files to what they say; they seldom change."""

    def prefetch(self, wanted: Iterable[tuple[FixInstance, Sequence[str]]]) -> None:
        """Bring the commits that the mirror lacks, then all their blobs at once.

        With the licence files, where instances name no licence.

        Raises:
            FixSourceError: the remote can't be reached, or fails.
        """
        instances = list(wanted)
        asked = [(instance.base_commit, paths) for instance, paths in instances]
        self._find_commits({commit for commit, _ in asked})
        if not self._mirror.is_filtered:
            return
        blobs = {
            found.entry.object_id
            for commit, paths in asked
            if commit in self._roots
            for path in paths
            if isinstance(found := self._walk(self._roots[commit], path), _Found)
            and found.entry.mode in FILE_MODES
        }
        for instance, _ in instances:
            if not instance.licence:
                root = self._roots.get(instance.base_commit)
                blobs.update(licence_blobs(self._objects, root))
        self._fetch(self._missing(blobs))

    def licence(self, instance: FixInstance) -> str:
        """SPDX identifier at the base commit, by its licence file; empty: unknown."""
        root = self._roots.get(instance.base_commit)
        found = licence_blobs(self._objects, root)
        if found not in self._licences:
            self._licences[found] = read_licence(self._objects, found)
        return self._licences[found]

    def read(self, instance: FixInstance, paths: Sequence[str]) -> Side:
        """Read `paths` at the base commit; absent ones are left out.

        Raises:
            Refused: no such commit, a blob is missing or too large, a path is a link, a
                submodule or a folder, or leads through one of the first two.
        """
        root = self._root(instance.base_commit)
        files: dict[str, File] = {}
        for path in paths:
            found = self._walk(root, path)
            if found == "lost":
                raise Refused(
                    code="blob_missing",
                    detail=f"{path}: a folder above it is not there",
                )
            if isinstance(found, _Found) and _is_file(found, path, paths):
                files[path] = self._file(path, found.entry)
        buggy = instance.patch_makes == "fix"
        return Side(which="buggy" if buggy else "fixed", files=files)

    def close(self) -> None:
        """End the reading processes. May be called twice."""
        self._objects.close()

    def _find_commits(self, commits: set[str]) -> None:
        missing = self._look_up(commits)
        if missing:
            self._fetch(name for name in missing if _FULL.fullmatch(name.lower()))
            missing = self._look_up(missing)
        if missing:
            self._mirror.refresh()
            self._objects.close()
            self._look_up(missing)

    def _look_up(self, commits: Iterable[str]) -> set[str]:
        """Note the root trees of `commits`; return those that are not here."""
        valid = sorted(name for name in commits if _COMMIT.fullmatch(name))
        missing = set(valid)
        questions = {f"{name.lower()}^{{commit}}": name for name in valid}
        for question, header in list(self._objects.headers(questions)):
            name = questions[question]
            # A branch may be called like the start of an id.
            if header and header.object_id.startswith(name.lower()):
                root = self._objects.tree_of(header.object_id)
                if root is not None:
                    self._roots[name] = root
                    missing.discard(name)
        return missing

    def _root(self, commit: str) -> str:
        if commit not in self._roots:
            self._look_up((commit,))
        if commit in self._roots:
            return self._roots[commit]
        if not _COMMIT.fullmatch(commit):
            raise Refused(code="commit_missing", detail=f"{commit!r} is no commit id")
        shown = self._mirror.location.shown
        detail = f"{commit} is not in {shown}, or not the only one that starts so"
        raise Refused(code="commit_missing", detail=detail)

    def _walk(self, root: str, path: str) -> _Found | _Missing:
        at, steps = root, path.split("/")
        for depth, step in enumerate(steps, start=1):
            tree = self._objects.tree(at)
            if tree is None:
                return "lost"
            entry = tree.get(step.encode("utf-8", "surrogateescape"))
            if entry is None:
                return "absent"
            if entry.mode != "40000" or depth == len(steps):
                return _Found("/".join(steps[:depth]), entry)
            at = entry.object_id
        return "absent"

    def _file(self, path: str, entry: Entry) -> File:
        data = self._objects.read(entry.object_id, limit_bytes=self._max_file_bytes)
        if isinstance(data, int):
            limit = self._max_file_bytes
            raise Refused(
                code="too_large",
                detail=f"{path}: {data:,} bytes; the limit is {limit:,}",
            )
        if data is None:
            raise Refused(
                code="blob_missing", detail=f"{path}: {entry.object_id} is not there"
            )
        return File(data, executable=FILE_MODES[entry.mode])

    def _missing(self, ids: Iterable[str]) -> list[str]:
        headers = self._objects.headers(sorted(ids))
        return [name for name, header in headers if header is None]

    def _fetch(self, ids: Iterable[str]) -> None:
        wanted = list(ids)
        if wanted:
            self._mirror.fetch(wanted)
            self._objects.close()  # a running git may not look for new packs


def _is_file(found: _Found, path: str, paths: Sequence[str]) -> bool:
    """Tell whether a plain file stands at `path`; False: nothing does."""
    mode, where = found.entry.mode, found.path
    if mode == "120000":
        raise Refused(
            code="patch_symlink", detail=f"{path}: {where} is a symbolic link"
        )
    if mode == "160000":
        raise Refused(code="patch_submodule", detail=f"{path}: {where} is a submodule")
    if mode in FILE_MODES and where == path:
        return True
    # A file makes way for a folder, or a folder for a file, if the patch says so.
    if mode in FILE_MODES and where in paths:
        return False
    if mode == "40000" and any(other.startswith(f"{path}/") for other in paths):
        return False
    kind = "a file" if mode in FILE_MODES else "a folder"
    raise Refused(
        code="does_not_apply", detail=f"{path}: {where} is {kind} at the base commit"
    )


@contextmanager
def open_history(
    repository: str, url: str, cache: Path, *, timeout_s: float = CLONE_TIMEOUT_S
) -> Iterator[GitHistory]:
    """Open the history of a repository, mirrored first if need be; see `open_mirror`.

    Raises:
        FixSourceError: the URL is not taken, or the clone fails.
    """
    history = GitHistory(open_mirror(repository, url, cache, timeout_s=timeout_s))
    try:
        yield history
    finally:
        history.close()
