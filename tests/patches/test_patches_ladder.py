"""How much help a published diff gets, rung by rung, and where help ends."""

import pytest

from envplatform.errors import AmbiguousPatchError, PatchError
from envplatform.patches import (
    Rung,
    apply_patch,
    apply_with_ladder,
    diff_trees,
    touched_paths,
)
from envplatform.tree import File

OLD = b"1\n2\n3\n4\n5\n6\n7\n8\n"
NEW = b"1\n2\nthree\n4\n5\n6\n7\n8\n"
HEAD = "--- a/a.py\n+++ b/a.py\n"
GOOD = HEAD + "@@ -2,3 +2,3 @@\n 2\n-3\n+three\n 4\n"


def climb(old: bytes, patch: str) -> tuple[Rung, bytes]:
    """Apply to one file; check that the fresh diff says the same."""
    tree = {"a.py": File(old)}
    applied = apply_with_ladder(tree, patch)
    assert applied.patch == diff_trees(tree, applied.tree)
    assert apply_patch(tree, applied.patch) == applied.tree
    return applied.rung, applied.tree["a.py"].data


def crlf(data: bytes) -> bytes:
    """Give a file CRLF."""
    return data.replace(b"\n", b"\r\n")


def test_a_patch_that_fits_needs_no_help() -> None:
    """And the fresh diff stands for it from here on."""
    assert climb(OLD, GOOD) == ("strict", NEW)


@pytest.mark.parametrize(
    "header",
    [
        "@@ -2,2 +2,2 @@",
        "@@ -2,9 +2,9 @@",
        "@@ -2 +2 @@",
        "@@ -2,3 +2,4 @@",
        "@@ -2,3 +7,3 @@",
        "@@ -2,0 +2,0 @@",
        "@@ -2,999999999 +2,3 @@ def f():",
    ],
)
def test_wrong_counts_and_new_starts_are_recounted(header: str) -> None:
    """The body says what the hunk holds; the old start says where."""
    assert climb(OLD, GOOD.replace("@@ -2,3 +2,3 @@", header)) == ("recounted", NEW)


def test_a_lost_last_line_end_is_put_back() -> None:
    """Stripped texts are common in published data."""
    assert climb(OLD, GOOD.removesuffix("\n")) == ("recounted", NEW)


def test_a_stripped_last_blank_context_line_is_recounted() -> None:
    """`strip()` takes the line end and the blank line before it."""
    patch = HEAD + "@@ -1,3 +1,3 @@\n x\n-y\n+z\n \n"
    assert climb(b"x\ny\n\n", patch.rstrip()) == ("recounted", b"x\nz\n\n")


def test_blank_lines_that_no_count_vouches_for_are_no_context() -> None:
    """They stand between the files of a text that was glued together."""
    patch = GOOD.replace("-2,3", "-2,9") + "\n\n" + GOOD.replace("a.py", "b.py")
    tree = {"a.py": File(OLD), "b.py": File(OLD)}
    applied = apply_with_ladder(tree, patch)
    assert applied.rung == "recounted"
    assert {file.data for file in applied.tree.values()} == {NEW}


def test_right_counts_keep_a_removed_dash_line_in_its_hunk() -> None:
    """`--- x` and `+++ y` look like the next file's header, and the counts know better."""
    body = " 1\n--- x\n+++ y\n 2\n"
    patch = HEAD + f"@@ -1,3 +1,3 @@\n{body}@@ -3,9 +3,9 @@\n-3\n+three\n"
    assert climb(b"1\n-- x\n2\n", patch.split("@@ -3")[0])[0] == "strict"
    assert climb(
        b"1\n-- x\n3\n".replace(b"3", b"2\n3"), patch.replace("-3,9", "-4,9")
    ) == (
        "recounted",
        b"1\n++ y\n2\nthree\n",
    )


def test_a_mail_s_signature_is_no_removed_line() -> None:
    """It ends the text also where the counts are wrong."""
    patch = GOOD.replace("-2,3", "-2,9") + "-- \n2.39.5\n\n"
    assert climb(OLD, patch) == ("recounted", NEW)


