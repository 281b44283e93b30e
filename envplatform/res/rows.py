"""Levels of lineages as rows: what a person selects, counts and draws by.

The environments themselves are content-addressed directories; rows point to them.
"""

from dataclasses import dataclass, field

from envplatform.bundle.row import NOT_IDENTITY, EnvironmentRow
from envplatform.configuration import Ablation

REFUSED = "refused_children"
"""Table of children that no proposal could make, beside the assets of lineages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeRow:
    """One dependency of a child: a view that can only be used with what another tells."""

    view: str
    needs: str
    kind: str
    level: int
    """At which it came in."""
    operator: str
    """That brought it in."""
    consumes: bool
    """Whether the operator took what an earlier one had made."""
    calls: float
    """Public calls that it costs: those about the name that it needs, shared among all
    edges that need it.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """One proposal for a child."""

    plan: str
    """As canonical JSON; empty where there was none that could be read."""
    diagnostics: tuple[str, ...]
    """Why it was refused; empty for the accepted one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorerRow:
    """How the explorer fared."""

    passed: bool
    reward: float
    turns: int
    calls: int
    out_of_turns: bool
    """Whether the turns ended before its leads did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRow:
    """One accepted level of one lineage; level 0 is its root."""

    seed_name: str
    """Partition that its root comes from."""
    ablation: Ablation
    """How its levels were made; `composed` is none."""
    level: int
    environment: EnvironmentRow
    """The environment; `digest` names it, `core_digest` is the same at every level."""
    parent: str
    """Digest of the level above, of the root in independent levels; empty for a root."""
    root: str
    """Digest of level 0."""
    plan: str
    """As canonical JSON; empty for a root."""
    operators: tuple[str, ...]
    """In the order of the plan."""
    reads: int
    calls: int
    chain: int
    """The longest chain of requests of which one needs the other's answer."""
    served_bytes: int
    attempts: tuple[AttemptRow, ...]
    """All proposals, the accepted one last; none for a root."""
    checks: tuple[str, ...]
    """Of the verifier, all passed; none for a root, which the gate passed."""
    oracle: float
    floor: float
    """What doing nothing scores, in the root and in every child."""
    edges: tuple[EdgeRow, ...]
    """All that hold at this level."""
    explorer: ExplorerRow | None
    """None where nobody was to try."""
    random_seed: int
    """That its plan was proposed and applied with."""
    producer: str
    """Who proposed the plan."""
    model: str
    """Asked by the proposer; empty where none was."""
    tokens: int
    usd: float
    seconds: float = field(metadata=NOT_IDENTITY)
    """Proposing, making and verifying, refused proposals included."""

    @property
    def new_edges(self) -> tuple[EdgeRow, ...]:
        """Return those that came in at this level."""
        return tuple(edge for edge in self.edges if edge.level == self.level)

    @property
    def consumes_earlier(self) -> bool:
        """Whether an edge of this level took what an earlier operator had made."""
        return any(edge.consumes for edge in self.new_edges)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedChild:
    """A level that could not be made within the budget."""

    seed_name: str
    ablation: Ablation
    level: int
    parent: str
    attempts: tuple[AttemptRow, ...]

    @property
    def why(self) -> str:
        """Return the last diagnostic, in one line."""
        found = [one for each in self.attempts for one in each.diagnostics]
        return found[-1] if found else "no proposal"
