"""Read a repository at one commit, from a mirror in the cache; nothing is checked out.

The mirror brings commits and trees, then in one request the files of this commit. A
symbolic link becomes a copy of what it names inside the repository; one that leads
out of it, or nowhere, is left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from envplatform.errors import FixSourceError, TargetError
from envplatform.swe.fixes.histories.mirror import Mirror, open_mirror
from envplatform.swe.fixes.histories.objects import Entry, ObjectReader
from envplatform.swe.targets.links import follow_links
from envplatform.swe.targets.target import GitSource
from envplatform.tree import File, Tree, TreeError, checked_path

MAX_FILES = 50_000
MAX_BYTES = 500_000_000
_MAX_NAMES = 250_000
"""In all folders together: folders that hold no file end a walk, too."""
_MAX_LINK_BYTES = 4096
_FOLDER, _LINK, _SUBMODULE = "40000", "120000", "160000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """The files of a repository, and what of it could not become files."""

    tree: Tree
    links: frozenset[str] = frozenset()
    """Paths of files that are copies, made for symbolic links."""
    submodules: tuple[str, ...] = ()
    """Sorted folders whose files are in other repositories."""


def read_commit(source: GitSource, cache: Path, *, name: str) -> Checkout:
    """Return the files at `source.commit`; `cache` keeps mirrors, `name` names ours.

    Raises:
        TargetError: the repository can't be reached, has no such commit, or holds more
            than 50,000 files or 500 MB.
    """
    try:
        mirror = open_mirror(name, source.url, cache)
        root = _root(mirror, source.commit)
        with ObjectReader(mirror.folder) as objects:
            found = _walk(objects, root, name) if root else None
            if found is None:
                raise TargetError(_no_such(mirror, source, name))
            _bring(mirror, objects, found)
            tree = _read(objects, found, name)
            links = _targets(objects, found)
    except FixSourceError as error:
        raise TargetError(_of_a_target(error)) from error
    followed = follow_links(tree, links, max_files=MAX_FILES, max_bytes=MAX_BYTES)
    return Checkout(
        tree=followed,
        links=frozenset(followed.keys() - tree.keys()),
        submodules=tuple(sorted(found.submodules)),
    )


def default_commit(url: str, cache: Path, *, name: str) -> tuple[str, str]:
    """Return the newest commit of the default branch, and the URL as it may be shown.

    Raises:
        TargetError: the repository can't be reached, or is empty.
    """
    try:
        mirror = open_mirror(name, url, cache)
        if not mirror.location.is_local:
            mirror.refresh()
        with ObjectReader(mirror.folder) as objects:
            ((_, header),) = objects.headers(("HEAD^{commit}",))
    except FixSourceError as error:
        raise TargetError(_of_a_target(error)) from error
    if header is None:
        msg = f"{name}: {mirror.location.shown} has no commit on its default branch"
        raise TargetError(msg)
    return header.object_id, mirror.location.shown


@dataclass(slots=True)
class _Found:
    """What the trees of one commit name, by path."""

    files: dict[str, Entry] = field(default_factory=dict)
    links: dict[str, Entry] = field(default_factory=dict)
    submodules: list[str] = field(default_factory=list)

    def object_ids(self) -> set[str]:
        both = (*self.files.values(), *self.links.values())
        return {entry.object_id for entry in both}


def _root(mirror: Mirror, commit: str) -> str | None:
    """Id of the commit's tree, asking the remote for what is not here."""
    for bring in (None, lambda: mirror.fetch((commit,)), mirror.refresh):
        if bring:
            bring()
        # A running git may not look for new packs: one process each time.
        with ObjectReader(mirror.folder) as objects:
            root = objects.tree_of(commit)
        if root is not None or mirror.location.is_local:
            return root
    return None


def _walk(objects: ObjectReader, root: str, name: str) -> _Found | None:
    """None: a tree is missing."""
    found, names = _Found(), 0
    waiting = [("", root)]
    while waiting:
        above, object_id = waiting.pop()
        entries = objects.tree(object_id)
        if entries is None:
            return None
        names += len(entries)
        if names > _MAX_NAMES or len(found.files) > MAX_FILES:
            raise TargetError(_too_much(name))
        for raw, entry in entries.items():
            path = _path(above, raw, name)
            if entry.mode == _FOLDER:
                waiting.append((f"{path}/", entry.object_id))
            elif entry.mode == _SUBMODULE:
                found.submodules.append(path)
            elif entry.mode == _LINK:
                found.links[path] = entry
            else:
                found.files[path] = entry
    return found


def _path(above: str, raw: bytes, name: str) -> str:
    part = raw.decode("utf-8", "surrogateescape")
    if "/" in part or part.casefold() == ".git":
        msg = f"{name}: {part!r} can't be the name of a file in a repository"
        raise TargetError(msg)
    try:
        return checked_path(above + part)
    except TreeError as error:
        msg = f"{name}: {error}"
        raise TargetError(msg) from error


def _bring(mirror: Mirror, objects: ObjectReader, found: _Found) -> None:
    wanted = sorted(found.object_ids())
    missing = [name for name, header in objects.headers(wanted) if header is None]
    if missing and not mirror.location.is_local:
        mirror.fetch(missing)
        objects.close()


def _read(objects: ObjectReader, found: _Found, name: str) -> Tree:
    tree: dict[str, File] = {}
    left = MAX_BYTES
    for path in sorted(found.files):
        entry = found.files[path]
        data = objects.read(entry.object_id, limit_bytes=left)
        if isinstance(data, int):
            raise TargetError(_too_much(name))
        if data is None:
            msg = f"{name}: {path} can't be had: the repository lacks {entry.object_id}"
            raise TargetError(msg)
        left -= len(data)
        tree[path] = File(data, executable=entry.mode == "100755")
    return tree


def _targets(objects: ObjectReader, found: _Found) -> dict[str, str]:
    return dict(_each_target(objects, found))


def _each_target(objects: ObjectReader, found: _Found) -> Iterator[tuple[str, str]]:
    for path, entry in found.links.items():
        data = objects.read(entry.object_id, limit_bytes=_MAX_LINK_BYTES)
        if isinstance(data, bytes):
            yield path, data.decode("utf-8", "surrogateescape")


def _of_a_target(error: FixSourceError) -> str:
    """Name the key that is to be corrected: mirrors are made for fixes, too."""
    return str(error).replace("in [fixes.histories]", "in source.url")


def _no_such(mirror: Mirror, source: GitSource, name: str) -> str:
    return (
        f"{name}: {mirror.location.shown} has no commit {source.commit}, or does not "
        "give it away; correct source.commit, or push the commit to a branch there"
    )


def _too_much(name: str) -> str:
    return (
        f"{name}: the commit holds more than {MAX_FILES:,} files or {MAX_BYTES:,} "
        "bytes; check out what the suite needs and name that folder "
        '(kind = "path")'
    )
