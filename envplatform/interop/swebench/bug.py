"""What of an environment a SWE-bench instance is made of, or why none can be.

The layout of an environment's tests and solution is that of `swe`, read as data.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from envplatform.bundle import (
    BASE_IMAGE,
    SOLVE_SCRIPT,
    Environment,
    commit_id,
    without_repository,
)
from envplatform.errors import ExportError, PatchError
from envplatform.patches import diff_trees
from envplatform.tree import File, Tree, below

ROOT = "/testbed"
"""Where the harness wants the repository."""
_OURS = "/workspace"
_HIDDEN, _VISIBLE, _FIXED = "hidden/", "visible/", "fixed/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bug:
    """One defect in one repository, in SWE-bench's terms."""

    patch: str
    """From the defective tree to the mended one."""
    test_patch: str
    """Adds the hidden tests."""
    base_commit: str
    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    hidden: tuple[str, ...]
    """Files that `test_patch` adds; sorted."""
    restored: tuple[str, ...]
    """Visible tests and settings, which are put back before grading; sorted."""
    ids: tuple[str, ...]
    """What is run, as pytest has it."""
    arguments: tuple[str, ...]
    """Of pytest."""
    directory: str
    variables: Mapping[str, str]
    search_path: tuple[str, ...]
    """For modules, first to last."""
    base_image: str
    """What the image stands upon; empty: plain Python."""


def bug_of(environment: Environment) -> Bug:
    """Read an environment of the pillar `swe`.

    Raises:
        ExportError: it is no defect in a repository, or its suite needs what the
            harness can't give; says what.
    """
    tests = environment.tests
    plan, job = _json(tests, "plan.json"), _json(tests, "job.json")
    _check(job)
    buggy = without_repository(environment.workspace)
    hidden = below(tests, _HIDDEN)
    failing, passing = _texts(plan, "fail_to_pass"), _texts(plan, "pass_to_pass")
    try:
        patch = _sound(diff_trees(buggy, _mended(buggy, environment.solution)), "patch")
        test_patch = _sound(diff_trees({}, hidden), "test patch")
    except PatchError as error:
        msg = f"no diff can be written of it: {error}"
        raise ExportError(msg) from error
    if not patch or not hidden or not failing:
        msg = "it is no defect in a repository: no fix, no hidden test, or none fails"
        raise ExportError(msg)
    return Bug(
        patch=patch,
        test_patch=test_patch,
        base_commit=commit_id(buggy),
        fail_to_pass=as_logged(failing),
        pass_to_pass=tuple(
            one for one in as_logged(passing) if one not in set(as_logged(failing))
        ),
        hidden=tuple(sorted(hidden)),
        restored=tuple(
            sorted(path for path in below(tests, _VISIBLE) if path in buggy)
        ),
        ids=tuple(sorted({*failing, *passing})),
        arguments=_texts(job, "args"),
        directory=_moved(str(job.get("directory", _OURS))),
        variables=_variables(job),
        search_path=tuple(map(_moved, _texts(job, "pythonpath"))),
        base_image=environment.core.facts.get(BASE_IMAGE, ""),
    )


def as_logged(ids: Sequence[str]) -> tuple[str, ...]:
    """Test ids as the harness reads them off a log: they end at the first blank.

    What is equal then counts once; it passes where all that are called so do.
    """
    return tuple(sorted({one.split()[0] for one in ids if one.split()}))


def _check(job: Mapping[str, object]) -> None:
    if job.get("results") != "pytest":
        msg = "its suite is not run by pytest, whose log the harness reads"
        raise ExportError(msg)
    if job.get("services"):
        msg = "its suite needs services, which the harness does not start"
        raise ExportError(msg)


def _mended(buggy: Tree, solution: Tree) -> dict[str, File]:
    """What `solve.sh` makes of the defective tree, without running it."""
    script = solution[SOLVE_SCRIPT].data.decode("utf-8", "surrogateescape")
    mended = {**buggy, **below(solution, _FIXED)}
    for line in script.splitlines():
        if line.startswith("rm "):
            for word in shlex.split(line)[1:]:
                mended.pop(word.removeprefix(f"{_OURS}/"), None)
    return mended


def _variables(job: Mapping[str, object]) -> dict[str, str]:
    said = job.get("env")
    found = said if isinstance(said, dict) else {}
    return {str(name): str(found[name]) for name in sorted(found)}


def _moved(path: str) -> str:
    return ROOT + path.removeprefix(_OURS) if path.startswith(_OURS) else path


def _json(tests: Tree, name: str) -> Mapping[str, object]:
    if name not in tests:
        msg = f"it is no defect in a repository: its tests have no {name}"
        raise ExportError(msg)
    try:
        said = json.loads(tests[name].data)
    except (ValueError, RecursionError) as error:
        msg = f"its tests/{name} is no JSON ({error})"
        raise ExportError(msg) from error
    if not isinstance(said, dict):
        msg = f"its tests/{name} is no JSON object"
        raise ExportError(msg)
    return said


def _texts(said: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = said.get(name)
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _sound(text: str, what: str) -> str:
    """Return a text that UTF-8 and a script of shell can hold.

    Raises:
        ExportError: it is none.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        msg = f"its {what} is no UTF-8, so no row can hold it"
        raise ExportError(msg) from error
    if "\0" in text or ">>>>>" in text:
        msg = f"its {what} holds a NUL, or a mark of the harness"
        raise ExportError(msg)
    return text
