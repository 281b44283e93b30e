"""Consecutive releases of a package as a source of fixes."""

from pathlib import Path

import pytest

from envplatform.errors import FixSourceError
from envplatform.swe.fixes.instance import FixInstance, QuarantinedRow
from envplatform.swe.fixes.releases import ReleasePairs
from envplatform.swe.fixes.releases.metadata import read_facts
from tests.swe.fixes.releases.made_index import Content, MadeIndex

OLD = b"""\
__version__ = "1"
def total(items):
    return sum(items[1:])


def other(n):
    return n


def spare(n):
    return n
"""
NEW = OLD.replace(b"items[1:]", b"items").replace(b'"1"', b'"2"')
TEST_OLD = b"def test_other():\n    assert other(1) == 1\n"
TEST_NEW = TEST_OLD + b"def test_total():\n    assert total([1, 2]) == 3\n"
INFO = b"""\
Metadata-Version: 2.1
Name: made
Home-page: https://github.com/made/up
License: MIT
"""


def files(code: bytes, tests: bytes) -> dict[str, Content]:
    """One release."""
    return {"PKG-INFO": INFO, "made.py": code, "tests/test_made.py": tests}


def publish(made: MadeIndex) -> None:
    """Two releases, the second with a mended function and a test of it."""
    made.add("made", "1.0", files(OLD, TEST_OLD))
    made.add("made", "1.10", files(NEW, TEST_NEW))


def pairs(
    made: MadeIndex, cache: Path, *, licence: str = "", newest: int = 10
) -> ReleasePairs:
    """The source under test."""
    return ReleasePairs(
        "made", "made", cache, index=made.index, licence=licence, pairs=newest
    )


def test_a_changed_function_that_a_new_test_names_is_an_instance(
    made: MadeIndex, tmp_path: Path
) -> None:
    publish(made)
    (fix,) = pairs(made, tmp_path).read()
    assert isinstance(fix, FixInstance)
    assert fix.instance_id.startswith("made__up-1.0-1.10-")
    assert (fix.repository, fix.licence, fix.origin) == ("made__up", "MIT", "inline")
    (version,) = fix.versions
    assert version.after == NEW.decode()
    assert version.before == NEW.replace(b"sum(items)", b"sum(items[1:])").decode()
    assert "-    return sum(items[1:])\n+    return sum(items)\n" in fix.patch
    assert "+def test_total():" in fix.test_patch


def test_an_instance_says_that_nothing_was_run(made: MadeIndex, tmp_path: Path) -> None:
    publish(made)
    (fix,) = pairs(made, tmp_path).read()
    assert isinstance(fix, FixInstance)
    assert fix.fail_to_pass == ()
    assert "tests/test_made.py::test_total" in fix.problem_statement
    assert "No test was run" in fix.problem_statement


@pytest.mark.parametrize(
    ("code", "tests"),
    [
        (NEW, TEST_OLD),
        (OLD.replace(b"n\n\n", b"n  # same\n\n"), TEST_NEW),
        (OLD.replace(b"def total", b"def totals"), TEST_NEW),
        (b"print 'two'\n", TEST_NEW),
    ],
    ids=["no changed test", "comment only", "renamed", "no Python 3"],
)
def test_noise_is_dropped(
    code: bytes, tests: bytes, made: MadeIndex, tmp_path: Path
) -> None:
    made.add("made", "1.0", files(OLD, TEST_OLD))
    made.add("made", "2.0", files(code, tests))
    assert list(pairs(made, tmp_path).read()) == []


def test_each_changed_unit_is_an_instance_of_its_own(
    made: MadeIndex, tmp_path: Path
) -> None:
    made.add("made", "1.0", files(OLD, TEST_OLD))
    both = NEW.replace(
        b"(n):\n    return n\n\n\ndef spare", b"(n):\n    return +n\n\n\ndef spare"
    )
    made.add("made", "2.0", files(both, TEST_NEW.replace(b"other(1)", b"other(2)")))
    rows = [row for row in pairs(made, tmp_path).read() if isinstance(row, FixInstance)]
    assert len({row.instance_id for row in rows}) == len(rows) == 2
    assert {version.after for row in rows for version in row.versions} == {
        both.decode()
    }


