"""Blob-filtered bare mirrors of repositories, kept in a cache.

A mirror holds commits, trees and those blobs that were asked for. Its own settings
name no remote. That is on purpose: git fetches what it misses from a remote of a
partial clone one object at a time, as it reads, and nothing turns that off that holds
in every version of git (2.39 still fetches with `remote.*.promisor=false`, and
`GIT_NO_LAZY_FETCH` ends the reading process). So the remote is named for one fetch
only, and a reader is told that an object is missing.

A folder of this machine is copied whole, by hard links where it can be.
"""

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from envplatform.errors import FixSourceError
from envplatform.store.files import UNFINISHED, locked
from envplatform.swe.fixes.histories.git_command import Answer, at, run_git
from envplatform.swe.fixes.histories.location import Location, parse_location

CLONE_TIMEOUT_S = 3600.0
"""For one clone or fetch. pandas without its blobs takes some minutes."""
_LOCAL_TIMEOUT_S = 60.0
_DETACHED = "refs/envplatform/head"
"""Where a remote's HEAD is kept that is on no branch."""
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BRANCH = re.compile(r"refs/heads/[^\s\0-\x1f\x7f]+")
_FILTERED = "envplatform.filtered"
_MAX_REFUSALS = 600
"""Servers name one at a time. More than the instances of one batch, so that commits that
are gone cost no instance whose own is there.
"""
_NOT_SERVED = re.compile(
    r"(?:not our ref|unadvertised object) ([0-9a-f]{40}(?:[0-9a-f]{24})?)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirror:
    """A complete bare repository in the cache, and where it came from."""

    repository: str
    """`owner__name`, for messages."""
    folder: Path
    location: Location
    is_filtered: bool
    """Blobs come when they are asked for. False: the remote knows no filters, or is a
    folder of this machine, and all blobs that it has are here.
    """
    timeout_s: float

    def fetch(self, ids: Iterable[str]) -> None:
        """Bring objects by their full ids, in one request; unknown ones are left out.

        Raises:
            FixSourceError: the remote can't be reached, or fails.
        """
        wanted = set(ids)
        with locked(self.folder.parent):
            _sweep(self.folder)
            for _ in range(_MAX_REFUSALS):
                answer = self._fetch_once(wanted)
                refused = wanted.intersection(_NOT_SERVED.findall(answer.complaint))
                if answer.status and not refused:
                    raise _failure(self.repository, self.location, "fetch", answer)
                if not answer.status:
                    return
                wanted -= refused
        msg = (
            f"{self.repository}: {self.location.shown} refused {_MAX_REFUSALS} commits "
            f"one after the other; is it the right repository?"
        )
        raise FixSourceError(msg)

    def refresh(self) -> None:
        """Bring new commits of all branches and tags, and what the default branch is.

        Names that are gone go here, too.

        Raises:
            FixSourceError: the remote can't be reached, or fails.
        """
        names = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
        with locked(self.folder.parent):
            _sweep(self.folder)
            head = self._head()
            # No branch may be called like it, and one that has no name is brought, too.
            extra = [f"+{head}:{_DETACHED}"] if _ID.fullmatch(head) else []
            # A branch `a` that became `a/b` stands in the way until it is pruned.
            answer = self._fetch("--prune", "origin", *names, *extra)
            if answer.status:
                raise _failure(self.repository, self.location, "fetch", answer)
            if head:
                self._set_head(_DETACHED if extra else head)

    def _head(self) -> str:
        """Default branch of the remote, or a commit; empty if it has none of them."""
        answer = self._ask("ls-remote", "--symref", "origin", "HEAD")
        if answer.status:
            raise _failure(self.repository, self.location, "ls-remote", answer)
        lines = answer.output.decode("utf-8", "replace").splitlines()
        words = [line.split() for line in lines if line.endswith("\tHEAD")]
        for word in words:
            if word[0] == "ref:" and _BRANCH.fullmatch(word[1]):
                return word[1]
        return next((word[0] for word in words if _ID.fullmatch(word[0])), "")

    def _set_head(self, name: str) -> None:
        run_git(
            *(at(self.folder), "symbolic-ref", "HEAD", name),
            timeout_s=_LOCAL_TIMEOUT_S,
        )

    def _fetch_once(self, wanted: set[str]) -> Answer:
        if not wanted:
            return Answer(status=0, output=b"", complaint="")
        with tempfile.TemporaryFile() as file:
            lines = cast("BinaryIO", file)
            lines.write("".join(f"{name}\n" for name in sorted(wanted)).encode())
            lines.seek(0)
            return self._fetch("--stdin", "origin", stdin=lines)

    def _fetch(self, *what: str, stdin: BinaryIO | None = None) -> Answer:
        # Git's own way to bring the objects of a partial clone: no negotiation.
        by_id = {"fetch.negotiationAlgorithm": "noop"} if stdin else {}
        how = ("fetch", "--no-tags", "--no-write-fetch-head")
        return self._ask(*how, *what, stdin=stdin, settings=by_id)

    def _ask(
        self,
        *what: str,
        stdin: BinaryIO | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> Answer:
        remote = _remote(self.location, filtered=self.is_filtered)
        return run_git(
            *(at(self.folder), *what),
            timeout_s=self.timeout_s,
            settings={**remote, **(settings or {})},
            stdin=stdin,
        )


def open_mirror(
    repository: str, url: str, cache: Path, *, timeout_s: float = CLONE_TIMEOUT_S
) -> Mirror:
    """Return the mirror of `url` below `cache`, cloned first if it is not there.

    A clone that breaks off leaves nothing that a later call would take for a mirror.

    Args:
        repository: `owner__name`; names the folder, and messages.
        url: https, http, ssh, git or file URL, or path. May hold credentials, which
            are neither stored nor shown.
        cache: Folder of all mirrors; created if missing. Two processes may share it.
        timeout_s: For one clone or fetch.

    Raises:
        FixSourceError: the URL is not taken, or the clone fails.
    """
    location = parse_location(url, repository=repository)
    around = cache / f"{_folder_name(repository)}-{location.digest}"
    folder = around / "mirror.git"
    with locked(around):
        for leftover in around.glob(f"*{UNFINISHED}"):
            shutil.rmtree(leftover, ignore_errors=True)
        if not folder.is_dir():
            _clone(repository, location, folder, timeout_s)
    answer = run_git(at(folder), "config", _FILTERED, timeout_s=_LOCAL_TIMEOUT_S)
    return Mirror(
        repository=repository,
        folder=folder,
        location=location,
        is_filtered=answer.output == b"true",
        timeout_s=timeout_s,
    )


def _folder_name(repository: str) -> str:
    if re.fullmatch(r"\w[\w.-]{0,149}", repository, re.ASCII):
        return repository
    msg = f"repository name {repository!r} is not `owner__name`"
    raise FixSourceError(msg)


def _clone(repository: str, location: Location, folder: Path, timeout_s: float) -> None:
    with _beside(folder) as part:
        how = ["--local"] if location.is_local else ["--filter=blob:none"]
        answer = run_git(
            *("clone", "--bare", "--template=", "--origin=origin", *how),
            *("--", location.shown, str(part)),
            timeout_s=timeout_s,
            settings=_credentials(location),
        )
        if answer.status:
            raise _failure(repository, location, "clone", answer)
        whole = location.is_local or "filtering not recognized" in answer.complaint
        for change in (
            ("--remove-section", "remote.origin"),
            (_FILTERED, "false" if whole else "true"),
        ):
            run_git(at(part), "config", *change, timeout_s=_LOCAL_TIMEOUT_S)
        part.rename(folder)


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """A place of its own: the git of a killed process may still write to the last."""
    part = tempfile.mkdtemp(prefix="clone-", suffix=UNFINISHED, dir=folder.parent)
    try:
        yield Path(part, folder.name)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _sweep(folder: Path) -> None:
    """Take away what a killed fetch left. The folder's lock must be held."""
    for pattern in ("objects/pack/tmp_*", "objects/pack/.tmp-*", "*.lock"):
        for leftover in folder.glob(pattern):
            leftover.unlink(missing_ok=True)
    for leftover in (folder / "refs").rglob("*.lock"):
        leftover.unlink(missing_ok=True)


def _credentials(location: Location) -> Mapping[str, str]:
    """Let git write the whole URL for the shown one, out of the sight of `ps`."""
    if location.url == location.shown:
        return {}
    return {f"url.{location.url}.insteadOf": location.shown}


def _remote(location: Location, *, filtered: bool) -> Mapping[str, str]:
    named = {"remote.origin.url": location.url}
    if filtered:
        named["remote.origin.promisor"] = "true"
        named["remote.origin.partialclonefilter"] = "blob:none"
    return named


def _failure(
    repository: str, location: Location, step: str, answer: Answer
) -> FixSourceError:
    return FixSourceError(
        f"{repository}: git {step} of {location.shown} failed: "
        f"{location.redact(answer.reason())}; check that the URL is right and can be "
        f"reached without a prompt, or name another in [fixes.histories]"
    )
