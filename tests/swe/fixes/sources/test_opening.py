"""From settings to sources: files, folders, limits, names and digests."""

from pathlib import Path

import pytest

from envplatform.configuration import FixSourceSettings
from envplatform.errors import ConfigError, FixSourceError
from envplatform.registries.indexes import PackageIndex
from envplatform.swe.fixes.histories.mining import GitSource
from envplatform.swe.fixes.instance import FixInstance, QuarantinedRow
from envplatform.swe.fixes.releases.pairs import ReleasePairs
from envplatform.swe.fixes.releases.tests4py import BuiltinTests4Py
from envplatform.swe.fixes.sources.hub import HubSource
from envplatform.swe.fixes.sources.opening import (
    open_source,
    open_sources,
    source_name,
)
from tests.swe.fixes.sources.made_rows import PATCH, issue_row, write_lines


def _settings(**fields: object) -> FixSourceSettings:
    return FixSourceSettings.model_validate(fields)


def _read(
    tmp_path: Path, **fields: object
) -> tuple[list[FixInstance], list[QuarantinedRow]]:
    entries = list(open_source(_settings(**fields), cache=tmp_path / "cache").read())
    return (
        [entry for entry in entries if isinstance(entry, FixInstance)],
        [entry for entry in entries if isinstance(entry, QuarantinedRow)],
    )


def _write_bug(
    folder: Path,
    number: int = 1,
    *,
    url: str = "https://github.com/psf/black",
    info: str = 'buggy_commit_id="{:040x}"\nfixed_commit_id="{:040x}"\n',
    test: str = "python -m pytest -q tests/test_a.py::test_x\n",
) -> Path:
    project = folder / "projects" / "black"
    bug = project / "bugs" / str(number)
    bug.mkdir(parents=True)
    (project / "project.info").write_text(f'github_url="{url}"\nstatus="OK" \n')
    (bug / "bug.info").write_text(info.format(number, number + 100))
    (bug / "bug_patch.txt").write_text(PATCH)
    (bug / "run_test.sh").write_text(test)
    return bug


def test_a_folder_of_bugsinpy_is_read_by_number(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        _write_bug(tmp_path, number)
    instances, bad = _read(tmp_path, path=str(tmp_path))
    assert not bad
    assert [each.instance_id for each in instances] == [
        "black-1",
        "black-2",
        "black-10",
    ]
    assert instances[0].repository == "psf__black"
    assert instances[0].base_commit == f"{1:040x}"
    assert instances[0].fix_commit == f"{101:040x}"
    assert instances[0].fail_to_pass == ("tests/test_a.py::test_x",)
    assert instances[0].patch == PATCH


@pytest.mark.parametrize(
    ("script", "tests"),
    [
        ("python -m unittest -q a.b.Case.test_c\n", ("a.b.Case.test_c",)),
        (
            "pytest -s a.py::test_x\npytest a.py::test_y",
            ("a.py::test_x", "a.py::test_y"),
        ),
        ("cd x\nrm -rf /\n", ()),
        ("", ()),
    ],
)
def test_names_of_tests_are_taken_from_their_commands(
    tmp_path: Path, script: str, tests: tuple[str, ...]
) -> None:
    _write_bug(tmp_path, test=script)
    assert _read(tmp_path, path=str(tmp_path))[0][0].fail_to_pass == tests


def test_one_bad_bug_costs_no_other(tmp_path: Path) -> None:
    _write_bug(tmp_path, 1, info='fixed_commit_id="1234567"\n')
    _write_bug(tmp_path, 2)
    (_write_bug(tmp_path, 3) / "bug_patch.txt").unlink()
    bug = _write_bug(tmp_path, 4)
    (bug / "bug_patch.txt").unlink()
    (bug / "bug_patch.txt").symlink_to("/etc/passwd")
    instances, bad = _read(tmp_path, path=str(tmp_path))
    assert [each.instance_id for each in instances] == ["black-2"]
    assert [(row.row, row.reason) for row in bad] == [
        ("projects/black/bugs/1", "no_base_commit"),
        ("projects/black/bugs/3", "missing_field"),
        ("projects/black/bugs/4", "missing_field"),
    ]


def test_a_project_elsewhere_is_set_aside(tmp_path: Path) -> None:
    _write_bug(tmp_path, url="https://example.com/../../x")
    assert _read(tmp_path, path=str(tmp_path))[1][0].reason == "bad_identifier"


def test_the_digest_of_bugsinpy_follows_what_is_read(tmp_path: Path) -> None:
    bug = _write_bug(tmp_path)
    source = open_source(_settings(path=str(tmp_path)), cache=tmp_path)
    before = source.digest()
    (bug / "requirements.txt").write_text("not read")
    assert source.digest() == before
    (bug / "bug_patch.txt").write_text("other")
    assert source.digest() != before


def test_a_folder_of_shards_is_read_in_order(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    write_lines(tmp_path / "sub" / "b.jsonl", issue_row(2))
    write_lines(tmp_path / "a.jsonl", issue_row(1))
    write_lines(tmp_path / ".hidden.jsonl", issue_row(3))
    write_lines(tmp_path / "about.json", {"no": "rows"})
    instances, _ = _read(tmp_path, path=str(tmp_path))
    assert [each.instance_id for each in instances] == ["o__r-1", "o__r-2"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent.jsonl", "does not exist"),
        ("fixes.csv", r"is no data file .* expected \.parquet"),
        ("empty", "neither projects/"),
    ],
)
def test_a_path_that_is_no_source_is_named(
    tmp_path: Path, name: str, message: str
) -> None:
    (tmp_path / "fixes.csv").write_text("a,b")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FixSourceError, match=message):
        open_source(_settings(path=str(tmp_path / name)), cache=tmp_path)


