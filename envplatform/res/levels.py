"""Rows out of roots and children."""

from dataclasses import replace
from typing import Protocol

from envplatform.bundle import Environment, core_digest, environment_digest
from envplatform.bundle.row import EnvironmentRow
from envplatform.configuration import Ablation
from envplatform.errors import BundleError
from envplatform.res.edges import edges_of
from envplatform.res.lineage import Attempted, Child
from envplatform.res.measure import measure
from envplatform.res.plan import read_plan
from envplatform.res.rows import AttemptRow, EdgeRow, ExplorerRow, LevelRow
from envplatform.res.trail import trail_of
from envplatform.res.verifier import PASS


class Tries(Protocol):
    """Has the explorer try an environment of a lineage."""

    async def __call__(
        self, environment: Environment, *, root: Environment
    ) -> ExplorerRow:
        """Return how it fared."""


def root_row(
    row: EnvironmentRow,
    root: Environment,
    *,
    ablation: Ablation,
    floor: float,
    explorer: ExplorerRow | None,
) -> LevelRow:
    """Return level 0; `row` is that of the asset it comes from.

    Raises:
        RecoveryError: its evidence can't be had.
    """
    found = measure(root)
    return LevelRow(
        seed_name=row.candidate_id,
        ablation=ablation,
        level=0,
        environment=row,
        parent="",
        root=row.digest,
        plan="",
        operators=(),
        reads=found.reads,
        calls=found.calls,
        chain=found.chain,
        served_bytes=found.served_bytes,
        attempts=(),
        checks=(),
        oracle=PASS,
        floor=floor,
        edges=(),
        explorer=explorer,
        random_seed=root.lineage.seed,
        producer=root.lineage.producer,
        model=root.lineage.model or "",
        tokens=0,
        usd=0.0,
        seconds=0.0,
    )


def level_row(
    above: LevelRow,
    parent: Environment,
    child: Child,
    *,
    level: int,
    explorer: ExplorerRow | None,
) -> LevelRow:
    """Return an accepted child's row; `above` is that of its parent.

    Raises:
        BundleError: it was not accepted.
    """
    made, plan, verdict = child.environment, child.plan, child.verdict
    if made is None or plan is None or verdict is None or verdict.measures is None:
        msg = f"level {level} of {above.seed_name} was not accepted"
        raise BundleError(msg)
    seed = made.lineage.seed
    edges = edges_of(parent, above.edges, plan, made, seed=seed)
    return replace(
        above,
        level=level,
        environment=_environment_row(above, made, child, level),
        parent=above.environment.digest,
        plan=plan.text(),
        operators=made.lineage.plan,
        reads=verdict.measures.reads,
        calls=verdict.measures.calls,
        chain=verdict.measures.chain,
        served_bytes=verdict.measures.served_bytes,
        attempts=attempt_rows(child.attempts),
        checks=verdict.ran,
        edges=_at(edges, trail_of(made).level, level),
        explorer=explorer,
        random_seed=seed,
        producer=made.lineage.producer,
        model=made.lineage.model or "",
        tokens=child.spent.tokens,
        usd=child.spent.usd,
        seconds=round(child.seconds, 3),
    )


def attempt_rows(attempts: tuple[Attempted, ...]) -> tuple[AttemptRow, ...]:
    """Return proposals as rows."""
    return tuple(
        AttemptRow(
            plan=one.plan.text() if one.plan else "",
            diagnostics=tuple(map(str, one.diagnostics)),
        )
        for one in attempts
    )


def child_again(row: LevelRow, environment: Environment) -> Child:
    """Return a kept level as the recursion goes on from it; its verdict was kept apart."""
    return Child(
        level=row.level,
        environment=environment,
        plan=read_plan(row.plan),
        verdict=None,
        attempts=(),
        is_solved=row.explorer.passed if row.explorer else None,
        seconds=row.seconds,
        spent=environment.lineage.spent,
    )


def _environment_row(
    above: LevelRow, made: Environment, child: Child, level: int
) -> EnvironmentRow:
    """Return the row by which commands find a child; ablations are told apart by name."""
    name = made.environment_id
    if above.ablation != "composed":
        stem = name.rpartition(".level")[0]
        name = f"{stem}.{above.ablation}.level{level}"
    return replace(
        above.environment,
        environment_id=name,
        digest=environment_digest(made),
        core_digest=core_digest(made.core),
        inducer=made.lineage.producer,
        operator=", ".join(made.lineage.plan),
        checks=tuple(sorted(f"{one}=passed" for one in child.verdict.ran))
        if child.verdict
        else (),
        tokens=child.spent.tokens,
        seconds=round(child.seconds, 3),
    )


def _at(edges: tuple[EdgeRow, ...], said: int, level: int) -> tuple[EdgeRow, ...]:
    """Number new edges as the row is numbered: independent levels are all first ones."""
    return tuple(
        replace(edge, level=level) if edge.level == said else edge for edge in edges
    )
