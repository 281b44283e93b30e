"""Environments as TRL's `environment_factory` takes them: objects whose methods are tools.

The trainer generates and calls; here each call becomes a turn of a play, and what the
play answers is returned. Rows with the same tools share a class.
"""

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from envplatform.errors import TrainingError
from envplatform.learning.online.player import Plays
from envplatform.learning.online.rewards import Verdict, verdict_of
from envplatform.llm.chat import Message, Tool, ToolCall
from envplatform.trajectories import Trajectory
from envplatform.trajectories.playing import Answer, Asked, Begin, Over

OVER = "The session is over; nothing is run any more."
_TYPES: Mapping[str, type] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
}


class Stage:
    """One environment of a generation; reset opens it anew. Its tools are subclasses'."""

    def __init__(self, plays: Plays, name: str) -> None:
        self._plays = plays
        self._name = name
        self._count = 0
        self._play_id = ""
        self._is_over = True
        self.trajectory: Trajectory | None = None
        self.opening: tuple[Message, ...] = ()
        """What was read first; empty where it could not begin."""

    def reset(self, **row: Any) -> None:  # noqa: ANN401  a row of a data set
        """Open the environment of a row, in the state that its seed gives.

        Raises:
            StudentError: who plays is gone.
        """
        self._finish()
        self._count += 1
        self._play_id = f"{self._name}.{self._count}"
        self.trajectory, self.opening, self._is_over = None, (), False
        begin = Begin(play_id=self._play_id, digest=row["digest"], seed=row["seed"])
        event = self._send(begin)
        if isinstance(event, Asked):
            self.opening = event.heard

    def verdict(self) -> Verdict:
        """End the play where the policy has ended it, and say what it is worth."""
        self._finish()
        return verdict_of(self.trajectory)

    def _call(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Make one call and return what it is answered."""
        if self._is_over:
            return OVER
        given = {name: one for name, one in arguments.items() if one is not None}
        call = ToolCall(call_id="call-1", name=tool, arguments=json.dumps(given))
        message = Message(role="assistant", content="", tool_calls=(call,))
        event = self._send(Answer(play_id=self._play_id, message=message))
        return "\n".join(one.content for one in event.heard) or OVER

    def _finish(self) -> None:
        """Say nothing more; with a patience of one turn that ends a play."""
        if not self._is_over:
            silence = Message(role="assistant", content="")
            answer = Answer(play_id=self._play_id, message=silence, is_last=False)
            event = self._send(answer)
            if isinstance(event, Asked):
                msg = "a play went on after silence: order a player of patience 1"
                raise TrainingError(msg)

    def _send(self, request: Begin | Answer) -> Asked | Over:
        event = self._plays.send([request])[0]
        if isinstance(event, Over):
            self.trajectory, self._is_over = event.trajectory, True
        return event


def tool_set(tools: Sequence[Tool]) -> str:
    """A name for a set of tools, equal for equal sets."""
    return "+".join(sorted(tool.name for tool in tools)) or "none"


def stage_class(tools: Sequence[Tool]) -> type[Stage]:
    """A class with a method for each tool, which tells its schema as TRL reads it.

    Raises:
        TrainingError: a tool's name or schema can't be a method's.
    """
    return type("Stage", (Stage,), {tool.name: _method(tool) for tool in tools})


def factories(
    sets: Mapping[str, Sequence[Tool]], plays: Plays
) -> dict[str, Callable[[], Stage]]:
    """What makes environments, by name of their tool set."""
    made: dict[str, Callable[[], Stage]] = {}
    for name, tools in sets.items():
        made[name] = _numbered(stage_class(tools), plays, name)
    return made


def _numbered(kind: type[Stage], plays: Plays, name: str) -> Callable[[], Stage]:
    count = 0

    def make() -> Stage:
        nonlocal count
        count += 1
        return kind(plays, f"{name}.{count}")

    return make


def _method(tool: Tool) -> Callable[..., str]:
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    required = set(tool.parameters.get("required", ()))
    names = (tool.name, *properties)
    if not all(name.isidentifier() for name in names) or hasattr(Stage, tool.name):
        msg = f"the tool {tool.name!r} can't be a method; use style `rollout_func`"
        raise TrainingError(msg)

    def method(self: Stage, **arguments: Any) -> str:  # noqa: ANN401  JSON
        return self._call(tool.name, arguments)

    hints = {name: _type_of(one) for name, one in properties.items()}
    ordered = sorted(hints, key=lambda name: name not in required)
    method.__name__ = method.__qualname__ = tool.name
    method.__doc__ = _documented(tool, properties)
    method.__annotations__ = {**{name: hints[name] for name in ordered}, "return": str}
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    given = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if name in required else None,
            annotation=hints[name],
        )
        for name in ordered
    ]
    method.__dict__["__signature__"] = inspect.Signature(
        [own, *given], return_annotation=str
    )
    return method


def _type_of(schema: Mapping[str, Any]) -> Any:  # noqa: ANN401  a type, or Any itself
    named = schema.get("type")
    return _TYPES.get(named, Any) if isinstance(named, str) else Any


def _documented(tool: Tool, properties: Mapping[str, Any]) -> str:
    lines = [_one_line(tool.description) or tool.name]
    if properties:
        lines += ["", "Args:"]
        lines += [
            f"    {name}: {_one_line(str(one.get('description', ''))) or name}"
            for name, one in properties.items()
        ]
    return "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())
