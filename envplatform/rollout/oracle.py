"""The harness that knows the answer: what it scores is the ceiling of an environment."""

from envplatform.grading import apply_solution
from envplatform.llm.chat import Message, ToolCall, Usage
from envplatform.rollout.harness import Harness
from envplatform.rollout.session import Session
from envplatform.rollout.tools import describe, outcome_of
from envplatform.trajectories import Ending, Step

_SOLVE = ToolCall(
    call_id="solve",
    name="shell",
    arguments='{"command": "bash /solution/solve.sh"}',
)


class OracleHarness(Harness):
    """Runs the environment's own solution in the agent's place.

    Recorded as one shell call. A solution that fails is graded like any other end.
    """

    name = "oracle"

    async def act(self, session: Session) -> Ending:
        """Upload the solution and run it."""
        assignment = session.assignment
        result = await apply_solution(session.sandbox, assignment.environment)
        text = describe(result, limit=assignment.limits.output_characters)
        session.steps.append(
            Step(
                message=Message(role="assistant", content="", tool_calls=(_SOLVE,)),
                finish_reason="tool_calls",
                outcomes=(session.marked(outcome_of(_SOLVE, result, text)),),
                replies=(
                    Message(
                        role="tool", content=text.content, tool_call_id=_SOLVE.call_id
                    ),
                ),
                usage=Usage(),
                seconds=result.seconds,
            )
        )
        return "finished"
