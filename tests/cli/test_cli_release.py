"""`envplatform release`: made, checked, compared, given away; and the wrong ways."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from envplatform.release.tables import table_paths
from envplatform.store import Store
from tests.cli.conftest import Call
from tests.release.made_release import GOAL, environment, filled, keep, write_rows


@pytest.fixture
def store(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    del call  # clears the variables first
    monkeypatch.setenv("ENVPLATFORM_HOME", str(tmp_path / "home"))
    return filled(tmp_path / "home")


def test_a_release_is_made_checked_and_given_away(
    call: Call, store: Store, tmp_path: Path
) -> None:
    made = call("release", "make", "--json")
    assert made.code == 0, made.err
    assert (made.json["version"], made.json["is_new"]) == ("v1", True)
    assert made.json["counts"]["environments"] == 8
    assert {one["reason"] for one in made.json["left_out"]} == {
        "no_steps",
        "no_environment",
        "lost",
    }
    again = call("release", "make")
    assert "v1 has the same content: nothing was made" in again.out
    assert "b/t2: no_steps" in again.out
    assert call("release", "verify").out.endswith("v1: whole\n")
    to = tmp_path / "out"
    pushed = call("release", "push", "v1", "--to", to, "--json")
    assert pushed.json["files"] == len([one for one in to.rglob("*") if one.is_file()])
    assert call("release", "push", "v1", "--to", to).code == 1
    assert call("release", "verify", str(to)).code == 0
    write_rows(store, [keep(store, environment("more"))], partition="q")
    assert call("release", "make", "--json").json["version"] == "v2"
    found = call("release", "diff", str(to), "v2")
    assert "1 added, 0 removed, 0 changed" in found.out
    assert "+ environment more (" in found.out


def test_damage_makes_the_answer_no(call: Call, store: Store) -> None:
    folder = Path(call("release", "make", "--json").json["folder"])
    assert store.home in folder.parents
    next(iter(table_paths(folder, "environment").values())).unlink()
    found = call("release", "verify", "--json")
    assert (found.code, found.json["whole"]) == (3, False)
    ((only,),) = found.json["releases"].values()
    assert only["what"] == "is missing"
    refused = call("release", "push", "1", "--to", store.home / "x")
    assert refused.code == 1
    assert "is damaged" in refused.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("verify", "v9"), "no release v9 is kept"),
        (("verify",), "no release is kept in"),
        (("diff", "v1", "latest"), "is no version of a release"),
        (("push", "v0", "--to", "x"), "is no version of a release"),
        (("verify", "./nowhere/x"), "damaged"),
        (("verify", "v1/../../etc"), "damaged"),
        (("verify", "v\u0661"), "is no version of a release"),
        (("push", "v1", "--to", "."), "no release v1 is kept"),
    ],
)
def test_what_is_not_there_is_named(
    call: Call, store: Store, words: tuple[str, ...], told: str
) -> None:
    if words[0] == "diff":
        call("release", "make")
    assert store.home.is_dir()
    found = call("release", *words)
    assert found.code in {1, 3}
    assert told in found.err + found.out


def test_nothing_else_is_written_to_the_shelf(call: Call, store: Store) -> None:
    folder = Path(call("release", "make", "--json").json["folder"])
    assert folder.parent.parent == store.home
    for to in (folder.parent / "v9", folder / "copy", folder.parent):
        pushed = call("release", "push", "v1", "--to", to)
        assert (pushed.code, "where releases are kept" in pushed.err) == (1, True)
        out = call("export", "--format", "chat", "--to", to)
        assert (out.code, "where releases are kept" in out.err) == (1, True)
    (folder.parent / "v2").touch()
    found = call("release", "verify", "--json").json["releases"]
    assert {Path(one).name: bool(wrong) for one, wrong in found.items()} == {
        "v1": False,
        "v2": True,
    }


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda text: text.replace('version": 1', 'version": 999', 1), "upgrade it"),
        (lambda text: text[:50], "is no manifest of format 1"),
    ],
    ids=("newer", "half"),
)
def test_a_store_of_another_version_makes_no_release(
    call: Call, store: Store, tmp_path: Path, spoil: Callable[[str], str], told: str
) -> None:
    (path,) = (store.home / "tables" / "swe_environments").rglob("manifest.json")
    text = path.read_text()
    assert spoil(text) != text
    path.write_text(spoil(text))
    for words in (
        ("release", "make"),
        ("export", "--format", "harbor", "--to", tmp_path / "out"),
    ):
        found = call(*words)
        assert (found.code, told in found.err) == (1, True)
        assert str(path) in found.err
    assert not list((store.home / "releases").glob("v*"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "text",
    [
        'name = "../../etc"',
        'name = "a/b"',
        'name = ""',
        'name = "x\\ny"',
        "validation_share = nan",
        "test_share = -1",
        "held_out_grams = 0",
        'licences = "none"',
        'tables = ["x"]',
    ],
)
def test_wrong_settings_are_refused_by_name(
    call: Call, store: Store, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "envplatform.toml"
    file.write_text(f"[release]\n{text}\n")
    found = call("release", "make", "--config", file)
    assert found.code == 1
    assert f"release.{text.split(maxsplit=1)[0]}" in found.err
    assert not (store.home / "releases").exists()


def test_a_file_of_any_name_can_be_hashed(call: Call, tmp_path: Path) -> None:
    mine, to = tmp_path / "m\u00fcde \u540d.v1.jsonl", tmp_path / "mine.json"
    mine.write_text(json.dumps({"prompt": GOAL}))
    assert call("release", "hashes", mine, "--to", to).code == 0
    assert json.loads(to.read_text())["name"] == "m-de"
    refused = call("release", "hashes", mine, "--to", to, "--name", "a/b")
    assert refused.code == 1
    assert "use letters, digits" in refused.err


def test_hashes_keep_a_benchmark_out(call: Call, store: Store, tmp_path: Path) -> None:
    told = environment("told", instruction=f"{GOAL}\n")
    write_rows(store, [keep(store, told)], partition="q")
    mine, to = tmp_path / "mine.jsonl", tmp_path / "mine.json"
    rows = [{"id": "a", "prompt": GOAL}, {"id": "b", "patch": "no diff"}]
    mine.write_text("".join(json.dumps(row) + "\n" for row in rows))
    answer = call("release", "hashes", mine, "--to", to)
    assert answer.code == 0, answer.err
    assert "2 rows" in answer.out
    assert "no diff, hashed as text: b" in answer.out
    assert GOAL not in to.read_text()
    assert call("release", "hashes", mine, "--to", mine).code == 1
    assert call("release", "hashes", mine, "--to", tmp_path).code == 1
    file = tmp_path / "envplatform.toml"
    file.write_text('[release]\nheld_out_files = ["mine.json"]\n')
    made = call("release", "make", "--config", file, "--json")
    assert made.code == 0, made.err
    (out,) = [one for one in made.json["left_out"] if one["kind"] == "environment"]
    assert (out["id"], out["reason"]) == ("told", "held_out")
    file.write_text("[release]\nvalidation_share = 0.5\ntest_share = 0.5\n")
    assert "leave nothing to train on" in call("release", "make", "--config", file).err
