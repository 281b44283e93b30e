"""What a child has of its parent unchanged: core, grader, goal, user, permissions."""

from collections.abc import Iterator
from dataclasses import replace

from envplatform.bundle import Environment
from envplatform.res.diagnostic import Diagnostic
from envplatform.res.shown import root_of, waits
from envplatform.res.trail import trail_of
from envplatform.tree import tree_digest
from envplatform.user.shown import SHOWN, is_reading
from envplatform.user.sidecar import read_written
from envplatform.workspace import Interface

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
)


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
    yield from _permitted(parent, child)
    yield from _user(parent, child)
    yield from _watched(parent, child)


def _permitted(parent: Environment, child: Environment) -> Iterator[Diagnostic]:
    """Operations may be added, and must open nothing that was there before."""
    before, after = parent.permissions, child.permissions
    if set(before.operations) - set(after.operations) or replace(
        after, operations=before.operations
    ) != replace(before, operations=before.operations):
        yield Diagnostic(
            check="frozen", name="permissions", message="are not at least the parent's"
        )
    added = set(after.operations) - set(before.operations)
    kept = {view.name for view in parent.views if view in child.views}
    for name, offers in _offers(child).items():
        if name in kept and added & offers:
            message = f"offers {min(added & offers)}, which the parent does not permit"
            yield Diagnostic(check="frozen", name=name, message=message)


def _offers(environment: Environment) -> dict[str, set[str]]:
    """Return public name of a view to what can be asked of it, listed or not."""
    interface, found = Interface(environment), dict[str, set[str]]()
    for view in environment.views:
        for one in interface.ask("list", prefix=view.name).data["names"]:
            if one["name"] == view.name or one["name"].startswith(f"{view.name}/"):
                found.setdefault(view.name, set()).update(one["offers"])
    return found


def _user(parent: Environment, child: Environment) -> Iterator[Diagnostic]:
    """The user is the parent's, byte for byte; how it sees the child is told apart."""
    theirs, ours = (
        {path: file for path, file in one.user.items() if path != SHOWN}
        for one in (parent, child)
    )
    if theirs != ours:
        yield Diagnostic(check="frozen", name="user", message="is not the parent's")


def _watched(parent: Environment, child: Environment) -> Iterator[Diagnostic]:
    """What the user inside looks at can still be asked, or is known to be had."""
    if not child.user:
        return
    offers, trail = _offers(child), trail_of(child)
    changed = {view.name for view in parent.views if view not in child.views}
    for one in waits(read_written(child.user)):
        root = root_of(one.name, trail)
        if root not in changed or is_reading(one):
            continue
        if one.operation not in offers.get(root, ()):
            message = f"the user waits for a {one.operation} of it, not for its content"
            yield Diagnostic(check="frozen", name=root, message=message)


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