def test_a_new_file_with_wrong_counts_is_created() -> None:
    """Its place is known, whatever the header says."""
    patch = "--- /dev/null\n+++ b/b.py\n@@ -1,4 +1,9 @@\n+x\n+y\n"
    applied = apply_with_ladder({}, patch)
    assert (applied.rung, applied.tree["b.py"].data) == ("recounted", b"x\ny\n")


NO_END = "\\ No newline at end of file\n"


@pytest.mark.parametrize(
    ("old", "body", "new"),
    [
        (b"1\n2", " 1\n-2\n+two\n", b"1\ntwo"),
        (b"1\n2", "-1\n+one\n 2\n", b"one\n2"),
        (b"1\n2", f" 1\n-2\n+two\n{NO_END}", b"1\ntwo"),
        (b"1\n2\n", f" 1\n-2\n{NO_END}+two\n", b"1\ntwo\n"),
        (b"1\n2\n", f" 1\n-2\n{NO_END}+two\n{NO_END}", b"1\ntwo\n"),
        (b"1\n2\n", f"-1\n+one\n 2\n{NO_END}", b"one\n2\n"),
        (b"1\n2", " 1\n 2\n+3\n", b"1\n2\n3"),
        (b"1\n2", " 1\n-2\n", b"1\n"),
        (b"1\n2", "-1\n-2\n", b""),
    ],
)
def test_the_last_line_may_lack_its_end_otherwise_than_the_diff_says(
    old: bytes, body: str, new: bytes
) -> None:
    """The file keeps its own state, unless the diff changes it."""
    assert climb(old, f"{HEAD}@@ -1,9 +1,9 @@\n{body}") == ("recounted", new)


def test_only_the_last_line_may_lack_its_end() -> None:
    """A line in the middle that says so does not fit."""
    patch = HEAD + f"@@ -1,2 +1,2 @@\n 1\n-2\n{NO_END}+two\n{NO_END}"
    with pytest.raises(PatchError, match=r"line 2: expected '2', found '2.n'"):
        climb(OLD, patch)


@pytest.mark.parametrize("old", [OLD, OLD.removesuffix(b"\n")])
def test_a_file_s_own_line_ending_is_used(old: bytes) -> None:
    """Either way round; what is added gets it too."""
    new = old.replace(b"3", b"three")
    assert climb(crlf(old), GOOD) == ("line_endings", crlf(new))
    assert climb(old, GOOD.replace("\n", "\r\n")) == ("line_endings", new)


def test_a_crlf_text_for_a_crlf_file_needs_no_help() -> None:
    """Header lines may end either way."""
    assert climb(crlf(OLD), GOOD.replace("\n", "\r\n")) == ("strict", crlf(NEW))


def test_line_endings_are_a_matter_of_each_file() -> None:
    """One diff in LF, one file of either kind."""
    tree = {"a.py": File(crlf(OLD)), "b.py": File(OLD)}
    applied = apply_with_ladder(tree, GOOD + GOOD.replace("a.py", "b.py"))
    assert applied.rung == "line_endings"
    assert applied.tree == {"a.py": File(crlf(NEW)), "b.py": File(NEW)}


@pytest.mark.parametrize(
    ("old", "patch"),
    [
        (crlf(OLD).replace(b"8\r\n", b"8\n"), GOOD),
        (crlf(OLD), GOOD.replace("+three\n", "+three\r\n")),
    ],
)
def test_mixed_endings_are_not_guessed(old: bytes, patch: str) -> None:
    """Neither a mixed file nor a mixed diff says which ending is meant."""
    with pytest.raises(PatchError, match=r"expected '2.n', found '2.r.n'"):
        climb(old, patch)


def test_a_mixed_file_takes_a_patch_that_fits_byte_for_byte() -> None:
    """No help is needed there."""
    old = b"1\r\n" + OLD[2:]
    assert climb(old, GOOD) == ("strict", b"1\r\n" + NEW[2:])


def test_a_marker_in_crlf_ends_a_line_in_crlf() -> None:
    """The text was given CRLF on its way; the last line of the file has none."""
    patch = HEAD + f"@@ -1,2 +1,2 @@\n 1\n-2\n{NO_END}+two\n{NO_END}"
    patch = patch.replace("\n", "\r\n")
    assert climb(b"1\r\n2", patch) == ("recounted", b"1\r\ntwo")
    assert climb(b"1\n2", patch) == ("line_endings", b"1\ntwo")


