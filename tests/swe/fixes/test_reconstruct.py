from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envplatform.errors import FixSourceError
from envplatform.patches import apply_patch, diff_trees
from envplatform.swe.fixes.histories.git_history import open_history
from envplatform.swe.fixes.histories.inline import InlineHistory
from envplatform.swe.fixes.history import Side
from envplatform.swe.fixes.instance import FileVersions, FixInstance, Release
from envplatform.swe.fixes.reconstruct import (
    prefetch,
    published_patch_paths,
    reconstruct,
)
from envplatform.swe.fixes.refusal import Refused
from envplatform.swe.fixes.sides import Sides
from envplatform.tree import File, Tree
from tests.fakes import OneSide
from tests.swe.fixes.histories.made_repository import (
    EXECUTABLE,
    LINK,
    SUBMODULE,
    MadeRepository,
    Moded,
)

NAME = "owner__name"
LINES = [b"line %d\n" % number for number in range(40)]
OLD = b"".join(LINES)
NEW = b"".join([*LINES[:20], b"changed\n", *LINES[21:]])


def fix(base: str, patch: str) -> FixInstance:
    return FixInstance(
        instance_id="owner__name-1",
        source="made",
        repository=NAME,
        origin="git",
        base_commit=base,
        patch=patch,
    )


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    """One commit."""
    made = MadeRepository(tmp_path / "made")
    made.commit(
        {
            "a.py": OLD,
            "run.py": Moded(EXECUTABLE, OLD),
            "link.py": Moded(LINK, b"a.py"),
            "folder": Moded(LINK, b"elsewhere"),
            "module": Moded(SUBMODULE, b"1" * 40),
            "big.py": b"#\n" * (5 * 2**20),
        }
    )
    return made


def rebuild(made: MadeRepository, tmp_path: Path, patch: str) -> Sides:
    """Reconstruct over a blob-filtered mirror."""
    instance = fix(made.git("rev-parse", "main"), patch)
    with open_history(NAME, made.url, tmp_path / "cache") as history:
        prefetch([instance], history)
        return reconstruct(instance, history)


def code_of(made: MadeRepository, tmp_path: Path, patch: str) -> str:
    with pytest.raises(Refused) as caught:
        rebuild(made, tmp_path, patch)
    return caught.value.code


def changed(path: str) -> str:
    return diff_trees({path: File(OLD)}, {path: File(NEW)})


def test_both_sides_and_the_way_back_are_rebuilt(
    made: MadeRepository, tmp_path: Path
) -> None:
    sides = rebuild(made, tmp_path, changed("a.py"))
    assert sides.buggy == {"a.py": File(OLD)}
    assert sides.fixed == {"a.py": File(NEW)}
    assert sides.rung == "strict"
    assert apply_patch(sides.fixed, sides.bug_patch) == sides.buggy


def test_the_bug_patch_is_fresh_and_not_the_published_text(
    made: MadeRepository, tmp_path: Path
) -> None:
    published = changed("a.py").replace(" @@\n", " @@ def published():\n")
    sides = rebuild(made, tmp_path, f"index 1..2\n{published}".split("\n", 1)[1])
    assert sides.bug_patch == diff_trees(sides.fixed, sides.buggy)
    assert "published" not in sides.bug_patch


def test_a_patch_that_needs_help_says_on_which_rung(
    made: MadeRepository, tmp_path: Path
) -> None:
    patch = changed("a.py").replace("@@ -18,7 +18,7 @@", "@@ -11,7 +11,7 @@")
    sides = rebuild(made, tmp_path, patch)
    assert (sides.rung, sides.fixed) == ("relocated", {"a.py": File(NEW)})


def test_the_executable_bit_survives_the_round_trip(
    made: MadeRepository, tmp_path: Path
) -> None:
    sides = rebuild(made, tmp_path, changed("run.py"))
    both = sides.buggy["run.py"], sides.fixed["run.py"]
    assert both == (File(OLD, executable=True), File(NEW, executable=True))


def test_files_that_the_fix_creates_and_deletes_are_absent_on_one_side(
    made: MadeRepository, tmp_path: Path
) -> None:
    patch = diff_trees({"a.py": File(OLD)}, {"new/b.py": File(NEW)})
    sides = rebuild(made, tmp_path, patch)
    assert sides.buggy == {"a.py": File(OLD)}
    assert sides.fixed == {"new/b.py": File(NEW)}


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        ("", "no_patch"),
        (" \n", "no_patch"),
        ("no diff at all\n", "patch_malformed"),
        (changed("a.py").replace(" line 19", " other"), "does_not_apply"),
        (changed("absent.py"), "does_not_apply"),
        (changed("up/a.py").replace("up/", "../"), "patch_path"),
        (changed("link.py"), "patch_symlink"),
        (changed("folder/a.py"), "patch_symlink"),
        (changed("module/a.py"), "patch_submodule"),
        (changed("big.py"), "too_large"),
    ],
)
def test_each_reason_has_its_code(
    patch: str, code: str, made: MadeRepository, tmp_path: Path
) -> None:
    assert code_of(made, tmp_path, patch) == code


