"""A release: what is in it, what is not and why, never twice, never overwritten."""

import json
import math
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from envplatform.bundle import read_environment
from envplatform.bundle.archive import unpack, write_folder
from envplatform.configuration import ReleaseSettings
from envplatform.errors import ConfigError, ExportError, StoreError
from envplatform.release.differing import difference
from envplatform.release.manifest import (
    CARD,
    MANIFEST,
    MEMBERS,
    read_left_out,
    read_members,
    read_release,
)
from envplatform.release.pushing import push
from envplatform.release.shelf import shelf_of
from envplatform.release.tables import table_paths
from envplatform.release.verifying import damages
from envplatform.store import Store
from tests.release.made_release import (
    LATER,
    SETTINGS,
    environment,
    filled,
    keep,
    released,
    write_rollouts,
    write_rows,
)
from tests.trajectories.made_record import record


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return filled(tmp_path / "home")


def test_a_release_has_what_is_stored_and_says_what_it_has_not(store: Store) -> None:
    made = released(store)
    assert (made.is_new, made.release.version) == (True, 1)
    assert made.folder == store.home / "releases" / "v1"
    counts = made.release.counts
    assert (counts.environments, counts.trajectories, counts.left_out) == (8, 1, 3)
    assert {one.id: one.reason for one in read_left_out(made.folder)} == {
        "b/t2": "no_steps",
        "b/t3": "no_environment",
        "b/gone": "lost",
    }
    members = read_members(made.folder)
    splits = {one.id: one.split for one in members}
    assert splits["bug-0"] == splits["bug-1"]
    assert splits["letters-0"] == splits["letters-1"]
    assert splits["b/t1"] == splits["ledgers-0"]
    assert len(set(splits.values())) > 1, "or the test of splits says nothing"
    assert damages(made.folder) == ()


def test_tables_hold_whole_environments_and_conversations(
    store: Store, tmp_path: Path
) -> None:
    made = released(store)
    rows = [
        row
        for path in table_paths(made.folder, "environment").values()
        for row in pq.read_table(path).to_pylist()
    ]
    assert len(rows) == 8
    for row in rows:
        folder = tmp_path / "unpacked" / row["environment_id"]
        write_folder(unpack(row["archive"]), folder)
        found = read_environment(folder, digest=row["digest"])
        assert found.environment_id == row["environment_id"]
        assert found.instruction == row["instruction"]
    ((split, path),) = table_paths(made.folder, "trajectory").items()
    (line,) = pq.read_table(path).to_pylist()
    assert (line["trajectory_id"], line["experiments"]) == ("t1", ["e"])
    assert [one["role"] for one in line["messages"]][-1] == "assistant"
    assert json.loads(line["tools"])[0]["function"]["name"] == "shell"
    assert split in {one.split for one in read_members(made.folder)}


def test_the_same_content_is_released_once_and_another_gets_a_version(
    store: Store,
) -> None:
    first = released(store)
    before = {path: path.stat().st_mtime_ns for path in first.folder.rglob("*")}
    again = released(store, created=LATER)
    assert (again.is_new, again.folder) == (False, first.folder)
    assert again.release == first.release
    write_rows(store, [keep(store, environment("more"))], partition="q", revision=4)
    second = released(store, created=LATER)
    assert (second.is_new, second.release.version) == (True, 2)
    assert second.release.digest != first.release.digest
    other = released(store, ReleaseSettings(validation_share=0.3, test_share=0.2))
    assert other.release.version == 3
    assert {path: path.stat().st_mtime_ns for path in first.folder.rglob("*")} == before
    assert [path.name for path in shelf_of(store).root.glob(".making-*")] == []


def test_the_digest_is_that_of_the_content_on_any_machine(
    store: Store, tmp_path: Path
) -> None:
    other = filled(tmp_path / "elsewhere" / "home")
    assert released(other).release.digest == released(store).release.digest


@pytest.mark.parametrize(
    ("licence", "settings", "taken"),
    [
        ("MIT AND (Apache-2.0 OR GPL-3.0-only)", {}, True),
        ("GPL-3.0-only", {}, False),
        ("", {}, False),
        ("", {"unknown_licences": "keep"}, True),
        ("GPL-3.0-only", {"licences": "any"}, True),
        ("GPL-3.0-only", {"licences": ("GPL-3.0-only",)}, True),
    ],
)
def test_licences_decide_what_leaves(
    tmp_path: Path, licence: str, settings: dict[str, object], *, taken: bool
) -> None:
    store = Store(tmp_path / "home")
    write_rows(
        store,
        [
            keep(store, environment("one"), licence=licence),
            keep(store, environment("kept"), licence="MIT"),
        ],
    )
    chosen = ReleaseSettings.model_validate(settings)
    if chosen.licences not in ("permissive", "any"):
        write_rows(store, [keep(store, environment("one"), licence=licence)])
    made = released(store, chosen)
    assert ("one" in {one.id for one in read_members(made.folder)}) is taken
    if not taken:
        (out,) = read_left_out(made.folder)
        assert (out.id, out.reason) == ("one", "licence")


