"""One turn of the user: which signal fires, what is changed, what is said."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from envplatform.user.plan import Plan, Signal, WorkspaceChange
from envplatform.user.predicates import Scene, dispatches_in, holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the user does in answer to one message of the agent."""

    number: int
    signal: str | None
    """The one that fired; None if none did."""
    text: str
    """As the plan has it; a wording may say it otherwise."""
    tells: tuple[str, ...]
    """Facts that `text` must tell."""
    told: tuple[str, ...]
    """Facts of earlier turns."""
    changes: tuple[WorkspaceChange, ...]
    is_over: bool
    """Whether this was the user's last word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What a user remembers of a conversation; a value, so that a turn can be replayed."""

    turns: int = 0
    fired: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    idled: int = 0


@dataclass(slots=True)
class UserPolicy:
    """A user in conversation. Deterministic: same scenes, same turns."""

    plan: Plan
    memory: Memory = field(default_factory=Memory)

    def react(self, scene: Scene) -> Turn:
        """Take one turn and remember it.

        `scene.turn` and `scene.fired` are replaced by what this user remembers.
        """
        turn, self.memory = react(self.plan, self.memory, scene)
        return turn

    def glance(self, scene: Scene) -> Turn | None:
        """Do the next thing that needs no words, if there is one, and remember it.

        No message came for it, so it is no turn of its own: its number is
        `scene.turn`. Ask again until None.
        """
        found = glance(self.plan, self.memory, scene)
        if found is None:
            return None
        turn, self.memory = found
        return turn

    def due(self, scene: Scene) -> tuple[str, ...]:
        """Signals that could fire now, in the order in which they are tried."""
        seen = Scene(
            turn=scene.turn, log=scene.log, read=scene.read, fired=self.memory.fired
        )
        return tuple(
            signal.id
            for signal in self.plan.signals
            if signal.id not in seen.fired and holds(signal.when, seen)
        )

    @property
    def is_watching(self) -> bool:
        """Whether something is left that it would do without a message."""
        return next(self._left(), None) is not None

    @property
    def watches(self) -> frozenset[tuple[str, str]]:
        """The dispatches, operation and name, after which it may do something unasked."""
        return frozenset().union(*(dispatches_in(one.when) for one in self._left()))

    def _left(self) -> Iterator[Signal]:
        return (
            signal
            for signal in self.plan.signals
            if signal.is_quiet and signal.id not in self.memory.fired
        )


def react(plan: Plan, memory: Memory, scene: Scene) -> tuple[Turn, Memory]:
    """Return the next turn and what is remembered after it."""
    number = memory.turns + 1
    seen = Scene(turn=number, log=scene.log, read=scene.read, fired=memory.fired)
    signal = _due(plan, seen)
    fired = memory.fired if signal is None else (*memory.fired, signal.id)
    tells = signal.reveals if signal else ()
    is_last = number >= plan.most_turns or _is_done(plan, fired, signal)
    text = _text(plan, signal, memory, is_last=is_last)
    turn = Turn(
        number=number,
        signal=signal.id if signal else None,
        text=text,
        tells=tells,
        told=memory.told,
        changes=signal.changes if signal else (),
        is_over=is_last,
    )
    return turn, Memory(
        turns=number,
        fired=fired,
        told=tuple(dict.fromkeys((*memory.told, *tells))),
        idled=memory.idled + (signal is None),
    )


def glance(plan: Plan, memory: Memory, scene: Scene) -> tuple[Turn, Memory] | None:
    """Return the next change that needs no words, and what is remembered after it."""
    seen = Scene(turn=scene.turn, log=scene.log, read=scene.read, fired=memory.fired)
    signal = _due(plan, seen, quiet=True)
    if signal is None:
        return None
    turn = Turn(
        number=scene.turn,
        signal=signal.id,
        text="",
        tells=(),
        told=memory.told,
        changes=signal.changes,
        is_over=False,
    )
    return turn, replace(memory, fired=(*memory.fired, signal.id))


def _due(plan: Plan, scene: Scene, *, quiet: bool = False) -> Signal | None:
    for signal in plan.signals:
        if quiet and not signal.is_quiet:
            continue
        if signal.id not in scene.fired and holds(signal.when, scene):
            return signal
    return None


def _is_done(plan: Plan, fired: tuple[str, ...], signal: Signal | None) -> bool:
    """Nothing is left to do, and nothing was done just now that wants an answer."""
    return signal is None and all(one.id in fired for one in plan.signals)


def _text(plan: Plan, signal: Signal | None, memory: Memory, *, is_last: bool) -> str:
    if signal is None:
        return plan.farewell if is_last else plan.idle[memory.idled % len(plan.idle)]
    said = signal.message
    for fact in plan.facts:
        said = said.replace(f"{{{fact.id}}}", fact.text)
    return said
