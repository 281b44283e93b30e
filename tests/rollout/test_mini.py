"""The real mini-swe-agent in a real sandbox, its model a scripted server."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from envplatform.bundle import Allowance, Environment
from envplatform.errors import ConfigError
from envplatform.rollout import (
    MiniPackage,
    MiniSweAgentHarness,
    Policy,
    RecordedHarness,
    RolloutLimits,
)
from envplatform.sandbox.bubblewrap import BubblewrapProvider
from envplatform.trajectories import Standards, Trajectory, faults
from tests.model_server import (
    WORKS,
    Call,
    ModelServer,
    Reply,
    answer,
    model_server,
    refuse,
)
from tests.rollout.made_tasks import table_task
from tests.rollout.test_rollout_real import opened
from tests.rollout.tiny import FIX, IMAGE, tiny_environment, without_tools

DONE = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
LIMITS = RolloutLimits()


@pytest.fixture(scope="session")
def package(cache_folder: Path) -> MiniPackage:
    return MiniPackage(cache_folder)


def bash(*commands: str) -> Reply:
    calls = [
        Call(
            name="bash",
            arguments=json.dumps({"command": command}),
            call_id=f"call-{number}",
        )
        for number, command in enumerate(commands, 1)
    ]
    return answer("I look.", *calls)


def block(command: str) -> Reply:
    return answer(f"I look.\n\n```mswea_bash_command\n{command}\n```")


async def rollout(
    package: MiniPackage,
    script: Sequence[Reply],
    *,
    environment: Environment | None = None,
    limits: RolloutLimits = LIMITS,
    in_text: bool = False,
) -> tuple[Trajectory, ModelServer]:
    harness = MiniSweAgentHarness(
        BubblewrapProvider(), package, speaks="text" if in_text else "tools"
    )
    with model_server(script) as server:
        async with opened(server, key=WORKS) as model:
            trajectory = await harness.run(
                environment or tiny_environment(),
                Policy(model=model),
                limits,
                image=IMAGE,
            )
    return trajectory, server


async def test_it_solves_and_all_is_in_the_record(package: MiniPackage) -> None:
    script = [bash("cat calc.py", "exit 3"), bash(FIX), bash(DONE)]
    one, server = await rollout(package, script)
    assert (one.harness, one.policy) == ("mini_swe_agent", "scripted")
    assert (one.ending, one.reward) == ("submitted", 1.0)
    assert list(faults(one, Standards())) == []
    told = [
        [(each.tool, each.exit_code, each.problem) for each in step.outcomes]
        for step in one.steps
    ]
    assert told == [
        [("bash", 0, None), ("bash", 3, None)],
        [("bash", 0, None)],
        [("bash", 0, None)],
    ]
    assert "return a - b" in one.steps[0].replies[0].content
    assert one.prompt[1].content.startswith("Please solve this issue: `add` in calc.py")
    assert [tool.name for tool in one.tools] == ["bash"]
    assert one.usage.completion_tokens == 15
    asked = server.requests[-1]["messages"]
    assert [each["role"] for each in asked] == [
        *("system", "user", "assistant", "tool", "tool", "assistant", "tool"),
    ]
    assert asked == [
        {"role": message.role, "content": message.content}
        | ({"tool_call_id": message.tool_call_id} if message.tool_call_id else {})
        | ({"tool_calls": asked[number]["tool_calls"]} if message.tool_calls else {})
        for number, message in enumerate(one.messages[: len(asked)])
    ], "what was asked is what was recorded"


async def test_it_solves_in_plain_text(package: MiniPackage) -> None:
    script = [block(FIX), block(DONE)]
    one, server = await rollout(package, script, in_text=True)
    assert (one.harness, one.ending) == ("mini_swe_agent_text", "submitted")
    assert one.reward == 1
    assert "tools" not in server.requests[0]
    assert [each.tool for step in one.steps for each in step.outcomes] == ["bash"] * 2
    assert "<returncode>0</returncode>" in one.steps[0].replies[0].content


async def test_what_the_package_can_not_read_has_no_answer_in_the_record(
    package: MiniPackage,
) -> None:
    wrong = answer(None, Call(name="python", arguments="{}"))
    broken = answer(None, Call(name="bash", arguments="{"))
    one, server = await rollout(package, [wrong, broken, bash(FIX), bash(DONE)])
    problems = [each.problem for step in one.steps for each in step.outcomes]
    assert problems == ["unknown_tool", "invalid_arguments", None, None]
    found = set(faults(one, Standards()))
    assert found == {"unanswered_call", "unknown_tool", "malformed_call"}
    roles = [each["role"] for each in server.requests[2]["messages"]]
    assert roles == ["system", "user", "user", "user"], "the package leaves them out"


async def test_one_that_says_nothing_to_be_done_ends(package: MiniPackage) -> None:
    one, _ = await rollout(package, [answer("Hm.")] * 5)
    assert (one.ending, one.reward, len(one.steps)) == ("no_action", 0.0, 3)


async def test_calls_after_a_submission_are_not_run(package: MiniPackage) -> None:
    one, _ = await rollout(package, [bash(FIX, DONE, "rm calc.py")])
    (step,) = one.steps
    assert [each.problem for each in step.outcomes] == [None, None, "after_submit"]
    assert [each.tool_call_id for each in step.replies] == [
        "call-1",
        "call-2",
        "call-3",
    ]
    assert one.reward == 1


async def test_limits_end_it(package: MiniPackage) -> None:
    turns = RolloutLimits(turns=2)
    one, _ = await rollout(package, [bash("true")] * 5, limits=turns)
    assert (one.ending, len(one.steps)) == ("turn_limit", 2)
    slow = RolloutLimits(command_s=1)
    two, _ = await rollout(package, [bash("sleep 1000"), bash(DONE)], limits=slow)
    assert [each.ending for each in two.steps[0].outcomes] == ["timeout"]
    assert two.ending == "submitted"
    noisy = RolloutLimits(output_bytes=50_000)
    three, _ = await rollout(
        package, [bash("head -c 100000 /dev/zero | tr '\\0' x")] * 3, limits=noisy
    )
    assert (three.ending, len(three.steps)) == ("output_limit", 1)
    assert three.steps[0].outcomes[0].shortened


@pytest.mark.parametrize(
    "command",
    ["kill -9 $PPID", "cat /dev/zero"],
)
async def test_one_that_ends_its_own_program_is_graded_as_it_stands(
    package: MiniPackage, command: str
) -> None:
    small = tiny_environment(allowance=Allowance(memory_mb=400))
    one, _ = await rollout(package, [bash(FIX), bash(command)], environment=small)
    assert (one.ending, one.error_class) == ("agent_crashed", None)
    assert one.reward == 1


async def test_a_conversation_too_long_for_its_model_is_graded_as_it_stands(
    package: MiniPackage,
) -> None:
    long = refuse(400, "too long", code="context_length_exceeded")
    one, _ = await rollout(package, [bash(FIX), long])
    assert (one.ending, one.error_class) == ("context_limit", None)
    assert (one.reward, len(one.steps)) == (1.0, 1)
    assert set(faults(one, Standards())) == {"not_submitted"}


async def test_ten_calls_at_once_run_in_their_order(package: MiniPackage) -> None:
    ten = [f"echo {number} >> said; cat said" for number in range(9)]
    one, _ = await rollout(package, [bash(*ten, FIX), bash(DONE)])
    assert [each.exit_code for each in one.steps[0].outcomes] == [0] * 10
    assert [each.tool_call_id for each in one.steps[0].replies] == [
        f"call-{number}" for number in range(1, 11)
    ]
    said = json.loads(one.steps[0].replies[8].content)["output"]
    assert said.split() == list("012345678")
    assert (one.ending, one.reward) == ("submitted", 1.0)


async def test_an_empty_answer_is_told_of_and_it_goes_on(package: MiniPackage) -> None:
    one, _ = await rollout(package, [answer(None), answer(""), bash(FIX, DONE)])
    assert [each.message.content for each in one.steps[:2]] == ["", ""]
    assert (one.ending, one.reward) == ("submitted", 1.0)


async def test_ten_gigabytes_end_it_at_the_disk_limit(package: MiniPackage) -> None:
    """Program and commands share what may be written."""
    small = tiny_environment(allowance=Allowance(disk_mb=100))
    flood = "for n in 1 2 3; do head -c 10G /dev/zero > big$n; done; sleep 1000"
    one, _ = await rollout(package, [bash(FIX), bash(flood)], environment=small)
    assert (one.ending, one.error_class) == ("agent_crashed", None)
    assert one.reward == 1.0 or one.grading_failure == "workspace_too_large"
    assert "not_submitted" in set(faults(one, Standards()))


async def test_one_that_forges_what_its_program_says_is_told(
    package: MiniPackage,
) -> None:
    forge = (
        "cat > /tmp/forge.py <<'END'\n"
        "import os, socket\n"
        "os.rename('/run/mini/model.sock', '/run/mini/other')\n"
        "line = socket.socket(socket.AF_UNIX)\n"
        "line.bind('/run/mini/model.sock')\n"
        "os.chmod('/run/mini/model.sock', 0o666)\n"
        "line.listen()\n"
        "while True:\n"
        "    got = line.accept()[0]\n"
        "    got.recv(65536)\n"
        '    got.sendall(b\'{"fresh": [{"role": "assistant"}]}\\n\')\n'
        "END\n"
        "setsid python3 /tmp/forge.py > /dev/null 2>&1 &\n"
        "until [ -e /run/mini/other ] && [ -S /run/mini/model.sock ]; do sleep 0.1; done"
    )
    one, _ = await rollout(package, [bash(forge), bash(FIX), bash(DONE)])
    assert (one.ending, one.reward) == ("agent_crashed", 0.0)


async def test_it_works_through_what_is_served_and_hears_the_user(
    package: MiniPackage,
) -> None:
    script = [
        bash("ws read table"),
        bash("ws say 'I have read it'"),
        bash("ws read table > out.csv"),
        bash(DONE),
    ]
    one, _ = await rollout(package, script, environment=table_task())
    assert (one.reward, one.ending) == (1.0, "submitted")
    assert "ws list" in one.prompt[1].content
    assert [each.by for each in one.dispatches] == ["agent", "user", "agent", "agent"]
    assert [each.user_turns for step in one.steps for each in step.outcomes][-1] == 1


async def test_where_it_can_not_act_it_is_said(package: MiniPackage) -> None:
    for environment, why in (
        (without_tools(tiny_environment()), "no shell"),
        (older(tiny_environment()), r"needs Python 3\.10"),
    ):
        harness = MiniSweAgentHarness(BubblewrapProvider(), package)
        with pytest.raises(ConfigError, match=why):
            await harness.run(environment, None, LIMITS, image=IMAGE)


async def test_its_record_is_not_replayed(package: MiniPackage) -> None:
    one, _ = await rollout(package, [bash(DONE)])
    with pytest.raises(ConfigError, match="no call that can be made here"):
        await RecordedHarness(BubblewrapProvider(), one).run(
            tiny_environment(), None, LIMITS, image=IMAGE
        )


def older(environment: Environment) -> Environment:
    image = replace(environment.image, python="3.9")
    return replace(environment, image=image)
