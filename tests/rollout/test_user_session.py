"""A user inside a real session: what it hears, changes and answers, and when it is gone."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envplatform.bundle import Environment, ImageReference
from envplatform.errors import BundleError, SandboxError
from envplatform.grading import Opened, open_environment, run_gate
from envplatform.rollout import (
    OracleHarness,
    RolloutLimits,
    UserSession,
    attended,
    attending,
)
from envplatform.sandbox.base import Image, SandboxProvider
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.user import Plan, Turn, review
from envplatform.user.wording import (
    Exchange,
    ModelWording,
    Said,
    TemplateWording,
    Wording,
)
from tests.fakes import ScriptedChatModel, UnreachedProvider, text_answer
from tests.rollout.made_user import PLAN, QUIET, REPLACED, TABLE, user_environment
from tests.rollout.tiny import IMAGE

MESSAGE = "I have replaced the table, and the rate is 1.17."


@asynccontextmanager
async def session(
    provider: SandboxProvider,
    environment: Environment,
    *,
    answer_s: float = 60,
    wording: Wording | None = None,
) -> AsyncIterator[tuple[Opened, UserSession]]:
    opening = open_environment(provider, environment, image=IMAGE, answer_s=answer_s)
    async with opening as opened, attended(opened, wording) as user:
        assert user is not None
        yield opened, user


async def asked(opened: Opened, *words: str) -> Any:  # noqa: ANN401  JSON
    result = await opened.sandbox.exec(["ws", *words])
    return json.loads(result.stdout) if result.exit_code == 0 else result.stderr


async def read(opened: Opened, name: str) -> bytes:
    return (await opened.sandbox.exec(["ws", "read", name])).stdout


async def test_the_user_answers_changes_and_stands_in_the_log(
    bubblewrap: BubblewrapProvider,
) -> None:
    logs = []
    for _ in range(2):
        async with session(bubblewrap, user_environment()) as (opened, user):
            assert await asked(opened, "say") == {
                "user_message": "Good morning.",
                "conversation_over": False,
                "turn": 0,
            }
            idle = await asked(opened, "say", "tell me the rate")
            assert idle["turn"] == 1
            assert "1.17" not in idle["user_message"], "told for the asking"
            assert await read(opened, "table") == TABLE
            told = await asked(opened, "say", "I have read it")
            assert told["user_message"] == (
                "I have replaced the table, and the rate is 1.17."
            )
            assert await read(opened, "table") == REPLACED.encode()
            last = await asked(opened, "say", "done")
            assert last["conversation_over"]
            after = await asked(opened, "say", "one more thing")
            assert after == {"user_message": "", "conversation_over": True, "turn": 3}
            assert [turn.signal for turn in user.turns] == [None, "replace", None]
            assert review(user.plan, user.turns) == ()
            await user.end()
            assert opened.broker is not None
            logs.append((await opened.broker.finish()).log)
    assert logs[0] == logs[1]
    entries = [json.loads(line) for line in logs[0].splitlines()]
    assert [(one["by"], one["op"]) for one in entries[3:6]] == [
        ("user", "patch"),
        ("agent", "say"),
        ("agent", "read"),
    ]


async def test_what_needs_no_words_happens_right_after_the_dispatch(
    bubblewrap: BubblewrapProvider,
) -> None:
    after = {
        "id": "after",
        "when": {"kind": "held", "path": "in/note.txt", "contains": "look"},
        "changes": [{"path": "in/note.txt", "action": "append", "new": "!"}],
    }
    environment = user_environment(signals=[after, QUIET, *PLAN["signals"]])
    async with session(bubblewrap, environment) as (opened, user):
        line = (
            "ws read table; ws read all/note.txt; ws read table; ws read all/note.txt"
        )
        result = await opened.sandbox.exec(["bash", "-c", line])
        assert result.stdout == TABLE + TABLE + b"look again!"
        assert [(turn.number, turn.signal) for turn in user.turns] == [
            (0, "note"),
            (0, "after"),
        ]
        assert opened.broker is not None
        log = await opened.broker.log()
        assert [(one["by"], one["op"]) for one in log][2:5] == [
            ("agent", "read"),
            ("user", "patch"),
            ("user", "patch"),
        ]


async def test_a_change_of_a_file_that_is_gone_is_recorded_and_found_in_review(
    bubblewrap: BubblewrapProvider,
) -> None:
    async with session(bubblewrap, user_environment()) as (opened, user):
        await read(opened, "table")
        await asked(opened, "delete", "table")
        told = await asked(opened, "say", "deleted it")
        assert told["turn"] == 1
        assert [turn.changed for turn in user.turns] == [False]
        found = [(one.kind, one.severity) for one in review(user.plan, user.turns)]
        assert found == [("missed_action", "critical_hindered")]


async def test_nobody_there_is_said_after_a_bounded_wait(
    bubblewrap: BubblewrapProvider,
) -> None:
    async with open_environment(
        bubblewrap, user_environment(), image=IMAGE, answer_s=0.3
    ) as opened:
        assert await asked(opened, "say", "hello?") == (
            b"ws: failed: the user does not answer\n"
        )
        assert await read(opened, "table") == TABLE, "the session goes on"


class Dying(Wording):
    """A user that breaks down in mid-sentence."""

    async def say(self, plan: Plan, turn: Turn, before: Sequence[Exchange]) -> Said:
        """Break down."""
        del plan, turn, before
        msg = "the sidecar is gone"
        raise SandboxError(msg)


async def test_a_user_that_dies_in_mid_conversation_is_no_verdict(
    bubblewrap: BubblewrapProvider,
) -> None:
    harness = OracleHarness(bubblewrap, wording=Dying())
    environment = user_environment()
    trajectory = await harness.run(environment, None, RolloutLimits(), image=IMAGE)
    assert trajectory.ending == "infrastructure_error"
    assert trajectory.error_class == "SandboxError"
    assert "the user inside failed" in trajectory.error
    assert trajectory.reward is None


def waiting_at_control() -> list[int]:
    """Return our own descendants that wait for the agent at the control socket."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        waits = b"/run/ctl/control.sock" in words and b"--control" not in words
        if waits and is_ours(int(folder.name)):
            found.append(int(folder.name))
    return found


