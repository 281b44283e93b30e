"""One side of a fix out of a release, from a real index on this machine."""

import dataclasses
import gzip
import hashlib
import tarfile
from pathlib import Path

import pytest

from envplatform.errors import FixSourceError
from envplatform.swe.fixes.instance import FixInstance, Release
from envplatform.swe.fixes.reconstruct import reconstruct
from envplatform.swe.fixes.refusal import Refused
from envplatform.swe.fixes.releases import ReleaseHistory
from envplatform.tree import File
from tests.swe.fixes.releases.made_index import Content, MadeIndex, link

PATCH = """\
diff --git a/up.py b/up.py
--- a/up.py
+++ b/up.py
@@ -1,3 +1,3 @@
 def up(n):
-    return n
+    return n + 1
 # end
"""
BUGGY = b"def up(n):\n    return n\n# end\n"
FIXED = b"def up(n):\n    return n + 1\n# end\n"


def fix(release: Release, patch: str = PATCH) -> FixInstance:
    """A fix of which `release` holds one side."""
    return FixInstance(
        instance_id="up-1",
        source="made",
        repository="made__up",
        origin="release",
        base_commit="",
        release=release,
        patch=patch,
    )


@pytest.fixture
def history(made: MadeIndex, tmp_path: Path) -> ReleaseHistory:
    """With an empty cache."""
    return ReleaseHistory(tmp_path, index=made.index)


def test_only_named_files_come_back_without_the_prefix(
    made: MadeIndex, history: ReleaseHistory
) -> None:
    release = made.release(
        {"src/up.py": FIXED, "src/down.py": b"", "up.py": b"other"}, prefix="src/"
    )
    side = history.read(fix(release), ["up.py", "gone.py"])
    assert side.which == "fixed"
    assert side.files == {"up.py": File(FIXED)}
    history.close()


def test_an_archive_is_fetched_once_for_all_instances(
    made: MadeIndex, history: ReleaseHistory
) -> None:
    release = made.release({"up.py": FIXED, "down.py": b"x = 1\n"})
    instance = fix(release)
    history.prefetch([(instance, ["up.py"]), (instance, ["down.py"])])
    asked = list(made.asked)
    assert history.read(instance, ["down.py"]).files["down.py"].data == b"x = 1\n"
    assert history.read(instance, ["up.py"]).files["up.py"].data == FIXED
    assert made.asked == asked
    assert len(made.downloads) == 1
    history.close()


def test_what_was_not_prefetched_is_read_all_the_same(
    made: MadeIndex, history: ReleaseHistory
) -> None:
    instance = fix(made.release({"up.py": FIXED, "down.py": b""}))
    history.prefetch([(instance, ["up.py"])])
    assert history.read(instance, ["down.py"]).files == {"down.py": File(b"")}
    history.close()


def test_a_fixed_side_gives_the_bug_back(
    made: MadeIndex, history: ReleaseHistory
) -> None:
    sides = reconstruct(fix(made.release({"up.py": FIXED})), history)
    assert sides.buggy["up.py"].data == BUGGY
    assert "-    return n + 1\n+    return n\n" in sides.bug_patch
    history.close()


def test_a_buggy_side_gives_the_fix(made: MadeIndex, history: ReleaseHistory) -> None:
    release = made.release({"up.py": BUGGY}, holds="buggy")
    sides = reconstruct(fix(release), history)
    assert sides.fixed["up.py"].data == FIXED
    history.close()


def test_a_release_with_crlf_keeps_its_line_ends(
    made: MadeIndex, history: ReleaseHistory
) -> None:
    release = made.release({"up.py": FIXED.replace(b"\n", b"\r\n")})
    sides = reconstruct(fix(release), history)
    assert sides.buggy["up.py"].data == BUGGY.replace(b"\n", b"\r\n")
    assert sides.rung == "line_endings"
    history.close()


def test_a_patch_that_lost_its_last_newline_still_gives_the_bug(
    made: MadeIndex, history: ReleaseHistory
) -> None:
    release = made.release({"up.py": FIXED})
    sides = reconstruct(fix(release, PATCH.removesuffix("\n")), history)
    assert sides.buggy["up.py"].data == BUGGY
    history.close()


def test_a_nearby_state_is_fitted_by_moving_the_hunk(
    made: MadeIndex, history: ReleaseHistory
) -> None:
    release = made.release({"up.py": b"import os\n\n" + FIXED})
    sides = reconstruct(fix(release), history)
    assert sides.buggy["up.py"].data == b"import os\n\n" + BUGGY
    assert sides.rung == "relocated"
    history.close()


