"""leak_scan: nothing of answer and grader stands where the agent can read it.

Public are the instruction, task.toml and everything under environment/. What is
secret is told in `secrets`. The workspace's own `.git` is not searched: it is compared
with a new one, and refused unless it is one commit of the files that are searched.
"""

from collections.abc import Iterator

from envplatform.bundle import CheckResult, environment_files
from envplatform.grading.evidence import Evidence
from envplatform.grading.secrets import (
    Secrets,
    collect_secrets,
    digest_of,
    passages_of,
)
from envplatform.grading.shingles import shingles, text_of, tokens
from envplatform.tree import File

NAME = "leak_scan"
PROSE = "instruction.md"

SHARE = 0.5
"""Share of a secret's passages that one public file may not reach."""

_PUBLIC = ("environment/", PROSE, "task.toml")
_REPOSITORY = "environment/workspace/.git/"
_REMAINS = (".pyc", ".orig", ".rej")


def leak_scan(evidence: Evidence) -> CheckResult:
    """Passed if no public file holds a secret; the first three finds are named."""
    if evidence.solve.exit_code != 0:
        what = "without a final state of the oracle the answer is not known"
        return CheckResult(name=NAME, status="not_run", evidence=what)
    files = environment_files(evidence.environment)
    # What lies in _REPOSITORY `environment_files` made again from the rest.
    public = [
        path
        for path in sorted(files)
        if path.startswith(_PUBLIC) and not path.startswith(_REPOSITORY)
    ]
    secrets = collect_secrets(evidence.environment, evidence.solved)
    finds = [find for path in public for find in _finds(path, files[path], secrets)]
    if finds:
        return CheckResult(name=NAME, status="failed", evidence="; ".join(finds[:3]))
    what = (
        f"{len(public)} public files hold none of {len(secrets.texts)} secret texts, "
        f"{len(secrets.changed_lines)} changed lines, {len(secrets.literals)} test ids, "
        f"{len(secrets.user)} texts of the user"
    )
    return CheckResult(name=NAME, status="passed", evidence=what)


def _finds(path: str, file: File, secrets: Secrets) -> Iterator[str]:
    if path.endswith(_REMAINS) or "/.git/" in path:
        yield f"{path} may hold an earlier version"
    digest, passages = digest_of(file), passages_of(file.data)
    for secret in secrets.texts:
        shared = len(secret.passages & passages)
        if digest is not None and digest == secret.digest:
            yield f"{path} is {secret.name}"
        elif shared and (path == PROSE or shared >= SHARE * len(secret.passages)):
            yield f"{path} quotes {secret.name} ({shared} passages)"
    text = text_of(file.data)
    yield from (f"{path} names {word}" for word in secrets.literals if word in text)
    yield from (
        f"{path} holds the user's {one!r}" for one in secrets.user if one in text
    )
    if path == PROSE:
        yield from _quoted_lines(text, secrets)


def _quoted_lines(text: str, secrets: Secrets) -> Iterator[str]:
    words = tokens(text)
    for line in secrets.changed_lines:
        if line in shingles(words, len(line)):
            yield f"{PROSE} quotes a line of the solution, {' '.join(line)!r}"
