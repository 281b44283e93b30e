"""The shipped list, and what a user adds to it."""

from pathlib import Path

import pytest

from envplatform.configuration import load_configuration, parse_configuration
from envplatform.cowork.library.licences import judge
from envplatform.cowork.library.sourcefile import (
    configured_limits,
    configured_sources,
    parse_sources,
    shipped_sources,
)
from envplatform.cowork.library.specification import Folder, Git, SourceSpec
from envplatform.errors import ConfigError
from envplatform.registries import NpmRelease, Release

SOURCE = """
[[source]]
name = "made"
registry = "pypi"
package = "made"
version = "1.0"
sha256 = "{digest}"
include = ["*"]
{more}
"""
RULE = '[[source.rules]]\nfiles = ["*"]\n'


def configured(text: str) -> tuple[SourceSpec, ...]:
    settings = parse_configuration(text, source="x").cowork.library
    return configured_sources(settings)


def test_every_shipped_source_is_pinned_and_told_apart() -> None:
    specs = shipped_sources()
    assert len({spec.name for spec in specs}) == len(specs) == 10
    for spec in specs:
        assert isinstance(spec.origin, Release | NpmRelease)
        assert len(spec.origin.pin.digest) in (64, 128)
        assert spec.rules or spec.licence_list


def test_every_shipped_rule_says_where_its_licence_is_stated() -> None:
    doubts = set()
    for spec in shipped_sources():
        for rule in spec.rules:
            assert rule.refuse or rule.licence_source
            doubt = None if rule.refuse else judge(rule.licence, frozenset())
            if doubt:
                doubts.add((rule.licence, doubt.reason))
            elif rule.licence.startswith("CC-BY"):
                assert rule.attribution
    assert doubts == {  # theirs are refused, and counted
        ("CC-BY-SA-3.0", "licence_refused"),
        ("LicenseRef-NERACOOS", "licence_refused"),
        ("LicenseRef-Stanford-GraphBase AND BSD-3-Clause", "licence_refused"),
    }


@pytest.mark.parametrize(
    ("digest", "more", "part"),
    [
        ("0" * 63, "", "sha256"),
        ("0" * 64, 'integrity = "x"', "pypi has none"),
        ("0" * 64, RULE, "needs licence, or refuse"),
        ("0" * 64, RULE + 'licence = "MIT"', "needs licence_source"),
        ("0" * 64, RULE + 'licence = "MIT"\nrefuse = "no"', "or refuse"),
        ("0" * 64, "colour = 1", "no such key"),
    ],
)
def test_a_wrong_list_names_its_key(digest: str, more: str, part: str) -> None:
    with pytest.raises(ConfigError, match=part):
        parse_sources(SOURCE.format(digest=digest, more=more), source="made.toml")


def test_all_shipped_sources_are_taken_unless_some_are_named() -> None:
    assert configured("") == shipped_sources()
    assert configured("[cowork.library]\nbuiltin = []") == ()
    (one,) = configured('[cowork.library]\nbuiltin = ["toolz"]')
    assert one.name == "toolz"


def test_a_source_that_does_not_ship() -> None:
    with pytest.raises(
        ConfigError, match=r"no source 'tools' ships; there are .*toolz"
    ):
        configured('[cowork.library]\nbuiltin = ["tools"]')


def test_two_sources_of_one_name() -> None:
    own = '[[cowork.library.sources]]\nname = "toolz"\npath = "."\nlicence = "MIT"'
    with pytest.raises(ConfigError, match="two sources 'toolz'"):
        configured(own)


@pytest.mark.parametrize(
    "keys",
    [
        'path = "."\ngit = "u"',
        "",
        'git = "u"',
        'path = "."\ncommit = "' + "0" * 40 + '"',
        'git = "u"\ncommit = "main"',
    ],
)
def test_a_source_of_the_user_s_has_one_origin(keys: str) -> None:
    with pytest.raises(ConfigError, match=r"cowork\.library\.sources"):
        configured(f'[[cowork.library.sources]]\nname = "own"\n{keys}')


def test_paths_start_beside_the_file(tmp_path: Path) -> None:
    file = tmp_path / "envplatform.toml"
    file.write_text(
        "[cowork.library]\nbuiltin = []\nrows = 7\nlicences = ['ODbL-1.0']\n"
        "[[cowork.library.sources]]\nname = 'own'\npath = 'data'\nlicence = 'MIT'\n"
        "[[cowork.library.sources]]\nname = 'far'\ngit = './repo'\n"
        f"commit = '{'0' * 40}'\nlicence = 'MIT'\n"
    )
    settings = load_configuration(file).cowork.library
    own, far = configured_sources(settings)
    assert own.origin == Folder(path=tmp_path / "data")
    assert far.origin == Git(url=str(tmp_path / "repo"), commit="0" * 40)
    limits = configured_limits(settings)
    assert (limits.rows, limits.licences) == (7, frozenset({"ODbL-1.0"}))
