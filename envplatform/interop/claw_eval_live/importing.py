"""Import a whole set: read, execute, accept or quarantine with every reason.

Imported are tasks that are graded on their final answer over attachments or over the
set's mock services. Tasks whose grader runs what the agent left are kept out.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from envplatform.bundle import Environment, checked
from envplatform.errors import (
    BundleError,
    SandboxError,
    SandboxUnavailableError,
    TargetError,
)
from envplatform.interop.claw_eval_live.assembly import (
    ANSWER,
    Reply,
    Source,
    assemble,
)
from envplatform.interop.claw_eval_live.reading import (
    FoundTask,
    TaskFile,
    read_base,
    read_servers,
    read_tasks,
)
from envplatform.interop.claw_eval_live.services import unfit
from envplatform.interop.imported import ImportedTask, Problem, is_wanted
from envplatform.interop.proving import (
    REPEATS,
    Attempt,
    Proof,
    prove,
    score_of_solution,
    try_verifier,
    with_audit,
)
from envplatform.interop.solutions import check_solutions, solution_of
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.tree import Tree, TreeError

PASS_MARK = 0.75
"""Completion from which on the set's own scoring says passed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClawImporting:
    """Where and with what a set is imported."""

    provider: SandboxProvider
    image: Image
    """For tasks without services; Python without packages is enough."""
    serving_image: Callable[[], Image] | None = None
    """For tasks with services: Python with `services.PACKAGES`. Asked for when first
    needed; without it these tasks are `unsupported`."""
    solutions: Path | None = None
    """One folder a task: its workspace when solved, or a `solve.sh`; others are solved
    by the set's reference."""
    serves_evidence: bool = False
    """Whether attachments and records have names of their own, so that RES can work."""
    verifier_timeout_s: int = 60


async def import_set(
    source: Path, works: ClawImporting, *, only: str = "*"
) -> AsyncIterator[ImportedTask]:
    """Yield every task of the set whose name is of the pattern `only`, by name.

    Raises:
        BundleError: `source` is no such set, or a task of `solutions` is not in it.
    """
    base, servers = read_base(source), read_servers(source)
    tasks = list(read_tasks(source))
    check_solutions(works.solutions, (task.task_id for task in tasks))
    for found in tasks:
        if not is_wanted(found.task_id, only):
            continue
        if found.file is None:
            yield _kept_out(found, found.problems)
            continue
        problems = (
            *found.problems,
            *_unsupported(found.file, base, found),
            *_unserved(found.file, servers, works),
            *_unsolved(found.file, found.task_id, works),
        )
        if problems:
            yield _kept_out(found, problems)
            continue
        try:
            made = Source(
                found=found,
                file=found.file,
                base=base,
                servers=servers,
                solution=solution_of(works.solutions, found.task_id),
                serves_evidence=works.serves_evidence,
                verifier_timeout_s=works.verifier_timeout_s,
            )
            yield await _executed(made, _with_image(works, found.file))
        except (TargetError, SandboxUnavailableError) as error:
            problem = Problem(reason="image_unavailable", detail=str(error)[:500])
            yield _kept_out(found, (problem,))
        except SandboxError as error:
            problem = Problem(reason="sandbox_failed", detail=str(error)[:500])
            yield _kept_out(found, (problem,))
        except (BundleError, TreeError) as error:
            problem = Problem(reason="malformed", detail=str(error))
            yield _kept_out(found, (problem,))


def _unsupported(file: TaskFile, base: bytes, found: FoundTask) -> Iterator[Problem]:
    if not base:
        what = "src/liveclaw_500/graders/base.py is missing: name the set's checkout"
        yield Problem(reason="missing_file", detail=what)
    if file.env_snapshot_commands or file.sandbox_files:
        what = "its grader reads what commands print in the agent's machine"
        yield Problem(reason="unsupported", detail=f"env_snapshot_commands: {what}")
    if ANSWER in found.workspace:
        what = f"its files hold {ANSWER}, which we need"
        yield Problem(reason="unsupported", detail=what)


