"""An attempt: search one environment, then solve its root with what was found."""

from dataclasses import dataclass, replace

from envplatform.bundle import Environment
from envplatform.grading import apply_solution, grade, open_environment
from envplatform.grading.grade import Grading
from envplatform.rollout.explorer.acquired import Acquired, acquired_of
from envplatform.rollout.explorer.explore import Explored, explore
from envplatform.rollout.user_session import attending
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.workspace import Interface


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt of the explorer."""

    explored: Explored
    acquired: Acquired
    grading: Grading
    """Of the root's final state; a solving step that broke is graded all the same."""

    @property
    def passed(self) -> bool:
        """Whether it got full marks."""
        return self.grading.reward == 1


async def attempt(
    provider: SandboxProvider,
    environment: Environment,
    *,
    root: Environment,
    image: Image,
    turns: int,
) -> Attempt:
    """Search `environment`, then have `root`'s own solution work on what was found.

    The solution runs over the root's views with only that evidence behind them; the
    state is graded as the root's, with the evidence that was missing put back where
    the solution did not write.

    Raises:
        BundleError: an environment can't be served.
        SandboxError: a sandbox failed.
    """
    session = Interface(environment)
    explored = explore(session.broker.ask, turns=turns, goal=environment.instruction)
    acquired = acquired_of(root, explored, child=environment)
    partial = replace(root, served=acquired.served)
    attend = attending() if root.user else None
    async with open_environment(
        provider, partial, image=image, attend=attend
    ) as opened:
        await apply_solution(opened.sandbox, partial)
        final = await opened.final()
    served = final.served
    if served is not None:
        held, began = served.held, acquired.served
        back = {
            path: root.served[path]
            for path in acquired.missing
            if held.get(path) == began.get(path)  # not written by the solution
        }
        served = replace(served, held={**held, **back})
    grading = await grade(provider, root, final.workspace, image=image, served=served)
    return Attempt(explored=explored, acquired=acquired, grading=grading)