@pytest.mark.parametrize("start", [1, 4, 77])
def test_a_hunk_with_wrong_numbers_moves_to_its_only_place(start: int) -> None:
    """Up, down, and from beyond the end."""
    patch = GOOD.replace("-2,3 +2,3", f"-{start},3 +{start},3")
    assert climb(OLD, patch) == ("relocated", NEW)


def test_rungs_combine() -> None:
    """No last line end, wrong counts, another line ending and a wrong place at once."""
    patch = GOOD.replace("-2,3 +2,3", "-5,9 +1").removesuffix("\n")
    assert climb(crlf(OLD), patch) == ("relocated", crlf(NEW))


def test_a_moved_hunk_may_end_in_a_line_without_end() -> None:
    """The last rung forgives what the rungs before it forgive."""
    patch = HEAD + "@@ -1,2 +1,2 @@\n 7\n-8\n+eight\n"
    assert climb(OLD[:-1], patch) == ("relocated", OLD[:-2] + b"eight")


def test_hunks_that_move_keep_their_order() -> None:
    """Two places in the wrong order are no place."""
    first, second = "@@ -8 +8 @@\n-7\n+x\n", "@@ -9 +9 @@\n-2\n+y\n"
    with pytest.raises(
        PatchError, match="hunk 2: fits only at line 2, before"
    ) as caught:
        climb(OLD, HEAD + first + second)
    assert caught.value.fault == "misfit"


def test_overlapping_hunks_are_refused() -> None:
    """Also where each has only one place."""
    first, second = "@@ -8,2 +8,2 @@\n-2\n+x\n 3\n", "@@ -9,2 +9,2 @@\n 3\n-4\n+y\n"
    with pytest.raises(PatchError, match="hunk 2: fits only at line 3, before"):
        climb(OLD, HEAD + first + second)


TWICE = b"x\na\nb\nc\ny\na\nb\nc\n"


def test_several_places_are_refused_and_not_guessed() -> None:
    """Repeated context: nearest is a guess."""
    patch = HEAD + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
    with pytest.raises(AmbiguousPatchError, match="lines 2 and 6") as caught:
        climb(TWICE, patch)
    assert caught.value.fault == "ambiguous"


def test_a_repeated_hunk_at_its_own_line_is_not_ambiguous() -> None:
    """Where the numbers fit they are believed."""
    patch = HEAD + "@@ -6,3 +6,3 @@\n a\n-b\n+B\n c\n"
    assert climb(TWICE, patch) == ("strict", b"x\na\nb\nc\ny\na\nB\nc\n")


def test_once_a_number_is_wrong_no_number_of_the_file_is_believed() -> None:
    """The first hunk fits where it says, perhaps by chance: its lines stand twice."""
    patch = HEAD + "@@ -3 +3 @@\n-b\n+B\n@@ -4 +4 @@\n-y\n+Y\n"
    with pytest.raises(AmbiguousPatchError, match="hunk 1: fits at lines 3 and 7"):
        climb(TWICE, patch)


def test_overlapping_places_are_several_places() -> None:
    """A run of equal lines holds a shorter run more than once."""
    patch = HEAD + "@@ -9,2 +9,3 @@\n a\n a\n+b\n"
    with pytest.raises(AmbiguousPatchError, match="lines 1 and 2"):
        climb(b"a\na\na\n", patch)


def test_an_insertion_without_context_is_never_moved() -> None:
    """It fits everywhere."""
    with pytest.raises(AmbiguousPatchError, match="inserts without context"):
        climb(OLD, HEAD + "@@ -20,0 +21 @@\n+x\n")


def test_an_insertion_without_context_fits_at_its_line() -> None:
    """Zero context is no fault as such; a wrong new start is overlooked."""
    new = OLD.replace(b"3\n", b"3\nx\n")
    assert climb(OLD, HEAD + "@@ -3,0 +4 @@\n+x\n") == ("strict", new)
    assert climb(OLD, HEAD + "@@ -3,0 +3 @@\n+x\n") == ("recounted", new)


