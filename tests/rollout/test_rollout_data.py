"""Whatever a model says is data: every call is answered, every limit ends in a record."""

import asyncio
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envplatform.errors import ModelError, SandboxError
from envplatform.grading.grade import REWARD
from envplatform.llm.chat import ChatResponse, ToolCall, Usage
from envplatform.rollout import (
    FENCED,
    NATIVE,
    Dialect,
    NopHarness,
    Policy,
    RolloutLimits,
    ToolLoopHarness,
)
from envplatform.rollout.tools import shorten
from envplatform.sandbox.base import ExecResult
from envplatform.trajectories import Trajectory
from envplatform.tree import File
from tests.fakes import ScriptedChatModel, ScriptedProvider, text_answer
from tests.rollout.tiny import (
    IMAGE,
    SUBMIT,
    ran,
    shell,
    tiny_environment,
    without_tools,
)


def obedient(argv: Sequence[str]) -> ExecResult:
    """Every command works."""
    del argv
    return ran(b"out")


CONTENT = {REWARD: File(b'{"reward": 1}')}
"""What a verifier that is content leaves."""


def called(*calls: ToolCall, tokens: int = 10) -> ChatResponse:
    return text_answer("", tool_calls=calls, usage=Usage(prompt_tokens=tokens))


async def rollout(
    script: Sequence[ChatResponse | ModelError],
    *,
    limits: RolloutLimits = RolloutLimits(),  # noqa: B008  frozen
    dialect: Dialect = NATIVE,
    provider: ScriptedProvider | None = None,
    clock: Callable[[], float] = lambda: 0.0,
) -> Trajectory:
    harness = ToolLoopHarness(
        provider or ScriptedProvider(obedient, leaves=CONTENT),
        dialect=dialect,
        clock=clock,
    )
    policy = Policy(model=ScriptedChatModel(script))
    return await harness.run(tiny_environment(), policy, limits, image=IMAGE)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("", "arguments: Invalid JSON"),
        ("{not json", "arguments: Invalid JSON"),
        ("[]", "arguments: Input should be an object"),
        ("{}", "command: Field required"),
        ('{"command": 7}', "command: Input should be a valid string"),
        ('{"command": ""}', "command: String should have at least 1 character"),
        ('{"command": "ls", "cwd": "/"}', "cwd: Extra inputs"),
        ('{"command": "a\\u0000b"}', "NUL"),
        ('{"command": "\\ud800"}', "arguments: Invalid JSON"),
        ('{"command": "' + "x" * 100_001 + '"}', "over 100000 bytes"),
        ("[" * 100_000, "arguments: Invalid JSON"),
    ],
)
async def test_broken_arguments_are_told_and_not_run(arguments: str, told: str) -> None:
    provider = ScriptedProvider(obedient, leaves=CONTENT)
    call = ToolCall(call_id="1", name="shell", arguments=arguments)
    trajectory = await rollout([called(call), called(SUBMIT)], provider=provider)
    (outcome,), (reply,) = trajectory.steps[0].outcomes, trajectory.steps[0].replies
    assert outcome.problem == "invalid_arguments"
    assert told in reply.content
    assert reply.tool_call_id == "1"
    assert provider.opened[0].commands == []
    assert trajectory.reward == 1.0


async def test_unknown_tools_are_told_and_the_others_run() -> None:
    odd = ToolCall(call_id="1", name="rm -rf /", arguments="{}")
    trajectory = await rollout([called(odd, shell("ls", "2")), called(SUBMIT)])
    first, second = trajectory.steps[0].outcomes
    assert (first.problem, second.problem) == ("unknown_tool", None)
    assert "no tool of this name" in trajectory.steps[0].replies[0].content


async def test_a_tool_that_the_environment_forbids_is_unknown() -> None:
    model = ScriptedChatModel([called(shell("ls")), called(SUBMIT)])
    provider = ScriptedProvider(obedient, leaves=CONTENT)
    trajectory = await ToolLoopHarness(provider).run(
        without_tools(tiny_environment()),
        Policy(model=model),
        RolloutLimits(),
        image=IMAGE,
    )
    assert trajectory.steps[0].outcomes[0].problem == "unknown_tool"
    assert provider.opened[0].commands == []


async def test_what_follows_submit_is_answered_and_not_run() -> None:
    trajectory = await rollout([called(SUBMIT, shell("ls", "2"))])
    assert [o.problem for o in trajectory.steps[0].outcomes] == [None, "after_submit"]
    assert len(trajectory.steps[0].replies) == 2
    assert trajectory.ending == "submitted"


