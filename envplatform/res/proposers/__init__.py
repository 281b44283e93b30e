"""Who plans a level: `planned` searches, `llm` asks a model. One interface for both."""

from envplatform.res.proposers.base import Level, Proposal, Proposer
from envplatform.res.proposers.planned import Planned

__all__ = ["Level", "Planned", "Proposal", "Proposer"]
