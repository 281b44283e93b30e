"""One published environment as a row: what a person selects and counts by.

The environment itself is a content-addressed directory; this row points to it.
"""

from dataclasses import dataclass, field

from envplatform.bundle.environment import Pillar

NOT_IDENTITY = {"identity": False}
"""Marks what may differ between two equal results; the store reads this mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentRow:
    """A gated environment, one row."""

    environment_id: str
    digest: str
    """Names the directory of kind `environments` in the store."""
    core_digest: str
    pillar: Pillar
    repository: str
    """`owner__name` for SWE; empty where there is none."""
    candidate_id: str
    """What it was made from: a bug candidate, a seed, a parent, a blueprint."""
    inducer: str
    operator: str
    licence: str
    """SPDX identifier of what the environment contains."""
    image_digest: str
    python: str
    fail_to_pass: int
    pass_to_pass: int
    issue_writer: str
    """`template` or `llm`; empty where there is no issue."""
    checks: tuple[str, ...]
    """`name=status`, sorted; the evidence stands in the environment's audit.json."""
    tokens: int
    """Spent on proposal and issue together."""
    gated: bool
    """No check of the gate failed, and those that its pillar needs ran and passed."""
    sandbox: str = field(metadata=NOT_IDENTITY)
    """What the gate ran in, `bubblewrap 0.8.0`."""
    seconds: float = field(metadata=NOT_IDENTITY)
    """Spent on proposal, proof and gate together."""
    issue_model: str = ""
    """Name of the model that wrote the issue: it must never be the solver."""
    issue_fallback: str = ""
    """Why the template wrote what a model was asked for; empty if it did not."""
    criteria: tuple[str, ...] = ()
    """What its verifier scores, `reward` first; empty in rows of older stores."""
    has_user: bool = False
    """Whether somebody inside has to be talked to."""
    kill_rate_criteria: float | None = None
    """Share of the faults written for its criteria that its verifier notices, 0 to 1;
    None where none was tried.
    """
    kill_rate_generic: float | None = None
    """The same of mutants made by who knows nothing of the verifier."""
    fail_to_pass_left_out: int = 0
    """Failing tests that count for nothing here: doctests in the code itself."""
    family: str = ""
    """Scenario family of Cowork; empty elsewhere."""
    scenario: str = ""
    """Of the taxonomy of Cowork; empty elsewhere."""
    capabilities: tuple[str, ...] = ()
    """The same."""
    pattern: str = ""
    """`single_turn`, `dialogue` or `patches`; empty outside Cowork."""
