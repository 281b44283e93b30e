"""Trajectories as ATIF 1.8: one document each, below a folder a batch."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from envplatform import __version__
from envplatform.interop.exporting import Exported
from envplatform.interop.json_text import Json, JsonObject, json_object, json_text
from envplatform.interop.tool_schema import tool_schema
from envplatform.llm.chat import Message, ToolCall, Usage
from envplatform.store.names import encode_name
from envplatform.trajectories import Trajectory
from envplatform.trajectories.record import Step

SCHEMA = "ATIF-v1.8"


def write_documents(
    trajectories: Iterable[tuple[str, Trajectory]], folder: Path, told: Exported
) -> None:
    """Write `BATCH/TRAJECTORY.json` for each; one that ATIF has no form for is left out."""
    for batch, one in trajectories:
        try:
            text = json_text(atif_document(one), indent=2)
        except ValueError as error:
            told.leave_out(f"{batch}/{one.trajectory_id}", error)
            continue
        file = folder / encode_name(batch) / f"{encode_name(one.trajectory_id)}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"{text}\n", encoding="utf-8")
        told.written += 1


def atif_document(trajectory: Trajectory) -> JsonObject:
    """Return one trajectory as ATIF has it; what ATIF has no field for is in `extra`.

    Raises:
        ValueError: nobody said anything, or a tool that was offered is malformed.
    """
    steps = [
        {"step_id": number, **step}
        for number, step in enumerate(_steps(trajectory), start=1)
    ]
    if not steps:
        msg = f"nobody said anything (harness {trajectory.harness})"
        raise ValueError(msg)
    return {
        "schema_version": SCHEMA,
        "session_id": trajectory.trajectory_id,
        "trajectory_id": trajectory.trajectory_id,
        "agent": _agent(trajectory),
        "steps": steps,
        "final_metrics": {
            "total_prompt_tokens": trajectory.usage.prompt_tokens,
            "total_completion_tokens": trajectory.usage.completion_tokens,
            "total_cost_usd": trajectory.usage.usd,
            "total_steps": len(steps),
        },
        "extra": _extra(trajectory),
    }


def _agent(trajectory: Trajectory) -> JsonObject:
    agent: JsonObject = {
        "name": f"envplatform/{trajectory.harness}",
        "version": __version__,
        "model_name": trajectory.policy,
    }
    if trajectory.tools:
        agent["tool_definitions"] = [tool_schema(one) for one in trajectory.tools]
    return agent


def _extra(trajectory: Trajectory) -> JsonObject:
    return {
        "environment_id": trajectory.environment_id,
        "environment_digest": trajectory.environment_digest,
        "seed": trajectory.seed,
        "sandbox": trajectory.sandbox,
        "ending": trajectory.ending,
        "error_class": trajectory.error_class,
        "reward": trajectory.reward,
        **_judged(trajectory),
        "scores": {one.criterion: one.score for one in trajectory.scores},
        "claims": [
            {
                "path": one.path,
                "field": one.field,
                "value": one.value,
                "holds": one.holds,
            }
            for one in trajectory.claims
        ],
    }


def _steps(trajectory: Trajectory) -> Iterator[JsonObject]:
    for message in trajectory.prompt:
        yield _said(message)
    for step in trajectory.steps:
        yield _turn(step)
        for message in step.replies:
            if message.role != "tool":
                yield _said(message)


def _said(message: Message) -> JsonObject:
    sources = {"system": "system", "user": "user"}
    return {
        "source": sources.get(message.role, "agent"),
        "message": message.content,
    }


def _turn(step: Step) -> JsonObject:
    turn: JsonObject = {
        "source": "agent",
        "message": step.message.content,
        "llm_call_count": int(step.usage != Usage()),
        "extra": {"finish_reason": step.finish_reason},
    }
    if step.usage != Usage():
        turn["metrics"] = {
            "prompt_tokens": step.usage.prompt_tokens,
            "completion_tokens": step.usage.completion_tokens,
            "cost_usd": step.usage.usd,
        }
    if step.message.tool_calls:
        turn["tool_calls"] = [_call(one) for one in step.message.tool_calls]
    answers = [one for one in step.replies if one.role == "tool"]
    if answers:
        known = {one.call_id for one in step.message.tool_calls}
        turn["observation"] = {"results": _results(answers, known)}
    return turn


def _call(call: ToolCall) -> JsonObject:
    """Arguments that are no object stand as text in `extra`."""
    arguments = json_object(call.arguments)
    given: JsonObject = {
        "tool_call_id": call.call_id,
        "function_name": call.name,
        "arguments": arguments or {},
    }
    if arguments is None:
        given["extra"] = {"malformed_arguments": call.arguments}
    return given


def _results(answers: Sequence[Message], known: set[str]) -> list[Json]:
    """An answer to no call of this turn names none, as ATIF wants it."""
    results: list[Json] = []
    for one in answers:
        result: JsonObject = {"content": one.content}
        if one.tool_call_id in known:
            result["source_call_id"] = one.tool_call_id
        results.append(result)
    return results


def _judged(trajectory: Trajectory) -> JsonObject:
    """Say what a judge made of it, or why nobody judged; nothing without a rubric."""
    judged = trajectory.judged
    if judged is None:
        return {}
    told: JsonObject = {"code": judged.code, "score": judged.score}
    return {"judged": {**told, "judge": judged.judge, "why_none": judged.why_none}}
