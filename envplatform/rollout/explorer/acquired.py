"""Which evidence a search got at: judged by what the root environment holds.

In a child, what is shown otherwise counts if its public way back can be gone on nothing
but the answers that the search got: the last one to the very same request.

A file counts if its very bytes were found, a table if all its rows were, a route of a
service if its body was, a history if every commit was seen; what a user inside changes,
as it is after that. The explorer knows nothing of this: it is how an attempt is judged,
not how it searches.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from envplatform.bundle import Environment, View
from envplatform.rollout.explorer.explore import Explored
from envplatform.rollout.explorer.heard import left_by_user
from envplatform.tree import File, Tree
from envplatform.workspace.graph import ENCODING
from envplatform.workspace.recovery import Recovery, RecoveryError
from envplatform.workspace.way_back import way_back_of
from envplatform.ws.fast_export import read_history
from envplatform.ws.wire import canonical


@dataclass(frozen=True, slots=True, kw_only=True)
class Acquired:
    """What of the root environment was found."""

    served: Tree
    """What the root's broker would hold at first if it had only that."""
    missing: tuple[str, ...]
    """Locations that were not found, or not wholly, or not as the user left them; sorted."""
    left: Tree
    """What the root's broker holds once the user has changed all that it changes."""


def acquired_of(
    root: Environment, explored: Explored, *, child: Environment | None = None
) -> Acquired:
    """Judge a search, of `root` or of a child of it, by what `root` shows.

    Raises:
        BundleError: the way back or the user of `child` can't be read.
    """
    left = left_by_user(root, explored.fired)
    now = _Sight(replace(root, served=left), explored, child)
    before = _Sight(root, explored, child)
    served: dict[str, File] = {}
    missing: list[str] = []
    for path in sorted(root.served.keys() | left.keys()):
        due, first = left.get(path), root.served.get(path)
        found = now.of(path)
        is_had = due is None or found == due.data
        if due != first and is_had:
            found = first.data if first else None  # the user goes on from there
        elif due != first:
            found = before.of(path)
        if first is not None and found is not None:
            served[path] = File(found, first.executable)
        if not is_had:
            missing.append(path)
    return Acquired(served=served, missing=tuple(missing), left=left)


class _Sight:
    """What a search has of an environment in one of its states."""

    def __init__(
        self, root: Environment, explored: Explored, child: Environment | None
    ) -> None:
        self._root = root
        self._explored = explored
        self._kinds = {
            _location(root, view): view.kind for view in root.views if view.source
        }
        self._recovered = _recovered(root, explored, child) if child is not None else {}

    def of(self, path: str) -> bytes | None:
        """Return what was found of a file; None: nothing that is of use."""
        file = self._root.served.get(path)
        if file is None:
            return None
        kind = _kind(path, self._kinds)
        if kind is None:  # shown by no view: the user's or the grader's
            return file.data
        if path in self._recovered:
            return file.data if self._recovered[path] == file.data else None
        return _found(kind, file.data, self._explored)


def _recovered(
    root: Environment, explored: Explored, child: Environment
) -> dict[str, bytes | None]:
    """Return by location what was had of all that `child` shows otherwise; None: nothing."""
    way = way_back_of(child)
    told = {
        canonical([one.request.operation, one.request.arguments]): one.reply
        for one in explored.answered
    }

    def ask(operation: str, arguments: Mapping[str, Any]) -> tuple[bytes | None, Any]:
        reply = told.get(canonical([operation, dict(arguments)]))
        if reply is None:
            msg = f"{operation} {arguments.get('name', '')} was not answered"
            raise LookupError(msg)
        return reply.content, reply.data

    recovery = Recovery(way.get("entries", {}), ask)
    shown = {view.name: view for view in root.views}
    found: dict[str, bytes | None] = {}
    for one in way.get("root", {}).get("views", ()):
        if one["name"] not in shown:
            continue
        view = shown[one["name"]]
        try:
            content: bytes | None = recovery.get(view.name)
        except RecoveryError:
            content = None
        found |= _files(root, _location(root, view), view.kind, content)
    return found


def _files(
    root: Environment, location: str, kind: str, content: bytes | None
) -> dict[str, bytes | None]:
    if kind != "folder":
        return {location: content}
    texts = {} if content is None else json.loads(content)
    return {
        path: texts[name].encode(*ENCODING) if name in texts else None
        for path in root.served
        if path.startswith(f"{location}/")
        for name in [path.removeprefix(f"{location}/")]
    }


def _location(root: Environment, view: View) -> str:
    return next(one.location for one in root.resources if one.name == view.source)


def _kind(path: str, kinds: Mapping[str, str]) -> str | None:
    for location, kind in kinds.items():
        if path == location or path.startswith(f"{location}/"):
            return kind
    return None


def _found(kind: str, data: bytes, explored: Explored) -> bytes | None:
    """Return what of a file was found; None: nothing that is of use."""
    if kind == "table":
        return data if _has_tables(data, explored) else None
    if kind == "service":
        return _routes(data, explored)
    if kind == "history":
        return data if _has_commits(data, explored) else None
    return data if data in explored.contents() or not data else None


def _has_tables(dump: bytes, explored: Explored) -> bool:
    seen = {
        canonical([sorted(map(canonical, one.reply.data["rows"]))])
        for one in explored.answered
        if one.request.operation == "query" and "rows" in one.reply.data
    }
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(dump.decode("utf-8"))
        return all(
            canonical([sorted(map(canonical, rows))]) in seen
            for rows in _tables(connection)
        )
    finally:
        connection.close()


def _tables(connection: sqlite3.Connection) -> Iterator[list[list[object]]]:
    names = connection.execute("select name from sqlite_master where type = 'table'")
    for (name,) in names.fetchall():
        quoted = str(name).replace('"', '""')
        rows = connection.execute(f'select * from "{quoted}"')  # noqa: S608  ours
        yield [list(row) for row in rows]


def _routes(data: bytes, explored: Explored) -> bytes:
    seen = {
        canonical(one.reply.data["body"])
        for one in explored.answered
        if one.request.operation == "call"
    }
    routes = json.loads(data)
    kept = [route for route in routes if canonical(route["body"]) in seen]
    return data if kept == routes else json.dumps(kept).encode()


def _has_commits(stream: bytes, explored: Explored) -> bool:
    shown = {
        one.reply.data["commit"]
        for one in explored.answered
        if one.request.operation == "act" and "commit" in (one.reply.data or {})
    }
    return set(read_history(stream).commits) <= shown
