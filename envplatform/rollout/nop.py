"""The harness that does nothing: what it scores is the floor of an environment."""

from envplatform.rollout.harness import Harness
from envplatform.rollout.session import Session
from envplatform.trajectories import Ending


class NopHarness(Harness):
    """Leaves the workspace as it is."""

    name = "nop"

    async def act(self, session: Session) -> Ending:  # noqa: ARG002  the interface's
        """Do nothing."""
        return "finished"