def test_one_bad_environment_costs_no_other(store: Store) -> None:
    good = keep(store, environment("good"))
    lost = replace(keep(store, environment("never")), digest="e" * 64)
    torn = keep(store, environment("torn"))
    file = store.directory("environments", torn.digest) / "instruction.md"
    file.write_text("something else\n")
    refused = replace(
        keep(store, environment("refused")),
        gated=False,
        checks=("nop_floor=failed", "oracle_max=passed"),
    )
    namesake = keep(store, environment("good-2"))
    rates = keep(store, environment("rates"), kill_rate_criteria=math.nan)
    link = keep(store, environment("link"))
    (store.directory("environments", link.digest) / "evil").symlink_to("/etc/passwd")
    rows = [good, lost, torn, refused, rates, link]
    rows.append(replace(namesake, environment_id="good"))
    write_rows(store, rows, partition="odd")
    made = released(store)
    found = {one.id: one for one in read_left_out(made.folder)}
    assert found["never"].reason == "lost"
    assert found["torn"].reason == "damaged"
    assert f"its folder names the digest {torn.digest}" in found["torn"].detail
    assert str(store.home) not in (made.folder / "left_out.jsonl").read_text()
    assert (found["refused"].reason, found["refused"].detail) == (
        "not_gated",
        "nop_floor=failed",
    )
    assert found["rates"].reason == "damaged"
    assert "its row in seed_environments can't be written" in found["rates"].detail
    assert found["link"].reason == "damaged"
    assert "its folder/evil is a link or device" in found["link"].detail
    assert found["good"].reason == "same_name"
    assert made.release.counts.environments == 9


def test_nothing_to_release_says_why_and_leaves_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    with pytest.raises(StoreError, match="no environment is stored"):
        released(store)
    write_rows(store, [keep(store, environment("one"), licence="GPL-3.0-only")])
    with pytest.raises(StoreError, match=r"one: licence, 'GPL-3.0-only' is not permis"):
        released(store)
    assert shelf_of(store).versions == ()
    assert list(shelf_of(store).root.glob(".making-*")) == []


def test_what_a_killed_maker_left_is_swept(store: Store) -> None:
    left = store.home / "releases" / ".making-old"
    left.mkdir(parents=True)
    (left / "half.parquet").write_bytes(b"half")
    assert released(store).release.version == 1
    assert not left.exists()


def test_what_is_no_release_takes_a_number_and_hinders_none(store: Store) -> None:
    root = store.home / "releases"
    root.mkdir()
    (root / "v1").write_text("no folder")
    (root / "v2").mkdir()
    made = released(store)
    assert (made.is_new, made.release.version) == (True, 3)
    assert not released(store).is_new
    assert (root / "v1").read_text() == "no folder"


def test_an_experiment_that_is_nowhere_is_an_error(store: Store) -> None:
    """It would be a release without trajectories, for good."""
    settings = SETTINGS.model_copy(update={"experiments": ("e", "bset")})
    with pytest.raises(ConfigError, match=r"experiments names 'bset'.*there are: e$"):
        released(store, settings)
    assert shelf_of(store).versions == ()
    one = SETTINGS.model_copy(update={"experiments": ("e",)})
    assert released(store, one).release.counts.trajectories == 1