async def test_silence_is_nudged_and_ends_after_three_turns() -> None:
    script = [text_answer(""), called(shell("ls")), *[text_answer("thinking")] * 3]
    trajectory = await rollout(script)
    assert trajectory.ending == "no_action"
    assert len(trajectory.steps) == 5
    assert "no tool" in trajectory.steps[0].replies[0].content
    assert trajectory.steps[0].replies[0].role == "user"
    assert trajectory.reward == 1.0


async def test_turns_are_limited() -> None:
    script = [called(shell("ls")) for _ in range(5)]
    trajectory = await rollout(script, limits=RolloutLimits(turns=2))
    assert (trajectory.ending, len(trajectory.steps)) == ("turn_limit", 2)
    assert trajectory.reward == 1.0


async def test_tool_calls_are_limited_within_a_turn() -> None:
    calls = [shell("ls", str(number)) for number in range(5)]
    trajectory = await rollout([called(*calls)], limits=RolloutLimits(tool_calls=3))
    problems = [outcome.problem for outcome in trajectory.steps[0].outcomes]
    assert problems == [None, None, None, "limit_reached", "limit_reached"]
    assert len(trajectory.steps[0].replies) == 5
    assert trajectory.ending == "tool_call_limit"


async def test_tokens_are_limited() -> None:
    script = [called(shell("ls"), tokens=60) for _ in range(5)]
    trajectory = await rollout(script, limits=RolloutLimits(tokens=100))
    assert (trajectory.ending, len(trajectory.steps)) == ("token_limit", 2)
    assert trajectory.usage.prompt_tokens == 120


async def test_output_is_limited() -> None:
    calls = [shell("ls", str(number)) for number in range(5)]
    trajectory = await rollout(
        [called(*calls[:2]), called(*calls)], limits=RolloutLimits(output_bytes=12)
    )
    problems = [outcome.problem for outcome in trajectory.steps[1].outcomes]
    assert problems == [None, None, *["limit_reached"] * 3]
    assert trajectory.ending == "output_limit"
    assert trajectory.limits == RolloutLimits(output_bytes=12)


def submitting(arguments: str) -> ToolCall:
    return ToolCall(call_id="end", name="submit", arguments=arguments)


async def test_claims_are_compared_with_what_is_left() -> None:
    said = (
        '{"claims": [{"path": "calc.py", "field": "contains", "value": "a - b"},'
        ' {"path": "calc.py", "field": "contains", "value": "a + b"}]}'
    )
    trajectory = await rollout([called(submitting(said))])
    assert [claim.holds for claim in trajectory.claims] == [True, False]
    assert trajectory.ending == "submitted"


@pytest.mark.parametrize("said", ["{", '{"claims": 3}', '{"claims": [3]}', '{"a": 1}'])
async def test_claims_that_are_none_are_told_and_submit_nothing(said: str) -> None:
    trajectory = await rollout([called(submitting(said)), called(submitting(""))])
    assert trajectory.steps[0].outcomes[0].problem == "invalid_arguments"
    assert (trajectory.ending, len(trajectory.steps)) == ("submitted", 2)
    assert trajectory.claims == ()


async def test_claims_in_plain_text() -> None:
    said = (
        'SUBMIT\n```json\n[{"path": "calc.py", "field": "exists", "value": true}]\n```'
    )
    trajectory = await rollout([text_answer(said)], dialect=FENCED)
    assert [claim.holds for claim in trajectory.claims] == [True]


async def test_seconds_are_limited() -> None:
    ticks = iter(range(10_000))
    trajectory = await rollout(
        [called(*[shell("ls", str(n)) for n in range(50)]) for _ in range(5)],
        limits=RolloutLimits(seconds=20),
        clock=lambda: float(next(ticks)),
    )
    assert trajectory.ending == "time_limit"
    assert len(trajectory.steps) == 1
    problems = [outcome.problem for outcome in trajectory.steps[0].outcomes]
    assert set(problems) == {None, "limit_reached"}
    assert problems == sorted(problems, key=lambda problem: problem is not None)


async def test_a_failing_sandbox_is_no_verdict() -> None:
    def broken(argv: Sequence[str]) -> ExecResult:
        if argv[-1] == "boom":
            msg = "the sandbox is gone"
            raise SandboxError(msg)
        return ran()

    trajectory = await rollout(
        [called(shell("ls")), called(shell("boom"))], provider=ScriptedProvider(broken)
    )
    assert trajectory.ending == "infrastructure_error"
    assert trajectory.error_class == "SandboxError"
    assert trajectory.error == "the sandbox is gone"
    assert trajectory.reward is None
    assert len(trajectory.steps) == 1


