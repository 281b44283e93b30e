"""`init` writes files that can be used as they are, and never over another."""

from pathlib import Path

import pytest

from envplatform.configuration import load_configuration
from envplatform.swe.targets.catalogue import catalogue
from envplatform.swe.targets.target import Target
from tests.cli.conftest import Call


@pytest.mark.parametrize(
    ("profile", "count"), [("demo", 6), ("small", 12), ("paper", 12)]
)
def test_each_profile_is_written_read_and_names_targets_that_exist(
    call: Call, profile: str, count: int, tmp_path: Path
) -> None:
    folder = tmp_path / "new" / "folder"
    found = call("init", folder, "--profile", profile, "--json")
    assert found.code == 0
    assert found.json["file"] == str(folder / "envplatform.toml")
    configuration = load_configuration(folder / "envplatform.toml")
    assert configuration.profile == profile
    targets = catalogue(configuration.targets)
    assert len(targets) == count
    assert all(isinstance(target, Target) for target in targets.values())
    assert set(targets) <= set(found.json["builtin_targets"])


def test_an_existing_file_stays_as_it_is(call: Call, tmp_path: Path) -> None:
    (tmp_path / "envplatform.toml").write_text("# mine\n")
    found = call("init", "--json", folder=tmp_path)
    assert (found.code, found.json["error"]) == (1, "ConfigError")
    assert "edit it, or remove it first" in found.json["message"]
    assert (tmp_path / "envplatform.toml").read_text() == "# mine\n"


def test_where_nothing_can_be_written(call: Call, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        found = call("init", folder, "--json")
        assert (found.code, found.json["error"]) == (1, "ConfigError")
        assert str(tmp_path / "file") in found.json["message"]


def test_a_person_is_told_what_comes_next(call: Call, tmp_path: Path) -> None:
    found = call("init", folder=tmp_path)
    assert found.code == 0
    assert f"wrote {tmp_path / 'envplatform.toml'} (profile demo)" in found.out
    assert "pytoolz__toolz" in found.out
    assert "envplatform doctor" in found.out
    # And the next command finds it, from below, too.
    (tmp_path / "below").mkdir()
    status = call("status", "--json", folder=tmp_path / "below")
    assert status.json["home"] == str(tmp_path / ".envplatform")