def test_an_insertion_that_counts_old_lines_is_refused() -> None:
    """Before line 3 or after it: the header contradicts the body."""
    with pytest.raises(PatchError, match="inserts without context, and its header"):
        climb(OLD, HEAD + "@@ -3,2 +3,3 @@\n+x\n")


def test_a_removal_without_context_moves_if_its_line_stands_once() -> None:
    """A line is context enough if there is no other like it."""
    assert climb(OLD, HEAD + "@@ -7 +6,0 @@\n-3\n") == (
        "relocated",
        OLD.replace(b"3\n", b""),
    )


@pytest.mark.parametrize(
    "body", [" 2\n-X\n+three\n 4\n", " X\n-3\n+three\n 4\n", " 2\n-3\n+three\n X\n"]
)
def test_one_bad_line_is_one_too_many(body: str) -> None:
    """No fuzz, at no rung; both reasons are told."""
    told = "a.py: hunk 1, line .: expected .*; a.py: hunk 1: its lines stand nowhere"
    with pytest.raises(PatchError, match=told) as caught:
        climb(OLD, HEAD + "@@ -2,3 +2,3 @@\n" + body)
    assert caught.value.fault == "misfit"


def test_one_bad_file_leaves_all_files_alone() -> None:
    """All or none, however far the others climbed."""
    tree = {"a.py": File(OLD), "b.py": File(b"one\n")}
    before = dict(tree)
    bad = "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-two\n+three\n"
    with pytest.raises(PatchError, match=r"b\.py: hunk 1"):
        apply_with_ladder(tree, GOOD.replace("-2,3", "-4,3") + bad)
    assert tree == before


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        (GOOD.replace("@@ -2,3 +2,3 @@", "@@ ... @@"), "no hunk header"),
        (GOOD.replace(" 4\n", "*4\n"), "belongs to no hunk"),
        (GOOD.replace("-3\n+three\n", " 3\n"), "changes nothing"),
        (GOOD + "```\n", "belongs to no hunk"),
        (GOOD + GOOD, "twice"),
        ("@@ -1 +1 @@\n-1\n+2\n" + GOOD, "before the first file header"),
        (HEAD, "none follows"),
        (HEAD + "@@ -1 +1 @@\n", "changes nothing"),
        ("", None),
    ],
)
def test_what_is_no_diff_stays_none(patch: str, told: str | None) -> None:
    """Forbearance ends at counts and line ends. The empty text changes nothing."""
    if told is None:
        assert climb(OLD, patch) == ("strict", OLD)
        return
    with pytest.raises(PatchError, match=told) as caught:
        climb(OLD, patch)
    assert caught.value.fault == "malformed"


@pytest.mark.parametrize(
    "old",
    [
        "caf\xe9\nx = 1\n".encode("latin-1"),
        b"\xef\xbb\xbf# bom\nx = 1\n",
        b"a\x0cb\nx = 1\n",
        "s = '\u2028'\nx = 1\n".encode(),
        b"a\rb\nx = 1\n",
    ],
)
def test_bytes_that_are_no_plain_text_survive_every_rung(old: bytes) -> None:
    """Latin-1, a byte order mark, form feed, U+2028, a lone CR."""
    new = old.replace(b"x = 1", b"x = 2")
    patch = diff_trees({"a.py": File(old)}, {"a.py": File(new)})
    assert climb(old, patch) == ("strict", new)
    assert climb(old, patch.replace("-1,2", "-1,7")) == ("recounted", new)
    assert climb(crlf(old), patch) == ("line_endings", crlf(new))
    assert climb(b"0\n" + old, patch) == ("relocated", b"0\n" + new)


def test_utf_16_is_binary_as_git_says() -> None:
    """Its text holds NUL bytes: the file has no diff, and no text of a diff holds them."""
    old, new = (File(f"x = {n}\n".encode("utf-16")) for n in (1, 2))
    with pytest.raises(PatchError, match="NUL") as caught:
        diff_trees({"a.py": old}, {"a.py": new})
    assert caught.value.fault == "binary"


def test_touched_paths_overlook_wrong_counts() -> None:
    """What must be read is known before anything is applied."""
    new_file = "--- /dev/null\n+++ b/b.py\n@@ -0,0 +1,9 @@\n+x\n"
    assert touched_paths(new_file + GOOD) == (("a.py",), ("a.py", "b.py"))