def _unserved(file: TaskFile, servers: Tree, works: ClawImporting) -> Iterator[Problem]:
    if file.services and works.serving_image is None:
        what = "it has mock services, and there is no image to run them in"
        yield Problem(reason="unsupported", detail=what)
    elif file.services:
        yield from unfit(file, servers)


def _unsolved(file: TaskFile, task_id: str, works: ClawImporting) -> Iterator[Problem]:
    given = works.solutions is not None and (works.solutions / task_id).is_dir()
    if not given and not file.reference_solution.strip():
        yield Problem(reason="no_oracle", detail="reference_solution is empty")


def _with_image(works: ClawImporting, file: TaskFile) -> ClawImporting:
    if not file.services or works.serving_image is None:
        return works
    return replace(works, image=works.serving_image())


async def _executed(source: Source, works: ClawImporting) -> ImportedTask:
    probe = checked(assemble(source, works.image))
    attempts = await _attempts(probe, works)
    problem = _judge(attempts)
    floor = attempts[0].scores.get("completion")
    if problem is not None or floor is None:
        return _kept_out(source.found, (problem,) if problem else (), floor)
    proven, proof = await _solved(source, works, floor)
    environment = assemble(proven, works.image, floor=floor)
    findings = [one async for one in _findings(proven, works, floor, proof)]
    return ImportedTask(
        task_id=source.found.task_id,
        environment=with_audit(environment, proof),
        problems=proof.problems,
        findings=tuple(findings),
        floor=floor,
        oracle=proof.oracle,
    )


async def _solved(
    source: Source, works: ClawImporting, floor: float
) -> tuple[Source, Proof]:
    """Prove it with the first reply that will do, else the one that scores most."""
    tried: list[tuple[Source, Proof]] = []
    for reply in _replies(source):
        made = replace(source, reply=reply)
        environment = assemble(made, works.image, floor=floor)
        proof = await prove(works.provider, environment, image=works.image)
        tried.append((made, proof))
        if not proof.problems:
            break
    return max(tried, key=lambda one: (not one[1].problems, one[1].oracle or 0.0))


def _replies(source: Source) -> tuple[Reply, ...]:
    if source.solution is not None or not source.file.services:
        return ("reference",)
    return "reference", "reference_and_records"


async def _findings(
    source: Source, works: ClawImporting, floor: float, proof: Proof
) -> AsyncIterator[str]:
    if source.serves_evidence and not source.evidence():
        yield "nothing of it can be served by itself: no attachments, no records with ids"
    if not proof.problems and source.reply != "reference":
        yield "its reference does not pass by itself: all records stand below it"
    if proof.problems or not (source.file.services or source.evidence()):
        return
    copied = assemble(replace(source, reply="records"), works.image, floor=floor)
    score = await score_of_solution(works.provider, copied, image=works.image)
    if score == 1:
        yield "its grader passes records that are copied without a word"


async def _attempts(probe: Environment, works: ClawImporting) -> list[Attempt]:
    """Grade the untouched workspace; once where the first time gave no verdict."""
    found: list[Attempt] = []
    while len(found) < REPEATS and not any(one.failure for one in found):
        found.append(
            await try_verifier(
                works.provider, works.image, probe, scores_file="scores.json"
            )
        )
    return found


def _judge(attempts: list[Attempt]) -> Problem | None:
    failure = next((one.failure for one in attempts if one.failure), "")
    if failure:
        return Problem(reason="verifier_broken", detail=failure)
    if len({str(dict(one.scores)) for one in attempts}) > 1:
        said = " | ".join(str(dict(one.scores)) for one in attempts)
        return Problem(reason="nondeterministic", detail=said[:500])
    floor = attempts[0].scores["completion"]
    if floor >= PASS_MARK:
        what = f"doing nothing passes: completion {floor:g}, pass mark {PASS_MARK}"
        return Problem(reason="floor_above_zero", detail=what)
    return None


def _kept_out(
    found: FoundTask, problems: tuple[Problem, ...], floor: float | None = None
) -> ImportedTask:
    return ImportedTask(
        task_id=found.task_id, environment=None, problems=problems, floor=floor
    )
