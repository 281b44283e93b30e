"""The writable places of a sandbox: which of them a path inside belongs to.

Pure path arithmetic; no file is touched here (`beneath`).
"""

from envplatform.sandbox.base import WRITABLE
from envplatform.tree import TreeError, checked_path


def inside_place(path: str) -> str:
    """Return `path` without its leading slash, if it lies in a writable place.

    Raises:
        TreeError: it is relative, has `..` or the like, or lies elsewhere.
    """
    relative = checked_path(path.removeprefix("/")) if path.startswith("/") else ""
    for place in WRITABLE:
        if path == place or path.startswith(place + "/"):
            return relative
    msg = f"{path!r} lies in none of the writable places {', '.join(WRITABLE)}"
    raise TreeError(msg)