def test_damage_is_named_and_the_next_release_takes_its_place(store: Store) -> None:
    first = released(store)
    table = next(iter(table_paths(first.folder, "environment").values()))
    name = table.relative_to(first.folder).as_posix()
    data = bytearray(table.read_bytes())
    data[len(data) // 2] ^= 1
    table.write_bytes(bytes(data))
    assert [(one.path, one.what) for one in damages(first.folder)] == [
        (name, "has another digest")
    ]
    with pytest.raises(StoreError, match=f"damaged: {name} has another digest"):
        push(first.folder, store.home / "pushed")
    again = released(store)
    assert (again.is_new, again.release.version) == (True, 2)
    assert again.release.digest == first.release.digest
    (note,) = again.release.notes
    assert note == f"v1 has the same content and is damaged: {name} has another digest"
    assert note in (again.folder / CARD).read_text()
    table.unlink()
    assert [one.what for one in damages(first.folder)] == ["is missing"]
    assert not released(store).is_new, "v2 is whole, and the same"


def test_a_manifest_that_lies_is_found_out(store: Store) -> None:
    folder = released(store).folder
    (folder / "surplus.txt").touch()
    (folder / "link").symlink_to("/etc/passwd")
    assert [(one.path, one.what) for one in damages(folder)] == [
        ("link", "does not belong to the release"),
        ("surplus.txt", "does not belong to the release"),
    ]
    (folder / "surplus.txt").unlink()
    (folder / "link").unlink()
    said = json.loads((folder / MANIFEST).read_text())
    said["digest"] = "0" * 64
    (folder / MANIFEST).write_text(json.dumps(said))
    (found,) = damages(folder)
    assert found.what.startswith(f"names {'0' * 64}, members say ")
    for change, told in (
        ({"files": {"../../x.py": {"sha256": "0" * 64, "bytes": 1}}}, "is no file"),
        ({"version": 0}, "digest or version"),
        ({"format_version": 9}, "of format 1"),
        ({"extra": 1}, "unknown key 'extra'"),
    ):
        (folder / MANIFEST).write_text(json.dumps({**said, **change}))
        with pytest.raises(StoreError, match=told):
            read_release(folder)
    (folder / MANIFEST).write_bytes(b"[" * 100_000)
    assert "not a JSON object" in damages(folder)[0].what
    (folder / MANIFEST).unlink()
    assert "holds no release" in damages(folder)[0].what
    for name in (MANIFEST, MEMBERS):
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)  # would be read for ever
    assert "is no plain file" in damages(folder)[0].what
    with pytest.raises(StoreError, match=f"{MEMBERS} is no plain file"):
        difference(folder, folder)


def test_a_difference_says_what_and_by_which_recipe(store: Store) -> None:
    first = released(store).folder
    changed = [
        keep(
            store,
            environment("bug-0", instruction="Read it again.\n"),
            repository="o__r",
        )
    ]
    shutil.rmtree(store.home / "tables" / "seed_environments", ignore_errors=True)
    write_rows(store, changed, asset="swe_environments", revision=2)
    write_rows(store, [keep(store, environment("new"))], partition="q")
    write_rollouts(store, [record("t9")])
    second = released(store).folder
    found = difference(first, second)
    assert [one.id for one in found.added] == ["new"]
    assert [one.id for one in found.removed] == ["bug-1", "b/t1"]
    ((only,), by_table) = found.changed, found.by_table
    assert (only.id, only.what) == ("bug-0", "content")
    assert by_table == {"swe_environments[p] revision 1 -> 2": 1}
    assert difference(first, first).is_none
    assert [one.id for one in difference(second, first).added] == ["bug-1", "b/t1"]


def test_what_is_pushed_is_read_by_datasets_as_it_is(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_OFFLINE", True)
    made = released(store)
    to = tmp_path / "for others"
    push(made.folder, to)
    loaded = datasets.load_dataset(
        str(to), "environments", cache_dir=str(tmp_path / "cache")
    )
    members = [one for one in read_members(made.folder) if one.kind == "environment"]
    assert {
        (split, row["environment_id"]) for split in loaded for row in loaded[split]
    } == {(one.split, one.id) for one in members}
    trajectories = datasets.load_dataset(
        str(to), "trajectories", cache_dir=str(tmp_path / "cache")
    )
    (split,) = trajectories
    assert trajectories[split][0]["messages"][0]["role"] == "system"
    with pytest.raises(ExportError, match="is no empty folder"):
        push(made.folder, to)
    with pytest.raises(ExportError, match="lies in the release"):
        push(made.folder, to / "copy")
    assert damages(to) == ()


def test_the_card_says_what_is_in_it_and_takes_no_mark_up(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    row = keep(
        store,
        environment("one"),
        licence="<b>|`x`",
        pillar="res",
        issue_model="**m**\n---",
        tokens=5,
        kill_rate_criteria=0.5,
    )
    write_rows(store, [row, keep(store, environment("two"))])
    made = released(store, SETTINGS.model_copy(update={"licences": "any"}))
    text = (made.folder / CARD).read_text()
    assert "| &#60;b&#62;&#124;&#96;x&#96; | 1 |" in text
    assert "wrote tasks: &#42;&#42;m&#42;&#42; ---." in text
    assert "| faults written for its criteria | 0.7500 | 0.5000 | 2 |" in text
    assert "| environments | 5 | not kept | 2 |" in text
    assert text.count("\n---\n") == 1, "front matter ends where it should"
    front = text.split("---")[1]
    assert "config_name: trajectories" not in front
    assert made.release.digest in text
