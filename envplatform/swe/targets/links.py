"""Symbolic links of a repository, turned into copies of what they name.

A tree holds plain files only. A copy behaves like its link for whoever reads it, and
most links of repositories are there to be read: fixtures, a README, a licence.
"""

import posixpath
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from envplatform.errors import TargetError
from envplatform.tree import File, Tree

_MAX_CHAIN = 8
"""Links that lead to links, or lie in folders that links lead to."""


def follow_links(
    tree: Tree, links: Mapping[str, str], *, max_files: int, max_bytes: int
) -> Tree:
    """Return `tree` with a copy at each of `links`, which maps a path to what it says.

    Left out: what leads out of the tree, nowhere, in a circle or into its own folder.

    Raises:
        TargetError: the copies make it more than `max_files` or `max_bytes`.
    """
    copied: dict[str, File] = dict(tree)
    total = sum(len(file.data) for file in copied.values())
    named = {path: _named(path, text) for path, text in sorted(links.items())}
    inside = {path: where for path, where in named.items() if where is not None}
    for _ in range(_MAX_CHAIN):
        before, ordered = len(copied), sorted(copied)
        for path, where in inside.items():
            for inner in _below(ordered, where):
                copy = path + inner.removeprefix(where)
                if copy in copied:
                    continue
                copied[copy] = copied[inner]
                total += len(copied[inner].data)
                if len(copied) > max_files or total > max_bytes:
                    msg = (
                        f"{path}: followed, the symbolic links of this repository make "
                        f"it more than {max_files:,} files or {max_bytes:,} bytes"
                    )
                    raise TargetError(msg)
        if len(copied) == before:
            break
    return copied


def _named(path: str, text: str) -> str | None:
    """Path of what a link names; None: it is outside of the tree, or all of it."""
    if text.startswith("/"):
        return None
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), text))
    is_inside = joined != "." and not joined.startswith("../") and joined != ".."
    return joined if is_inside and not path.startswith(f"{joined}/") else None


def _below(ordered: Sequence[str], where: str) -> Iterator[str]:
    """Yield the file `where`, or the files of that folder."""
    at = bisect_left(ordered, where)
    if at < len(ordered) and ordered[at] == where:
        yield where
        return
    for number in range(bisect_left(ordered, f"{where}/"), len(ordered)):
        if not ordered[number].startswith(f"{where}/"):
            return
        yield ordered[number]