def test_a_limit_counts_instances_and_stops_reading(tmp_path: Path) -> None:
    rows = [issue_row(1), issue_row(2, patch=3), issue_row(3), b"{", issue_row(4)]
    path = write_lines(tmp_path / "fixes.jsonl", *rows)
    instances, bad = _read(tmp_path, path=str(path), limit=2)
    assert [each.instance_id for each in instances] == ["o__r-1", "o__r-3"]
    assert len(bad) == 1


def test_a_digest_follows_content_and_settings_and_not_time(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "fixes.jsonl", issue_row(1))
    plain = _settings(path=str(path))

    def digest(settings: FixSourceSettings = plain) -> str:
        return open_source(settings, cache=tmp_path).digest()

    first = digest()
    path.touch()
    assert digest() == first
    others = [
        digest(_settings(path=str(path), **{key: value}))
        for key, value in {"limit": 1, "licence": "MIT", "layout": "mined"}.items()
    ]
    write_lines(path, issue_row(2))
    assert len({first, *others, digest()}) == 5


NAMES: tuple[tuple[dict[str, object], str], ...] = (
    ({"path": "/data/swebench_dev.parquet"}, "swebench_dev"),
    ({"path": "/data/fixes.jsonl.gz"}, "fixes"),
    ({"hub": "SWE-Gym/SWE-Gym"}, "SWE-Gym__SWE-Gym"),
    ({"hub": "a/b", "split": "test"}, "a__b-test"),
    ({"git": "https://github.com/psf/black.git"}, "psf__black"),
    ({"git": "git@github.com:psf/black.git"}, "psf__black"),
    ({"git": "https://user:secret@example.org/black.git"}, "example.org__black"),
    ({"git": "https://example.org/psf/black?token=secret"}, "psf__black"),
    ({"pypi": "requests"}, "requests"),
    ({"builtin": "tests4py"}, "tests4py"),
    ({"path": "/a/b.json", "name": "my set/../x"}, "my-set__..__x"),
)


@pytest.mark.parametrize(("fields", "name"), NAMES)
def test_a_source_is_called_after_its_origin(
    fields: dict[str, object], name: str
) -> None:
    assert source_name(_settings(**fields)) == name


def test_two_sources_of_one_name_are_refused(tmp_path: Path) -> None:
    path = str(write_lines(tmp_path / "fixes.jsonl", issue_row()))
    twice = [_settings(path=path), _settings(path=path)]
    with pytest.raises(ConfigError, match="two are called 'fixes'"):
        open_sources(twice, cache=tmp_path)
    named = [_settings(path=path), _settings(path=path, name="other")]
    assert [each.name for each in open_sources(named, cache=tmp_path)] == [
        "fixes",
        "other",
    ]


IDLE: tuple[dict[str, object], ...] = (
    {"path": "x.jsonl", "split": "test"},
    {"git": "https://github.com/psf/black", "layout": "mined"},
    {"pypi": "requests", "revision": "main"},
    {"builtin": "tests4py", "licence": "MIT"},
)


@pytest.mark.parametrize("fields", IDLE)
def test_a_key_that_decides_nothing_is_refused(
    tmp_path: Path, fields: dict[str, object]
) -> None:
    idle = list(fields)[1]
    with pytest.raises(ConfigError, match=f"{idle} means nothing"):
        open_source(_settings(**fields), cache=tmp_path)


KINDS: tuple[tuple[dict[str, object], type], ...] = (
    ({"git": "https://github.com/psf/black", "revision": "main"}, GitSource),
    ({"pypi": "requests", "licence": "Apache 2.0"}, ReleasePairs),
    ({"builtin": "tests4py"}, BuiltinTests4Py),
    ({"hub": "a/b", "split": "test", "revision": "main"}, HubSource),
)


@pytest.mark.parametrize(("fields", "kind"), KINDS)
def test_every_origin_is_opened_and_nothing_is_fetched(
    tmp_path: Path, fields: dict[str, object], kind: type
) -> None:
    source = open_source(_settings(**fields), cache=tmp_path, index=PackageIndex())
    assert isinstance(source, kind)
    assert not list(tmp_path.iterdir())
