"""The verifier's checks that run in this process, one function each.

Each is handed parent and child and returns what does not hold, or nothing. They rest on
requests that were answered, never on what a plan says of itself.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from envplatform.bundle import Dependency, Environment
from envplatform.res.diagnostic import Diagnostic
from envplatform.res.trail import TRAIL, Trail, trail_of
from envplatform.tree import tree_digest
from envplatform.workspace import Interface, workspace_of
from envplatform.workspace.recovery import Recovery, RecoveryError
from envplatform.ws.wire import canonical

_UNCHANGED = (
    "pillar",
    "instruction",
    "workspace",
    "tests",
    "image",
    "core",
    "criteria",
    "description",
    "labels",
    "allowance",
    "user",
)
_INHERITED_SAMPLE = 4
_LEAST_SECRET = 5
"""Characters; shorter values stand anywhere by chance."""


@dataclass(slots=True)
class Session:
    """One session in which all evidence was had: what was asked, and what was answered."""

    contents: dict[str, bytes] = field(default_factory=dict)
    """Root's name to what was recovered."""
    failed: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    answers: dict[str, list[str]] = field(default_factory=dict)
    """Public name to the texts of all answers about it."""
    log: str = ""


def session(environment: Environment, trail: Trail, *, without: str = "") -> Session:
    """Have all evidence in a new session, without one name if that is asked."""
    interface, held = Interface(environment, without=without), Session()

    def ask(operation: str, arguments: Mapping[str, Any]) -> tuple[bytes | None, Any]:
        content, data = interface.request(operation, arguments)
        name = str(arguments.get("name", ""))
        told = content.decode("utf-8", "replace") if content is not None else data
        held.asked.append((operation, dict(arguments)))
        held.answers.setdefault(name, []).append(
            told if isinstance(told, str) else canonical(told)
        )
        return content, data

    recovery = Recovery(trail.entries, ask)
    for name in trail.wanted:
        try:
            held.contents[name] = recovery.get(name)
        except RecoveryError as error:
            held.failed[name] = str(error)
    log = "\n".join(map(str, interface.broker.log))
    held.log = hashlib.sha256(log.encode("utf-8", "replace")).hexdigest()
    return held


def frozen(parent: Environment, child: Environment) -> Iterator[Diagnostic]:
    """Core, grader, goal and user are the parent's, and what is frozen is held as it was."""
    for name in _UNCHANGED:
        if getattr(parent, name) != getattr(child, name):
            yield Diagnostic(check="frozen", name=name, message="is not the parent's")
    if tree_digest(child.tests) != child.core.grader_digest:
        yield Diagnostic(
            check="frozen", name="tests", message="are not the core's grader"
        )
    for name in sorted(parent.core.frozen):
        found = _held(child, name)
        if found is None or found != _held(parent, name):
            yield Diagnostic(
                check="frozen", name=name, message="is not held as the parent holds it"
            )
    gone = set(parent.permissions.operations) - set(child.permissions.operations)
    writable = child.permissions.writable_names != parent.permissions.writable_names
    if gone or writable:
        yield Diagnostic(
            check="frozen", name="permissions", message="are not at least the parent's"
        )


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


def necessity(
    parent: Environment, child: Environment, trail: Trail, had: Session, seed: int
) -> Iterator[Diagnostic]:
    """Without any one declared prerequisite something can't be had, and nothing else tells it.

    New edges are tried in full, inherited ones by sample.
    """
    new = [edge for edge in child.dependencies if edge not in parent.dependencies]
    inherited = [edge for edge in child.dependencies if edge in parent.dependencies]
    drawn = Random(seed).sample(inherited, min(_INHERITED_SAMPLE, len(inherited)))  # noqa: S311
    for edge in (*new, *drawn):
        less = session(child, trail, without=edge.needs)
        if not less.failed and less.contents == had.contents:
            yield Diagnostic(
                check="necessity",
                name=edge.view,
                message=f"all is recovered without {edge.needs}",
            )
    yield from _told_elsewhere(child, new, had)


