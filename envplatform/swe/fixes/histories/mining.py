"""Commits that look like fixes, from any git repository, as a source of fixes.

Noisy on purpose: what a message calls a fix may be none. The filters of stage 1 and the
proofs of later stages decide; here nothing is run.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path

from envplatform.errors import FixSourceError, PatchError
from envplatform.patches import added_lines, diff_trees, removed_lines
from envplatform.swe.fixes.analysis.paths import path_kind
from envplatform.swe.fixes.histories.git_history import FILE_MODES, MAX_FILE_BYTES
from envplatform.swe.fixes.histories.licence_files import (
    licence_blobs,
    read_licence,
)
from envplatform.swe.fixes.histories.log import ChangedPath, LoggedCommit, read_log
from envplatform.swe.fixes.histories.mirror import Mirror, open_mirror
from envplatform.swe.fixes.histories.objects import ObjectReader
from envplatform.swe.fixes.instance import FixInstance, QuarantinedRow
from envplatform.swe.inducers.base import is_test_path
from envplatform.tree import File

REVISION = 2
"""Raised when the same history gives other instances."""
_COMMITS_AT_ONCE = 500
"""Their blobs come in one request, and none is kept in memory."""
_FIX = re.compile(
    r"\b(fix(e[sd]|ing)?|bug(s|fix(es)?)?|regress(ion|ions|ed)|crash(e[sd]|ing)?"
    r"|wrong(ly)?|incorrect(ly)?|broken|misbehav\w+)\b"
    r"|\b(close|resolve)[sd]?:?\s+(\w+/\w+)?#\d+",
    re.IGNORECASE,
)
_NO_FIX = re.compile(
    r"(revert\b|bump\b|release\b|merge\b|(fix(e[sd])?|correct)\s+(a\s+|some\s+)?typos?\b)",
    re.IGNORECASE,
)
_REVISION_NAME = re.compile(r"\w[\w./-]{0,199}", re.ASCII)
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]+|_{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class MiningRules:
    """Which commits are taken besides what their message says."""

    max_files: int = 10
    """Changed files, tests and texts among them."""
    max_changed_lines: int = 200
    """Added plus removed, outside of tests."""
    needs_test: bool = True
    """A test must change in the same commit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GitSource:
    """Fix-like commits of one repository, newest first."""

    name: str
    url: str
    """As in settings; see `open_mirror`."""
    cache: Path
    """Folder of all mirrors."""
    revision: str | None = None
    """Branch, tag or commit up to which is read; None: the default branch."""
    licence: str = ""
    """SPDX identifier; empty: recognised from the licence file, if there is one."""
    rules: MiningRules = field(default_factory=MiningRules)

    @property
    def repository(self) -> str:
        """`owner__name` of its instances; their history is at `url`."""
        return mined_repository(self.url)

    def digest(self) -> str:
        """SHA-256 (hex) of the newest commit, the settings, and this module's revision.

        Raises:
            FixSourceError: the repository is out of reach, or has no such revision.
        """
        _, tip = self._open()
        parts = (
            *(REVISION, self.name, tip, self.repository, self.licence),
            asdict(self.rules),
        )
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def read(self) -> Iterator[FixInstance | QuarantinedRow]:
        """Yield each fix-like commit once. Blobs come some hundred commits at a time.

        Raises:
            FixSourceError: the repository is out of reach, or has no such revision.
        """
        mirror, tip = self._open()
        with ObjectReader(mirror.folder) as objects:
            licence = self.licence or _licence(mirror, objects, tip)
            fixes = (one for one in read_log(mirror.folder, tip) if self._is_fix(one))
            while chunk := tuple(islice(fixes, _COMMITS_AT_ONCE)):
                _bring(
                    mirror, objects, (change for one in chunk for change in one.changes)
                )
                for commit in chunk:
                    row = self._row(commit, objects, licence)
                    if row is not None:
                        yield row

    def _open(self) -> tuple[Mirror, str]:
        """The mirror, brought up to date, and the full id of the newest commit."""
        wanted = self.revision or "HEAD"
        mirror = open_mirror(self.repository, self.url, self.cache)
        if _REVISION_NAME.fullmatch(wanted):
            with ObjectReader(mirror.folder) as objects:
                known = _commit_id(objects, wanted)
                if known and known == wanted.lower():
                    return mirror, known
            mirror.refresh()
            with ObjectReader(mirror.folder) as objects:
                found = _commit_id(objects, wanted)
                if found:
                    return mirror, found
        what = f"no revision {wanted!r}" if self.revision else "no commits"
        msg = (
            f"source {self.name!r}: {mirror.location.shown} has {what}; name a branch, "
            f"tag or commit as `revision` in [[fixes.sources]]"
        )
        raise FixSourceError(msg)

    def _is_fix(self, commit: LoggedCommit) -> bool:
        paths = [change.path for change in commit.changes]
        return (
            0 < len(paths) <= self.rules.max_files
            and _FIX.search(commit.message) is not None
            and _NO_FIX.match(commit.message) is None
            and any(
                path_kind(path) == "code" for path in paths if not is_test_path(path)
            )
            and (not self.rules.needs_test or any(map(is_test_path, paths)))
            and all(_is_plain(change) for change in commit.changes)
        )

    def _row(
        self, commit: LoggedCommit, objects: ObjectReader, licence: str
    ) -> FixInstance | QuarantinedRow | None:
        instance_id = f"{self.repository}-{commit.commit[:10]}"
        try:
            old, new = _trees(commit.changes, objects)
            patch = _patch(old, new, of_tests=False)
            test_patch = _patch(old, new, of_tests=True)
        except _Unreadable as error:
            return QuarantinedRow(
                source=self.name,
                row=f"commit {commit.commit}",
                instance_id=instance_id,
                reason=error.reason,
                detail=error.detail,
            )
        except PatchError:
            return None  # binary, or a path that no patch may touch: no fix for us
        changed = len(added_lines(patch)) + len(removed_lines(patch))
        if not 0 < changed <= self.rules.max_changed_lines:
            return None
        return FixInstance(
            instance_id=instance_id,
            source=self.name,
            repository=self.repository,
            origin="git",
            base_commit=commit.parent,
            fix_commit=commit.commit,
            patch=patch,
            test_patch=test_patch,
            problem_statement=commit.message,
            created_at=commit.committed_at,
            licence=licence,
        )


