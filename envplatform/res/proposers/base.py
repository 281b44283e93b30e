"""What a proposer is asked, and what it answers."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from pydantic import JsonValue

from envplatform.bundle import Environment, Spending
from envplatform.res.diagnostic import Diagnostic
from envplatform.res.plan import TransformPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One level of a lineage, as far as a proposer is told."""

    plan: TransformPlan
    root_bytes: int
    """Served by the root of the lineage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A plan and what it cost to come by it."""

    plan: TransformPlan | None
    """None where what was answered is none."""
    refused: tuple[Diagnostic, ...] = ()
    """Why it can't be applied; empty where it can be tried."""
    spent: Spending = field(default_factory=Spending)


class Proposer(ABC):
    """Plans the next level of a lineage."""

    name: str
    """As lineages have it: `producer`."""
    model: str | None = None
    decides: Mapping[str, JsonValue] = MappingProxyType({})
    """What else decides which plans it makes: other values may give others."""

    @abstractmethod
    async def propose(
        self,
        parent: Environment,
        history: Sequence[Level],
        diagnostics: Sequence[Diagnostic],
        *,
        seed: int,
    ) -> Proposal:
        """Return a plan for a child of `parent`.

        `history`: the levels that led to `parent`, the root's first; `diagnostics`: what
        was wrong with the proposals for this child so far, with the plans that were refused.

        Raises:
            PlanError: there is none.
            ModelError: a model should be asked and could not be.
        """
