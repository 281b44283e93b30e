"""When a signal fires: predicates over what was done and what is held.

A closed set, as data. None looks at the words of the agent: a user that tells what it
is asked for can be talked out of everything it knows.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue


class _Predicate(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Turned(_Predicate):
    """At least so many messages of the agent have come, this one included."""

    kind: Literal["turn"]
    at_least: int = Field(ge=1)


class Dispatched(_Predicate):
    """The agent asked for something of this name, and it was granted."""

    kind: Literal["dispatched"]
    operation: str
    name: str = ""
    """Empty: any name."""
    arguments: dict[str, JsonValue] = {}
    """Arguments that it must have had, others apart."""
    at_least: int = Field(default=1, ge=1)


class Held(_Predicate):
    """What is held at a location: there or not, with a passage or without."""

    kind: Literal["held"]
    path: str
    contains: str | None = None
    """None: that it is there is enough."""


class Fired(_Predicate):
    """Another signal has fired in an earlier turn."""

    kind: Literal["fired"]
    signal: str


class Not(_Predicate):
    """The other does not hold."""

    kind: Literal["not"]
    of: "Predicate"


class AllOf(_Predicate):
    """All of them hold; true of none."""

    kind: Literal["all"]
    of: tuple["Predicate", ...]


class AnyOf(_Predicate):
    """One of them holds; false of none."""

    kind: Literal["any"]
    of: tuple["Predicate", ...]


Predicate = Annotated[
    Turned | Dispatched | Held | Fired | Not | AllOf | AnyOf,
    Field(discriminator="kind"),
]
Not.model_rebuild()
AllOf.model_rebuild()
AnyOf.model_rebuild()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What the user sees when it is its turn."""

    turn: int
    """Messages of the agent so far, from 1."""
    log: Sequence[Mapping[str, Any]]
    """Entries of the dispatch log, as `ws` writes them."""
    read: Callable[[str], bytes | None]
    """Content at a location; None where nothing is."""
    fired: tuple[str, ...] = ()
    """Signals of earlier turns, in order."""


def holds(predicate: Predicate, scene: Scene) -> bool:
    """Whether `predicate` is true of `scene`."""
    match predicate:
        case Turned():
            found = scene.turn >= predicate.at_least
        case Dispatched():
            found = _count(predicate, scene) >= predicate.at_least
        case Held():
            found = _is_held(predicate, scene)
        case Fired():
            found = predicate.signal in scene.fired
        case Not():
            found = not holds(predicate.of, scene)
        case AllOf():
            found = all(holds(one, scene) for one in predicate.of)
        case _:
            found = any(holds(one, scene) for one in predicate.of)
    return found


def signals_in(predicate: Predicate) -> frozenset[str]:
    """Return the signals that `predicate` refers to."""
    match predicate:
        case Fired():
            return frozenset({predicate.signal})
        case Not():
            return signals_in(predicate.of)
        case AllOf() | AnyOf():
            return frozenset().union(*map(signals_in, predicate.of))
        case _:
            return frozenset()


def dispatched_in(predicate: Predicate) -> Iterator[Dispatched]:
    """Yield the dispatches that `predicate` waits for."""
    match predicate:
        case Dispatched():
            yield predicate
        case Not():
            yield from dispatched_in(predicate.of)
        case AllOf() | AnyOf():
            for one in predicate.of:
                yield from dispatched_in(one)


def paths_in(predicate: Predicate) -> frozenset[str]:
    """Return the locations that `predicate` looks at."""
    match predicate:
        case Held():
            return frozenset({predicate.path})
        case Not():
            return paths_in(predicate.of)
        case AllOf() | AnyOf():
            return frozenset().union(*map(paths_in, predicate.of))
        case _:
            return frozenset()


_CHANGING = ("call", "delete", "edit", "query", "write")
"""Operations that may change what is held."""


def dispatches_in(predicate: Predicate) -> frozenset[tuple[str, str]]:
    """Return the dispatches after which `predicate` may say something else.

    Operation and name; an empty name is any. Turns and signals are not among them: they
    come with a message, or with the user's own doing.
    """
    match predicate:
        case Dispatched():
            return frozenset({(predicate.operation, predicate.name)})
        case Held():
            return frozenset((operation, "") for operation in _CHANGING)
        case Not():
            return dispatches_in(predicate.of)
        case AllOf() | AnyOf():
            return frozenset().union(*map(dispatches_in, predicate.of))
        case _:
            return frozenset()


def _count(predicate: Dispatched, scene: Scene) -> int:
    return sum(
        entry.get("by") == "agent"
        and entry.get("error") is None
        and entry.get("op") == predicate.operation
        and _has(predicate, entry.get("args", {}))
        for entry in scene.log
    )


def _has(predicate: Dispatched, arguments: Mapping[str, Any]) -> bool:
    if predicate.name and arguments.get("name") != predicate.name:
        return False
    wanted = predicate.arguments
    return all(arguments.get(key) == value for key, value in wanted.items())


def _is_held(predicate: Held, scene: Scene) -> bool:
    content = scene.read(predicate.path)
    if content is None:
        return False
    return predicate.contains is None or predicate.contains.encode() in content