def mined_repository(url: str) -> str:
    """`owner__name` of a repository, from the end of its URL or path.

    What stands alone, as in `/repository`, gets the owner `local`.
    """
    path = re.sub(
        r"^\w+://(?:[^/]*@)?",
        "",
        url.split("?", maxsplit=1)[0].split("#", maxsplit=1)[0],
    )
    words = [word for word in re.split(r"[/:]", path) if word not in {"", ".", ".."}]
    if words and words[-1] == ".git":
        words.pop()
    owner, name = (
        ["local", "repository", *words[-2:]][-2:]
        if words[1:]
        else (
            "local",
            (words or ["repository"])[0],
        )
    )
    return (
        f"{_safe(owner) or 'local'}__{_safe(name.removesuffix('.git')) or 'repository'}"
    )


def _safe(word: str) -> str:
    return _UNSAFE.sub("-", word).strip("_.-")[:60]


class _Unreadable(Exception):  # noqa: N818  ends one commit, in this file
    """A changed file is over the limit, or not there."""

    def __init__(self, *, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def _is_plain(change: ChangedPath) -> bool:
    return {change.old_mode, change.new_mode} <= {*FILE_MODES, "000000"}


def _commit_id(objects: ObjectReader, name: str) -> str | None:
    for _, header in objects.headers([f"{name}^{{commit}}"]):
        return header.object_id if header else None
    return None


def _bring(
    mirror: Mirror, objects: ObjectReader, changes: Iterable[ChangedPath]
) -> None:
    if not mirror.is_filtered:
        return
    ids = {name for change in changes for name in (change.old_id, change.new_id)}
    known = objects.headers(sorted(name for name in ids if name.strip("0")))
    missing = [name for name, header in known if header is None]
    if missing:
        mirror.fetch(missing)


def _trees(
    changes: Iterable[ChangedPath], objects: ObjectReader
) -> tuple[dict[str, File], dict[str, File]]:
    old: dict[str, File] = {}
    new: dict[str, File] = {}
    for change in changes:
        for tree, mode, object_id in (
            (old, change.old_mode, change.old_id),
            (new, change.new_mode, change.new_id),
        ):
            if mode in FILE_MODES:
                tree[change.path] = _file(objects, change.path, mode, object_id)
    return old, new


def _file(objects: ObjectReader, path: str, mode: str, object_id: str) -> File:
    data = objects.read(object_id, limit_bytes=MAX_FILE_BYTES)
    if isinstance(data, int):
        detail = f"{path}: {data:,} bytes; the limit is {MAX_FILE_BYTES:,}"
        raise _Unreadable(reason="too_large", detail=detail)
    if data is None:
        detail = f"{path}: the history lacks {object_id}"
        raise _Unreadable(reason="unreadable", detail=detail)
    return File(data, executable=FILE_MODES[mode])


def _patch(old: Mapping[str, File], new: Mapping[str, File], *, of_tests: bool) -> str:
    """Diff of the tests or of all else; tests that are binary files are left out."""

    def taken(tree: Mapping[str, File]) -> dict[str, File]:
        return {
            path: file
            for path, file in tree.items()
            if is_test_path(path) == of_tests and not (of_tests and path in binary)
        }

    binary = {
        path for tree in (old, new) for path, file in tree.items() if b"\0" in file.data
    }
    return diff_trees(taken(old), taken(new))


def _licence(mirror: Mirror, objects: ObjectReader, tip: str) -> str:
    found = licence_blobs(objects, objects.tree_of(tip))
    if mirror.is_filtered and found:
        missing = [name for name, header in objects.headers(found) if header is None]
        mirror.fetch(missing)
    return read_licence(objects, found)
