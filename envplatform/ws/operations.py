"""The closed list of what can be asked, once, for every face.

The command line, the tool schemas and the MCP server are all made from this table,
so a session is the same requests whichever of them it came through.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .errors import INVALID, WsError

_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "object": (dict,),
}


class Parameter(NamedTuple):
    """One argument of an operation."""

    name: str
    about: str
    kind: str = "string"
    """`string` or `object`, as in JSON Schema."""
    required: bool = False
    place: bool = False
    """Whether the command line takes it by position."""


class Operation(NamedTuple):
    """One thing that can be asked."""

    name: str
    about: str
    parameters: tuple[Parameter, ...]

    def schema(self) -> dict[str, Any]:
        """Return JSON Schema of the arguments."""
        return {
            "type": "object",
            "properties": {
                one.name: {"type": one.kind, "description": one.about}
                for one in self.parameters
            },
            "required": [one.name for one in self.parameters if one.required],
            "additionalProperties": False,
        }

    def checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return `arguments` if they are what the operation takes.

        Raises:
            WsError: `invalid`; names the argument.
        """
        known = {one.name: one for one in self.parameters}
        for name, value in arguments.items():
            if name not in known:
                takes = ", ".join(known) or "none"
                msg = f"{self.name}: unknown argument {name!r}; it takes {takes}"
                raise WsError(INVALID, msg)
            if not isinstance(value, _KINDS[known[name].kind]):
                msg = f"{self.name}: {name} must be of type {known[name].kind}"
                raise WsError(INVALID, msg)
        for one in self.parameters:
            if one.required and one.name not in arguments:
                raise WsError(INVALID, f"{self.name}: {one.name} is missing")
        return dict(arguments)


_NAME = Parameter("name", "Name as `list` or another resource gives it.", place=True)
_NAMED = _NAME._replace(required=True)

_TABLE: list[Operation] = [
    Operation(
        "list",
        "List the public names below a prefix, with what can be done with each. A name "
        "that another resource gave is told of too if the prefix is all of it.",
        (Parameter("prefix", "Only names that begin with this.", place=True),),
    ),
    Operation(
        "read",
        "Read a resource. Some need a key, a version, a cursor or a finished job.",
        (
            _NAMED,
            Parameter("key", "Value that another resource holds."),
            Parameter("version", "Which version."),
            Parameter("cursor", "Where a part ended: `next` of the part before."),
            Parameter("job", "Id of a finished job."),
        ),
    ),
    Operation(
        "search",
        "Search an index for a term.",
        (_NAMED, Parameter("query", "The term.", required=True, place=True)),
    ),
    Operation(
        "query",
        "Run one SQL statement on a table store.",
        (_NAMED, Parameter("sql", "The statement.", required=True, place=True)),
    ),
    Operation(
        "act",
        "Carry out an action that a resource offers, such as creating a job.",
        (
            _NAMED,
            Parameter("action", "Its name.", required=True, place=True),
            Parameter("input", "What the action takes.", kind="object"),
        ),
    ),
    Operation(
        "call",
        "Call a service.",
        (
            _NAMED,
            Parameter("method", "GET, POST, PUT, PATCH or DELETE.", place=True),
            Parameter("path", "With query, `/orders?id=3`.", place=True),
            Parameter("body", "JSON object to send.", kind="object"),
        ),
    ),
    Operation(
        "write",
        "Write a resource whole; makes it where that is allowed.",
        (
            _NAMED,
            Parameter("content", "New content.", required=True, place=True),
            Parameter("encoding", "`text`, which is meant if left out, or `base64`."),
        ),
    ),
    Operation(
        "edit",
        "Replace one passage of a text resource; it must occur exactly once.",
        (
            _NAMED,
            Parameter("old", "The passage.", required=True, place=True),
            Parameter("new", "What takes its place.", required=True, place=True),
        ),
    ),
    Operation("delete", "Delete a resource.", (_NAMED,)),
    Operation(
        "say",
        "Say something to the user and hear the answer.",
        (
            Parameter(
                "text",
                "What you say; left out, you hear what the user has said so far "
                "without being asked.",
                place=True,
            ),
        ),
    ),
]

OPERATIONS: Mapping[str, Operation] = {one.name: one for one in _TABLE}
"""By name, in the order in which they are offered."""
