"""One published environment as a row: what a person selects and counts by.

The environment itself is a content-addressed directory; this row points to it.
"""

from dataclasses import dataclass

from envplatform.bundle.environment import Pillar


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
    """What it was made from: a bug candidate, a parent, a blueprint."""
    inducer: str
    operator: str
    licence: str
    """SPDX identifier of what the environment contains."""
    image_digest: str
    python: str
    fail_to_pass: int
    pass_to_pass: int
    issue_writer: str
    checks: tuple[str, ...]
    """`name=status`, sorted; the evidence stands in the environment's audit.json."""
    gated: bool
    """Every check of the gate ran and passed."""
    sandbox: str
    """What the gate ran in, `bubblewrap 0.8.0`."""
    seconds: float
    """Spent on proposal, proof and gate together."""
    tokens: int
