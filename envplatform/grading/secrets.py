"""What an agent must not be able to read, in a form that can be searched for.

Secret are the solution, what the oracle changes, the tests but for those under
`tests/visible/` (and `tests/code/visible/`), the ids in the core's fact `fail_to_pass`, and of a user inside the
canaries and what only the user knows.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from envplatform.bundle import Environment, in_repository
from envplatform.grading.shingles import Shingle, shingles, text_of, tokens
from envplatform.patches import added_lines, diff_trees
from envplatform.tree import File, Tree

VISIBLE = ("visible/", "code/visible/")
"""Folders in tests/ for tests that the agent has too; the other one is of graders of code
that are part of another grader."""

PASSAGE = 30
"""Tokens in a passage; twins in real code and headers are mostly shorter."""
LINE = 5
"""Tokens that make a changed line worth looking for in prose."""

_TRIVIAL_BYTES = 24
"""Smaller files (an empty `__init__.py`) are alike by chance."""
_SECRET_FACTS = ("fail_to_pass",)
_PLAN = "plan.json"
"""Where a user's plan lies in an environment's `user` files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """One hidden text."""

    name: str
    digest: str | None
    """Of the whole file; None where only passages count."""
    passages: frozenset[Shingle]


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """Everything hidden about one environment."""

    texts: tuple[Secret, ...]
    changed_lines: tuple[Shingle, ...]
    """Tokens of each line that the oracle adds, short lines left out."""
    literals: tuple[str, ...]
    """Ids of the tests that decide."""
    user: tuple[str, ...] = ()
    """Canaries, and the texts of facts, of the user's plan."""


def collect_secrets(environment: Environment, solved: Tree) -> Secrets:
    """Everything to look for; `solved` is the workspace after the oracle."""
    patch = diff_trees(_text_only(environment.workspace), _text_only(solved))
    lines = (tuple(tokens(line)) for line in added_lines(patch))
    facts = environment.core.facts
    return Secrets(
        texts=(*_files(environment), *_changes(environment.workspace, solved)),
        changed_lines=tuple(line for line in lines if len(line) >= LINE),
        literals=tuple(
            line
            for name in _SECRET_FACTS
            for line in facts.get(name, "").splitlines()
            if line
        ),
        user=_user_texts(environment.user),
    )


def digest_of(file: File) -> str | None:
    """Digest of a file's content, None if it is too small to mean anything."""
    if len(file.data.strip()) < _TRIVIAL_BYTES:
        return None
    return hashlib.sha256(file.data).hexdigest()


def passages_of(data: bytes) -> frozenset[Shingle]:
    """Every run of `PASSAGE` tokens."""
    return frozenset(shingles(tokens(text_of(data)), PASSAGE))


def _files(environment: Environment) -> Iterator[Secret]:
    for path, file in environment.tests.items():
        if not path.startswith(VISIBLE):
            passages = passages_of(file.data)
            yield Secret(
                name=f"tests/{path}", digest=digest_of(file), passages=passages
            )
    # Solutions often are whole fixed files: nearly all their text is public.
    for path, file in environment.solution.items():
        yield Secret(
            name=f"solution/{path}", digest=digest_of(file), passages=frozenset()
        )


def _user_texts(user: Tree) -> tuple[str, ...]:
    try:
        plan = json.loads(user[_PLAN].data) if _PLAN in user else {}
    except (ValueError, RecursionError):
        plan = {}
    if not isinstance(plan, dict):
        return ()
    facts = [one for one in plan.get("facts", []) if isinstance(one, dict)]
    texts = [fact.get("text") for fact in facts]
    told = [
        text for text in texts if isinstance(text, str) and len(tokens(text)) >= LINE
    ]
    canaries = [one for one in plan.get("canaries", []) if isinstance(one, str) and one]
    return (*canaries, *told)


def _changes(workspace: Tree, solved: Tree) -> Iterator[Secret]:
    for path, new in solved.items():
        old = workspace.get(path, File(b""))
        if old.data != new.data:
            passages = passages_of(new.data) - passages_of(old.data)
            yield Secret(
                name=f"the oracle's {path}", digest=digest_of(new), passages=passages
            )


def _text_only(tree: Tree) -> Tree:
    return {
        path: file
        for path, file in tree.items()
        if b"\0" not in file.data and not in_repository(path)
    }
