"""A lineage to be grown and kept: what it starts from, and all that decides its levels."""

from dataclasses import asdict, dataclass, field
from typing import Any

from envplatform.bundle import Environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.code import code_digest
from envplatform.configuration import Ablation
from envplatform.res.levels import Tries
from envplatform.res.lineage import Budget, Ending
from envplatform.res.proposers import Proposer
from envplatform.res.rows import LevelRow, RefusedChild
from envplatform.res.verifier import Verifier
from envplatform.store import result_key

REVISION = 2
"""Raised when a level's row is filled in otherwise than before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growing:
    """One lineage to be grown: from what, by whom, how far."""

    row: EnvironmentRow
    """Of the root, as its asset has it."""
    root: Environment
    ablation: Ablation
    proposer: Proposer
    verifier: Verifier
    seed: int
    budget: Budget
    decides: dict[str, Any] = field(default_factory=dict)
    """JSON: whatever else decides what is proposed or tried."""
    tries: Tries | None = None
    """None: nobody tries the levels."""

    def key(self, parent: str, level: int) -> str:
        """Name the level below the environment `parent`; empty for the root itself.

        How deep the lineage is to go is no part of it.
        """
        return result_key(
            revision=REVISION,
            inputs={"parent": parent, "root": self.row.digest},
            config={
                "ablation": self.ablation,
                "proposer": self.proposer.name,
                "model": self.proposer.model,
                "asked": dict(self.proposer.decides),
                "seed": self.seed,
                "level": level,
                "proposals": self.budget.proposals,
                "caps": asdict(self.verifier.caps),
                "tried": self.tries is not None,
                **self.decides,
            },
            tools={"code": made_by(), "image": self.verifier.image.digest},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Grown:
    """What came of a lineage."""

    levels: tuple[LevelRow, ...]
    """The root's first."""
    refused: tuple[RefusedChild, ...]
    ending: Ending
    resumed: int
    """Levels that were there before."""


def made_by() -> str:
    """Digest of the code that decides what children are and which are accepted."""
    return code_digest("res", "workspace", "ws")