def test_a_hunk_that_fits_twice_is_refused(
    made: MadeIndex, history: ReleaseHistory
) -> None:
    release = made.release({"up.py": b"import os\n" + FIXED + FIXED})
    with pytest.raises(Refused, match="ambiguous"):
        reconstruct(fix(release), history)
    history.close()


def test_a_release_that_holds_neither_side_is_refused(
    made: MadeIndex, history: ReleaseHistory
) -> None:
    release = made.release({"up.py": b"nothing like it\n"})
    with pytest.raises(Refused, match=r"release_mismatch: up\.py: hunk 1"):
        reconstruct(fix(release), history)
    history.close()


def test_links_count_as_absent(made: MadeIndex, history: ReleaseHistory) -> None:
    hard = tarfile.TarInfo()
    hard.type, hard.linkname = tarfile.LNKTYPE, "made-1.0/real.py"
    files: dict[str, Content] = {
        "real.py": FIXED,
        "up.py": link("/etc/passwd"),
        "hard.py": hard,
    }
    side = history.read(fix(made.release(files)), ["up.py", "hard.py"])
    assert side.files == {}
    history.close()


def test_a_file_over_the_limit_costs_its_own_instance_only(
    made: MadeIndex, tmp_path: Path
) -> None:
    history = ReleaseHistory(tmp_path, index=made.index, max_file_bytes=100)
    instance = fix(made.release({"big.py": bytes(101), "up.py": FIXED}))
    history.prefetch([(instance, ["big.py", "up.py"])])
    with pytest.raises(Refused, match=r"too_large: big\.py: 101 bytes, over 100"):
        history.read(instance, ["big.py"])
    assert history.read(instance, ["up.py"]).files["up.py"].data == FIXED
    history.close()


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"up.py": FIXED, "../../evil.py": b""}, "is not a clean relative path"),
        ({"up.py": FIXED, "./up.py": b""}, "is not a clean relative path"),
        ({}, "0 top folders"),
    ],
)
def test_a_hostile_archive_is_named_and_nothing_of_it_used(
    files: dict[str, Content], says: str, made: MadeIndex, history: ReleaseHistory
) -> None:
    instance = fix(made.release(files))
    with pytest.raises(FixSourceError, match=rf"release made 1\.0: .*{says}"):
        history.read(instance, ["up.py"])
    history.close()


def test_a_bomb_is_refused_before_it_is_unpacked(
    made: MadeIndex, history: ReleaseHistory
) -> None:
    header = tarfile.TarInfo("made-1.0/up.py")
    header.size = 2_000_000_000  # announced, and it never comes
    data = gzip.compress(header.tobuf() + bytes(1024))
    made.archives["made"] = {"made-1.0.tar.gz": data}
    sha256 = hashlib.sha256(data).hexdigest()
    instance = fix(Release(project="made", version="1.0", sha256=sha256, holds="fixed"))
    with pytest.raises(FixSourceError, match=r"made 1\.0: .*1,000,000,000 bytes"):
        history.read(instance, ["up.py"])
    history.close()


def test_another_archive_than_the_pinned_one_is_an_error(
    made: MadeIndex, history: ReleaseHistory, tmp_path: Path
) -> None:
    release = made.release({"up.py": FIXED})
    pinned = dataclasses.replace(release, sha256="0" * 64)
    with pytest.raises(FixSourceError, match=r"made 1\.0: .*sha256 is .*pinned is 000"):
        history.read(fix(pinned), ["up.py"])
    assert not list(tmp_path.rglob("*.tar.gz"))
    history.close()


def test_a_download_that_breaks_off_leaves_nothing(
    made: MadeIndex, history: ReleaseHistory, tmp_path: Path
) -> None:
    release = made.release({"up.py": FIXED})
    made.is_cut = True
    with pytest.raises(FixSourceError, match=r"made 1\.0: the package index did not"):
        history.read(fix(release), ["up.py"])
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    made.is_cut = False
    assert history.read(fix(release), ["up.py"]).files
    history.close()


def test_an_index_out_of_reach_decides_nothing(
    made: MadeIndex, history: ReleaseHistory
) -> None:
    release = made.release({"up.py": FIXED})
    made.is_down = True
    with pytest.raises(FixSourceError, match=r"release made 1\.0: .*HTTP 503"):
        history.prefetch([(fix(release), ["up.py"])])
    history.close()


def test_a_release_that_is_gone_is_an_error_and_no_refusal(
    made: MadeIndex, history: ReleaseHistory
) -> None:
    release = dataclasses.replace(made.release({"up.py": FIXED}), version="2.0")
    with pytest.raises(FixSourceError, match=r"made 2\.0: .*no sdist of this version"):
        history.prefetch([(fix(release), ["up.py"])])
    history.close()


def test_it_may_be_closed_twice(history: ReleaseHistory) -> None:
    history.close()
    history.close()
