"""An environment as it is at first, and as it is once its user has changed something.

Every step of a plan is applied to all of them alike: names and keys are those of the
first, contents each one's own. What comes to differ among the files that operators hold
is what a child's user changes besides what its plan says (`user.shown`).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from envplatform.bundle import Environment
from envplatform.errors import BundleError
from envplatform.res.plan import Step
from envplatform.res.primitives import primitive
from envplatform.tree import File, Tree
from envplatform.user import Plan, Signal
from envplatform.user.order import must_precede
from envplatform.user.shown import MadeFile
from envplatform.user.sidecar import read_user
from envplatform.workspace import Binding, transform, transform_alike
from envplatform.workspace.draft import MADE_AT
from envplatform.workspace.recovery import Node
from envplatform.ws import MemoryHoldings, WsError
from envplatform.ws.changes import Change, apply_changes

Fired = frozenset[str]
"""Signals that have fired, of those that change something which may be shown otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """One environment and its twins, each with what some signals have changed."""

    environment: Environment
    twins: Mapping[Fired, Environment] = field(default_factory=dict)
    order: tuple[tuple[str, Fired], ...] = ()
    """Signals, each after those that must precede it, which stand with it."""
    unforeseen: Mapping[str, str] = field(default_factory=dict)
    """Resource to the signal whose change of it depends on what the agent does."""

    def twin(self, fired: Fired) -> Environment:
        """Return the environment once these signals have fired."""
        return self.twins[fired] if fired else self.environment


def staged(environment: Environment) -> Staged:
    """Return an environment with what its user makes of it.

    Raises:
        BundleError: the user can't be read.
    """
    if not environment.user:
        return Staged(environment=environment)
    plan = read_user(environment.user)
    touched = {one.id: _touched(environment, one) for one in plan.signals}
    before = must_precede(plan)
    order = _ordered({one: before[one] for one in touched if touched[one]})
    twins, unforeseen = dict[Fired, Environment](), dict[str, str]()
    known: list[tuple[str, Fired]] = []

    def foreseen(fired: Fired) -> bool:
        signals = [one for one, _ in order if one in fired]
        try:
            twins[fired] = _after(environment, plan, signals)
        except WsError:
            return False
        return True

    for signal, needs in order:
        if all(map(foreseen, filter(None, (needs, needs | {signal})))):
            known.append((signal, needs))
        else:
            unforeseen |= dict.fromkeys(touched[signal], signal)
    everything = frozenset(signal for signal, _ in known)
    if everything and not foreseen(everything):
        unforeseen |= {name: one for one in everything for name in touched[one]}
    return Staged(
        environment=environment,
        twins=twins,
        order=tuple(known),
        unforeseen=unforeseen,
    )


def stepped(before: Staged, step: Step, seed: int) -> tuple[Staged, Node]:
    """Return what one step makes of an environment and of its twins, and the way back.

    Raises:
        BundleError: it does not fit, or not what the user changes; says which signal.
    """
    shown, recipe = stepped_at_first(before, step, seed)
    return with_twins(before, shown, step, seed), recipe


def stepped_at_first(before: Staged, step: Step, seed: int) -> tuple[Environment, Node]:
    """Return what one step makes of an environment as it is at first, and the way back.

    Raises:
        BundleError: it does not fit, or what the user changes there depends on the agent.
    """
    binding = Binding(name=step.name, options=step.options)
    shown, recipe = transform(
        before.environment, primitive(step.operator), binding, seed
    )
    source = next(v.source for v in before.environment.views if v.name == step.name)
    if source in before.unforeseen:
        signal = before.unforeseen[source]
        msg = f"{step.name}: what signal {signal} changes there depends on the agent"
        raise BundleError(msg)
    return shown, recipe


