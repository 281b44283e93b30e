"""Small texts that were made to take much time or memory."""

import time
import tracemalloc

import pytest

from envplatform.errors import PatchError
from envplatform.patches import apply_patch, apply_with_ladder, diff_trees
from envplatform.tree import File


def creating(path: str) -> str:
    return (
        f"diff --git a/{path} b/{path}\nnew file mode 100644\n"
        f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"
    )


def test_a_path_longer_than_any_system_takes_is_refused() -> None:
    assert apply_patch({}, creating("a/" * 2_000 + "x.py"))
    with pytest.raises(PatchError, match="at most 4,096") as caught:
        apply_with_ladder({}, creating("a/" * 2_100 + "x.py"))
    assert caught.value.fault == "path"


def test_a_long_quoted_name_takes_little_more_memory_than_itself() -> None:
    name = '"a/' + "x" * 2**20 + '"'
    patch = f"--- {name}\n+++ {name}\n@@ -1 +1 @@\n-a\n+b\n"
    tracemalloc.start()
    try:
        with pytest.raises(PatchError) as caught:
            apply_with_ladder({}, patch)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert caught.value.fault in {"path", "malformed"}
    assert peak < 30 * 2**20


def test_many_files_in_one_deep_folder_take_seconds() -> None:
    folder = "d/" * 1_000
    patch = "".join(creating(f"{folder}f{number}.py") for number in range(2_000))
    start = time.process_time()
    assert len(apply_patch({}, patch)) == 2_000
    assert time.process_time() - start < 8  # 20 when each file named all its folders


@pytest.mark.parametrize("paths", [("a", "a/b/c"), ("a/b/c", "a"), ("a/b", "a/b/c")])
def test_two_new_files_may_not_be_file_and_folder_at_once(
    paths: tuple[str, str],
) -> None:
    with pytest.raises(PatchError, match="file and folder at once"):
        apply_patch({}, "".join(map(creating, paths)))


def peeling(count: int) -> tuple[bytes, bytes]:
    """Two files of which each look finds one line to split them at, the first."""
    shared = ["a1", "once"]
    for number in range(1, count):
        shared += [f"a{number + 1}", f"a{number}"]
    old, new = (
        "".join(f"{line}\n{side}{at}\n" for at, line in enumerate(shared))
        for side in ("o", "n")
    )
    return old.encode(), new.encode()


def test_files_that_could_be_split_line_by_line_are_given_up_in_seconds() -> None:
    old, new = peeling(10_000)
    start = time.process_time()
    trees = {"a.py": File(old)}, {"a.py": File(new)}
    patch = diff_trees(*trees)
    assert time.process_time() - start < 15  # 40 without a limit, and its square beyond
    assert apply_patch(trees[0], patch) == trees[1]
