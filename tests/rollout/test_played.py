"""Rollouts whose policy sits outside, in a process and in a real sandbox."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.bundle import Environment, ImageReference
from envplatform.errors import ModelError, StudentError
from envplatform.grading.kept import keep_environment
from envplatform.learning.online.player import opened_player
from envplatform.llm.chat import Message, ToolCall
from envplatform.rollout import NATIVE, ToolLoopHarness
from envplatform.rollout.played import Player
from envplatform.sandbox.base import Image
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.store import Store
from envplatform.trajectories import RolloutLimits
from envplatform.trajectories.playing import (
    Answer,
    Asked,
    Begin,
    Over,
    PlayerOrder,
)
from tests.rollout.made_tasks import table_task
from tests.rollout.tiny import FIX, IMAGE, SUBMIT, shell, tiny_environment

COMMAND = (sys.executable, "-m", "envplatform.rollout.play_process")


def turn(*calls: ToolCall, content: str = "", play_id: str = "p") -> Answer:
    message = Message(role="assistant", content=content, tool_calls=calls)
    return Answer(play_id=play_id, message=message)


def call(tool: str, /, **arguments: str) -> ToolCall:
    return ToolCall(call_id=tool, name=tool, arguments=json.dumps(arguments))


def player(provider: BubblewrapProvider, environment: Environment) -> Player:
    async def find(_: str) -> tuple[Environment, Image]:
        return environment, IMAGE

    return Player(
        lambda: ToolLoopHarness(provider, dialect=NATIVE),
        find,
        RolloutLimits(turns=4),
        policy="outside",
    )


async def test_what_is_told_is_each_time_what_is_new(
    bubblewrap: BubblewrapProvider,
) -> None:
    plays = player(bubblewrap, table_task())
    begun = await plays.begin(Begin(play_id="p", digest="", seed=3))
    assert isinstance(begun, Asked)
    assert [one.role for one in begun.heard] == ["system", "user"]
    assert {"shell", "submit", "ws_read", "ws_say"} <= {t.name for t in begun.tools}
    read = await plays.answer(turn(call("ws_read", name="table")))
    assert isinstance(read, Asked)
    assert [one.role for one in read.heard] == ["tool"]
    said = await plays.answer(turn(call("ws_say", text="I have read it")))
    assert isinstance(said, Asked)
    assert "I have replaced the table" in said.heard[0].content
    await plays.answer(turn(shell("ws read table > out.csv")))
    over = await plays.answer(turn(SUBMIT))
    assert isinstance(over, Over)
    assert over.trajectory is not None
    assert over.trajectory.reward == 1.0
    assert over.trajectory.policy == "outside"
    assert over.trajectory.seed == 3
    assert [one.content for one in over.heard] == ["Submitted."]
    with pytest.raises(ModelError, match="no play"):
        await plays.answer(turn(SUBMIT))


async def test_a_full_context_ends_a_play_and_it_is_graded_as_it_stands(
    bubblewrap: BubblewrapProvider,
) -> None:
    plays = player(bubblewrap, tiny_environment())
    await plays.begin(Begin(play_id="p", digest="", seed=0))
    await plays.answer(turn(shell(FIX)))
    full = Message(role="assistant", content="")
    over = await plays.answer(Answer(play_id="p", message=full, is_last=True))
    assert isinstance(over, Over)
    assert over.trajectory is not None
    assert over.trajectory.ending == "context_limit"
    assert over.trajectory.reward == 1.0
    assert over.heard == ()


async def test_what_cannot_be_played_is_told_and_nothing_is_left_under_way(
    bubblewrap: BubblewrapProvider,
) -> None:
    wrong = Image(name="x", python="3.11", requirements=(), digest="f" * 64, site=None)

    async def find(_: str) -> tuple[Environment, Image]:
        return tiny_environment(), wrong

    plays = Player(
        lambda: ToolLoopHarness(bubblewrap), find, RolloutLimits(), policy="outside"
    )
    over = await plays.begin(Begin(play_id="p", digest="", seed=0))
    assert isinstance(over, Over)
    assert over.trajectory is None
    assert "image" in over.why
    again = await plays.begin(Begin(play_id="p", digest="", seed=0))
    assert isinstance(again, Over)
    await plays.close()


async def stored(home: Path, image: Image) -> str:
    """Keep the tiny environment, on an image that a player can build; its digest."""
    tiny = tiny_environment()
    reference = ImageReference(
        name=image.name,
        python=image.python,
        requirements=image.requirements,
        digest=image.digest,
    )
    return await keep_environment(Store(home), replace(tiny, image=reference))


def order(home: Path, *, turns: int = 4) -> PlayerOrder:
    return PlayerOrder(
        home=home,
        sandbox="bubblewrap",
        policy="trainee",
        limits=RolloutLimits(turns=turns),
    )


async def test_a_process_plays_many_side_by_side(
    bubblewrap: BubblewrapProvider, bare_image: Image, tmp_path: Path
) -> None:
    del bubblewrap  # needed: skips where there is none
    digest = await stored(tmp_path, bare_image)
    ids = ("right", "wrong")
    with opened_player(COMMAND, order(tmp_path)) as plays:
        begun = plays.send([Begin(play_id=one, digest=digest, seed=1) for one in ids])
        assert [one.play_id for one in begun] == ["right", "wrong"]
        prompts = [one.heard for one in begun if isinstance(one, Asked)]
        assert prompts[0] == prompts[1], "a group starts from one state"
        plays.send([turn(shell(FIX), play_id="right")])
        over = plays.send([turn(SUBMIT, play_id=one) for one in ids])
    rewards = [
        one.trajectory.reward
        for one in over
        if isinstance(one, Over) and one.trajectory is not None
    ]
    assert rewards == [1.0, 0.0]


def test_a_player_that_is_gone_says_why(tmp_path: Path) -> None:
    said = "import sys; sys.exit('no sandbox here')"
    with (
        opened_player((sys.executable, "-c", said), order(tmp_path)) as plays,
        pytest.raises(StudentError, match="no sandbox here"),
    ):
        plays.send([Begin(play_id="p", digest="", seed=0)])
    with (
        pytest.raises(StudentError, match="can't be started"),
        opened_player((str(tmp_path / "none"),), order(tmp_path)),
    ):
        pass


async def test_an_environment_that_is_not_stored_costs_only_its_own_play(
    bubblewrap: BubblewrapProvider, bare_image: Image, tmp_path: Path
) -> None:
    del bubblewrap
    digest = await stored(tmp_path, bare_image)
    with opened_player(COMMAND, order(tmp_path)) as plays:
        begun = plays.send(
            [
                Begin(play_id="there", digest=digest, seed=0),
                Begin(play_id="gone", digest="0" * 64, seed=0),
            ]
        )
    assert isinstance(begun[0], Asked)
    assert isinstance(begun[1], Over)
    assert begun[1].trajectory is None
    assert "materialise" in begun[1].why