def test_headers_of_links_submodules_and_binaries_are_refused_by_name(
    made: MadeRepository, tmp_path: Path
) -> None:
    head = "diff --git a/x b/x\n"
    body = "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n"
    link, module = (f"{head}new file mode {m}\n{body}" for m in ("120000", "160000"))
    binary = f"{head}index 1..2\nBinary files a/x and b/x differ\n"
    codes = [code_of(made, tmp_path, patch) for patch in (link, module, binary)]
    assert codes == ["patch_symlink", "patch_submodule", "patch_binary"]


def test_a_patch_that_fits_twice_is_refused(
    made: MadeRepository, tmp_path: Path
) -> None:
    made.commit({"twice.py": b"a\nb\nc\nd\n" * 30})
    patch = "--- a/twice.py\n+++ b/twice.py\n@@ -2,3 +2,3 @@\n a\n-b\n+x\n c\n"
    assert code_of(made, tmp_path, patch) == "ambiguous"


def test_a_side_with_the_fix_is_read_backwards() -> None:
    release = Release(project="name", version="1", sha256="", holds="fixed")
    instance = replace(
        fix("", changed("a.py")), origin="release", release=release, base_commit=""
    )
    history = OneSide(Side(which="fixed", files={"a.py": File(NEW)}))
    sides = reconstruct(instance, history)
    assert (sides.buggy, sides.fixed) == ({"a.py": File(OLD)}, {"a.py": File(NEW)})


def test_a_patch_that_makes_the_bug_is_applied_to_the_correct_side(
    made: MadeRepository, tmp_path: Path
) -> None:
    instance = fix(made.git("rev-parse", "main"), changed("a.py"))
    instance = replace(instance, patch_makes="bug")
    with open_history(NAME, made.url, tmp_path / "cache") as history:
        prefetch([instance], history)
        sides = reconstruct(instance, history)
    assert (sides.fixed, sides.buggy) == ({"a.py": File(OLD)}, {"a.py": File(NEW)})


def test_carried_versions_need_no_patch() -> None:
    instance = inline(("a.py", "a\r\n", "b"), ("new.py", None, "\udce9\n"))
    sides = reconstruct(instance, InlineHistory())
    assert sides.buggy == {"a.py": File(b"a\r\n")}
    assert sides.fixed == {"a.py": File(b"b"), "new.py": File(b"\xe9\n")}
    assert published_patch_paths(instance) == ("a.py", "new.py")


@pytest.mark.parametrize(
    ("version", "code"),
    [
        (("a.py", "a\n", "a\n"), "no_change"),
        (("a.py", "a\0\n", "a\n"), "patch_binary"),
        (("../a.py", "a\n", "b\n"), "patch_path"),
    ],
)
def test_carried_versions_are_no_more_trusted_than_patches(
    version: tuple[str, str, str], code: str
) -> None:
    with pytest.raises(Refused) as caught:
        reconstruct(inline(version), InlineHistory())
    assert caught.value.code == code


def test_the_inline_history_reads_the_buggy_side() -> None:
    instance = inline(("a.py", "a\n", "b\n"), ("new.py", None, "n\n"))
    side = InlineHistory().read(instance, ["a.py", "new.py", "absent.py"])
    assert (side.which, side.files) == ("buggy", {"a.py": File(b"a\n")})


def test_an_instance_that_is_refused_costs_the_batch_nothing(
    made: MadeRepository, tmp_path: Path
) -> None:
    base = made.git("rev-parse", "main")
    with open_history(NAME, made.url, tmp_path / "cache") as history:
        batch = [fix(base, "no diff\n"), fix(base, ""), fix(base, changed("a.py"))]
        prefetch(batch, history)
        assert reconstruct(batch[2], history).fixed == {"a.py": File(NEW)}


def test_a_history_that_fails_is_no_refusal(tmp_path: Path) -> None:
    with (
        pytest.raises(FixSourceError, match=NAME),
        open_history(NAME, f"file://{tmp_path}/absent", tmp_path / "cache"),
    ):
        pass


def inline(*versions: tuple[str, str | None, str | None]) -> FixInstance:
    carried = tuple(
        FileVersions(path=path, before=before, after=after)
        for path, before, after in versions
    )
    return replace(fix("", ""), origin="inline", versions=carried)


TREES = st.dictionaries(
    st.sampled_from(["a.py", "b/c.py", "d e.txt"]),
    st.builds(
        File,
        st.lists(
            st.sampled_from([b"a\n", b"b\r\n", b"\xff\n", b"\x0c\n", b"\xe2\x80\xa8"]),
            max_size=12,
        ).map(b"".join),
        st.booleans(),
    ),
)


@given(TREES, TREES)
def test_any_two_trees_survive_the_way_there_and_back(buggy: Tree, fixed: Tree) -> None:
    if buggy == fixed:
        return
    history = OneSide(Side(which="buggy", files=dict(buggy)))
    sides = reconstruct(fix("1" * 40, diff_trees(buggy, fixed)), history)
    assert (sides.buggy, sides.fixed) == (buggy, fixed)
    assert apply_patch(fixed, sides.bug_patch) == buggy


def test_what_a_refusal_quotes_of_a_patch_is_short(
    made: MadeRepository, tmp_path: Path
) -> None:
    with pytest.raises(Refused) as caught:
        rebuild(made, tmp_path, changed("a.py") + "q" * 10**6 + "\n")
    assert caught.value.code == "patch_malformed"
    assert len(caught.value.detail) < 2_000
