"""Versions of a content, and a release log that tells which one is in force."""

from collections.abc import Callable
from typing import Any

from envplatform.errors import BundleError
from envplatform.res.primitives.base import STAMP, Primitive, companion, stale, whole
from envplatform.workspace import Binding, Interface
from envplatform.workspace.draft import Draft
from envplatform.workspace.recipes import at, chosen, get, parsed, read
from envplatform.workspace.recovery import Node

_FINAL = "final"


class VersionSelection(Primitive):
    """The latest that is final."""

    name = "version_selection"
    summary = "a content has versions; a release log tells which one is in force"

    def options(self) -> tuple[str, ...]:
        """`versions`: 2 or 3."""
        return ("versions",)

    def draw(self, draft: Draft, options: dict[str, Any]) -> Node:
        """See the base class."""
        count = whole(draft, options, "versions", 2, 3)
        others = stale(draft, count - 1)
        right = draft.random.randrange(count)
        tags = [draft.token("version", place)[:6] for place in range(count)]
        versions = {
            tag: draft.source() if place == right else draft.hold(others.pop())
            for place, tag in enumerate(tags)
        }
        releases = [
            {
                "version": tag,
                "state": _FINAL if place <= right else "withdrawn",
                "date": f"2024-{place + 1:02d}-{draft.random.randint(1, 28):02d}",
            }
            for place, tag in enumerate(tags)
        ]
        draft.random.shuffle(releases)
        named = f"{draft.name}.releases-{draft.token('name')[:4]}"
        draft.show(
            named,
            "content",
            draft.hold({STAMP: draft.token(STAMP), "releases": releases}, "schema"),
            about=f"Releases: in force is the latest by date of those that are {_FINAL}.",
        )
        draft.same(
            f"Has versions; {named} tells which one is in force.",
            "version",
            versions=versions,
            needs=(named,),
            needed_as="version",
        )
        log = at(parsed(get(named)), "releases")
        latest = chosen(log, {"state": _FINAL}, by="date")
        return read(draft.name, version=at(latest, "version"))

    def check(
        self, opened: Callable[[], Interface], content: bytes, binding: Binding
    ) -> None:
        """One version is in force by the rule, and every other says something else."""
        session = opened()
        told = companion(session, binding.name, "releases")
        releases = session.document(told)["releases"]
        final = [one for one in releases if one["state"] == _FINAL]
        dates = sorted((one["date"] for one in final), reverse=True)
        same = [
            one["version"]
            for one in releases
            if session.read(binding.name, version=one["version"]) == content
        ]
        right = [one["version"] for one in final if one["date"] == dates[0]]
        if same != right:
            msg = f"{self.name} of {binding.name}: {right} is in force, {same} is right"
            raise BundleError(msg)


PRIMITIVE = VersionSelection()
