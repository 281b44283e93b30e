"""The plan of a user: persona, what it knows, what it does when.

Kept as JSON in an environment's `.envp/user/plan.json`, read strictly. The agent sees
none of it; the verifier's constructor sees triggers and changes, not the words.
"""

import re
from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from envplatform.errors import BundleError
from envplatform.user.predicates import Predicate, signals_in

_PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_IDENTIFIER = r"^[a-z][a-z0-9_]{0,63}$"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Persona(_Part):
    """Who the user is. Shapes words, decides nothing."""

    name: str
    role: str
    temper: str = "matter-of-fact"
    habits: tuple[str, ...] = ()


class Fact(_Part):
    """Something that the user knows, and the agent only by the user."""

    id: str = Field(pattern=_IDENTIFIER)
    text: str = Field(min_length=1)
    """As it is said, for `{id}` in a message."""
    literals: tuple[str, ...] = ()
    """Values by which one knows that it was told: a number, a name. None: `text`."""

    @property
    def marks(self) -> tuple[str, ...]:
        """What gives it away."""
        return self.literals or (self.text,)


class WorkspaceChange(_Part):
    """A change of one file of what is held, as PawBench's patches spell it."""

    path: str = Field(min_length=1)
    action: Literal["create", "overwrite", "append", "edit", "delete"]
    old: str = ""
    new: str = ""


class Signal(_Part):
    """Something that the user does once, as soon as its predicate holds."""

    id: str = Field(pattern=_IDENTIFIER)
    when: Predicate
    message: str = ""
    """What it says; `{fact}` stands for a fact's text. Empty: it says nothing."""
    changes: tuple[WorkspaceChange, ...] = ()
    """What it changes in the same turn, all or nothing."""
    required: bool = True
    """Whether a session without it is no full session."""

    @property
    def is_quiet(self) -> bool:
        """Whether it only changes something; such a one waits for no message."""
        return not self.message

    @property
    def reveals(self) -> tuple[str, ...]:
        """Facts that its message tells, in order."""
        return tuple(_PLACE.findall(self.message))


class Plan(_Part):
    """Everything that one user is."""

    persona: Persona
    goals: tuple[str, ...] = ()
    """Hidden; never said."""
    canaries: tuple[str, ...] = ()
    """Words that stand in the hidden parts only; heard anywhere, something leaked."""
    facts: tuple[Fact, ...] = ()
    signals: tuple[Signal, ...]
    """In the order in which they are tried; at most one fires a turn."""
    opening: str = ""
    """First message of the user, if it speaks first."""
    idle: tuple[str, ...] = ("I have nothing to add at the moment.",)
    """Answers when nothing fires, taken in turn."""
    farewell: str = "That is all from me. Thank you."
    """Answer when every signal has fired; ends the conversation."""
    most_turns: int = Field(default=20, ge=1, le=200)


def read_plan(data: bytes, where: str = "plan.json") -> Plan:
    """Parse and check.

    Raises:
        BundleError: names the place and what is wrong.
    """
    try:
        plan = Plan.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        msg = f"{where}: {place}: {first['msg']}"
        raise BundleError(msg) from error
    for problem in _problems(plan):
        msg = f"{where}: {problem}"
        raise BundleError(msg)
    return plan


def _problems(plan: Plan) -> Iterator[str]:
    yield from _doubled([fact.id for fact in plan.facts], "fact")
    yield from _doubled([signal.id for signal in plan.signals], "signal")
    facts = {fact.id for fact in plan.facts}
    signals = {signal.id for signal in plan.signals}
    for signal in plan.signals:
        for what, unknown in (
            ("fact", set(signal.reveals) - facts),
            ("signal", signals_in(signal.when) - signals),
        ):
            if unknown:
                yield f"signal {signal.id}: there is no {what} {min(unknown)}"
        if not signal.message and not signal.changes:
            yield f"signal {signal.id} neither says nor changes anything"
    said = [plan.opening, plan.farewell, *plan.idle, *(s.message for s in plan.signals)]
    said += [fact.text for fact in plan.facts]
    if any(canary in text for canary in plan.canaries for text in said):
        yield "a canary stands in something that is said; it must not"


def _doubled(names: list[str], what: str) -> Iterator[str]:
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        yield f"{what} {min(twice)} stands twice"
