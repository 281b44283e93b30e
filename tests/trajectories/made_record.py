"""Records of rollouts that nobody ran."""

from envplatform.llm.chat import Message, ToolCall, Usage
from envplatform.trajectories.record import (
    OfferedTool,
    Score,
    Step,
    ToolOutcome,
    Trajectory,
)

TALK = "The answer is in the file."


def record(trajectory_id: str = "t1", *, digest: str = "0" * 64) -> Trajectory:
    """A rollout of two turns: a call with an answer, then words and the end."""
    call = ToolCall(call_id="c1", name="shell", arguments='{"command": "ls"}')
    answered = Message(role="tool", content="a.txt\n", tool_call_id="c1")
    return Trajectory(
        trajectory_id=trajectory_id,
        environment_id="made",
        environment_digest=digest,
        harness="tool_loop",
        policy="m",
        seed=0,
        sandbox="none",
        prompt=(
            Message(role="system", content="You fix bugs."),
            Message(role="user", content="Where is the answer?"),
        ),
        tools=(
            OfferedTool(
                name="shell",
                description="Run a command.",
                parameters='{"type": "object", "properties": {}}',
            ),
        ),
        steps=(
            Step(
                message=Message(role="assistant", content="", tool_calls=(call,)),
                finish_reason="tool_calls",
                outcomes=(ToolOutcome(call_id="c1", tool="shell", exit_code=0),),
                replies=(answered,),
                usage=Usage(prompt_tokens=20, completion_tokens=5, usd=0.25),
            ),
            Step(
                message=Message(role="assistant", content=TALK),
                finish_reason="stop",
                outcomes=(),
                replies=(),
                usage=Usage(prompt_tokens=30, completion_tokens=7),
            ),
        ),
        ending="submitted",
        final_state=None,
        reward=1.0,
        usage=Usage(prompt_tokens=50, completion_tokens=12, usd=0.25),
        scores=(Score(criterion="reward", score=1.0),),
    )
