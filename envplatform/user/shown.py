"""What a transformed environment adds to its user, whose plan stays byte for byte.

`shown.json` lies beside the plan. It tells two things of what is shown otherwise: which
of the files made for that change with a signal, and what an agent has asked for once it
has read a name that the plan waits for. Frozen are persona, facts, words, changes of
what the root holds, and when signals fire; how that is seen in a child is told here.
"""

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from envplatform.errors import BundleError
from envplatform.user.plan import Plan, Signal
from envplatform.user.predicates import AllOf, AnyOf, Dispatched, Not, Predicate
from envplatform.workspace.draft import MADE_AT

SHOWN = "shown.json"
READING = frozenset({"read", "query"})
"""Operations by which a plan says that something was read."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class MadeFile(_Part):
    """What a file that a transformation holds is overwritten with."""

    path: str = Field(pattern=rf"^{MADE_AT}[0-9a-z]+$")
    new: str


class Asked(_Part):
    """Requests that are made by whoever has a content, where it is shown otherwise."""

    operation: str
    name: str
    arguments: dict[str, JsonValue] = {}
    """That they must have had, others apart."""
    at_least: int = Field(ge=1)


class Shown(_Part):
    """shown.json."""

    changes: dict[str, tuple[MadeFile, ...]] = {}
    """By signal; applied after those of the plan, all or nothing."""
    asked: dict[str, tuple[Asked, ...]] = {}
    """Name that the plan waits for to requests, all of which together read it."""


def read_shown(data: bytes) -> Shown:
    """Parse.

    Raises:
        BundleError: names the place and what is wrong.
    """
    try:
        return Shown.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        msg = f"user: {SHOWN}: {place}: {first['msg']}"
        raise BundleError(msg) from error


def as_shown(plan: Plan, shown: Shown) -> Plan:
    """Return the plan as it is acted on where some of it is shown otherwise.

    Raises:
        BundleError: a signal that changes files is none of the plan's.
    """
    unknown = set(shown.changes) - {one.id for one in plan.signals}
    if unknown:
        msg = f"user: {SHOWN}: changes: there is no signal {min(unknown)}"
        raise BundleError(msg)
    signals = tuple(_signal(one, shown) for one in plan.signals)
    return plan.model_copy(update={"signals": signals})


def _signal(signal: Signal, shown: Shown) -> Signal:
    further = [
        {"path": one.path, "action": "overwrite", "new": one.new}
        for one in shown.changes.get(signal.id, ())
    ]
    said = signal.model_dump()
    said["when"] = _seen(signal.when, shown).model_dump()
    said["changes"] = (*said["changes"], *further)
    return Signal.model_validate(said)


def _seen(predicate: Predicate, shown: Shown) -> Predicate:
    match predicate:
        case Dispatched():
            return _asked(predicate, shown)
        case Not():
            return Not(kind="not", of=_seen(predicate.of, shown))
        case AllOf():
            return AllOf(
                kind="all", of=tuple(_seen(one, shown) for one in predicate.of)
            )
        case AnyOf():
            return AnyOf(
                kind="any", of=tuple(_seen(one, shown) for one in predicate.of)
            )
        case _:
            return predicate


def _asked(predicate: Dispatched, shown: Shown) -> Predicate:
    """What was read once is all asked for once; twice, each at least twice as often."""
    requests = shown.asked.get(predicate.name)
    if requests is None or not is_reading(predicate):
        return predicate
    return AllOf(
        kind="all",
        of=tuple(
            Dispatched(
                kind="dispatched",
                operation=one.operation,
                name=one.name,
                arguments=one.arguments,
                at_least=one.at_least * predicate.at_least,
            )
            for one in requests
        ),
    )


def is_reading(predicate: Dispatched) -> bool:
    """Whether it says that a name was read, however that was done."""
    return predicate.operation in READING and not predicate.arguments