def with_twins(before: Staged, shown: Environment, step: Step, seed: int) -> Staged:
    """Return `shown`, which a step made of `before`, with what it makes of the twins.

    Raises:
        BundleError: it does not fit what the user changes; says which signal.
    """
    lens = primitive(step.operator)
    binding = Binding(name=step.name, options=step.options)
    twins: dict[Fired, Environment] = {}
    for fired, twin in before.twins.items():
        try:
            twins[fired] = transform_alike(
                before.environment, shown, twin, lens, binding, seed
            )
        except BundleError as error:
            msg = f"once the user has done {', '.join(sorted(fired))}: {error}"
            raise BundleError(msg) from error
    after = Staged(
        environment=shown,
        twins=twins,
        order=before.order,
        unforeseen=before.unforeseen,
    )
    made_changes(after)
    return after


def made_changes(child: Staged) -> dict[str, tuple[MadeFile, ...]]:
    """Return by signal what of the files that operators hold changes with it.

    Raises:
        BundleError: that depends on the order in which signals fire, or is no text.
    """
    found = {
        signal: _difference(child.twin(needs), child.twin(needs | {signal}), signal)
        for signal, needs in child.order
    }
    before = dict(child.order)
    for one, other in combinations(found, 2):
        both = {file.path for file in found[one]} & {f.path for f in found[other]}
        if both and one not in before[other] and other not in before[one]:
            msg = f"signals {one} and {other} change the same, in whichever order"
            raise BundleError(msg)
    _check_sum(child, found)
    return {signal: files for signal, files in found.items() if files}


def _check_sum(child: Staged, found: Mapping[str, Sequence[MadeFile]]) -> None:
    together = child.twins.get(frozenset(found))
    if together is None:  # there are no signals, or what they change is closed
        return
    held = _made(child.environment.served)
    for files in found.values():
        held |= {one.path: one.new.encode() for one in files}
    if held != _made(together.served):
        msg = f"signals {', '.join(sorted(found))} change what rests on all of them"
        raise BundleError(msg)


def _difference(
    before: Environment, after: Environment, signal: str
) -> tuple[MadeFile, ...]:
    was, held = _made(before.served), _made(after.served)
    changed = [path for path in sorted(held) if held[path] != was.get(path)]
    return tuple(MadeFile(path=one, new=_text(held[one], signal)) for one in changed)


def _text(content: bytes, signal: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        msg = f"what signal {signal} would change is no text, as changes are"
        raise BundleError(msg) from None


def _made(served: Tree) -> dict[str, bytes]:
    return {path: f.data for path, f in served.items() if path.startswith(MADE_AT)}


def _touched(environment: Environment, signal: Signal) -> frozenset[str]:
    """Return the resources that may be shown otherwise and that a signal changes."""
    paths = [one.path for one in signal.changes]
    return frozenset(
        one.name
        for one in environment.resources
        if one.name in environment.core.transformable
        and any(
            path == one.location or path.startswith(f"{one.location}/")
            for path in paths
        )
    )


def _ordered(before: Mapping[str, Collection[str]]) -> list[tuple[str, Fired]]:
    """Return signals, each after those of them that precede it; none that never fires."""
    needs = {one: frozenset(before[one]) & frozenset(before) for one in before}
    return sorted(
        ((one, needs[one]) for one in needs if one not in before[one]),
        key=lambda pair: len(pair[1]),
    )


def _after(
    environment: Environment, plan: Plan, signals: Collection[str]
) -> Environment:
    """Return what signals leave, in this order.

    Raises:
        WsError: a change can't be applied to what the environment holds.
    """
    holdings = MemoryHoldings({p: f.data for p, f in environment.served.items()})
    changes = {one.id: one.changes for one in plan.signals}
    for signal in signals:
        said = [Change(**one.model_dump()) for one in changes[signal]]
        apply_changes(holdings, said)
    return replace(environment, served=dict(_files(holdings, environment.served)))


def _files(holdings: MemoryHoldings, before: Tree) -> Iterator[tuple[str, File]]:
    for path in holdings.below(""):
        is_executable = path in before and before[path].executable
        yield path, File(holdings.read(path), is_executable)
