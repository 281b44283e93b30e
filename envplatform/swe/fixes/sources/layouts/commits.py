"""Fixes named by their two commits: Tests4Py, and commits mined from histories.

Tests4Py (github.com/smythi93/Tests4Py, PyPI package tests4py) keeps its bugs as Python
classes; as rows they are: instance_id, project, repo, base_commit, fixed_commit, patch,
test_files, test_cases (the tests that fail), python_version. The fix is without its
tests.

Mined commits: instance_id, repo, license, base_commit, fix_commit, created_at, message,
patch, test_patch, n_changed.
"""

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
    checked_base,
    checked_commit,
    checked_id,
    repository_key,
)
from envplatform.swe.fixes.sources.rows import Row

_BASE = ("base_commit", "buggy_commit", "buggy_commit_id")
_FIX = ("fixed_commit", "fix_commit", "fixed_commit_id")
_MESSAGE = ("message", "commit_message")
_TESTS = ("test_cases", "fail_to_pass", "FAIL_TO_PASS")


def _read(row: Row, place: Place) -> FixInstance:
    refuse_other_languages(row)
    fix = row.text(*_FIX)
    return FixInstance(
        instance_id=checked_id(row.required("instance_id")),
        source=place.source,
        repository=repository_key(row.required("repo")),
        origin="git",
        base_commit=checked_base("base_commit", row.text(*_BASE)),
        fix_commit=checked_commit("fix commit", fix) if fix.strip() else "",
        patch=row.text("patch"),
        test_patch=row.text("test_patch"),
        problem_statement=row.text(*_MESSAGE),
        created_at=read_instant(row, "created_at"),
        licence=read_licence(row, place),
        fail_to_pass=read_tests(row, *_TESTS),
    )


_SHARED = (*LICENCE_COLUMNS, *LANGUAGE_COLUMNS, "test_patch", "created_at")

TESTS4PY = Layout(
    name="tests4py",
    required=(("instance_id",), ("repo",), _BASE, _FIX, ("patch",)),
    optional=(*_SHARED, *_TESTS, *_MESSAGE),
    read=_read,
)
MINED = Layout(
    name="mined",
    required=(("instance_id",), ("repo",), _BASE, ("patch",), _MESSAGE),
    optional=(*_SHARED, *_FIX, *_TESTS),
    read=_read,
)
