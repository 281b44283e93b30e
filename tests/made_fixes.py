"""Small real git histories with fixes, and the published rows that tell of them."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

SPANS = "made__spans"
WORDS = "made__words"
GONE = "made__gone"
"""Its history is nowhere."""

_CLAMP = """\
def clamp(value, low, high):
    if value < low:
        return high
    return min(value, high)
"""
_CLAMP_FIXED = _CLAMP.replace("        return high", "        return low")
_CLAMP_CHECKED = _CLAMP_FIXED.replace(
    "    if value",
    "    if low > high:\n        raise ValueError(low, high)\n    if value",
)
_LAST = """\
def last(words):
    return words[len(words)]
"""
_LAST_FIXED = """\
def last(words):
    if not words:
        return None
    return words[len(words) - 1]
"""
_SPANS = (_CLAMP, _CLAMP_FIXED, _CLAMP_CHECKED)
"""Versions of a file, each the fix of the one before."""
_WORDS = (_LAST, _LAST_FIXED)
_ENVIRONMENT = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "2024-01-02T03:04:05Z",
    "GIT_COMMITTER_DATE": "2024-01-02T03:04:05Z",
    "GIT_CONFIG_NOSYSTEM": "1",
    "HOME": "/nonexistent",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeFixes:
    """A file of fixes in SWE-bench's layout, and the folder of their histories."""

    file: Path
    histories: Path

    @property
    def toml(self) -> str:
        """The part of an envplatform.toml that names them."""
        return (
            f"[fixes]\nclone_url = '{self.histories}/{{repository}}'\n"
            f"[[fixes.sources]]\npath = '{self.file}'\nlicence = 'MIT'\n"
        )


def make_fixes(folder: Path, *, with_gone: bool) -> MadeFixes:
    """Commit the fixes below `folder`, and write the file that publishes them.

    Four rows: three that can be turned around and one without a base commit; a fifth,
    of a history that is nowhere, where `with_gone`.
    """
    histories = folder / "histories"
    rows = [
        *published(histories, SPANS, "spans.py", _SPANS),
        *published(histories, WORDS, "words.py", _WORDS),
    ]
    rows.append({**rows[0], "instance_id": f"{SPANS}-9", "base_commit": ""})
    if with_gone:
        name = GONE.replace("__", "/")
        rows.append({**rows[0], "instance_id": f"{GONE}-1", "repo": name})
    file = folder / "fixes.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return MadeFixes(file=file, histories=histories)


def published(
    histories: Path, repository: str, file: str, versions: Sequence[str]
) -> list[dict[str, object]]:
    """Commit versions of a file; a row for each that mends the one before."""
    name = repository.replace("__", "/")
    folder = histories / name
    folder.mkdir(parents=True)
    _git(folder, "init", "--quiet", "--initial-branch=main")
    commits = [_commit(folder, file, text) for text in versions]
    return [
        {
            "repo": name,
            "instance_id": f"{repository}-{number}",
            "base_commit": base,
            "patch": _git(folder, "diff", base, fixed),
            "test_patch": "",
            "problem_statement": f"{file} is wrong",
            "created_at": "2024-01-02T03:04:05Z",
            "version": "1",
            "FAIL_TO_PASS": "[]",
            "PASS_TO_PASS": "[]",
        }
        for number, (base, fixed) in enumerate(pairwise(commits), 1)
    ]


def _commit(folder: Path, file: str, text: str) -> str:
    (folder / file).write_text(text)
    _git(folder, "add", file)
    _git(folder, "commit", "--quiet", "--message", "change")
    return _git(folder, "rev-parse", "HEAD").strip()


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=_ENVIRONMENT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
