"""The broker: checks a request, has a view answer it, keeps the log.

One broker serves one session. It is a plain object with no sockets and no clock, so
that a verifier can replay a session in its own process to the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .changes import Change, apply_changes
from .conversation import MOST_SAID
from .errors import (
    FAILED,
    INVALID,
    NOT_FOUND,
    REFUSED,
    TOO_LARGE,
    ManifestError,
    WsError,
)
from .holdings import Holdings
from .log import Entry, entry_of
from .manifest import Manifest, ViewSpec
from .operations import OPERATIONS, Operation
from .view import Room, View
from .view_content import ContentView, FolderView
from .view_history import HistoryView
from .view_keyed import GateView, LookupView, VersionView
from .view_paged import PageView
from .view_service import ServiceView
from .view_staged import IndexView, JobView, TransitionView
from .view_table import TableView
from .wire import MAX_REPLY_BYTES, Reply, Request, encode_reply

_VIEWS: Mapping[str, type[View]] = {
    "content": ContentView,
    "folder": FolderView,
    "page": PageView,
    "lookup": LookupView,
    "gate": GateView,
    "job": JobView,
    "transition": TransitionView,
    "index": IndexView,
    "version": VersionView,
    "table": TableView,
    "service": ServiceView,
    "history": HistoryView,
}
_CHANGES = frozenset({"write", "edit", "delete"})
_MOST_LISTED = 5_000
"""Names in one answer of `list`; more need a longer prefix."""


class Broker:
    """Answers the requests of one agent about one environment."""

    def __init__(self, manifest: Manifest, holdings: Holdings) -> None:
        """Raise ManifestError if a view can't be served."""
        self.manifest = manifest
        self.room = Room(manifest, holdings)
        self.log: list[Entry] = []
        self._asked = 0
        self._views: dict[str, View] = {
            name: _VIEWS[spec.kind](spec, self.room)
            for name, spec in manifest.views.items()
        }

    def ask(self, request: Request, *, heard: Reply | None = None) -> Reply:
        """Answer one request of the agent and log it; whatever it holds, no error.

        `heard`: what the user answered to a `say`; None if nobody did.
        """
        try:
            reply = self._bounded(self._answer(request, heard))
        except WsError as error:
            reply = Reply(error=error.code, message=error.message)
        except ManifestError as error:
            reply = Reply(error=FAILED, message=f"the environment is broken: {error}")
        except Exception as error:  # noqa: BLE001  the boundary: logged, so never unseen
            said = f"the broker could not answer ({type(error).__name__})"
            reply = Reply(error=FAILED, message=said)
        self._asked += 1
        self._note(request, reply, by="agent")
        return reply

    def patch(self, changes: list[Change]) -> Reply:
        """Change what is held, as the user inside the environment; all or nothing.

        Changes go to locations, past the views and the agent's permissions.
        """
        request = Request("patch", {"changes": [one.said() for one in changes]})
        try:
            apply_changes(self.room.holdings, changes)
            reply = Reply(data={"changed": [one.path for one in changes]})
        except WsError as error:
            reply = Reply(error=error.code, message=error.message)
        self._note(request, reply, by="user")
        return reply

    def _note(self, request: Request, reply: Reply, *, by: str) -> None:
        self.log.append(entry_of(len(self.log) + 1, request, reply, by=by))

    def said(self, request: Request) -> tuple[str | None] | None:
        """Return what a `say` that is in order says to the user; None for all else."""
        if request.operation != "say":
            return None
        try:
            _, arguments = self._admitted(request)
        except WsError:
            return None
        return (arguments.get("text"),)

    def _answer(self, request: Request, heard: Reply | None) -> Reply:
        operation, arguments = self._admitted(request)
        if operation.name == "list":
            return self._list(arguments.get("prefix", ""))
        if operation.name == "say":
            if heard is None:
                raise WsError(FAILED, "the user does not answer")
            return heard
        name = arguments["name"]
        if operation.name in _CHANGES and not self.manifest.permissions.may_write(name):
            raise WsError(REFUSED, f"{name} can't be changed")
        view = self._view(name)
        if operation.name not in view.operations:
            offered = ", ".join(self._offered(view.spec, view)) or "nothing"
            raise WsError(REFUSED, f"{name} offers {offered}")
        return view.answer(operation.name, arguments)

    def _admitted(self, request: Request) -> tuple[Operation, dict[str, Any]]:
        permissions = self.manifest.permissions
        if self._asked >= permissions.calls:
            raise WsError(REFUSED, f"all {permissions.calls} requests are used up")
        operation = OPERATIONS.get(request.operation)
        if operation is None:
            msg = f"there is no operation {request.operation!r}; there are "
            raise WsError(INVALID, msg + ", ".join(permissions.operations))
        if operation.name not in permissions.operations:
            raise WsError(REFUSED, f"{operation.name} is not permitted here")
        arguments = operation.checked(request.arguments)
        if len(arguments.get("text", "")) > MOST_SAID:
            raise WsError(TOO_LARGE, f"a message is at most {MOST_SAID} characters")
        return operation, arguments

    def _view(self, name: str) -> View:
        found = self._views.get(name)
        if found is not None and found.spec.kind != "folder":
            return found
        parts = name.split("/")
        for length in range(len(parts) - 1, 0, -1):
            folder = self._views.get("/".join(parts[:length]))
            if folder is not None and folder.spec.kind == "folder":
                return folder
        raise WsError(NOT_FOUND, f"there is no {name!r}; `list` tells what there is")

    def _list(self, prefix: str) -> Reply:
        found = [
            self._told(name, view)
            for view in self._views.values()
            if view.spec.listed or view.spec.name == prefix  # who knows it may ask
            for name in view.names(prefix)
            if name.startswith(prefix)
        ]
        found.sort(key=lambda one: str(one["name"]))
        more = len(found) - _MOST_LISTED
        told: dict[str, Any] = {"names": found[:_MOST_LISTED]}
        if more > 0:
            told["left_out"] = more
        return Reply(data=told)

    def _told(self, name: str, view: View) -> dict[str, Any]:
        told: dict[str, Any] = {"name": name, "offers": self._offered(view.spec, view)}
        if view.spec.about:
            told["about"] = view.spec.about
        return told

    def _offered(self, spec: ViewSpec, view: View) -> list[str]:
        permissions = self.manifest.permissions
        may_write = permissions.may_write(spec.name) or permissions.may_write(
            f"{spec.name}/"
        )
        return [
            one
            for one in view.operations
            if one in permissions.operations and (one not in _CHANGES or may_write)
        ]

    @staticmethod
    def _bounded(reply: Reply) -> Reply:
        size = len(encode_reply(reply)) if reply.content is None else len(reply.content)
        if size > MAX_REPLY_BYTES:
            msg = f"the answer is {size} bytes, over {MAX_REPLY_BYTES}; ask for less"
            raise WsError(TOO_LARGE, msg)
        return reply
