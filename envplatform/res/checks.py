"""The verifier's checks that run in this process, one function each.

Each is handed parent and child and returns what does not hold, or nothing. They rest on
requests that were answered, never on what a plan says of itself.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from envplatform.bundle import Environment
from envplatform.res.diagnostic import Diagnostic
from envplatform.res.frozen import frozen
from envplatform.res.hidden import told_elsewhere
from envplatform.res.session import Session, session
from envplatform.res.staged import staged
from envplatform.res.told import text_of, untold
from envplatform.res.trail import TRAIL, Trail, trail_of
from envplatform.workspace import Interface, workspace_of
from envplatform.ws.wire import canonical

_INHERITED_SAMPLE = 4
_LONG = 40
"""Bytes; a shorter content stands in another one by chance."""
Way = tuple[str, dict[str, Any]]
"""Operation and arguments."""


def recovery(child: Environment, trail: Trail, had: Session) -> Iterator[Diagnostic]:
    """All that the task needs comes back byte for byte, by public requests alone."""
    held = workspace_of(child)
    sources = {view["name"]: view["source"] for view in trail.root.get("views", ())}
    for name in trail.wanted:
        if name in had.failed:
            yield Diagnostic(check="recovery", name=name, message=had.failed[name])
        elif had.contents[name] != held.content(sources[name]):
            yield Diagnostic(
                check="recovery", name=name, message="what is recovered differs"
            )
    if not had.failed:
        listed = canonical(Interface(child).ask("list").data)
        for name, word in untold(child, listed, trail.wanted, had.exchanges):
            yield Diagnostic(
                check="recovery", name=name, message=f"no reply tells {word!r}"
            )


def changed(
    parent: Environment, child: Environment, trail: Trail
) -> Iterator[Diagnostic]:
    """Once the user has changed something, all comes back as it then is, and no other way."""
    before, after = staged(parent).twins, staged(child).twins
    for fired, twin in after.items():
        had = session(twin, trail)
        found = [*recovery(twin, trail, had), *path_gone(before[fired], twin)]
        for one in found:
            told = f"once the user has done {', '.join(sorted(fired))}: {one.message}"
            yield replace(one, check="changed", message=told)


def necessity(
    parent: Environment, child: Environment, trail: Trail, had: Session, seed: int
) -> Iterator[Diagnostic]:
    """Without any one declared prerequisite something can't be had, and nothing else tells it.

    New edges are tried in full, inherited ones by sample.
    """
    new = [edge for edge in child.dependencies if edge not in parent.dependencies]
    inherited = [edge for edge in child.dependencies if edge in parent.dependencies]
    drawn = Random(seed).sample(inherited, min(_INHERITED_SAMPLE, len(inherited)))  # noqa: S311
    needless: dict[str, bool] = {}
    for edge in (*new, *drawn):
        if edge.needs not in needless:
            less = session(child, trail, without=edge.needs)
            needless[edge.needs] = not less.failed and less.contents == had.contents
        if needless[edge.needs]:
            yield Diagnostic(
                check="necessity",
                name=edge.view,
                message=f"all is recovered without {edge.needs}",
            )
    yield from told_elsewhere(child, _public(child), had)


def path_gone(parent: Environment, child: Environment) -> Iterator[Diagnostic]:
    """What the parent's way gave it gives no more, and nothing private is to be seen."""
    before, after = trail_of(parent), trail_of(child)
    changed = [
        name
        for name, node in after.entries.items()
        if before.entries.get(name) != node and name in {v.name for v in parent.views}
    ]
    for name in changed:
        if any(_same(parent, child, one) for one in _ways(parent, name)):
            yield Diagnostic(
                check="path_gone", name=name, message="is still had as in the parent"
            )
    yield from _seen_elsewhere(parent, child, after)
    public, known = ("\n".join(_public(one).values()) for one in (child, parent))
    for secret in _private(child):
        # In a list it stands as JSON writes it.
        spelt = {secret, canonical(secret)[1:-1]}
        if any(one in public and one not in known for one in spelt):
            yield Diagnostic(
                check="path_gone", name=secret, message="is private, and can be seen"
            )


def reset(child: Environment, trail: Trail, had: Session) -> Iterator[Diagnostic]:
    """Another session goes the same way to the same answers."""
    again = session(child, trail)
    if again.log != had.log or again.contents != had.contents:
        yield Diagnostic(check="reset", name="", message="a second session differs")


def _ways(parent: Environment, name: str) -> Iterator[Way]:
    """Yield the requests by which the parent gave what is at `name`."""
    view = next(one for one in parent.views if one.name == name)
    yield "read", {"name": name}
    content = workspace_of(parent).content
    if view.kind == "folder":
        for path in json.loads(content(view.source)):
            yield "read", {"name": f"{name}/{path}"}
    elif view.kind == "table":
        yield "query", {"name": name, "sql": "select * from sqlite_master"}
    elif view.kind == "service":
        for route in json.loads(content(view.source)):
            said = {"method": route["method"], "path": route["path"]}
            body = {"body": route["request"]} if route.get("request") else {}
            yield "call", {"name": name, **said, **body}
    elif view.kind == "history":
        yield "act", {"name": name, "action": "log"}


def _same(parent: Environment, child: Environment, way: Way) -> bool:
    operation, arguments = way
    before = Interface(parent).ask(operation, **arguments)
    return before.ok and before == Interface(child).ask(operation, **arguments)


def _seen_elsewhere(
    parent: Environment, child: Environment, trail: Trail
) -> Iterator[Diagnostic]:
    """What is shown otherwise must not be readable by who was told of nothing."""
    held = workspace_of(child)
    before, after = _open(parent), _open(child)
    for view in trail.root.get("views", ()):
        content = held.content(view["source"])
        for name, shown in after.items():
            is_seen = shown == content or (len(content) >= _LONG and content in shown)
            if is_seen and before.get(name) != shown:
                yield Diagnostic(
                    check="path_gone", name=view["name"], message=f"is shown by {name}"
                )


def _open(environment: Environment) -> dict[str, bytes]:
    """Return what can be read by who was told of nothing but the list."""
    session = Interface(environment)
    found = {}
    for one in session.ask("list").data["names"]:
        content = session.ask("read", name=one["name"]).content
        if content is not None:
            found[str(one["name"])] = content
    return found


def _public(environment: Environment) -> dict[str, str]:
    """Return what an agent sees without being told of any name, refusals too.

    By public name; what is about none of them by the empty one.
    """
    session = Interface(environment)
    listing = session.ask("list").data
    files = (
        file.data.decode("utf-8", "replace") for file in environment.workspace.values()
    )
    seen = {"": "\n".join((environment.instruction, canonical(listing), *files))}
    for one in listing["names"]:
        name = str(one["name"])
        replies = (
            session.ask("read", name=name),
            session.ask("act", name=name, action="create"),
            session.ask("act", name=name, action="advance"),
            session.ask("search", name=name, query=name),
        )
        seen[name] = "\n".join(
            text_of(reply.content, reply.data) + reply.message for reply in replies
        )
    return seen


def _private(environment: Environment) -> Iterator[str]:
    lineage = environment.lineage
    yield from (TRAIL, lineage.parent or TRAIL, *lineage.bindings.values())
    yield from (
        one.name for one in environment.resources if one.name.startswith("made.")
    )


__all__ = [
    "Session",
    "changed",
    "frozen",
    "necessity",
    "path_gone",
    "recovery",
    "reset",
    "session",
]
