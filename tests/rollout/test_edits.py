"""Edits by commands: small, and exact whatever the files hold."""

import json

from hypothesis import given
from hypothesis import strategies as st

from envplatform.rollout.edits import commands_of
from envplatform.rollout.script import claims_of
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.trajectories import compared, read_claims
from envplatform.tree import File, Tree
from tests.rollout.tiny import IMAGE

LONG = "".join(f"line {number}\n" for number in range(3_000)).encode()
BEFORE: Tree = {
    "code.py": File(b"def add(a, b):\n    return a - b\n"),
    "crlf.txt": File(b"one\r\ntwo\r\nthree"),
    "gone.txt": File(b"x"),
    "kept.txt": File(b"same"),
    "long.txt": File(LONG),
    "run.sh": File(b"#!/bin/sh\n"),
    "mode.sh": File(b"x", executable=True),
    "turns/binary.txt": File(b"text"),
    "it's odd/-x": File(b"a\nb\n"),
}
AFTER: Tree = {
    "code.py": File(b"def add(a, b):\n    return a + b\n"),
    "crlf.txt": File(b"one\r\nEND\r\nthree\n"),
    "kept.txt": File(b"same"),
    "long.txt": File(LONG.replace(b"line 7\n", b"").replace(b"2999", b"'$(x)`\\")),
    "run.sh": File(b"#!/bin/sh\necho 1\n", executable=True),
    "mode.sh": File(b"x"),
    "turns/binary.txt": File(b"\xff\x00"),
    "it's odd/-x": File(b"a\nc"),
    "-new.txt": File(b"$HOME `x` \\ \"'\n"),
    "end.txt": File(b"END\n"),
    "empty/file": File(b""),
    "far/below/large.bin": File(bytes(range(256)) * 500),
    "unicode.txt": File("gr\u00fc\u00df \u2028 dich\n".encode()),
}


async def test_what_the_commands_leave_is_the_other_tree(
    bubblewrap: BubblewrapProvider,
) -> None:
    async with bubblewrap.open(IMAGE) as sandbox:
        await sandbox.upload(BEFORE, "/workspace")
        for command in commands_of(BEFORE, AFTER):
            result = await sandbox.exec(["bash", "-c", command])
            assert result.exit_code == 0, result.stderr
        assert await sandbox.download("/workspace") == AFTER


def test_lines_that_differ_and_no_others_are_written() -> None:
    changed = {"long.txt": File(LONG.replace(b"line 1500\n", b"line MD\n"))}
    (command,) = commands_of({"long.txt": File(LONG)}, changed)
    assert "lines[1500:1501] = [\n    'line MD',\n]" in command
    assert len(command) < 300
    (new,) = commands_of({}, {"a.py": File(b"x = 1\n")})
    assert new == "cat > a.py <<'END'\nx = 1\nEND"


def test_what_a_reference_claims_is_about_what_changed_and_holds() -> None:
    said = claims_of(
        {**BEFORE, "same.json": File(b'{"a": 1}')},
        {**AFTER, "same.json": File(b'{"a": 1}'), "new.json": File(b'{"b": 2}')},
    )
    claims = read_claims(json.dumps(said))
    held = compared(claims, {path: file.data for path, file in AFTER.items()})
    assert [(one.path, one.field, one.holds) for one in held] == [
        ("-new.txt", "contains", True),
        ("code.py", "contains", True),
        ("crlf.txt", "contains", True),
        ("end.txt", "contains", True),
        ("gone.txt", "exists", True),
    ]


LINES = st.lists(st.sampled_from(["a", "b", "END", "'", "\\", "\r", ""]), max_size=8)


@given(old=LINES, new=LINES)
def test_the_program_of_an_edit_gives_the_new_lines(
    old: list[str], new: list[str]
) -> None:
    """Without a file: the assignments alone, done here."""
    before, after = "\n".join(old), "\n".join(new)
    for command in commands_of(
        {"f": File(before.encode())}, {"f": File(after.encode())}
    ):
        lines = before.split("\n")
        body = command.split("\n    lines = file.read().split('\\n')\n")[1]
        exec(body.split("\nwith open")[0], {"lines": lines})  # noqa: S102  of ours
        assert "\n".join(lines) == after
