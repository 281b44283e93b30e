"""Search a machine for copies of files that must not be on it. Runs in the sandbox.

Takes from standard input what is wanted: `{"files": [{"path", "size", "sha256", "blob",
"stem"}]}`; prints a JSON list of `{"path", "at"}`, the copies. Knows plain files, byte
code that was compiled from a file of that name and size, and git's objects, loose or
packed. What is compressed in another way it does not see.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_SKIPPED = (
    "/proc",
    "/sys",
    "/dev",
    "/workspace",
    "/tests",
    "/solution",
    "/logs",
    "/tmp",  # noqa: S108  a path inside the sandbox
    "/home/agent",
)
"""Places that every sandbox has fresh, or that are no files."""
_MAX_BYTES = 512_000_000
_MOST = 20


def main() -> None:
    """Answer the question on standard input."""
    wanted = json.load(sys.stdin)["files"]
    found: list[dict[str, str]] = []
    for at, size in _files():
        found += [{"path": p, "at": str(at)} for p in _copied(at, size, wanted)]
        if len(found) >= _MOST:
            break
    sys.stdout.write(json.dumps(found[:_MOST]))


def _files() -> Iterator[tuple[Path, int]]:
    for name, folders, names in os.walk("/"):
        folder = Path(name)
        folders[:] = [one for one in folders if str(folder / one) not in _SKIPPED]
        for at in map(folder.joinpath, names):
            try:
                info = at.lstat()
            except OSError:
                continue
            if stat.S_ISREG(info.st_mode) and info.st_size <= _MAX_BYTES:
                yield at, info.st_size


def _copied(at: Path, size: int, wanted: list[dict[str, Any]]) -> list[str]:
    """Return the paths of the wanted files that `at` gives away."""
    same = [one for one in wanted if one["size"] == size]
    try:
        if same:
            digest = hashlib.sha256(at.read_bytes()).hexdigest()
            return [one["path"] for one in same if one["sha256"] == digest]
        if at.suffix == ".pyc":
            return _compiled(at, wanted)
        if at.suffix == ".idx":
            data = at.read_bytes()
            return [o["path"] for o in wanted if bytes.fromhex(o["blob"]) in data]
    except OSError:
        return []
    return [one["path"] for one in wanted if one["blob"] == at.parent.name + at.name]


def _compiled(at: Path, wanted: list[dict[str, Any]]) -> list[str]:
    """Return what `at` was compiled from, as its name and the source's size tell."""
    named = [one for one in wanted if one["stem"] == at.name.split(".")[0]]
    if not named:
        return []
    with at.open("rb") as stream:
        head = stream.read(16)
    source = int.from_bytes(head[12:16], "little")
    return [one["path"] for one in named if one["size"] & 0xFFFFFFFF == source]


if __name__ == "__main__":
    main()
