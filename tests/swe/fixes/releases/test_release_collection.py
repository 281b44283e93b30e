"""The mapping of fixes to releases, as shipped and as written by hand."""

import pytest

from envplatform.errors import ConfigError
from envplatform.swe.fixes.releases.collection import (
    builtin_collection,
    parse_collection,
)

SHA = "0" * 64
COMMIT = "a" * 40
SMALL = f"""
[archive]
project = "tests4py"
version = "1.0.0"
sha256 = "{SHA}"
[licences]
"made/up" = "MIT"
[[releases]]
repository = "made/up"
project = "up"
version = "1.0"
sha256 = "{SHA}"
prefix = "src/"
[releases.fixed]
up-1 = {{ fix = "{COMMIT}", tests = ["tests/test_up.py::test_it"] }}
[releases.buggy]
up-2 = {{ fix = "{COMMIT}" }}
"""


def test_at_least_two_hundred_real_fixes_ship_with_both_kinds_of_side() -> None:
    fixes = builtin_collection().fixes
    assert len(fixes) == 326
    assert {fix.release.holds for fix in fixes} == {"fixed", "buggy"}
    assert len({fix.repository for fix in fixes}) == 14


def test_every_shipped_fix_names_a_licence_a_digest_and_a_test() -> None:
    for fix in builtin_collection().fixes:
        assert fix.licence
        assert len(fix.release.sha256) == 64
        assert fix.tests


def test_large_projects_are_left_out() -> None:
    repositories = {fix.repository.lower() for fix in builtin_collection().fixes}
    left_out = {"matplotlib/matplotlib", "tiangolo/fastapi", "explosion/spacy"}
    assert not repositories & left_out


def test_an_entry_becomes_a_fix_with_its_release() -> None:
    first, second = parse_collection(SMALL, source="small").fixes
    assert (first.bug, first.licence, first.fix_commit) == ("up-1", "MIT", COMMIT)
    assert first.tests == ("tests/test_up.py::test_it",)
    assert (first.release.holds, first.release.prefix) == ("fixed", "src/")
    assert (second.bug, second.release.holds) == ("up-2", "buggy")


def test_the_digest_follows_the_text() -> None:
    other = parse_collection(SMALL + "\n# more\n", source="small")
    assert other.digest != parse_collection(SMALL, source="small").digest


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('version = "1.0.0"', "version = 1.0", r"archive\.version"),
        ('sha256 = "0', 'sha256 = "x0', r"archive\.sha256"),
        ('prefix = "src/"', 'prefix = "../"', "prefix"),
        ('"made/up" = "MIT"', "", r"licences has no 'made/up'; add it"),
        ("up-2", "up-1", "listed twice: up-1"),
        ("up-2", "../2", "not valid TOML"),
        ("[releases.buggy]", "[releases.broken]", r"broken: no such key"),
        (f'"{COMMIT}" }}', '"HEAD" }', r"up-2\.fix"),
    ],
)
def test_what_is_wrong_is_named(old: str, new: str, says: str) -> None:
    with pytest.raises(ConfigError, match=rf"small.*{says}|small[\s\S]*{says}"):
        parse_collection(SMALL.replace(old, new), source="small")
