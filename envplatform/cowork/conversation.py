"""Users for families: when they act, what they change, what they tell.

Short names for what `user.plan` and `user.predicates` hold. A plan made here carries a
canary: a made-up word in its hidden goal that must turn up nowhere else.
"""

from collections.abc import Sequence

from envplatform.cowork.family import Brief
from envplatform.user.plan import Fact, Persona, Plan, Signal, WorkspaceChange
from envplatform.user.predicates import (
    AllOf,
    AnyOf,
    Dispatched,
    Fired,
    Held,
    Predicate,
    Turned,
)

_CANARY = ("amber", "bison", "crane", "dune", "egret", "fjord", "gecko", "heath")


def has_read(view: str, times: int = 1) -> Predicate:
    """Whether the agent has read a document, or a file of a folder by its whole name."""
    return Dispatched(kind="dispatched", operation="read", name=view, at_least=times)


def has_queried(view: str, times: int = 1) -> Predicate:
    """Whether the agent has asked a table store."""
    return Dispatched(kind="dispatched", operation="query", name=view, at_least=times)


def has_called(view: str, times: int = 1) -> Predicate:
    """Whether the agent has called a service."""
    return Dispatched(kind="dispatched", operation="call", name=view, at_least=times)


def has_fired(signal: str) -> Predicate:
    """Whether an earlier signal has fired."""
    return Fired(kind="fired", signal=signal)


def has_spoken(messages: int = 1) -> Predicate:
    """Whether so many messages of the agent have come."""
    return Turned(kind="turn", at_least=messages)


def is_held(path: str, contains: str | None = None) -> Predicate:
    """Whether something is held at a location, with a passage in it."""
    return Held(kind="held", path=path, contains=contains)


def all_of(*predicates: Predicate) -> Predicate:
    """Whether all hold."""
    return AllOf(kind="all", of=predicates)


def any_of(*predicates: Predicate) -> Predicate:
    """Whether one holds."""
    return AnyOf(kind="any", of=predicates)


def edit(path: str, old: str, new: str) -> WorkspaceChange:
    """Replace a passage, which must stand there once."""
    return WorkspaceChange(path=path, action="edit", old=old, new=new)


def append(path: str, new: str) -> WorkspaceChange:
    """Write at the end."""
    return WorkspaceChange(path=path, action="append", new=new)


def overwrite(path: str, new: str) -> WorkspaceChange:
    """Replace a whole file."""
    return WorkspaceChange(path=path, action="overwrite", new=new)


def create(path: str, new: str) -> WorkspaceChange:
    """Add a file."""
    return WorkspaceChange(path=path, action="create", new=new)


def tells(signal: str, when: Predicate, message: str) -> Signal:
    """Something that is said; `{fact}` stands for the text of a fact."""
    return Signal(id=signal, when=when, message=message)


def changes(
    signal: str, when: Predicate, *edits: WorkspaceChange, message: str = ""
) -> Signal:
    """Something that is changed; quietly, unless a message goes with it."""
    return Signal(id=signal, when=when, changes=edits, message=message)


def plan(  # noqa: PLR0913  a user has that many sides
    brief: Brief,
    *,
    name: str,
    goal: str,
    signals: Sequence[Signal],
    facts: Sequence[Fact] = (),
    opening: str = "",
    idle: Sequence[str] = (),
    most_turns: int = 12,
) -> Plan:
    """Return a user in the voice of the brief's persona.

    Raises:
        ValueError: as `Plan` does; something refers to what is not there.
    """
    persona = brief.persona
    canary = canary_of(brief.chance.randrange(2**32))
    chosen = idle or (brief.pick(*_IDLE), brief.pick(*_IDLE_LATER))
    return Plan(
        persona=Persona(
            name=name, role=persona.role, temper=persona.temper, habits=persona.habits
        ),
        goals=(f"{goal}; {canary}",),
        canaries=(canary,),
        facts=tuple(facts),
        signals=tuple(
            one.model_copy(update={"message": persona.says(one.message)})
            if one.message
            else one
            for one in signals
        ),
        opening=opening,
        idle=tuple(chosen),
        farewell=brief.pick(*_FAREWELL),
        most_turns=most_turns,
    )


def canary_of(seed: int) -> str:
    """Return a word that nobody says by chance."""
    return f"{_CANARY[seed % len(_CANARY)]}-{1000 + seed // len(_CANARY) % 9000}"


_IDLE = (
    "I have nothing to add at the moment.",
    "Nothing new from me yet; have you looked at everything?",
    "Go on, please. I will speak up when there is something.",
)
_IDLE_LATER = (
    "Still nothing. It is all in the documents.",
    "No news. Please have a look at what is there first.",
)
_FAREWELL = (
    "That is all from me. Thank you.",
    "Good, then I have nothing more for you.",
    "Thanks, I am done on my side.",
)
