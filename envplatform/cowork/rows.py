"""What is kept of cowork environments beside their rows: findings, refusals, shapes."""

from dataclasses import dataclass, field

from envplatform.bundle.row import NOT_IDENTITY, EnvironmentRow
from envplatform.cowork.roles import FindingKind, Role

FINDINGS = "cowork_findings"
"""Table of all findings of all rounds, accepted environments' included."""
REJECTED = "rejected_cowork"
"""Table of blueprints that became no environment."""
SHAPES = "cowork_shapes"
"""Table of what near-duplicates are told by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRow:
    """One finding."""

    blueprint_id: str
    family: str
    round: int
    """From 0."""
    kind: FindingKind
    role: Role
    """Whose work it was to mend it."""
    check: str
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedRow:
    """One blueprint of which no environment came about."""

    blueprint_id: str
    family: str
    digest: str
    """Of what there was in the end, kept in the store as a `rejected_environments`
    directory; empty where not even a whole one came about.
    """
    rounds: int
    reason: FindingKind
    """First finding of the last round."""
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeRow:
    """What an environment is compared by."""

    blueprint_id: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptOutcome:
    """All that is kept of one blueprint; a result of the cache, so runs can resume."""

    blueprint_id: str
    environment: EnvironmentRow | None
    rejected: RejectedRow | None
    findings: tuple[FindingRow, ...]
    shape: tuple[int, ...]
    """Empty of a rejected one."""
    rounds: int
    seconds: float = field(metadata=NOT_IDENTITY)
