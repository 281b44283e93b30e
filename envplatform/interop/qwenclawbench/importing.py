"""Import a whole set: read, execute, accept or quarantine with every reason.

A judge takes part in none of it: the reward is the mean of the automated checks, and
the environment says `judge` `none`.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from envplatform.bundle import Environment, checked
from envplatform.errors import BundleError, SandboxError, TargetError
from envplatform.interop.imported import ImportedTask, Problem, Reason, is_wanted
from envplatform.interop.proving import (
    REPEATS,
    Attempt,
    prove,
    try_verifier,
    with_audit,
)
from envplatform.interop.qwenclawbench.assembly import ANSWER, Source, assemble
from envplatform.interop.qwenclawbench.inspection import Inspection, inspect_grader
from envplatform.interop.qwenclawbench.markdown import TaskText
from envplatform.interop.qwenclawbench.reading import (
    FoundTask,
    find_license,
    find_set,
    read_tasks,
)
from envplatform.interop.solutions import check_solutions, solution_of
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.tree import Tree, TreeError

ImageFor = Callable[[Sequence[str]], Image]
"""Makes the image for some requirements; none: the bare one."""
_SCORES = "scores.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Importing:
    """Where and with what a set is imported."""

    provider: SandboxProvider
    image_for: ImageFor
    solutions: Path | None = None
    """One folder a task: its workspace when solved, or a `solve.sh`."""
    verifier_timeout_s: int = 120


async def import_set(
    source: Path, works: Importing, *, only: str = "*"
) -> AsyncIterator[ImportedTask]:
    """Yield every task of the set whose name is of the pattern `only`, by name.

    Raises:
        BundleError: `source` is no such set, or a task of `solutions` is not in it.
    """
    folder = find_set(source)
    license_text = find_license(folder)
    tasks = list(read_tasks(folder))
    check_solutions(works.solutions, (task.task_id for task in tasks))
    for task in tasks:
        if not is_wanted(task.task_id, only):
            continue
        if task.text is None:
            yield _unread(task, task.problems)
            continue
        try:
            yield await _Task(task, task.text, works, license_text).imported()
        except SandboxError as error:
            failed = Problem(reason="sandbox_failed", detail=str(error)[:500])
            yield _unread(task, (*task.problems, failed))


def _unread(task: FoundTask, problems: Sequence[Problem]) -> ImportedTask:
    return ImportedTask(
        task_id=task.task_id, environment=None, problems=tuple(problems)
    )


class _Task:
    """One readable task on its way."""

    def __init__(
        self, found: FoundTask, text: TaskText, works: Importing, license_text: bytes
    ) -> None:
        self._found, self._text, self._works = found, text, works
        self._seen = inspect_grader(text, frozenset(found.workspace))
        self._source = Source(
            text=text,
            seen=self._seen,
            workspace=found.workspace,
            license_text=license_text,
            verifier_timeout_s=works.verifier_timeout_s,
        )
        self._problems = list(found.problems)

    async def imported(self) -> ImportedTask:
        """Execute it as far as it goes."""
        if self._text.front.grading_type == "llm_judge":
            self._tell("unsupported", "it is graded by a judge alone")
        if ANSWER in self._found.workspace:
            self._tell("unsupported", f"its workspace holds {ANSWER}, which we need")
        try:
            image = self._works.image_for(self._seen.requirements)
            solution = solution_of(self._works.solutions, self._found.task_id)
            return await self._executed(image, solution)
        except TargetError as error:
            self._tell("image_unavailable", str(error))
        except (BundleError, TreeError) as error:
            self._tell("malformed", str(error))
        return self._result()

    async def _executed(self, image: Image, solution: Tree | None) -> ImportedTask:
        probe = checked(assemble(self._source, image))
        attempts = await self._attempts(probe, image)
        floor = self._judge(attempts)
        if floor is None or solution is None:
            self._tell_unproven(solution)
            return self._result(floor=floor)
        environment = assemble(
            self._source,
            image,
            solution=solution,
            criteria=sorted(attempts[0].scores.keys() - {"reward"}),
        )
        proof = await prove(self._works.provider, environment, image=image)
        known = {problem.reason for problem in self._problems}
        self._problems += [one for one in proof.problems if one.reason not in known]
        if proof.oracle != 1:
            self._tell_needs()
        return ImportedTask(
            task_id=self._found.task_id,
            environment=with_audit(environment, proof),
            problems=tuple(self._problems),
            findings=_findings(self._seen),
            floor=floor,
            oracle=proof.oracle,
        )

    async def _attempts(self, probe: Environment, image: Image) -> list[Attempt]:
        """Grade the untouched workspace; once where the first time gave no verdict."""
        found: list[Attempt] = []
        while len(found) < REPEATS and not any(one.failure for one in found):
            found.append(
                await try_verifier(
                    self._works.provider, image, probe, scores_file=_SCORES
                )
            )
        return found

    def _judge(self, attempts: Sequence[Attempt]) -> float | None:
        """Return the floor; tell what the gradings of the untouched workspace showed."""
        outcomes = {(str(dict(one.scores)), one.failure) for one in attempts}
        if len(outcomes) > 1:
            said = " | ".join(f"{one.failure or dict(one.scores)}" for one in attempts)
            self._tell("nondeterministic", said[:500])
        failure = next((one.failure for one in attempts if one.failure), "")
        if failure:
            self._tell("verifier_broken", failure)
            return None
        floor = attempts[0].scores["reward"]
        if floor > 0:
            paid = {k: v for k, v in attempts[0].scores.items() if v and k != "reward"}
            self._tell("floor_above_zero", f"{floor:g} for doing nothing: {paid}"[:500])
        return floor

    def _tell_unproven(self, solution: Tree | None) -> None:
        self._tell_needs()
        if solution is None:
            self._tell("no_oracle", "no solution was given, and the set has none")

    def _tell_needs(self) -> None:
        """Nobody showed that full marks can be had without what graders here lack."""
        if self._seen.tool_words:
            words = ", ".join(self._seen.tool_words)
            self._tell("needs_tool_calls", f"its grader looks for {words}")
        if self._seen.reads_repository:
            self._tell("needs_repository", "its grader looks into the workspace's .git")

    def _tell(self, reason: Reason, detail: str) -> None:
        self._problems.append(Problem(reason=reason, detail=detail))

    def _result(self, *, floor: float | None = None) -> ImportedTask:
        return ImportedTask(
            task_id=self._found.task_id,
            environment=None,
            problems=tuple(self._problems),
            findings=_findings(self._seen),
            floor=floor,
        )


def _findings(seen: Inspection) -> tuple[str, ...]:
    said = (
        ("reads the transcript", "prompt and answer" * seen.reads_transcript),
        ("looks for tool calls", ", ".join(seen.tool_words)),
        ("may run what the agent left", ", ".join(seen.runs)),
        ("names files that the prompt does not", ", ".join(seen.not_in_prompt)),
        ("names files that no part of the task does", ", ".join(seen.nowhere)),
    )
    return tuple(f"{what}: {which}" for what, which in said if which)
