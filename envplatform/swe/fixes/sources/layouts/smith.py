"""SWE-smith: bugs made on purpose. The patch makes the bug, not the fix.

Source: huggingface.co/datasets/SWE-bench/SWE-smith, and "Validation" in
docs/guides/harnesses.md of github.com/SWE-bench/SWE-smith: `patch` is "the diff that,
when applied, creates the bug". Columns: instance_id, repo, patch, FAIL_TO_PASS,
PASS_TO_PASS, image_name, problem_statement (may be empty), created_at, base_commit.

`repo` is a mirror with one commit, `swesmith/OWNER__NAME.COMMIT`, made of OWNER/NAME at
COMMIT (eight digits). Its own commit ids, `base_commit` too, are of no use upstream; so
repository and commit are taken out of its name, and the correct files are at that
commit. Such an instance has `patch_makes="bug"`.
"""

import re

from envplatform.swe.fixes.instance import FixInstance
from envplatform.swe.fixes.sources.instants import read_instant
from envplatform.swe.fixes.sources.layouts.base import (
    LANGUAGE_COLUMNS,
    LICENCE_COLUMNS,
    Layout,
    Place,
    read_licence,
    refuse_other_languages,
)
from envplatform.swe.fixes.sources.named_tests import read_tests
from envplatform.swe.fixes.sources.names import (
    checked_commit,
    checked_id,
    repository_key,
)
from envplatform.swe.fixes.sources.rows import Row, RowRefused, shown

_MIRROR = re.compile(
    r"(?:swesmith/)?(?P<owner>[A-Za-z0-9_-]+?)__(?P<name>[A-Za-z0-9._-]+)"
    r"\.(?P<commit>[0-9a-f]{7,40})",
    re.ASCII,
)
_LONGEST_NAME = 300


def is_mirror(repository: str) -> bool:
    """Tell whether a repository is one of SWE-smith's mirrors, by its name."""
    return repository.startswith("swesmith/") and _mirror(repository) is not None


def _mirror(repository: str) -> re.Match[str] | None:
    """Bounded, for the time to find no `__` grows with the square of the length."""
    return _MIRROR.fullmatch(repository) if len(repository) <= _LONGEST_NAME else None


def _read(row: Row, place: Place) -> FixInstance:
    refuse_other_languages(row)
    repository = row.required("repo")
    mirror = _mirror(repository.strip())
    if not mirror:
        detail = f"repo is {shown(repository)}, expected swesmith/OWNER__NAME.COMMIT"
        raise RowRefused(reason="bad_identifier", detail=detail)
    return FixInstance(
        instance_id=checked_id(row.required("instance_id")),
        source=place.source,
        repository=repository_key(f"{mirror['owner']}/{mirror['name']}"),
        origin="git",
        base_commit=checked_commit("commit in repo", mirror["commit"]),
        patch=row.text("patch"),
        patch_makes="bug",
        problem_statement=row.text("problem_statement"),
        created_at=read_instant(row, "created_at"),
        licence=read_licence(row, place),
        fail_to_pass=read_tests(row, "FAIL_TO_PASS"),
        pass_to_pass=read_tests(row, "PASS_TO_PASS"),
    )


SWE_SMITH = Layout(
    name="swe-smith",
    required=(("instance_id",), ("repo",), ("patch",)),
    optional=(
        *LICENCE_COLUMNS,
        *LANGUAGE_COLUMNS,
        "problem_statement",
        "created_at",
        "FAIL_TO_PASS",
        "PASS_TO_PASS",
    ),
    read=_read,
)
