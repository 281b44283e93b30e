"""`envplatform export`: what is stored, as others read it."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from envplatform.bundle import read_environment, write_environment
from envplatform.bundle.row import EnvironmentRow
from envplatform.errors import ExportError
from envplatform.interop.exporting import whole_folder
from envplatform.store import Origin, Store
from envplatform.trajectories import Trajectory
from tests.bundle.sample import sample_environment
from tests.cli.conftest import Call
from tests.swe.small_repository import ENVIRONMENT_ROW
from tests.trajectories.made_record import record

ORIGIN = Origin(created=datetime(2026, 1, 1, tzinfo=UTC))
LOST = "e" * 64


@pytest.fixture
def store(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """One environment, one whose directory is lost, a rollout in each and a bad one."""
    del call  # clears the variables first
    store = Store(tmp_path / "home")
    monkeypatch.setenv("ENVPLATFORM_HOME", str(store.home))
    kept = sample_environment()
    digest = write_environment(kept, tmp_path / "written")
    store.put_directory("environments", digest, tmp_path / "written")
    plain = replace(ENVIRONMENT_ROW, repository="", candidate_id="seed")
    rows = [
        replace(plain, environment_id="kept", digest=digest, pillar="swe"),
        replace(plain, environment_id="lost", digest=LOST, pillar="res"),
    ]
    store.write_rows(
        "seed_environments",
        rows,
        row_type=EnvironmentRow,
        partition="seeds",
        origin=ORIGIN,
    )
    rollouts = [
        record("one", digest=digest),
        record("two", digest=LOST),
        replace(record("silent", digest=digest), prompt=(), steps=()),
    ]
    store.write_rows(
        "rollouts", rollouts, row_type=Trajectory, partition="first", origin=ORIGIN
    )
    return store


def test_environments_go_out_as_they_are_and_a_lost_one_is_named(
    call: Call, store: Store, tmp_path: Path
) -> None:
    to = tmp_path / "out"
    answer = call("export", "--format", "harbor", "--to", to, "--json")
    assert answer.code == 0, answer.err
    assert (answer.json["written"], answer.json["to"]) == (1, str(to))
    assert [one["name"] for one in answer.json["left_out"]] == ["lost"]
    (folder,) = to.iterdir()
    assert (folder.name, (folder / "task.toml").is_file()) == ("kept", True)
    digest = store.all_rows(EnvironmentRow, "seed_environments")[0].digest
    assert read_environment(folder, digest=digest).environment_id


def test_trajectories_go_out_as_documents_and_lines(
    call: Call, store: Store, tmp_path: Path
) -> None:
    assert store.home.is_dir()
    answer = call("export", "--format", "atif", "--to", tmp_path / "a")
    assert answer.code == 0, answer.err
    assert "wrote 2" in answer.out
    assert "left out 1" in answer.out
    assert "first/silent: nobody said anything" in answer.out
    names = sorted(path.name for path in (tmp_path / "a" / "first").iterdir())
    assert names == ["one.json", "two.json"]
    where = ("--select", "pillar = 'res' AND asset = 'seed_environments'")
    answer = call("export", "--format", "chat", "--to", tmp_path / "c", *where)
    assert answer.code == 0, answer.err
    (line,) = (tmp_path / "c" / "trajectories.jsonl").read_text().splitlines()
    assert json.loads(line)["trajectory_id"] == "two"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("chat", "--select", "pillar = 'cowork'"), "none is stored that fits"),
        (("harbor", "--select", "pillar = 'res'"), "could be written: lost: "),
        (("atif", "--select", "no_such > 1"), "the query failed"),
    ],
    ids=("nothing_fits", "all_are_lost", "wrong_condition"),
)
def test_an_export_of_nothing_leaves_nothing(
    call: Call, store: Store, tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    assert store.home.is_dir()
    to = tmp_path / "new" / "out"
    answer = call("export", "--to", to, "--json", "--format", *words)
    assert answer.code == 1
    assert told in answer.json["message"]
    assert list(to.parent.iterdir()) == []


@pytest.mark.parametrize("form", ["harbor", "swebench", "verifiers", "atif", "chat"])
def test_what_is_there_is_left_alone(
    call: Call, store: Store, tmp_path: Path, form: str
) -> None:
    assert store.home.is_dir()
    used, file, empty = (tmp_path / name for name in ("used", "file", "empty"))
    used.mkdir()
    empty.mkdir()
    (tmp_path / "link").symlink_to(empty)
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    for path in (file, used / "mine"):
        path.write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    for name in ("used", "file", "link", "dangling"):
        answer = call("export", "--format", form, "--to", tmp_path / name)
        assert (answer.code, "is no empty folder" in answer.err) == (1, True)
    assert sorted(tmp_path.rglob("*")) == before
    assert [path.read_text() for path in (file, used / "mine")] == ["mine"] * 2


def test_a_folder_that_comes_to_be_meanwhile_is_left_alone(tmp_path: Path) -> None:
    to = tmp_path / "out"

    def write() -> None:
        with whole_folder(to) as beside:
            (beside / "ours").touch()
            to.mkdir()
            (to / "theirs").touch()

    with pytest.raises(ExportError, match=r"out has come to be meanwhile"):
        write()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert [path.name for path in to.iterdir()] == ["theirs"]


def test_an_empty_folder_of_any_name_will_do(
    call: Call, store: Store, tmp_path: Path
) -> None:
    assert store.home.is_dir()
    to = tmp_path / "\u540d \u00fc 'x"
    to.mkdir()
    answer = call("export", "--format", "chat", "--to", to)
    assert answer.code == 0, answer.err
    assert [path.name for path in to.iterdir()] == ["trajectories.jsonl"]
