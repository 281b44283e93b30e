"""Which seeds a configuration names; what can't be found costs no other."""

from pathlib import Path

import pytest

from envplatform.configuration import Configuration, SeedSettings, load_configuration
from envplatform.errors import ConfigError
from envplatform.workspace import builtin_seeds
from envplatform.workspace.catalogue import SeedPlace, catalogue, find_seed


def made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "task.toml").touch()
    return folder


def test_all_that_ship_are_the_default() -> None:
    assert Configuration().seeds.builtin == builtin_seeds()


def test_folders_are_environments_or_hold_them(tmp_path: Path) -> None:
    one, two = made(tmp_path / "set" / "one"), made(tmp_path / "set" / "two")
    alone = made(tmp_path / "alone")
    (tmp_path / "set" / "notes").mkdir()
    (tmp_path / "envplatform.toml").write_text(
        '[seeds]\nbuiltin = ["mailbox_triage"]\nfolders = ["set", "alone"]\n'
    )
    settings = load_configuration(tmp_path / "envplatform.toml").seeds
    assert catalogue(settings) == {
        "mailbox_triage": SeedPlace(name="mailbox_triage", folder=None),
        "one": SeedPlace(name="one", folder=one),
        "two": SeedPlace(name="two", folder=two),
        "alone": SeedPlace(name="alone", folder=alone),
    }


def test_what_can_not_be_named_or_found_stands_under_a_key_of_its_own(
    tmp_path: Path,
) -> None:
    made(tmp_path / "a" / "one")
    made(tmp_path / "b" / "one")
    made(tmp_path / "b" / "an odd\nname")
    (tmp_path / "empty").mkdir()
    places = ("a", "b", "gone", "empty")
    settings = SeedSettings(
        builtin=("no_such",), folders=tuple(str(tmp_path / name) for name in places)
    )
    found = catalogue(settings)
    assert [name for name, one in found.items() if isinstance(one, SeedPlace)] == [
        "one"
    ]
    said = {name: str(one) for name, one in found.items() if name != "one"}
    parts = {
        "broken__no_such": "no seed 'no_such' ships",
        "broken__an-odd-name": "rename it",
        "broken__one": "another seed is called 'one'",
        "broken__gone": "can't be read",
        "broken__empty": "holds no environment",
    }
    assert said.keys() == parts.keys()
    for name, part in parts.items():
        assert part in said[name]
    with pytest.raises(ConfigError, match="holds no environment"):
        find_seed(settings, "broken__empty")
    with pytest.raises(ConfigError, match=r"under \[seeds\]; there are: broken__no"):
        find_seed(settings, "two")
