"""From a rollout that ended, well or not, to its trajectory."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from envplatform.bundle import (
    Environment,
    without_repository,
    writers_of,
)
from envplatform.errors import ModelError, SandboxError
from envplatform.grading import Final, Grading
from envplatform.grading.judge import Rewarded
from envplatform.grading.rubric import RUBRIC
from envplatform.llm.chat import Tool, Usage
from envplatform.rollout.changes import changes_of
from envplatform.rollout.session import Assignment, Session
from envplatform.rollout.user_session import UserSession
from envplatform.sandbox.base import SandboxInfo
from envplatform.trajectories import (
    Ending,
    FileChange,
    Judged,
    OfferedTool,
    Score,
    Trajectory,
    UserMistake,
    UserTurn,
    WorkspacePatch,
    compared,
    dispatches_of,
)
from envplatform.tree import tree_digest
from envplatform.user import review

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_ID_DIGEST = 16
_MAX_ERROR = 2_000


@dataclass(slots=True, kw_only=True)
class Progress:
    """How far a rollout came."""

    digest: str
    """Of the environment; told once, as all of it is read for it."""
    session: Session | None = None
    user: UserSession | None = None
    """None where no user took part."""
    ending: Ending | None = None
    """None: acting did not come to an end."""
    final: Final | None = None
    grading: Grading | None = None
    rewarded: Rewarded | None = None
    """The grading's reward and, where one was asked, a judge's."""
    error: SandboxError | ModelError | None = None
    agent_seconds: float = 0.0

    @property
    def grading_failure(self) -> str | None:
        """Why there is no verdict on a rollout that did end."""
        if self.grading is not None:
            return self.grading.failure
        return None if self.error is not None else "workspace_too_large"


def trajectory_of(
    assignment: Assignment,
    progress: Progress,
    *,
    harness: str,
    actor: str,
    sandbox: SandboxInfo,
) -> Trajectory:
    """The record of `assignment` as far as it came."""
    environment = assignment.environment
    digest = progress.digest
    trajectory_id = id_of(digest, harness, actor, assignment.seed)
    session, grading, error = progress.session, progress.grading, progress.error
    final, ending = progress.final, progress.ending
    log = final.served.log if final and final.served else b""
    if session and session.explored_log is not None:
        log = session.explored_log
    return Trajectory(
        trajectory_id=trajectory_id,
        environment_id=environment.environment_id,
        environment_digest=digest,
        harness=harness,
        policy=actor,
        seed=assignment.seed,
        prompt=session.prompt if session else (),
        tools=tuple(map(_offered, session.tools)) if session else (),
        steps=tuple(session.steps) if session else (),
        ending=ending if ending and not error else "infrastructure_error",
        final_state=tree_digest(final.workspace) if final else None,
        changes=_changes(environment, final),
        reward=progress.rewarded.reward if progress.rewarded else None,
        judged=_judged(environment, progress.rewarded),
        scores=_scores(grading),
        user_turns=_user_turns(progress.user, environment),
        user_mistakes=_user_mistakes(progress.user),
        dispatches=dispatches_of(log),
        claims=compared(session.claims, final_files(environment, final))
        if session and final
        else (),
        writers=writers_of(environment.lineage),
        limits=assignment.limits,
        grading_failure=progress.grading_failure,
        error_class=type(error).__name__ if error else None,
        error=str(error)[:_MAX_ERROR] if error else "",
        usage=session.usage if session else Usage(),
        sandbox=f"{sandbox.kind} {sandbox.version}",
        agent_seconds=progress.agent_seconds,
        grading_seconds=grading.seconds if grading else 0.0,
    )


def _changes(environment: Environment, final: Final | None) -> tuple[FileChange, ...]:
    if final is None:
        return ()
    return changes_of(without_repository(environment.workspace), final.workspace)


def _judged(environment: Environment, rewarded: Rewarded | None) -> Judged | None:
    if rewarded is None or RUBRIC not in environment.tests:
        return None
    return Judged(
        code=rewarded.code,
        score=rewarded.judge,
        judge=rewarded.judged_by,
        why_none=rewarded.why_none,
    )


def _offered(tool: Tool) -> OfferedTool:
    return OfferedTool(
        name=tool.name,
        description=tool.description,
        parameters=json.dumps(tool.parameters, sort_keys=True),
    )


def id_of(digest: str, harness: str, actor: str, seed: int) -> str:
    """Return the id of a rollout: environment, harness, policy, seed."""
    return ".".join((digest[:_ID_DIGEST], harness, _slug(actor), str(seed)))


def _scores(grading: Grading | None) -> tuple[Score, ...]:
    components = grading.components if grading else {}
    return tuple(
        Score(criterion=name, score=score) for name, score in components.items()
    )


def final_files(environment: Environment, final: Final) -> dict[str, bytes]:
    """What claims may be about: files of /workspace, and what is held by public name."""
    held = final.served.held if final.served else {}
    served = {
        name: file.data
        for path, file in held.items()
        for name in names_of(environment, path)
    }
    return {
        **served,
        **{path: file.data for path, file in final.workspace.items()},
    }


def names_of(environment: Environment, path: str) -> tuple[str, ...]:
    """Return the public names that show what is held at `path`, in the order of views."""
    locations = {one.name: one.location for one in environment.resources}
    return tuple(_names(environment, locations, path))


def _names(
    environment: Environment, locations: Mapping[str, str], path: str
) -> Iterator[str]:
    for view in environment.views:
        location = locations.get(view.source)
        if location is None:
            continue
        if location == path:
            yield view.name
        elif view.kind == "folder" and path.startswith(f"{location}/"):
            yield f"{view.name}/{path.removeprefix(f'{location}/')}"


def _user_turns(
    user: UserSession | None, environment: Environment
) -> tuple[UserTurn, ...]:
    if user is None:
        return ()
    changes = {
        signal.id: tuple(
            WorkspacePatch(
                path=one.path,
                action=one.action,
                old=one.old,
                new=one.new,
                names=names_of(environment, one.path),
            )
            for one in signal.changes
        )
        for signal in user.plan.signals
    }
    return tuple(
        UserTurn(**asdict(turn), patches=changes.get(turn.signal or "", ()))
        for turn in user.turns
    )


def _user_mistakes(user: UserSession | None) -> tuple[UserMistake, ...]:
    found = review(user.plan, user.turns) if user else ()
    return tuple(UserMistake(**asdict(error)) for error in found)


def _slug(name: str) -> str:
    return _UNSAFE.sub("-", name).strip("-")
