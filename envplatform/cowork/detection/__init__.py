"""The Issue detector: re-runs everything of an environment and says whose fault it is.

Here: three checks that only environments with a constructor and a user have
(`controlled_failures`, `other_spellings`, `user_matters`), and findings out of an audit (`findings`). The
other checks are the gate's.
"""

from envplatform.cowork.detection.controlled_failures import controlled_failures
from envplatform.cowork.detection.findings import findings_of
from envplatform.cowork.detection.other_spellings import other_spellings
from envplatform.cowork.detection.user_matters import user_matters

__all__ = ["controlled_failures", "findings_of", "other_spellings", "user_matters"]
