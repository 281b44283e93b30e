"""Evidence of a task that can be served by itself: attachments, and records of services.

Tasks as the set has them show evidence in the agent's folder and in what tools answer.
Neither can be shown otherwise: files of the workspace are no views, services are
processes. Here the same evidence is given names of its own, so that RES can work on it.
Tools stay: the graders look for their calls. What they say of a record is its id.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from envplatform.bundle import Resource, View
from envplatform.interop.claw_eval_live.reading import FoundTask
from envplatform.tree import File, Tree

FILES = "files"
"""The provider of all that is served so."""
_FIXTURES = "fixtures/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One file of a task that is served by itself."""

    path: str
    """As the task has it."""
    name: str
    """Public name."""
    location: str
    """Where the broker holds it."""
    key: str = ""
    """Field with a record's id; empty for an attachment, which is no list of records."""

    @property
    def resource(self) -> Resource:
        """What is held."""
        name = f"evidence.{self.path}"
        return Resource(
            name=name, kind="content", provider=FILES, location=self.location
        )

    @property
    def view(self) -> View:
        """How it is shown in a root."""
        about = f"Records, each with its {self.key}." if self.key else "An attachment."
        return View(
            name=self.name, kind="content", source=self.resource.name, about=about
        )


def attachments(files: Tree) -> Iterator[Evidence]:
    """Yield what the agent would have in its folder, at the same paths."""
    for path in files:
        yield Evidence(path=path, name=path, location=f"attachments/{path}")


def records(found: FoundTask, fixtures: Sequence[str]) -> Iterator[Evidence]:
    """Yield those fixtures of services that are a list of records with ids.

    Pages that are found by a search are none: their address is what is searched for.
    """
    for path in fixtures:
        key = _key(found.workspace[path])
        if key:
            yield Evidence(
                path=path,
                name=f"records/{path.removeprefix(_FIXTURES)}",
                location=f"set/tasks/{found.task_id}/{path}",
                key=key,
            )


def told(evidence: Sequence[Evidence]) -> str:
    """Return the part of the instruction that tells where evidence is."""
    if not evidence:
        return ""
    places = "".join(f"- `{one.name}`\n" for one in evidence)
    by_id = (
        "A tool tells of a record by its id, and names what holds it.\n"
        if any(one.key for one in evidence)
        else ""
    )
    return f"\n{by_id}To be read with `ws read NAME`:\n\n{places}"


def front_of(evidence: Sequence[Evidence], paths: set[str]) -> list[dict[str, str]]:
    """Return what a front is told of the records that its service reads."""
    return [
        {"file": one.location, "id": one.key, "name": one.name}
        for one in evidence
        if one.key and one.path in paths
    ]


def _key(file: File) -> str:
    known = records_in(file)
    for field in known[0] if known else ():
        ids = [record.get(field) for record in known]
        if field.endswith("_id") and all(isinstance(one, str) for one in ids):
            return field if len(set(ids)) == len(ids) else ""
    return ""


def records_in(file: File) -> list[dict[str, Any]]:
    """Return the records that a fixture lists; none where it is no such list."""
    try:
        found = json.loads(file.data)
    except (ValueError, RecursionError):
        return []
    is_list = isinstance(found, list) and all(isinstance(one, dict) for one in found)
    return found if is_list else []
