"""From a rollout that ended, well or not, to its trajectory."""

import re
from dataclasses import asdict, dataclass

from envplatform.bundle import environment_digest
from envplatform.errors import ModelError, SandboxError
from envplatform.grading import Grading
from envplatform.llm.chat import Usage
from envplatform.rollout.session import Assignment, Session
from envplatform.rollout.user_session import UserSession
from envplatform.sandbox.base import SandboxInfo
from envplatform.trajectories import (
    Ending,
    Score,
    Trajectory,
    UserMistake,
    UserTurn,
)
from envplatform.tree import Tree, tree_digest
from envplatform.user import review

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_ID_DIGEST = 16
_MAX_ERROR = 2_000


@dataclass(slots=True, kw_only=True)
class Progress:
    """How far a rollout came."""

    session: Session | None = None
    user: UserSession | None = None
    """None where no user took part."""
    ending: Ending | None = None
    """None: acting did not come to an end."""
    workspace: Tree | None = None
    grading: Grading | None = None
    error: SandboxError | ModelError | None = None
    agent_seconds: float = 0.0

    @property
    def grading_failure(self) -> str | None:
        """Why there is no verdict on a rollout that did end."""
        if self.grading is not None:
            return self.grading.failure
        return None if self.error is not None else "workspace_too_large"


def trajectory_of(
    assignment: Assignment, progress: Progress, *, harness: str, sandbox: SandboxInfo
) -> Trajectory:
    """The record of `assignment` as far as it came."""
    environment, policy = assignment.environment, assignment.policy
    digest = environment_digest(environment)
    actor = policy.model.name if policy else harness
    identity = (digest[:_ID_DIGEST], harness, _slug(actor), str(assignment.seed))
    session, grading, error = progress.session, progress.grading, progress.error
    state, ending = progress.workspace, progress.ending
    return Trajectory(
        trajectory_id=".".join(identity),
        environment_id=environment.environment_id,
        environment_digest=digest,
        harness=harness,
        policy=actor,
        seed=assignment.seed,
        prompt=session.prompt if session else (),
        steps=tuple(session.steps) if session else (),
        ending=ending if ending and not error else "infrastructure_error",
        final_state=tree_digest(state) if state is not None else None,
        reward=grading.reward if grading else None,
        scores=_scores(grading),
        user_turns=_user_turns(progress.user),
        user_mistakes=_user_mistakes(progress.user),
        grading_failure=progress.grading_failure,
        error_class=type(error).__name__ if error else None,
        error=str(error)[:_MAX_ERROR] if error else "",
        usage=session.usage if session else Usage(),
        sandbox=f"{sandbox.kind} {sandbox.version}",
        agent_seconds=progress.agent_seconds,
        grading_seconds=grading.seconds if grading else 0.0,
    )


def _scores(grading: Grading | None) -> tuple[Score, ...]:
    components = grading.components if grading else {}
    return tuple(
        Score(criterion=name, score=score) for name, score in components.items()
    )


def _user_turns(user: UserSession | None) -> tuple[UserTurn, ...]:
    turns = user.turns if user else ()
    return tuple(UserTurn(**asdict(turn)) for turn in turns)


def _user_mistakes(user: UserSession | None) -> tuple[UserMistake, ...]:
    found = review(user.plan, user.turns) if user else ()
    return tuple(UserMistake(**asdict(error)) for error in found)


def _slug(name: str) -> str:
    return _UNSAFE.sub("-", name).strip("-")
