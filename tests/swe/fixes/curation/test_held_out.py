import json
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.configuration import CurationSettings
from envplatform.errors import ConfigError
from envplatform.swe.fixes.curation.hashes import repository_hash
from envplatform.swe.fixes.curation.held_out import (
    HeldOutFix,
    HeldOutSet,
    builtin_set,
    builtin_sets,
    hash_set,
    load_held_out,
    read_held_out,
    write_held_out,
)
from envplatform.swe.fixes.instance import FixInstance
from tests.swe.fixes.analysis.analysis_sides import BUGGY, FIXED, sides_of

SIDES = sides_of({"core.py": BUGGY}, {"core.py": FIXED})
INSTANCE = FixInstance(
    instance_id="secret-1",
    source="own",
    repository="secret__place",
    origin="git",
    base_commit="0" * 40,
    patch=SIDES.bug_patch,
)
OWN = hash_set("own", [HeldOutFix(instance=INSTANCE, sides=SIDES)])


def test_the_built_in_sets_have_as_many_repositories_as_published() -> None:
    assert builtin_sets() == ("swe-bench-pro", "swe-bench-verified")
    assert len(builtin_set("swe-bench-verified").repositories) == 12 + 4
    assert len(builtin_set("swe-bench-pro").repositories) == 11 + 3


def test_an_unknown_set_is_refused_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"'swe-bench-x'.*swe-bench-verified"):
        builtin_set("swe-bench-x")


def test_repositories_are_told_in_any_spelling() -> None:
    spellings = ["Owner/Some.Name", "owner__some.name", "owner/some.name.git"]
    assert len(set(map(repository_hash, spellings))) == 1


def test_a_set_survives_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    write_held_out(OWN, path)
    assert read_held_out(path) == OWN
    assert OWN.repositories
    assert OWN.blobs
    assert OWN.ngrams


def test_the_file_holds_nothing_of_the_content(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    write_held_out(OWN, path)
    text = path.read_text()
    assert not any(word in text for word in ("secret", "weight", "Basket", "core"))


def test_small_files_are_not_hashed() -> None:
    sides = sides_of({"a.py": "x = 1\n"}, {"a.py": ""})
    assert not hash_set("own", [HeldOutFix(instance=INSTANCE, sides=sides)]).blobs


def test_a_bad_patch_names_its_instance() -> None:
    fix = HeldOutFix(instance=replace(INSTANCE, patch="oops\n"))
    with pytest.raises(ConfigError, match="secret-1"):
        hash_set("own", [fix])


def test_a_set_with_a_path_for_a_name_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    with pytest.raises(ConfigError, match="field name"):
        write_held_out(HeldOutSet(name="../x"), path)
    assert list(tmp_path.iterdir()) == []


GOOD = {
    "format": "envplatform held-out hashes",
    "version": 1,
    "name": "own",
    "repositories": ["a" * 64],
    "blobs": [],
    "ngrams": ["b" * 16],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "field format is 'other'"),
        ({"version": 2}, "field version is 2"),
        ({"name": "a/b"}, "field name is 'a/b'"),
        ({"more": 1}, "field 'more' is unknown"),
        ({"repositories": "x"}, "field repositories is no list"),
        ({"repositories": ["a" * 64, "owner/name"]}, r"field repositories\[1\]"),
        ({"ngrams": [7]}, r"field ngrams\[0\] is 7"),
        ({"blobs": ["A" * 64]}, r"field blobs\[0\]"),
    ],
)
def test_a_wrong_field_is_named_with_the_file(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps(GOOD | change))
    with pytest.raises(ConfigError, match=rf"own\.json: {message}"):
        read_held_out(path)


def test_a_missing_field_is_named(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps({k: v for k, v in GOOD.items() if k != "blobs"}))
    with pytest.raises(ConfigError, match="field 'blobs' is missing"):
        read_held_out(path)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[1]", b"\xff\xfe", b"[" * 100_000, b'{"version": NaN}']
)
def test_what_is_no_such_file_is_refused_by_name(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "own.json"
    path.write_bytes(data)
    with pytest.raises(ConfigError, match=r"own\.json"):
        read_held_out(path)


def test_settings_bring_built_in_and_own_sets_together(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    write_held_out(OWN, path)
    held_out = load_held_out(CurationSettings(held_out_files=(str(path),)))
    assert held_out.of_repository("django__django") == "swe-bench-verified"
    assert held_out.of_repository("secret__place") == "own"
    assert held_out.of_repository("some__other") is None


def test_a_missing_file_of_the_settings_is_named() -> None:
    settings = CurationSettings(held_out_files=("/nowhere/own.json",))
    with pytest.raises(ConfigError, match=r"/nowhere/own\.json can't be read"):
        load_held_out(settings)
