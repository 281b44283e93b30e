"""An attempt: search one environment, then solve its root with what was found."""

from dataclasses import dataclass, replace

from envplatform.bundle import Environment
from envplatform.errors import SandboxError
from envplatform.grading import Final, apply_solution, grade, open_environment
from envplatform.grading.grade import Grading
from envplatform.rollout.explorer.acquired import Acquired, acquired_of
from envplatform.rollout.explorer.explore import Explored, explore
from envplatform.rollout.explorer.heard import as_heard
from envplatform.rollout.explorer.user_beside import UserBeside
from envplatform.rollout.user_session import attending
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.user.sidecar import read_user
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
    state is graded as the root's.

    Raises:
        BundleError: an environment can't be served.
        SandboxError: a sandbox failed.
    """
    explored = searched(environment, turns=turns)
    acquired = acquired_of(root, explored, child=environment)
    final = await solved(provider, root, explored, acquired, image=image)
    grading = await grade(
        provider, root, final.workspace, image=image, served=final.served
    )
    return Attempt(explored=explored, acquired=acquired, grading=grading)


def searched(environment: Environment, *, turns: int) -> Explored:
    """Search `environment` in this process, its user inside taking part.

    Raises:
        BundleError: it can't be served, or its user can't be read.
    """
    broker = Interface(environment).broker
    goal = environment.instruction
    if not environment.user:
        return explore(broker.ask, turns=turns, goal=goal)
    user = UserBeside(broker, read_user(environment.user))
    found = explore(user.ask, turns=turns, goal=goal, hears=is_heard(environment))
    return replace(found, fired=tuple(user.fired))


def is_heard(environment: Environment) -> bool:
    """Whether somebody can be talked to, as far as an agent is told."""
    return "say" in environment.permissions.operations


async def solved(
    provider: SandboxProvider,
    root: Environment,
    explored: Explored,
    acquired: Acquired,
    *,
    image: Image,
) -> Final:
    """Have `root`'s own solution work on what was found; return the state to be graded.

    The user says and shows there what the search had of it. What was missing is put back
    as the user left it, where the solution did not write.

    Raises:
        BundleError: `root` can't be served.
        SandboxError: a sandbox failed.
    """
    user = as_heard(root, explored.fired, acquired.missing)
    partial = replace(root, served=acquired.served, user=user)
    attend = attending() if user else None
    async with open_environment(
        provider, partial, image=image, attend=attend
    ) as opened:
        await apply_solution(opened.sandbox, partial)
        final = await opened.final()
    if final.served is None:
        msg = f"{root.environment_id}: the broker left nothing"
        raise SandboxError(msg)
    held, began = final.served.held, acquired.served
    back = {
        path: acquired.left[path]
        for path in acquired.missing
        if held.get(path) == began.get(path)  # not written by the solution
    }
    return replace(final, served=replace(final.served, held={**held, **back}))