def is_ours(process: int) -> bool:
    while process > 1 and process != os.getpid():
        try:
            stat = Path(f"/proc/{process}/stat").read_text()
        except OSError:
            return False
        process = int(stat.rpartition(")")[2].split()[1])
    return process == os.getpid()


async def test_a_process_of_the_user_that_is_killed_is_noticed(
    bubblewrap: BubblewrapProvider,
) -> None:
    """There is one where the platform itself has no way to the broker's socket."""
    unreached = UnreachedProvider(bubblewrap)
    async with session(unreached, user_environment(), answer_s=1) as (opened, user):
        await asked(opened, "say")
        waiting = waiting_at_control()
        assert waiting
        for process in waiting:
            with suppress(ProcessLookupError):  # died with the one before
                os.kill(process, signal.SIGKILL)
        assert b"failed" in await asked(opened, "say", "are you there?")
        with pytest.raises(SandboxError, match="the user inside failed"):
            user.check()


async def test_a_broker_that_is_killed_under_a_waiting_user_is_noticed(
    bubblewrap: BubblewrapProvider,
) -> None:
    async with session(bubblewrap, user_environment()) as (opened, user):
        await asked(opened, "say")
        assert waiting_at_control() == [], "the platform itself waits"
        assert opened.broker is not None
        await opened.broker.stop()
        with pytest.raises(SandboxError, match="the user inside failed"):
            await user.alongside(asyncio.sleep(60))