async def test_a_sandbox_that_fails_while_grading_is_no_verdict_either() -> None:
    def broken(argv: Sequence[str]) -> ExecResult:
        msg = f"no {argv[0]}"
        raise SandboxError(msg)

    trajectory = await NopHarness(ScriptedProvider(broken)).run(
        tiny_environment(), None, RolloutLimits(), image=IMAGE
    )
    assert trajectory.ending == "infrastructure_error"
    assert trajectory.reward is None
    assert trajectory.final_state is not None


async def test_a_verifier_without_verdict_is_named_and_not_scored() -> None:
    nothing = ScriptedProvider(lambda _: ran(), leaves={REWARD: File(b"")})
    trajectory = await NopHarness(nothing).run(
        tiny_environment(), None, RolloutLimits(), image=IMAGE
    )
    assert trajectory.grading_failure == "reward_malformed"
    assert trajectory.reward is None
    assert trajectory.error_class is None


async def test_a_tool_loop_without_a_policy_says_so() -> None:
    trajectory = await ToolLoopHarness(ScriptedProvider(obedient, leaves=CONTENT)).run(
        tiny_environment(), None, RolloutLimits(), image=IMAGE
    )
    assert trajectory.error_class == "ModelError"
    assert "needs a policy" in trajectory.error


@pytest.mark.parametrize(
    ("text", "commands", "submits"),
    [
        ("```bash\nls\n```", ["ls"], False),
        ("a\n```sh\nls\n```\nb\n```shell\npwd\nid\n```", ["ls", "pwd\nid"], False),
        ("```bash\nls\n```\nSUBMIT", ["ls"], True),
        ("**SUBMIT**", [], True),
        ("I will SUBMIT later", [], False),
        ("```python\nSUBMIT\n```", [], False),
        ("```bash\necho\nSUBMIT\n```", ["echo\nSUBMIT"], False),
        ("```bash\nrm -rf x", [], False),
        ("```bash\n```", [""], False),
        ("bash\nls", [], False),
    ],
)
async def test_commands_in_plain_text(
    text: str, commands: list[str], *, submits: bool
) -> None:
    calls = FENCED.calls(text_answer(text).message)
    found = [call for call in calls if call.name == "shell"]
    assert [c.arguments for c in found] == [shell(c).arguments for c in commands]
    assert any(call.name == "submit" for call in calls) == submits


async def test_calls_that_were_not_offered_stay_out_of_a_plain_conversation() -> None:
    script = [
        text_answer("```bash\nls\n```", tool_calls=(shell("id"),)),
        text_answer("SUBMIT"),
    ]
    trajectory = await rollout(script, dialect=FENCED)
    assert all(message.tool_calls == () for message in trajectory.messages)
    assert [o.tool for step in trajectory.steps for o in step.outcomes] == [
        "shell",
        "submit",
    ]


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
ANY_CALL = st.builds(
    ToolCall,
    call_id=ANY_TEXT,
    name=st.sampled_from(["shell", "submit"]) | ANY_TEXT,
    arguments=st.sampled_from(['{"command": "ls"}', "{}"]) | ANY_TEXT,
)
ANY_ANSWER = st.builds(
    text_answer,
    ANY_TEXT | st.sampled_from(["```bash\nls\n```", "SUBMIT", "```bash"]),
    tool_calls=st.lists(ANY_CALL, max_size=4).map(tuple),
    finish_reason=st.sampled_from(["stop", "length", "tool_calls", "other"]),
)


@settings(deadline=None)
@given(
    script=st.lists(ANY_ANSWER, min_size=6, max_size=6),
    dialect=st.sampled_from([NATIVE, FENCED]),
)
def test_any_answers_make_a_whole_record(
    script: list[ChatResponse], dialect: Dialect
) -> None:
    limits = RolloutLimits(turns=6, tool_calls=8)
    trajectory = asyncio.run(rollout(script, limits=limits, dialect=dialect))
    assert trajectory.error_class is None
    assert trajectory.reward == 1.0
    assert 1 <= len(trajectory.steps) <= 6
    for step in trajectory.steps:
        calls = dialect.calls(step.message)
        assert [(o.call_id, o.tool) for o in step.outcomes] == [
            (call.call_id, call.name) for call in calls
        ]
        assert step.replies
        told = (reply.tool_call_id for reply in step.replies)
        answered = [call_id for call_id in told if call_id is not None]
        assert answered == [call.call_id for call in step.message.tool_calls]


@given(text=st.text(), limit=st.integers(0, 50))
def test_shortened_text_keeps_both_ends(text: str, limit: int) -> None:
    short = shorten(text, limit)
    if len(text) <= limit:
        assert short == text
    else:
        head, tail = limit - limit // 2, limit // 2
        assert short.startswith(text[:head])
        assert short.endswith(text[len(text) - tail :])
        assert f"{len(text) - limit} characters left out" in short
