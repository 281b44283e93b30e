"""Ask warm sandboxes about many candidates of one repository."""

import base64
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from envplatform.sandbox.base import SandboxProvider
from envplatform.swe.p2f.baseline import Baseline
from envplatform.swe.p2f.request import (
    RUNNER_FOLDER,
    WORKSPACE,
    RunRequest,
    collected_from,
    job_bytes,
    limits_of,
    screen_tree,
)
from envplatform.swe.p2f.screen.answers import Answer, Question, read_sitting
from envplatform.swe.p2f.settings import VerificationSettings
from envplatform.swe.p2f.verify import plain_request
from envplatform.swe.targets.prepare import HealthyRepository

_MAX_QUESTIONS = 500
_MAX_BYTES = 32_000_000
_SITTING_S = 240.0
"""After this long a sandbox is asked nothing more: a candidate that stops the watch
costs what is left of it."""
_MAX_LOST = 8
"""Sandboxes that a repository may lose before the rest is judged cold."""
_OUTPUT_BYTES = 64_000_000
_QUICKLY = ("--assert=plain",)
"""Rewriting says more of failures that nobody reads here. A test about what it says
does not pass in a healthy fork, so it is judged cold. A target's own choice wins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sheet:
    """Questions for one sandbox: place to question."""

    questions: Mapping[int, Question]


async def screen(
    provider: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
    questions: Sequence[Question],
    settings: VerificationSettings,
) -> tuple[Answer, ...]:
    """Return one answer a question, in order.

    All are asked in one sandbox, one after the other, as long as that lives; the
    candidate that ended it is `cold`, and the rest is asked in another.

    Raises:
        SandboxError: a sandbox failed; nothing is known of those without an answer.
    """
    found: dict[int, Answer] = {}
    lost = 0
    while len(found) < len(questions):
        left = {p: q for p, q in enumerate(questions) if p not in found}
        sheet = _sheet(left)
        stdout, nonce = await _sit(provider, repository, baseline, sheet, settings)
        sitting = read_sitting(stdout, nonce=nonce, asked=tuple(sheet.questions))
        found.update(sitting.answers)
        lost += not sitting.is_done
        if not sitting.is_usable or not sitting.answers or lost > _MAX_LOST:
            why = sitting.detail or "the screen lost too many sandboxes"
            rest = Answer(said="cold", detail=why[:500])
            return tuple(found.get(p, rest) for p in range(len(questions)))
    return tuple(found[place] for place in range(len(questions)))


def _sheet(left: Mapping[int, Question]) -> _Sheet:
    chosen: dict[int, Question] = {}
    size = 0
    for place, question in left.items():
        size += sum(map(len, (*question.files.values(), *question.tests)))
        if chosen and (size > _MAX_BYTES or len(chosen) >= _MAX_QUESTIONS):
            break
        chosen[place] = question
    return _Sheet(questions=chosen)


async def _sit(
    provider: SandboxProvider,
    repository: HealthyRepository,
    baseline: Baseline,
    sheet: _Sheet,
    settings: VerificationSettings,
) -> tuple[bytes, str]:
    nonce = secrets.token_hex(16)
    target = repository.target
    request = plain_request(baseline, target.suite, settings, seed=0)
    whole_s = 3 * request.suite_timeout_s + _SITTING_S
    wide = replace(request, suite_timeout_s=whole_s)
    limits = replace(limits_of(target, wide), output_bytes=_OUTPUT_BYTES)
    job = _job(repository, baseline, sheet, request)
    async with provider.open(repository.image, limits) as sandbox:
        await sandbox.upload(repository.tree, WORKSPACE)
        await sandbox.upload(screen_tree(), RUNNER_FOLDER)
        done = await sandbox.exec(
            ("python3", "-I", "-B", f"{RUNNER_FOLDER}/screen_start.py"),
            cwd=WORKSPACE,
            stdin=json.dumps({**job, "nonce": nonce}).encode(),
            limits=limits,
        )
    return done.stdout, nonce


def _job(
    repository: HealthyRepository,
    baseline: Baseline,
    sheet: _Sheet,
    request: RunRequest,
) -> dict[str, object]:
    target = repository.target
    common = json.loads(job_bytes(target, request, nonce=""))
    for key in ("nonce", "ids", "paths"):
        del common[key]
    common["args"] = [*_QUICKLY, *common["args"]]
    wanted = {test for q in sheet.questions.values() for test in q.tests}
    union = [test for test in baseline.stable if test in wanted]
    healthy = {**common, "ids": union, "paths": _files(union)}
    return {
        "root": WORKSPACE,
        "env": common["env"],
        "own": sorted(_own_names(repository)),
        "stop_after_s": _SITTING_S + request.suite_timeout_s,
        "common": {**common, "is_trial": True},
        "healthy": {**healthy, "stop_on_timeout": False},
        "questions": [
            {
                "place": place,
                "stages": [
                    {"ids": list(stage), "paths": _files(stage)}
                    for stage in question.stages
                ],
                "files": {
                    path: base64.b64encode(data).decode("ascii")
                    for path, data in question.files.items()
                },
            }
            for place, question in sheet.questions.items()
        ],
    }


def _files(tests: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(collected_from(test.split("::")[0]) for test in tests))


def _own_names(repository: HealthyRepository) -> set[str]:
    """Return what can be imported from the repository's folders, at the first level."""
    names: set[str] = set()
    for path in repository.tree:
        if not path.endswith(".py"):
            continue
        for folder in repository.target.suite.pythonpath:
            place = PurePosixPath(path)
            if folder != "." and not place.is_relative_to(folder):
                continue
            first = place.parts[
                0 if folder == "." else len(PurePosixPath(folder).parts)
            ]
            names.add(first.removesuffix(".py"))
    return names
