"""Who plans a level: `planned` searches, `llm` asks a model. One interface for both.

`prompt` words what a model is asked, `fit` says what of a plan can't be applied.
"""

from envplatform.res.proposers.base import Level, Proposal, Proposer
from envplatform.res.proposers.llm import Prompted
from envplatform.res.proposers.planned import Planned

__all__ = ["Level", "Planned", "Prompted", "Proposal", "Proposer"]
