"""R2E-Gym: rows that carry both versions of every file.

Source: huggingface.co/datasets/R2E-Gym/R2E-Gym-Subset (and -Lite, -V1), written by
github.com/R2E-Gym/R2E-Gym. Columns: repo_name (no owner), docker_image, commit_hash (the
fix), parsed_commit_content (JSON), execution_result_content, modified_files,
relevant_files, problem_statement, expected_output_json (outcome of each test after the
fix: which of them failed before is not said), and counts.

`parsed_commit_content` has file_diffs, each with header.file.path, old_file_content,
new_file_content, is_binary_file, minus_file.path and plus_file.path (`/dev/null` where
the fix creates or deletes the file); new_commit_hash, old_commit_hash (often only
`HASH^`, so no history is asked), commit_message, commit_date.

Binary files are left out of the versions, and tests go into `test_patch`, as in every
other set.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType

from envplatform.errors import PatchError
from envplatform.patches import diff_trees
from envplatform.swe.fixes.instance import FileVersions, FixInstance
from envplatform.swe.fixes.sources.instants import read_instant
from envplatform.swe.fixes.sources.layouts.base import (
    LICENCE_COLUMNS,
    Layout,
    Place,
    read_licence,
)
from envplatform.swe.fixes.sources.names import (
    checked_commit,
    checked_id,
    repository_key,
)
from envplatform.swe.fixes.sources.rows import Row, RowRefused, checked_text, shown
from envplatform.swe.inducers.base import is_test_path
from envplatform.tree import File, TreeError, checked_path

_COLUMN = "parsed_commit_content"
_OWNERS: Mapping[str, str] = MappingProxyType(
    {
        "aiohttp": "aio-libs/aiohttp",
        "bokeh": "bokeh/bokeh",
        "coveragepy": "nedbat/coveragepy",
        "datalad": "datalad/datalad",
        "mypy": "python/mypy",
        "numpy": "numpy/numpy",
        "orange3": "biolab/orange3",
        "pandas": "pandas-dev/pandas",
        "pillow": "python-pillow/Pillow",
        "pyramid": "Pylons/pyramid",
        "scrapy": "scrapy/scrapy",
        "statsmodels": "statsmodels/statsmodels",
        "sympy": "sympy/sympy",
        "tornado": "tornadoweb/tornado",
    }
)


def _read(row: Row, place: Place) -> FixInstance:
    name = row.required("repo_name", "repo").strip()
    repository = repository_key(_OWNERS.get(name.lower(), name))
    fix = checked_commit("commit_hash", row.required("commit_hash"))
    content = _parse(row)
    versions = _versions(content)
    code = tuple(file for file in versions if not is_test_path(file.path))
    tests = tuple(file for file in versions if is_test_path(file.path))
    commit = Row(where=row.where, fields=content)
    return FixInstance(
        instance_id=checked_id(row.text("instance_id") or f"{repository}-{fix[:12]}"),
        source=place.source,
        repository=repository,
        origin="inline",
        base_commit="",
        fix_commit=fix,
        versions=code,
        patch=_diff(code),
        test_patch=_diff(tests),
        problem_statement=row.text("problem_statement")
        or commit.text("commit_message"),
        created_at=read_instant(commit, "commit_date"),
        licence=read_licence(row, place),
    )


def _parse(row: Row) -> Mapping[str, object]:
    value = row.value(_COLUMN)
    if isinstance(value, str | bytes):
        try:
            value = json.loads(checked_text(_COLUMN, value))
        except (ValueError, RecursionError) as error:
            raise RowRefused(
                reason="unreadable", detail=f"{_COLUMN} is no JSON: {error}"
            ) from error
    if not isinstance(value, dict):
        detail = f"{_COLUMN} is {shown(value)}, expected an object"
        raise RowRefused(
            reason="missing_field" if value is None else "wrong_type", detail=detail
        )
    return value


def _versions(content: Mapping[str, object]) -> tuple[FileVersions, ...]:
    diffs = content.get("file_diffs")
    if not isinstance(diffs, list):
        detail = f"{_COLUMN}.file_diffs is {shown(diffs)}, expected a list"
        raise RowRefused(
            reason="missing_field" if diffs is None else "wrong_type", detail=detail
        )
    versions = [_version(diff) for diff in diffs if not _is_binary(diff)]
    if len({version.path for version in versions}) < len(versions):
        detail = f"{_COLUMN}.file_diffs names a path twice"
        raise RowRefused(reason="wrong_type", detail=detail)
    return tuple(sorted(versions, key=lambda version: version.path))


def _is_binary(diff: object) -> bool:
    return isinstance(diff, dict) and bool(diff.get("is_binary_file"))


def _version(diff: object) -> FileVersions:
    path = _path(diff, "header", "file")
    try:
        checked_path(path)
    except TreeError as error:
        raise RowRefused(
            reason="bad_identifier", detail=f"{_COLUMN}: {error}"
        ) from error
    fields = Row(where="", fields=diff if isinstance(diff, dict) else {})
    created = _path(diff, "minus_file") == "/dev/null"
    deleted = _path(diff, "plus_file") == "/dev/null"
    for side, is_absent in (("minus_file", created), ("plus_file", deleted)):
        if not is_absent:
            _refuse_another_path(path, _path(diff, side))
    return FileVersions(
        path=path,
        before=None if created else _content(fields, "old_file_content"),
        after=None if deleted else _content(fields, "new_file_content"),
    )


def _refuse_another_path(path: str, named: str) -> None:
    """Of a file that was renamed only the new path is told apart from its content."""
    if named and named not in {path, f"a/{path}", f"b/{path}"}:
        detail = f"{_COLUMN}: {shown(path)} is also called {shown(named)}"
        raise RowRefused(reason="wrong_type", detail=detail)


def _content(diff: Row, name: str) -> str:
    """Text of a version. Taken as empty, a lost one would make a bug of its own."""
    if diff.value(name) is None:
        detail = f"{_COLUMN}: {name} is empty, and the file is neither new nor deleted"
        raise RowRefused(reason="missing_field", detail=detail)
    return diff.text(name)


def _path(diff: object, *way: str) -> str:
    """The text at `way`, then `path`; empty if something is missing on it."""
    for name in (*way, "path"):
        diff = diff.get(name) if isinstance(diff, dict) else None
    return diff if isinstance(diff, str) else ""


def _diff(versions: tuple[FileVersions, ...]) -> str:
    before = {v.path: _file(v.before) for v in versions if v.before is not None}
    after = {v.path: _file(v.after) for v in versions if v.after is not None}
    try:
        return diff_trees(before, after)
    except PatchError as error:
        raise RowRefused(reason="wrong_type", detail=f"{_COLUMN}: {error}") from error


def _file(text: str) -> File:
    return File(text.encode("utf-8", "surrogateescape"))


R2E_GYM = Layout(
    name="r2e-gym",
    required=(("repo_name", "repo"), ("commit_hash",), (_COLUMN,)),
    optional=(*LICENCE_COLUMNS, "instance_id", "problem_statement"),
    read=_read,
)
