"""One row of each public set, and which layout is told by which columns."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from envplatform.errors import FixSourceError
from envplatform.patches import diff_trees
from envplatform.swe.fixes.instance import FileVersions, FixInstance
from envplatform.swe.fixes.sources.files import FileSource
from envplatform.swe.fixes.sources.layouts import LAYOUTS, Place, detect_layout
from envplatform.swe.fixes.sources.rows import Row, RowRefused
from envplatform.tree import File
from tests.swe.fixes.sources.made_rows import PATCH, issue_row, read_all, write_lines

HERE = Place(source="made", licence="")
LIST_TESTS: dict[str, object] = {
    "FAIL_TO_PASS": ["tests/test_a.py::test_x"],
    "PASS_TO_PASS": [],
}


def _r2e_file(path: str, before: str, after: str, **more: object) -> dict[str, object]:
    return {
        "header": {"file": {"path": path}, "misc_line": None},
        "is_binary_file": False,
        "minus_file": {"path": f"a/{path}"},
        "plus_file": {"path": f"b/{path}"},
        "old_file_content": before,
        "new_file_content": after,
        "hunks": [],
    } | more


def _r2e_row(*files: Mapping[str, object], **more: object) -> dict[str, object]:
    commit = {
        "file_diffs": list(files),
        "old_commit_hash": "a" * 40 + "^",
        "new_commit_hash": "a" * 40,
        "commit_message": "mend it",
        "commit_date": "2018-10-21T12:00:00+02:00",
    }
    return {
        "repo_name": "orange3",
        "docker_image": "made/orange3_final:" + "a" * 40,
        "commit_hash": "a" * 40,
        "parsed_commit_content": json.dumps(commit),
        "problem_statement": "it is broken",
        "expected_output_json": "{}",
    } | more


SMITH: dict[str, object] = {
    "instance_id": "pdfminer__pdfminer.six.1a8bd2f7.lm_rewrite__q9ve64pd",
    "repo": "swesmith/pdfminer__pdfminer.six.1a8bd2f7",
    "base_commit": "f" * 40,
    "patch": PATCH,
    "image_name": "made/image",
    "problem_statement": "",
    "created_at": "2025-03-04",
    **LIST_TESTS,
}
TESTS4PY: dict[str, object] = {
    "instance_id": "black-1",
    "project": "black",
    "repo": "psf/black",
    "base_commit": "1" * 40,
    "fixed_commit": "2" * 40,
    "test_files": ["tests/test_a.py"],
    "test_cases": ["tests/test_a.py::test_x"],
    "python_version": "3.8.3",
    "patch": PATCH,
}
MINED: dict[str, object] = {
    "instance_id": "o__r-8f493e66b3",
    "repo": "o/r",
    "license": "MIT",
    "base_commit": "1" * 40,
    "fix_commit": "2" * 40,
    "created_at": "2024-03-04T20:18:38+00:00",
    "message": "Fix it",
    "patch": PATCH,
    "test_patch": PATCH,
    "n_changed": 2,
}
LIVE = issue_row(all_hints_text="", test_cmds=["pytest"], **LIST_TESTS)
REBENCH = issue_row(license_name="BSD 3-Clause", install_config={}, **LIST_TESTS)
REBENCH_V2 = issue_row(
    language="python", interface="", license="apache-2.0", **LIST_TESTS
)
ROWS: dict[str, dict[str, object]] = {
    "swe-bench": issue_row(),
    "swe-bench-live": LIVE,
    "swe-rebench": REBENCH,
    "swe-rebench-v2": REBENCH_V2,
    "r2e-gym": _r2e_row(_r2e_file("a.py", "x\n", "y\n")),
    "swe-smith": SMITH,
    "tests4py": TESTS4PY,
    "mined": MINED,
    "swe-fixer": {"id": "o__r-1", "repo": "o/r", "commit": "1" * 40, "gold_patch": "p"},
}


def _read(name: str, row: Mapping[str, object]) -> FixInstance:
    layout = next(layout for layout in LAYOUTS.values() if layout.name == name)
    return layout.read(Row(where="here", fields=row), HERE)


@pytest.mark.parametrize("name", ROWS)
def test_a_layout_is_told_by_its_columns(name: str) -> None:
    layout = detect_layout(ROWS[name].keys())
    assert layout is not None
    assert layout.name == name


@pytest.mark.parametrize("name", ROWS)
def test_a_row_of_each_set_is_read(name: str) -> None:
    instance = _read(name, ROWS[name])
    assert instance.source == "made"
    assert "__" in instance.repository
    assert bool(instance.base_commit) == (instance.origin == "git")
    assert bool(instance.versions) == (instance.origin == "inline")
    assert instance.patch


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_reads_what_it_requires(name: str) -> None:
    """`columns` decides what is taken out of Parquet: nothing read may be missing."""
    layout = next(layout for layout in LAYOUTS.values() if layout.name == name)
    row = ROWS.get(name, issue_row())
    assert not layout.missing(row.keys())
    less = {key: value for key, value in row.items() if key in layout.columns()}
    assert _read(name, less) == _read(name, row)


def test_swe_gym_is_read_as_swe_bench() -> None:
    row = issue_row(**LIST_TESTS)
    assert _read("swe-gym", row) == _read("swe-bench", issue_row())


def test_a_set_with_images_and_no_test_patch_is_swe_smith() -> None:
    without_mirror = {**SMITH, "repo": "pdfminer__pdfminer.six.1a8bd2f7"}
    layout = detect_layout(without_mirror.keys())
    assert layout is LAYOUTS["swe-smith"]
    assert _read("swe-smith", without_mirror) == _read("swe-smith", SMITH)


def test_swe_smith_without_images_is_told_by_its_mirrors(tmp_path: Path) -> None:
    row = {key: value for key, value in SMITH.items() if key != "image_name"}
    instances, _ = read_all(write_lines(tmp_path / "smith.jsonl", row))
    assert instances[0].patch_makes == "bug"


def test_a_patch_of_swe_smith_makes_the_bug_at_the_upstream_commit() -> None:
    instance = _read("swe-smith", SMITH)
    assert instance.patch_makes == "bug"
    assert instance.repository == "pdfminer__pdfminer.six"
    assert instance.base_commit == "1a8bd2f7"


def test_a_mirror_of_swe_smith_is_never_taken_for_a_fix() -> None:
    with pytest.raises(RowRefused, match="state layout = 'swe-smith'"):
        _read("swe-bench", issue_row(repo=SMITH["repo"]))


@pytest.mark.parametrize(
    "repo",
    ["psf/black", "swesmith/psf__black", "swesmith/../x.1a8bd2f7", "a__b/c.1a8bd2f7"],
)
def test_swe_smith_needs_a_mirror(repo: str) -> None:
    with pytest.raises(RowRefused, match="expected swesmith/OWNER__NAME"):
        _read("swe-smith", {**SMITH, "repo": repo})


@pytest.mark.parametrize("language", ["rust", "Go", "c++", 3, ["python"]])
def test_other_languages_are_refused_by_reason(language: object) -> None:
    with pytest.raises(RowRefused) as caught:
        _read("swe-rebench-v2", {**REBENCH_V2, "language": language})
    assert caught.value.reason == "not_python"


@pytest.mark.parametrize("language", ["Python", "python", "py", None, ""])
def test_python_and_no_language_are_taken(language: object) -> None:
    assert _read("swe-rebench-v2", {**REBENCH_V2, "language": language})


LICENCES: tuple[tuple[dict[str, object], str, str], ...] = (
    ({"license_name": "MIT License"}, "", "MIT"),
    ({"licence": "bsd-3-clause"}, "", "BSD-3-Clause"),
    ({"license": None}, "MIT", "MIT"),
    ({"license": ["mit"]}, "", "MIT"),
    ({}, "MIT", "MIT"),
    ({"license": "Our own"}, "MIT", ""),
    ({"license": {"key": "mit"}}, "MIT", ""),
)


@pytest.mark.parametrize(("columns", "default", "expected"), LICENCES)
def test_a_licence_is_the_rows_or_else_the_sources(
    columns: dict[str, object], default: str, expected: str
) -> None:
    place = Place(source="made", licence=default)
    row = Row(where="here", fields=issue_row(**columns))
    assert LAYOUTS["swe-bench"].read(row, place).licence == expected


def test_r2e_carries_both_versions_with_tests_apart() -> None:
    row = _r2e_row(
        _r2e_file("pkg/b.py", "", "new\n", minus_file={"path": "/dev/null"}),
        _r2e_file("pkg/a.py", "caf\u00e9\r\n", "x"),
        _r2e_file("pkg/c.py", "old\n", "", plus_file={"path": "/dev/null"}),
        _r2e_file("pkg/logo.png", "", "", is_binary_file=True),
        _r2e_file("tests/test_a.py", "a\n", "b\n"),
    )
    instance = _read("r2e-gym", row)
    assert instance.versions == (
        FileVersions(path="pkg/a.py", before="caf\u00e9\r\n", after="x"),
        FileVersions(path="pkg/b.py", before=None, after="new\n"),
        FileVersions(path="pkg/c.py", before="old\n", after=None),
    )
    assert instance.test_patch == diff_trees(
        {"tests/test_a.py": File(b"a\n")}, {"tests/test_a.py": File(b"b\n")}
    )
    assert "tests/" not in instance.patch
    assert instance.repository == "biolab__orange3"
    assert instance.instance_id == "biolab__orange3-aaaaaaaaaaaa"
    assert instance.fix_commit == "a" * 40
    assert instance.created_at == "2018-10-21T10:00:00Z"


BAD_R2E: dict[str, tuple[object, str]] = {
    "no JSON": ("{", "unreadable"),
    "a list": ("[]", "wrong_type"),
    "null": (None, "missing_field"),
    "no diffs": ("{}", "missing_field"),
    "diffs a number": ('{"file_diffs": 3}', "wrong_type"),
    "a diff a number": ('{"file_diffs": [3]}', "bad_identifier"),
    "deep": ("[" * 100_000, "unreadable"),
    "out of the tree": (
        json.dumps({"file_diffs": [_r2e_file("../../x", "a", "b")]}),
        "bad_identifier",
    ),
    "NUL in a path": (
        json.dumps({"file_diffs": [_r2e_file("a\0", "a", "b")]}),
        "bad_identifier",
    ),
    "twice": (
        json.dumps({"file_diffs": [_r2e_file("a.py", "a", "b")] * 2}),
        "wrong_type",
    ),
    "content lost": (
        json.dumps(
            {"file_diffs": [_r2e_file("a.py", "a", "b", old_file_content=None)]}
        ),
        "missing_field",
    ),
    "renamed": (
        json.dumps(
            {"file_diffs": [_r2e_file("b.py", "a", "b", minus_file={"path": "a/a.py"})]}
        ),
        "wrong_type",
    ),
    "content a number": (
        json.dumps({"file_diffs": [_r2e_file("a.py", "a", "b", old_file_content=1)]}),
        "wrong_type",
    ),
}


@pytest.mark.parametrize("kind", BAD_R2E)
def test_a_bad_commit_of_r2e_is_refused(kind: str) -> None:
    value, reason = BAD_R2E[kind]
    with pytest.raises(RowRefused) as caught:
        _read("r2e-gym", _r2e_row(parsed_commit_content=value))
    assert caught.value.reason == reason


def test_r2e_of_an_unknown_project_needs_its_owner() -> None:
    with pytest.raises(RowRefused, match="expected owner/name"):
        _read("r2e-gym", _r2e_row(repo_name="unknown"))
    row = _r2e_row(_r2e_file("a.py", "x", "y"), repo_name="o/unknown")
    assert _read("r2e-gym", row).repository == "o__unknown"


def test_a_stated_layout_wins_over_the_columns(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "fixes.jsonl", issue_row())
    source = FileSource(name="made", paths=(path,), layout="swe-rebench-v2")
    with pytest.raises(FixSourceError, match="no column language"):
        list(source.read())


def test_a_file_is_no_bugsinpy(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "fixes.jsonl", issue_row())
    source = FileSource(name="made", paths=(path,), layout="bugsinpy")
    with pytest.raises(FixSourceError, match="is a folder"):
        list(source.read())
