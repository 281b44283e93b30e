"""Which attempts are held against which: pairs that differ in one thing alone.

What may differ is the kind of the comparison; everything else of the protocol, seeds
included, must be equal, and an attempt whose partner is missing counts for neither side.
What comes of the pairs is in `compared`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from envplatform.configuration import ComparisonKind
from envplatform.errors import ConfigError, StoreError
from envplatform.evaluation.attempts import Attempt
from envplatform.evaluation.tasks import Task
from envplatform.rollout.plan import Plan

Side = Literal["before", "after"]

_MAY_DIFFER: Mapping[ComparisonKind, frozenset[str]] = {
    "harness": frozenset({"harness"}),
    "training": frozenset({"sampling.model", "sampling.server"}),
    "transformed": frozenset(),
}
_CHOSEN = frozenset({"perturbations"})
"""What a batch has several of, one rollout each: a side names the policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two attempts of one seed that differ in what is compared."""

    task: str
    """Digest of the environment of `after`; that of `before` is its root's or the same."""
    lineage: str
    depth: int
    """Of the environment of `after`."""
    before: Attempt
    after: Attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpaired:
    """An attempt that has no partner."""

    trajectory_id: str
    side: Side
    """On which it is; the other one is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """All pairs in the order of their tasks, and what is left over."""

    pairs: tuple[Pair, ...]
    unpaired: tuple[Unpaired, ...]


def check_protocols(before: Plan, after: Plan, kind: ComparisonKind) -> None:
    """Refuse a comparison of two things at once.

    Raises:
        ConfigError: the batches differ in what may not differ, each thing with both
            values.
    """
    one, other = dict(_flat(asdict(before))), dict(_flat(asdict(after)))
    differ = {name for name in one.keys() | other.keys() if _differs(one, other, name)}
    wrong = sorted(differ - _MAY_DIFFER[kind] - _CHOSEN)
    if wrong:
        told = "; ".join(
            f"{name}: {one.get(name)!r} and {other.get(name)!r}" for name in wrong
        )
        msg = (
            f"a comparison of the kind {kind} needs batches that are alike in all else, "
            f"and these differ in {told}"
        )
        raise ConfigError(msg)


def side_of(attempts: Iterable[Attempt], batch: str, policy: str) -> list[Attempt]:
    """Return the attempts of one side: those of a batch, by one policy.

    Raises:
        ConfigError: no policy is named, and the batch has several; lists them.
        StoreError: there is no such attempt.
    """
    mine = [one for one in attempts if one.batch == batch]
    policies = sorted({one.policy for one in mine})
    if policy:
        mine = [one for one in mine if one.policy == policy]
    elif len(policies) > 1:
        msg = (
            f"batch {batch!r} has attempts of several policies, say which is meant: "
            f"{', '.join(policies)}"
        )
        raise ConfigError(msg)
    if not mine:
        whose = f" of {policy!r}" if policy else ""
        known = ", ".join(policies) or "none"
        msg = f"batch {batch!r} has no attempt{whose} that counts; policies: {known}"
        raise StoreError(msg)
    return mine


def paired_attempts(
    before: Sequence[Attempt],
    after: Sequence[Attempt],
    tasks: Mapping[str, Task],
    kind: ComparisonKind,
) -> Pairing:
    """Pair attempts by task and seed; `transformed`: each child with its root.

    Raises:
        StoreError: there is not one pair.
    """
    if kind == "transformed":
        before = [one for one in before if not tasks[one.task].depth]
        after = [one for one in after if tasks[one.task].depth]
    known = {(one.task, one.seed): one for one in before}
    pairs, unpaired, used = [], list[Unpaired](), set[str]()
    for one in sorted(after, key=lambda one: (one.task, one.seed)):
        task = tasks[one.task]
        origin = task.lineage if kind == "transformed" else one.task
        partner = known.get((origin, one.seed))
        if partner is None:
            unpaired.append(Unpaired(trajectory_id=one.trajectory_id, side="after"))
            continue
        used.add(partner.trajectory_id)
        pair = Pair(
            task=one.task,
            lineage=task.lineage,
            depth=task.depth,
            before=partner,
            after=one,
        )
        pairs.append(pair)
    unpaired += [
        Unpaired(trajectory_id=one.trajectory_id, side="before")
        for one in before
        if one.trajectory_id not in used
    ]
    if not pairs:
        raise StoreError(_no_pair(before, after, kind))
    return Pairing(pairs=tuple(pairs), unpaired=tuple(unpaired))


def _no_pair(
    before: Sequence[Attempt], after: Sequence[Attempt], kind: ComparisonKind
) -> str:
    what = {
        "harness": "the same task with the same seed on both sides",
        "training": "the same task with the same seed on both sides",
        "transformed": "a root before and a child of it after, with the same seed",
    }[kind]
    return (
        f"nothing to compare: of {len(before)} attempts before and {len(after)} after, "
        f"no two are at {what}; choose batches over the same environments"
    )


def _differs(one: Mapping[str, Any], other: Mapping[str, Any], name: str) -> bool:
    return name not in one or name not in other or bool(one[name] != other[name])


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
