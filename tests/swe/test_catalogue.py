"""Which targets a configuration names: a bad one costs no other, and stale is seen."""

import os
import re
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.configuration import TargetSettings
from envplatform.errors import ConfigError
from envplatform.swe.targets import (
    Code,
    CommandsImage,
    ExistingImage,
    FolderSource,
    Package,
    SdistSource,
    Service,
    Suite,
    Target,
    builtin_target,
    sources_of,
    target_digest,
)
from envplatform.swe.targets.catalogue import catalogue, find_target
from envplatform.swe.targets.targetfile import parse_target
from tests.swe.small_repository import TARGET

GOOD = """
name = "{name}"
license = "MIT"
python = ["3.11"]
requirements = ["pytest==9.2.0", "coverage==7.17.5"]
source = {{ kind = "path", path = "." }}
code = {{ roots = ["pkg"] }}
"""


def write(file: Path, text: str) -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return str(file)


def settings_of(*files: str, builtin: tuple[str, ...] = ()) -> TargetSettings:
    return TargetSettings(builtin=builtin, files=files)


def test_a_broken_file_among_good_ones_costs_only_itself(tmp_path: Path) -> None:
    settings = settings_of(
        write(tmp_path / "first.toml", GOOD.format(name="a__a")),
        write(tmp_path / "my repo.toml", "name = 3"),
        write(tmp_path / "last.toml", GOOD.format(name="b__b")),
        builtin=("pytoolz__toolz",),
    )
    found = catalogue(settings)
    assert list(found) == ["pytoolz__toolz", "a__a", "broken__my-repo", "b__b"]
    assert find_target(settings, "b__b").name == "b__b"
    with pytest.raises(ConfigError, match=r"my repo\.toml: \d wrong key"):
        find_target(settings, "broken__my-repo")


def test_a_file_that_is_called_target_is_known_by_its_folder(tmp_path: Path) -> None:
    files = [write(tmp_path / name / "target.toml", "[") for name in ("one", "two")]
    found = catalogue(settings_of(*files))
    assert list(found) == ["broken__one", "broken__two"]


def test_two_broken_files_of_one_name_are_two(tmp_path: Path) -> None:
    files = [write(tmp_path / name / "x.toml", "[") for name in ("one", "two")]
    found = catalogue(settings_of(*files))
    assert list(found) == ["broken__x", "broken__x-2"]
    assert [
        str(tmp_path / name) in str(found[key])
        for name, key in zip(("one", "two"), found, strict=True)
    ] == [True, True]


def test_a_missing_file_and_an_unknown_builtin_are_broken(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone.toml")
    found = catalogue(settings_of(gone, builtin=("no...such/target",)))
    assert list(found) == ["broken__no-such-target", "broken__gone"]
    assert "pytoolz__toolz" in str(found["broken__no-such-target"])
    assert "can't be read" in str(found["broken__gone"])


def test_a_name_is_taken_by_the_first(tmp_path: Path) -> None:
    file = write(tmp_path / "mine.toml", GOOD.format(name="pytoolz__toolz"))
    found = catalogue(settings_of(file, builtin=("pytoolz__toolz",)))
    assert isinstance(found["pytoolz__toolz"], Target)
    assert "another target's; choose one" in str(found["broken__mine"])


def test_what_is_not_configured_names_what_is() -> None:
    with pytest.raises(ConfigError, match="there are: pytoolz__toolz"):
        find_target(settings_of(builtin=("pytoolz__toolz",)), "other")
    with pytest.raises(ConfigError, match="there are: none"):
        find_target(settings_of(), "other")


def test_an_edited_file_is_read_again_and_an_unchanged_one_is_not(
    tmp_path: Path,
) -> None:
    """Every partition of hundreds asks for its target among hundreds."""
    file = tmp_path / "x.toml"
    settings = settings_of(write(file, GOOD.format(name="a__a")))
    first = find_target(settings, "a__a")
    assert find_target(settings, "a__a") is first
    write(file, GOOD.format(name="b__b"))
    stamp = file.stat().st_mtime_ns + 1_000_000
    os.utime(file, ns=(stamp, stamp))
    assert list(catalogue(settings)) == ["b__b"]


@given(name=st.text(max_size=200))
def test_any_name_becomes_a_key_that_every_tool_takes(name: str) -> None:
    (key,) = catalogue(TargetSettings(builtin=(f"no-{name}",), files=()))
    assert re.fullmatch(r"broken__[A-Za-z0-9_-]{1,80}", key)


@pytest.mark.parametrize("name", ["a..b__c", "broken__x", "é__x", "a__b\n", "a__b/c"])
def test_a_target_can_not_take_a_name_that_no_id_may_have(name: str) -> None:
    text = GOOD.format(
        name=name.encode("unicode_escape").decode().replace("\\xe9", "é")
    )
    with pytest.raises(ConfigError, match=r"1 wrong key[^$]*name"):
        parse_target(text, source="x.toml", folder=Path())


def test_a_release_is_known_by_its_digest() -> None:
    target = builtin_target("pytoolz__toolz")
    assert isinstance(target.source, SdistSource)
    sources = sources_of(target)
    assert sources["sdist toolz 1.2.0"] == target.source.sha256
    assert sorted(sources) == ["sdist toolz 1.2.0", "target.toml"]


def test_a_folder_is_known_by_its_files_and_not_by_its_place(tmp_path: Path) -> None:
    for name, text in (("one", "x = 1\n"), ("two", "x = 1\n"), ("three", "x = 2\n")):
        write(tmp_path / name / "pkg.py", text)
    one, two, three = (
        sources_of(replace(TARGET, source=FolderSource(path=tmp_path / name)))
        for name in ("one", "two", "three")
    )
    assert one == two
    assert one["folder"] != three["folder"]
    assert one["target.toml"] == three["target.toml"]


SUITE = Suite(
    directory="other",
    paths=("other",),
    args=("-x",),
    pythonpath=("src",),
    results="junit",
    command=("./test.sh",),
    report="report.xml",
    env={"A": "1"},
    test_timeout_s=1.5,
    suite_timeout_s=30.0,
    memory_mb=1,
    disk_mb=1,
    processes=1,
)
CODE = Code(roots=("other",), exclude=("other/*",))


@pytest.mark.parametrize(
    "changed",
    [
        *(
            replace(TARGET, suite=replace(TARGET.suite, **{each.name: getattr(SUITE, each.name)}))
            for each in fields(Suite)
        ),
        *(
            replace(TARGET, code=replace(TARGET.code, **{each.name: getattr(CODE, each.name)}))
            for each in fields(Code)
        ),
        replace(TARGET, license="MIT"),
        replace(TARGET, python=("3.12",)),
        replace(TARGET, requirements=("a==1",)),
        replace(TARGET, name="a__b"),
        replace(TARGET, package=Package(name="a", version="1")),
        replace(TARGET, image=ExistingImage(name="a")),
        replace(TARGET, image=CommandsImage(base="a", commands=("b", ("c", "d")))),
        replace(TARGET, services=(Service(name="a", command=("b",), ready=("c",)),)),
    ],
)  # fmt: skip
def test_whatever_a_target_says_is_in_its_digest(changed: Target) -> None:
    assert target_digest(changed) != target_digest(TARGET)
    assert target_digest(changed) == target_digest(replace(changed))