def path_gone(parent: Environment, child: Environment) -> Iterator[Diagnostic]:
    """What the parent's way gave it gives no more, and nothing private is to be seen."""
    before, after = trail_of(parent), trail_of(child)
    changed = [
        name
        for name, node in after.entries.items()
        if before.entries.get(name) != node and name in {v.name for v in parent.views}
    ]
    for name in changed:
        was = _plainly(parent, name)
        if was is not None and _plainly(child, name) == was:
            yield Diagnostic(
                check="path_gone", name=name, message="is still read as in the parent"
            )
    public = "\n".join(_public(child))
    for secret in _private(child):
        if secret in public:
            yield Diagnostic(
                check="path_gone", name=secret, message="is private, and can be seen"
            )


def reset(child: Environment, trail: Trail, had: Session) -> Iterator[Diagnostic]:
    """Another session goes the same way to the same answers."""
    again = session(child, trail)
    if again.log != had.log or again.contents != had.contents:
        yield Diagnostic(check="reset", name="", message="a second session differs")


def _told_elsewhere(
    child: Environment, edges: list[Dependency], had: Session
) -> Iterator[Diagnostic]:
    """What an edge wants known must stand nowhere but behind the name that it needs."""
    listed = canonical(Interface(child).ask("list").data)
    needs: dict[str, set[str]] = {}
    for edge in child.dependencies:
        needs.setdefault(edge.view, set()).add(edge.needs)
    for edge in edges:
        if edge.kind not in {"handle", "key"}:
            continue
        secrets = _secrets(child, edge, had)
        for name, texts in (("", [listed]), *had.answers.items()):
            if name == edge.needs or edge.needs in _behind(name, needs):
                continue
            told = next((s for s in secrets if any(s in text for text in texts)), None)
            if told is not None:
                where = name or "the list"
                message = f"what it wants from {edge.needs} stands in {where} too"
                yield Diagnostic(check="necessity", name=edge.view, message=message)
                break


def _secrets(child: Environment, edge: Dependency, had: Session) -> list[str]:
    view = next(one for one in child.views if one.name == edge.view)
    if edge.kind == "handle":
        return [] if view.listed else [view.name]
    if view.kind not in {"gate", "lookup"}:
        return []
    keys = {
        str(arguments["key"])
        for operation, arguments in had.asked
        if operation == "read" and arguments["name"] == edge.view and "key" in arguments
    }
    return sorted(key for key in keys if len(key) >= _LEAST_SECRET)


def _behind(name: str, needs: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    todo = [name]
    while todo:
        further = needs.get(todo.pop(), set()) - found
        found |= further
        todo += further
    return found


def _held(environment: Environment, name: str) -> str | None:
    resource = next((one for one in environment.resources if one.name == name), None)
    if resource is None:
        return None
    at = resource.location
    return tree_digest(
        {
            path: file
            for path, file in environment.served.items()
            if path == at or path.startswith(f"{at}/")
        }
    )


def _plainly(environment: Environment, name: str) -> bytes | None:
    return Interface(environment).ask("read", name=name).content


def _public(environment: Environment) -> Iterator[str]:
    """Yield what an agent sees without being told of any name."""
    yield environment.instruction
    listing = Interface(environment).ask("list").data
    yield canonical(listing)
    for file in environment.workspace.values():
        yield file.data.decode("utf-8", "replace")
    asked = Interface(environment)
    for one in listing["names"]:
        content = asked.ask("read", name=one["name"]).content
        if content is not None:
            yield content.decode("utf-8", "replace")


def _private(environment: Environment) -> Iterator[str]:
    lineage = environment.lineage
    yield from (TRAIL, lineage.parent or TRAIL, *lineage.bindings.values())
    yield from (
        one.name for one in environment.resources if one.name.startswith("made.")
    )