SPYING = r"""
words='[z]ebra-7731|[r]ate is 1.17|[s]econd table'
grep -rEsl "$words" /workspace /home /tmp /run /logs /var /etc 2>/dev/null
cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' \
  | grep -E "$words" | grep -v 'words='
for name in user/plan.json ../user/plan.json all/../../user/plan.json plan.json; do
  ws read "$name" && echo "$name was given"
done 2>/dev/null
find /run/ctl /user /tests /solution -mindepth 1 2>/dev/null
ws list | grep -E "$words"
true
"""


async def test_the_agent_can_not_read_the_plan_of_the_user(
    bubblewrap: BubblewrapProvider,
) -> None:
    """Nor in the memory of the conversation, once the user has said a part of it."""
    async with session(bubblewrap, user_environment()) as (opened, _):
        for line in ("ws say", "ws read table; ws say 'I have read it' > /dev/null"):
            assert (await opened.sandbox.exec(["bash", "-c", line])).exit_code == 0
            found = await opened.sandbox.exec(["bash", "-c", SPYING])
            assert (found.exit_code, found.stdout) == (0, b"")
        await opened.sandbox.exec(["bash", "-c", "echo zebra-7731 > /tmp/note"])
        planted = await opened.sandbox.exec(["bash", "-c", SPYING])
        assert planted.stdout == b"/tmp/note\n", "the search does find what is there"


async def test_the_user_leaves_before_the_work_is_taken_home(
    bubblewrap: BubblewrapProvider,
) -> None:
    async with open_environment(
        bubblewrap, user_environment(), image=IMAGE, attend=attending()
    ) as opened:
        assert (await asked(opened, "say"))["user_message"] == "Good morning."
        final = await opened.final()
    assert final.served is not None
    assert final.served.log.count(b"\n") == 1


async def test_a_rollout_keeps_what_the_user_did(
    bubblewrap: BubblewrapProvider,
) -> None:
    harness = OracleHarness(bubblewrap, wording=TemplateWording())
    trajectory = await harness.run(
        user_environment(), None, RolloutLimits(), image=IMAGE
    )
    assert trajectory.reward == 1.0
    assert [(t.agent, t.signal, t.changed) for t in trajectory.user_turns] == [
        ("hi", "replace", True)
    ]
    assert trajectory.user_mistakes == ()


@pytest.mark.parametrize(
    ("answer", "wording", "user"),
    [
        ("Table replaced; 1.17 it is.", "model", "Table replaced; 1.17 it is."),
        ("The rate is a secret.", "fallback", MESSAGE),
        (None, "template", MESSAGE),
    ],
)
async def test_a_trajectory_tells_whose_words_the_user_said(
    bubblewrap: BubblewrapProvider, answer: str | None, wording: str, user: str
) -> None:
    words: Wording = TemplateWording()
    if answer is not None:
        words = ModelWording(ScriptedChatModel([text_answer(answer)]))
    trajectory = await OracleHarness(bubblewrap, wording=words).run(
        user_environment(), None, RolloutLimits(), image=IMAGE
    )
    (turn,) = trajectory.user_turns
    assert (turn.wording, turn.user) == (wording, user)


async def test_a_user_that_can_not_be_read_is_named(
    bubblewrap: BubblewrapProvider,
) -> None:
    environment = user_environment(signals=[{"id": "x"}])
    with pytest.raises(BundleError, match=r"plan\.json: signals\.0\.when"):
        async with session(bubblewrap, environment):
            pass


async def test_the_gate_passes_with_the_user(
    bubblewrap: BubblewrapProvider, bare_image: Image
) -> None:
    image = ImageReference(
        name=bare_image.name,
        python=bare_image.python,
        requirements=(),
        digest=bare_image.digest,
    )
    environment = replace(user_environment(), image=image)
    audit = await run_gate(
        bubblewrap,
        environment,
        image=bare_image,
        repeats=2,
        checks=("oracle_max", "nop_floor", "replay"),
        attend=attending(),
    )
    assert [check.status for check in audit] == ["passed"] * 3, audit
