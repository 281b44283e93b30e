"""`inspect` on a trajectory: everything that was said and done, nothing that acts."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from envplatform.store import Origin, Store
from envplatform.trajectories import (
    Claim,
    FileChange,
    Judged,
    Trajectory,
    UserTurn,
    WorkspacePatch,
)
from tests.cli.conftest import Call
from tests.trajectories.made_record import record

ID = "0123456789abcdef.tool_loop.m.0"
ORIGIN = Origin(created=datetime(2026, 1, 1, tzinfo=UTC))


def told() -> Trajectory:
    one = record(ID)
    first = one.steps[0]
    reply = replace(first.replies[0], content="\x1b[2Ja.txt\n" + "x" * 3_000)
    return replace(
        one,
        steps=(replace(first, replies=(reply,)), *one.steps[1:]),
        changes=(
            FileChange(path="calc.py", change="changed", patch="-a - b\n+a + b\n"),
        ),
        claims=(Claim(path="a.json", field="/n", value="3", found="4", holds=False),),
        judged=Judged(code=1.0, score=None, judge="none", why_none="nobody is asked"),
        user_turns=(
            UserTurn(
                number=1,
                agent="I ask",
                user="It is blue.",
                signal="told",
                due=("told",),
                changed=True,
                is_over=False,
                patches=(
                    WorkspacePatch(path="t.csv", action="edit", old="1", new="2"),
                ),
            ),
        ),
    )


@pytest.fixture
def see(call: Call, tmp_path: Path) -> Call:
    """Inspects in a project whose store has two records of one batch."""
    (tmp_path / "envplatform.toml").write_text("")
    home = tmp_path / ".envplatform"
    rows = [told(), record("fedcba9876543210.nop.nop.0")]
    Store(home).write_rows(
        "rollouts", rows, row_type=Trajectory, partition="b1", origin=ORIGIN
    )

    def run(*words: str | Path, folder: Path | None = None, stdin: str = "") -> object:
        return call("inspect", *words, folder=folder or tmp_path, stdin=stdin)

    return run  # type: ignore[return-value]


def test_all_of_it_is_shown_and_nothing_reaches_the_terminal(see: Call) -> None:
    found = see(ID)
    assert found.code == 0
    for part in (
        *("batch b1, tool_loop by m", "You fix bugs.", '-> shell {"command": "ls"}'),
        *("done 0, 0 bytes", "changed calc.py", "+a + b", "is wrong: 4", "It is blue."),
        *("edit t.csv", "code 1.0, judge none: nobody is asked", "false_claim"),
        *("\\x1b[2Ja.txt", "more characters; --whole shows them", "reward 1.0"),
    ):
        assert part in found.out, part
    assert "\x1b[2J" not in found.out
    whole = see(ID, "--whole")
    assert "x" * 60 in whole.out
    assert "--whole" not in whole.out


def test_a_start_will_do_and_json_holds_everything(see: Call) -> None:
    found = see("0123456789abcdef.tool", "--json").json
    assert found["trajectory_id"] == ID
    assert found["changes"][0]["path"] == "calc.py"


def test_one_that_is_not_there_is_said(see: Call) -> None:
    found = see("0123456789abcdef.other", "--json")
    assert found.code == 1
    assert "no trajectory" in found.json["message"]
