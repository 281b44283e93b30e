"""The licence of a repository at one state, by the files at its root."""

from envplatform.swe.fixes.histories.licence_text import (
    is_licence_file,
    recognised_licence,
)
from envplatform.swe.fixes.histories.objects import ObjectReader

_MODES = frozenset({"100644", "100664", "100755"})
_MAX_BYTES = 2**20


def licence_blobs(objects: ObjectReader, root: str | None) -> tuple[str, ...]:
    """Ids of the licence files in a root tree, by name; none if it is not there."""
    entries = (objects.tree(root) if root else None) or {}
    return tuple(
        entry.object_id
        for name, entry in sorted(entries.items())
        if is_licence_file(name) and entry.mode in _MODES
    )


def read_licence(objects: ObjectReader, blobs: tuple[str, ...]) -> str:
    """SPDX identifier of the first file that is recognised; empty: of none."""
    for object_id in blobs:
        data = objects.read(object_id, limit_bytes=_MAX_BYTES)
        name = recognised_licence(data) if isinstance(data, bytes) else ""
        if name:
            return name
    return ""
