"""Rows of a release's tables, and the members that they are."""

from typing import Any

from envplatform.bundle import Environment
from envplatform.interop.chat.write import chat_line
from envplatform.interop.json_text import Json, json_text
from envplatform.release.gathering import Found, Offered
from envplatform.release.members import Member, Split
from envplatform.release.tables import row_digest

Columns = dict[str, Any]


def environment_row(
    offered: Offered, environment: Environment, archive: bytes
) -> tuple[Columns, Member]:
    """Return the row of an environment; its digest covers all but archive and time."""
    row, lineage = offered.row, environment.lineage
    writers = sorted({one for one in (row.issue_model, lineage.model) if one})
    told: dict[str, Json] = {
        "environment_id": row.environment_id,
        "digest": row.digest,
        "pillar": row.pillar,
        "repository": row.repository,
        "family": row.family,
        "scenario": row.scenario,
        "capabilities": list(row.capabilities),
        "has_user": row.has_user,
        "licence": row.licence,
        "instruction": environment.instruction,
        "criteria": list(environment.criteria),
        "checks": list(row.checks),
        "kill_rate_criteria": row.kill_rate_criteria,
        "kill_rate_generic": row.kill_rate_generic,
        "python": row.python,
        "requirements": list(environment.image.requirements),
        "producer": lineage.producer,
        "operator": row.operator,
        "parent": lineage.parent or "",
        "writers": list(writers),
    }
    member = Member(
        kind="environment",
        id=row.environment_id,
        digest=row_digest(told),
        split=offered.split,
        environment_digest=row.digest,
        asset=offered.origin.asset,
        partition=offered.origin.partition,
        revision=offered.origin.revision,
    )
    return {**_clean(told), "archive": archive}, member


def trajectory_row(found: Found, split: Split) -> tuple[Columns, Member]:
    """Return the row of a trajectory.

    Raises:
        ValueError: it is no conversation that others could read; says why.
    """
    one = found.trajectory
    line = chat_line(one, found.batch)
    told: dict[str, Json] = {
        "trajectory_id": one.trajectory_id,
        "batch": found.batch,
        "experiments": list(found.experiments),
        "environment_id": one.environment_id,
        "environment_digest": one.environment_digest,
        "harness": one.harness,
        "policy": one.policy,
        "seed": one.seed,
        "ending": one.ending,
        "reward": one.reward,
        "prompt_tokens": one.usage.prompt_tokens,
        "completion_tokens": one.usage.completion_tokens,
        "messages": line["messages"],
        "tools": json_text(line["tools"]),
    }
    member = Member(
        kind="trajectory",
        id=found.id,
        digest=row_digest(told),
        split=split,
        environment_digest=one.environment_digest,
        asset=found.origin.asset,
        partition=found.origin.partition,
        revision=found.origin.revision,
    )
    return _clean(told), member


def _clean(told: dict[str, Json]) -> Columns:
    """Without lone surrogates, which Parquet can't hold."""
    return {name: _sound(value) for name, value in told.items()}


def _sound(value: Json) -> Any:  # noqa: ANN401  JSON, as Arrow takes it
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if isinstance(value, dict):
        return {name: _sound(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_sound(one) for one in value]
    return value
