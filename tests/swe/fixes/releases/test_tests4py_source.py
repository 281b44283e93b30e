"""The built-in fixes as a source, over a made archive of patches."""

from pathlib import Path

import pytest

from envplatform.errors import FixSourceError
from envplatform.swe.fixes.instance import FixInstance, QuarantinedRow
from envplatform.swe.fixes.reconstruct import prefetch, reconstruct
from envplatform.swe.fixes.releases import BuiltinTests4Py, ReleaseHistory
from envplatform.swe.fixes.releases.collection import Collection, parse_collection
from envplatform.swe.targets import configured_index
from tests.swe.fixes.releases.made_index import Content, MadeIndex

COMMIT = "a" * 40


def patch(path: str) -> str:
    """A change of one line."""
    return (
        f"diff --git a/{path} b/{path}\nindex 1..2 100644\n--- a/{path}\n+++ b/{path}\n"
        "@@ -1 +1 @@\n-old\n+new\n"
    )


def collection(made: MadeIndex, patches: dict[str, str]) -> Collection:
    """Two bugs of `up`, and the archive that holds the patches."""
    folder = "src/tests4py/projects/resources"
    files: dict[str, Content] = {
        f"{folder}/{bug}/fix.patch": text.encode("utf-8", "surrogateescape")
        for bug, text in patches.items()
    }
    sha256 = made.add("tests4py", "1.0.0", {"README.md": b"hello", **files})
    return parse_collection(
        f"""
[archive]
project = "tests4py"
version = "1.0.0"
sha256 = "{sha256}"
[licences]
"made/up" = "MIT"
[[releases]]
repository = "made/up"
project = "up"
version = "1.0"
sha256 = "{"1" * 64}"
[releases.fixed]
up-1 = {{ fix = "{COMMIT}", tests = ["tests/test_up.py::test_it"] }}
[releases.buggy]
up-2 = {{ fix = "{COMMIT}" }}
""",
        source="made",
    )


def read(
    made: MadeIndex, cache: Path, patches: dict[str, str]
) -> list[FixInstance | QuarantinedRow]:
    """All that the source yields."""
    source = BuiltinTests4Py(
        "demo", cache, index=made.index, collection=collection(made, patches)
    )
    return list(source.read())


def test_patch_and_mapping_make_an_instance(made: MadeIndex, tmp_path: Path) -> None:
    first, second = read(
        made, tmp_path, {"up/bug_1": patch("up.py"), "up/bug_2": patch("b.py")}
    )
    assert isinstance(first, FixInstance)
    assert (first.instance_id, first.source) == ("up-1", "demo")
    assert (first.repository, first.licence) == ("made__up", "MIT")
    assert (first.origin, first.base_commit, first.fix_commit) == (
        "release",
        "",
        COMMIT,
    )
    assert first.patch == patch("up.py")
    assert first.fail_to_pass == ("tests/test_up.py::test_it",)
    assert isinstance(second, FixInstance)
    assert second.release is not None
    assert second.release.holds == "buggy"


def test_changed_tests_are_parted_from_the_fix(made: MadeIndex, tmp_path: Path) -> None:
    both = patch("tests/test_up.py") + patch("up.py")
    first, second = read(
        made, tmp_path, {"up/bug_1": both, "up/bug_2": patch("tests/test_up.py")}
    )
    assert isinstance(first, FixInstance)
    assert isinstance(second, FixInstance)
    assert (first.patch, first.test_patch) == (
        patch("up.py"),
        patch("tests/test_up.py"),
    )
    assert (second.patch, second.test_patch) == (patch("tests/test_up.py"), "")


def test_a_patch_that_cannot_be_read_is_handed_on_as_it_is(
    made: MadeIndex, tmp_path: Path
) -> None:
    broken = patch("up.py").removesuffix("\n") + "\udcff"
    first, _ = read(made, tmp_path, {"up/bug_1": broken, "up/bug_2": "no diff"})
    assert isinstance(first, FixInstance)
    assert first.patch == broken


def test_a_bug_without_patch_is_quarantined_and_costs_no_other(
    made: MadeIndex, tmp_path: Path
) -> None:
    first, second = read(made, tmp_path, {"up/bug_2": patch("up.py")})
    assert isinstance(first, QuarantinedRow)
    assert (first.reason, first.row) == ("missing_field", "tests4py 1.0.0, up-1")
    assert isinstance(second, FixInstance)


def test_a_patch_beyond_all_bounds_is_quarantined(
    made: MadeIndex, tmp_path: Path
) -> None:
    first, _ = read(made, tmp_path, {"up/bug_1": "x" * 1_000_001, "up/bug_2": "-"})
    assert isinstance(first, QuarantinedRow)
    assert first.reason == "too_large"


def test_an_archive_with_another_digest_is_not_read(
    made: MadeIndex, tmp_path: Path
) -> None:
    known = collection(made, {"up/bug_1": patch("up.py")})
    made.served["tests4py-1.0.0.tar.gz"] = b"something else"
    source = BuiltinTests4Py("demo", tmp_path, index=made.index, collection=known)
    with pytest.raises(FixSourceError, match=r"tests4py 1\.0\.0: .*sha256"):
        list(source.read())


def test_the_digest_asks_nobody_and_follows_the_archive(
    made: MadeIndex, tmp_path: Path
) -> None:
    digests = {
        BuiltinTests4Py(
            "demo", tmp_path, index=made.index, collection=collection(made, patches)
        ).digest()
        for patches in ({"up/bug_1": "one"}, {"up/bug_1": "two"})
    }
    assert len(digests) == 2
    assert made.asked == []


@pytest.mark.network
def test_real_fixes_are_rebuilt_from_the_configured_index(tmp_path: Path) -> None:
    """CRLF archives, both kinds of side, and tests parted from the fix."""
    index = configured_index()
    rows = BuiltinTests4Py("tests4py", tmp_path, index=index).read()
    chosen = ("pysnooper-", "cookiecutter-", "httpie-", "tqdm-")
    fixes = [
        row
        for row in rows
        if isinstance(row, FixInstance) and row.instance_id.startswith(chosen)
    ]
    history = ReleaseHistory(tmp_path, index=index)
    prefetch(fixes, history)
    sides = {fix.instance_id: reconstruct(fix, history) for fix in fixes}
    history.close()
    assert len(sides) == 15
    assert sides["pysnooper-1"].rung == "line_endings"
    assert all(side.bug_patch for side in sides.values())
