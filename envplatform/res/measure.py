"""What it takes to have a task's evidence: requests, dependent requests, bytes.

Measured by doing it over the public interface in this process, never by counting what
was planned.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from envplatform.bundle import Environment, View
from envplatform.res.trail import Trail, trail_of
from envplatform.workspace import Interface, Workspace, workspace_of
from envplatform.workspace.recovery import Recovery
from envplatform.ws.fast_export import read_history


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """The way to the evidence of one environment."""

    reads: int
    """Requests that gave evidence: read, search, query, call."""
    calls: int
    """All requests."""
    chain: int
    """The longest chain of requests of which one needs the other's answer."""
    served_bytes: int
    """All that the broker holds."""
    names: int
    """Names that `list` tells."""


def evidence(environment: Environment, trail: Trail | None = None) -> tuple[str, ...]:
    """Return the root's names of what may be shown otherwise, in the order of its views.

    In a child they are the names that the root had; some are shown otherwise by now.
    `trail`: the way back, where it does not lie with the oracle yet.
    """
    trail = trail_of(environment) if trail is None else trail
    plain = [
        view.name
        for view in environment.views
        if view.source in environment.core.transformable
        and view.name not in trail.wanted
        and not view.name.startswith("vault/")
    ]
    return (*trail.wanted, *(name for name in plain if name not in trail.entries))


def measure(
    environment: Environment, trail: Trail | None = None, *, only: str = ""
) -> Measures:
    """Have all evidence again and tell what that took; `trail` as in `evidence`.

    `only`: a name of the root, of which alone requests are counted.

    Raises:
        RecoveryError: something can't be had.
    """
    trail = trail_of(environment) if trail is None else trail
    session = Interface(environment)
    recovery = Recovery(trail.entries, session.request)
    for name in trail.wanted:
        if only in {"", name}:
            recovery.get(name)
    plain = [view for view in _plain(environment, trail) if only in {"", view.name}]
    workspace = workspace_of(environment)
    untouched = sum(plain_reads(workspace, view) for view in plain)
    listed = session.ask("list").data["names"]
    return Measures(
        reads=recovery.reads + untouched,
        calls=recovery.calls + untouched,
        chain=max([recovery.depth, *(1 for _ in plain)], default=0),
        served_bytes=sum(len(file.data) for file in environment.served.values()),
        names=len(listed),
    )


def plain_reads(workspace: Workspace, view: View) -> int:
    """Count the requests that have all of a view that nothing was done to."""
    if view.kind == "folder":
        return len(json.loads(workspace.content(view.source)))
    if view.kind == "service":
        return len(json.loads(workspace.content(view.source)))
    if view.kind == "history":
        return 1 + len(read_history(workspace.content(view.source)).commits)
    return 1


def _plain(environment: Environment, trail: Trail) -> Iterator[View]:
    names = set(evidence(environment, trail)) - set(trail.wanted)
    return (view for view in environment.views if view.name in names)