def test_only_final_releases_that_were_not_withdrawn_count_in_their_order(
    made: MadeIndex, tmp_path: Path
) -> None:
    publish(made)
    for version in ("1.2rc1", "1.3.dev1", "1.5", "nonsense"):
        made.add("made", version, files(b"", b""))
    made.attributes["made-1.5.tar.gz"] = 'data-yanked="broken"'
    (fix,) = pairs(made, tmp_path).read()
    assert isinstance(fix, FixInstance)
    assert "-1.0-1.10-" in fix.instance_id


def test_no_more_pairs_are_compared_than_asked_for(
    made: MadeIndex, tmp_path: Path
) -> None:
    for number in range(6):
        made.add("made", f"{number}.0", files(OLD + b"#" * number, TEST_OLD))
    list(pairs(made, tmp_path, newest=2).read())
    assert sorted(set(made.downloads)) == [
        f"/simple/made/made-{number}.0.tar.gz" for number in (3, 4, 5)
    ]


def test_an_unsound_archive_costs_its_own_pairs_only(
    made: MadeIndex, tmp_path: Path
) -> None:
    made.add("made", "0.1", {"../evil.py": b""})
    publish(made)
    bad, good = pairs(made, tmp_path).read()
    assert isinstance(bad, QuarantinedRow)
    assert (bad.row, bad.reason) == ("made 0.1 to 1.0", "unreadable")
    assert "clean relative path" in bad.detail
    assert isinstance(good, FixInstance)


def test_a_given_licence_wins(made: MadeIndex, tmp_path: Path) -> None:
    publish(made)
    (fix,) = pairs(made, tmp_path, licence="BSD-3-Clause").read()
    assert isinstance(fix, FixInstance)
    assert fix.licence == "BSD-3-Clause"


def test_bytes_that_are_no_utf8_survive(made: MadeIndex, tmp_path: Path) -> None:
    cookie = b"# -*- coding: latin-1 -*-\n# \xe9\n"
    made.add("made", "1.0", files(cookie + OLD, TEST_OLD))
    made.add("made", "2.0", files(cookie + NEW, TEST_NEW))
    (fix,) = pairs(made, tmp_path).read()
    assert isinstance(fix, FixInstance)
    after = fix.versions[0].after
    assert after is not None
    assert after.encode("utf-8", "surrogateescape") == cookie + NEW


def test_the_digest_follows_what_the_index_has(made: MadeIndex, tmp_path: Path) -> None:
    publish(made)
    before = pairs(made, tmp_path).digest()
    assert before == pairs(made, tmp_path).digest()
    made.add("made", "2.0", files(NEW, TEST_NEW))
    assert pairs(made, tmp_path).digest() != before


def test_the_digest_follows_the_number_of_pairs(
    made: MadeIndex, tmp_path: Path
) -> None:
    publish(made)
    digests = {
        ReleasePairs("p", "made", tmp_path, index=made.index, pairs=number).digest()
        for number in (10, 20)
    }
    assert len(digests) == 2


def test_a_package_that_is_not_there_is_named(made: MadeIndex, tmp_path: Path) -> None:
    with pytest.raises(FixSourceError, match="made: the package index has no such"):
        list(pairs(made, tmp_path).read())


def test_a_package_with_one_release_gives_nothing(
    made: MadeIndex, tmp_path: Path
) -> None:
    made.add("made", "1.0", files(OLD, TEST_OLD))
    assert list(pairs(made, tmp_path).read()) == []


def test_repository_and_licence_are_read_from_links_and_classifiers() -> None:
    facts = read_facts(
        b"Home-page: https://made.example\n"
        b"Project-URL: Issues, https://github.com/made/up/issues\n"
        b"License: see LICENSE for what you may do\n"
        b"Classifier: License :: OSI Approved :: MIT License\n"
    )
    assert (facts.repository, facts.licence) == ("made__up", "MIT")


def test_metadata_that_says_nothing_known_is_empty() -> None:
    for text in (b"", b"\0\xff", b"Home-page: https://github.com/../x\nLicense: ?\n"):
        facts = read_facts(text)
        assert (facts.repository, facts.licence) == ("", "")
